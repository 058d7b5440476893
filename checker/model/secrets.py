"""What looks like a secret in program arguments and texts is not shown: passwords, keys and tokens by their names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeVar

MASK = "***"
Value = TypeVar("Value", str, str | None)

_PASSWORD = re.compile(r"(?<=://)([^\s:/@'\"]*):(?!\d+/)[^\s@'\"]+@")
"""``user:password@``. A port and a path may stand in front of an ``@`` too: ``host:8020/user@domain`` stays."""
_PARAMETER = re.compile(
    r"(?P<name>\b(?:sig|signature|awsaccesskeyid|(?:x-amz-|x-goog-)(?:signature|credential|security-token)"
    r"|(?:account|access|secret|shared|api)[-_]?(?:access[-_]?)?key(?:[-_]?id)?|sharedaccesssignature"
    r"|password|passwd|secret|delegation|token|(?:access|session|id|sas)[-_]?token)=)[^\s&;'\"<>]+",
    re.IGNORECASE,
)
"""Parameters of signed URLs (Azure SAS, presigned S3 and Google, WebHDFS) and of Azure connection strings."""
_SECRET_NAME = re.compile(
    r"(?i:passw(?:or)?d|passphrase|secret|token|credential|jaas)"
    r"|(?i:(?:^|[-_.])(?:pwd|pw|pass|auth|key)$)|(?i:(?:api|access|private|account|signing)[-_.]?key)|[a-z](?:Key|Pwd)$"
)
_NAMED = re.compile(r"(?P<name>-{0,2}[A-Za-z][\w.-]*)(?P<sign>[=:])(?P<value>.*)", re.DOTALL)


def masked_urls(text: str) -> str:
    """A text without passwords and signatures in URLs."""
    return _PARAMETER.sub(rf"\g<name>{MASK}", _PASSWORD.sub(rf"\1:{MASK}@", text))


def masked_arguments(arguments: Iterable[str]) -> tuple[str, ...]:
    """Program arguments with ``***`` for values whose names say password, secret, token, key or credential.

    ``--name value``, ``--name=value``, ``-Dname=value`` and ``name=value`` are seen, and what stands in URLs.
    """
    found: list[str] = []
    hide = False
    for argument in arguments:
        named = _NAMED.fullmatch(argument)
        if hide and not argument.startswith("--"):
            found.append(MASK)
            hide = False
        elif named is not None and named["value"] and _is_secret(named["name"]):
            found.append(f"{named['name']}{named['sign']}{MASK}")
            hide = False
        else:
            found.append(masked_urls(argument))
            hide = argument.startswith("-") and named is None and _is_secret(argument)
    return tuple(found)


def masked_values(named: Iterable[tuple[str, Value]]) -> tuple[tuple[str, Value | str], ...]:
    """Named values (variables, properties) with ``***`` for those that look like secrets; None stays."""
    return tuple(
        (name, value if not isinstance(value, str) else MASK if _is_secret(name) else masked_urls(value))
        for name, value in named
    )


def _is_secret(name: str) -> bool:
    return _SECRET_NAME.search(name.lstrip("-")) is not None
