"""A running Flink cluster, asked over the REST API of its JobManager (1.13 to 2.3); only ever with GET.

In: the address. Out: ``RunningJob`` records: a job, its newest snapshot, and what it was given. Called by ``gate``.
"""

from __future__ import annotations

import json
import os
import re
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from ssl import SSLCertVerificationError
from typing import Any
from urllib.parse import urlsplit

from checker.errors import ClusterError
from checker.model.deployments import Deployment, DeploymentKind, RunningJob, Snapshot, SnapshotKind, backend_named
from checker.model.nested import list_in, table_in, text_in
from checker.model.unknowns import Location
from checker.time_limits import LateError, within

MOST_REPLACED = 6
SETTLING = 1.0
"""Seconds between two questions."""
_ENDED = frozenset({"FINISHED", "CANCELED", "FAILED"})
_JOB_ID = re.compile(r"[0-9a-fA-F]{32}")


def running_job(address: str, wanted: str | None = None) -> RunningJob:
    """The job that ``wanted`` names by id, or by name, rather one that runs than one that ended; else the only one.

    Job and configuration come from ``/jobs``, ``/jobs/ID``, ``/jobs/ID/config``, ``/jobs/ID/checkpoints`` and
    ``/jobmanager/config``. Raises ClusterError.
    """
    api = RestApi(address)
    overview = _chosen(api, wanted)
    job_id = str(overview.get("jid", ""))
    if not _JOB_ID.fullmatch(job_id):
        raise ClusterError(f"{api.address}: the answer names no job id; is this the address of a Flink cluster?")
    details, given = table_in(api.get(f"jobs/{job_id}")), table_in(api.get(f"jobs/{job_id}/config"))
    name = str(overview.get("name") or job_id)
    backend = text_in(table_in(api.get(f"jobs/{job_id}/checkpoints/config")).get("state_backend"))
    return RunningJob(
        source=api.address,
        name=name,
        id=job_id,
        state=text_in(overview.get("state")),
        deployment=Deployment(
            kind=DeploymentKind.RUNNING_JOB,
            name=name,
            target="",
            location=Location(api.address, 1),
            parallelism=_positive(table_in(given.get("execution-config")).get("job-parallelism")),
            max_parallelism=_positive(details.get("maxParallelism")),
            flink=_minor(table_in(api.get("config")).get("flink-version")),
            configuration=_configuration(api.get("jobmanager/config")),
        ),
        state_backend=None if backend is None else backend_named(backend),
        snapshot=_snapshot(api, job_id),
    )


def _snapshot(api: RestApi, job_id: str) -> Snapshot | None:
    """The job's newest snapshot. Flink answers from a cache (``web.refresh-interval``, 3 s): what it calls the newest
    may have been replaced since, which the answer already says, so it is asked again for a moment."""
    for attempt in range(MOST_REPLACED):
        time.sleep(SETTLING if attempt else 0)
        checkpoints = table_in(api.get(f"jobs/{job_id}/checkpoints"))
        found = newest_snapshot(checkpoints)
        replaced = table_in(table_in(checkpoints.get("latest")).get("completed")).get("discarded") is True
        if found is not None or not replaced:
            return found
    return None


def _chosen(api: RestApi, wanted: str | None) -> Mapping[str, Any]:
    jobs = [table_in(j) for j in list_in(table_in(api.get("jobs/overview")).get("jobs"))]
    live = [j for j in jobs if j.get("state") not in _ENDED]
    if wanted is not None:
        named = [j for j in jobs if j.get("jid") == wanted] or [j for j in live if j.get("name") == wanted]
        named = named or [j for j in jobs if j.get("name") == wanted]  # it ended: what it left is there to start from
    else:
        named = live
    if len(named) == 1:
        return named[0]
    listed = ", ".join(f"{j.get('name')} ({j.get('jid')})" for j in named or live) or "none"
    if wanted is None:
        what = "several jobs run; say which one: --job NAME or ID" if named else "no job runs"
    else:
        what = f"several jobs are called '{wanted}'; name its id" if named else f"no job '{wanted}' runs or ran"
    raise ClusterError(f"{api.address}: {what}; running: {listed}")


def newest_snapshot(checkpoints: Mapping[str, Any]) -> Snapshot | None:
    """The newest completed savepoint or checkpoint that was not discarded and lies outside of the JobManager."""
    latest = table_in(checkpoints.get("latest"))
    listed = [*list_in(checkpoints.get("history")), latest.get("completed"), latest.get("savepoint")]
    found = []
    for entry in map(table_in, listed):
        path = text_in(entry.get("external_path"))
        usable = entry.get("status") == "COMPLETED" and entry.get("discarded") is not True
        if usable and path is not None and not path.startswith("<"):
            taken = entry.get("trigger_timestamp")
            kind = SnapshotKind.SAVEPOINT if entry.get("is_savepoint") is True else SnapshotKind.CHECKPOINT
            found.append(Snapshot(kind=kind, path=path, taken=taken if isinstance(taken, int) else None))
    restored = text_in(table_in(latest.get("restored")).get("external_path"))
    if not found and restored is not None and not restored.startswith("<"):
        return Snapshot(kind=SnapshotKind.SAVEPOINT, path=restored)  # nothing newer has completed since the start
    return max(found, key=lambda s: s.taken or 0, default=None)


def _configuration(answer: Any) -> tuple[tuple[str, str], ...]:
    pairs = ((text_in(table_in(e).get("key")), text_in(table_in(e).get("value"))) for e in list_in(answer))
    return tuple(sorted((key, value) for key, value in pairs if key is not None and value is not None))


def _minor(version: Any) -> str | None:
    match = re.match(r"\d+\.\d+", version) if isinstance(version, str) else None
    return None if match is None else match[0]


def _positive(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


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
            hint = "; is it the address of Flink's REST API, and does HTTP_PROXY or NO_PROXY stand in the way?"
            if isinstance(reason, SSLCertVerificationError):
                hint = "; SSL_CERT_FILE names certificates to trust"
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
