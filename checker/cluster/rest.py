"""Flink's REST API, asked by GET only: in bounded time, with bounded answers, and without following redirects."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from http.client import HTTPException
from ssl import SSLCertVerificationError
from typing import Any
from urllib.parse import urlsplit

from checker.errors import ClusterError
from checker.time_limits import LateError, within

HEADERS = "SAVEPOINT_CHECKER_CLUSTER_HEADERS"
"""Environment variable with request headers, one a line: ``Authorization: Bearer …``."""
SECONDS = 20.0
"""How long one request may take, connecting and reading included."""
_MOST_BYTES = 32_000_000


class RestApi:
    """One JobManager's REST API, or a proxy in front of it."""

    def __init__(self, address: str) -> None:
        """``address`` as ``http://host:8081``. Raises ClusterError."""
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ClusterError(f"--cluster {parts.hostname or address}: must be an address such as http://host:8081")
        if parts.username is not None or parts.password is not None:
            raise ClusterError(
                f"--cluster {parts.hostname}: credentials do not belong into the address; set {HEADERS} to "
                "'Authorization: Basic …'"
            )
        self.address = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
        self._headers = _headers()
        self._opener = _opener()

    def get(self, path: str) -> Any:
        """The JSON that the API answers. Raises ClusterError, also when it takes too long."""
        url = f"{self.address}/{path}"
        try:
            return json.loads(within(SECONDS, lambda: self._read(url)))
        except LateError:
            raise ClusterError(f"{url}: no answer within {SECONDS:.0f} seconds") from None
        except urllib.error.HTTPError as error:
            raise ClusterError(f"{url}: {_refusal(error)}") from None
        except (urllib.error.URLError, OSError, HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            hint = "; SSL_CERT_FILE names certificates to trust" if isinstance(reason, SSLCertVerificationError) else ""
            raise ClusterError(f"{url}: {reason}{hint}") from None
        except (ValueError, RecursionError):
            raise ClusterError(f"{url}: the answer is not JSON; is this the address of a Flink cluster?") from None

    def _read(self, url: str) -> bytes:
        request = urllib.request.Request(url, headers=self._headers, method="GET")
        with self._opener.open(request, timeout=SECONDS) as response:
            answer: bytes = response.read(_MOST_BYTES + 1)
        if len(answer) > _MOST_BYTES:
            raise OSError(f"the answer is larger than {_MOST_BYTES // 1_000_000} MB")
        return answer


def _opener() -> urllib.request.OpenerDirector:
    """Follows no redirect: that would show the headers, and credentials in them, to whoever it names."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler,
        urllib.request.HTTPHandler,
        urllib.request.HTTPSHandler,
        urllib.request.HTTPDefaultErrorHandler,
        urllib.request.HTTPErrorProcessor,
    ):
        opener.add_handler(handler())
    return opener


def _headers() -> dict[str, str]:
    """The headers that the environment gives. Raises ClusterError without repeating a value."""
    found = {"Accept": "application/json"}
    for line in filter(str.strip, os.environ.get(HEADERS, "").splitlines()):
        name, colon, value = line.partition(":")
        if not colon or not name.strip():
            raise ClusterError(f"{HEADERS}: must hold one header per line, as 'Authorization: Bearer TOKEN'")
        found[name.strip()] = value.strip()
    return found


def _refusal(error: urllib.error.HTTPError) -> str:
    if error.code in (401, 403):
        return f"HTTP {error.code}; give credentials by the environment variable {HEADERS}"
    if 300 <= error.code < 400:
        return f"HTTP {error.code}: redirects are not followed; name the address itself"
    return f"HTTP {error.code}; is this the address of a Flink cluster?"
