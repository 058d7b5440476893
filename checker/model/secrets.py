"""What looks like a secret in program arguments and texts is not shown: passwords, keys and tokens by their names."""

import hashlib
import os
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


def secret_texts(arguments: Iterable[str], named: Iterable[tuple[str, str | None]]) -> frozenset[str]:
    """The arguments and values, or the parts of them, that ``masked_arguments`` and ``masked_values`` hide."""
    given, values = list(arguments), [(name, value) for name, value in named if value]
    pairs = [*zip(given, masked_arguments(given), strict=True), *((v, str(m)) for (_, v), (_, m) in zip(
        values, masked_values(values), strict=True))]  # fmt: skip
    return frozenset(
        value[len(masked) - len(MASK) :] if value.startswith(masked.removesuffix(MASK)) else value
        for value, masked in pairs
        if value != masked
    )


def digested_values(named: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Named values with a digest instead of those that look like secrets: equal ones stay equal."""
    given = list(named)
    return tuple(
        (name, value if value == masked else f"{MASK}{hashlib.sha256(value.encode('utf-8', 'replace')).hexdigest()}")
        for (name, value), (_, masked) in zip(given, masked_values(given), strict=True)
    )


def _is_secret(name: str) -> bool:
    return _SECRET_NAME.search(name.lstrip("-")) is not None


_VARIABLES = (
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "FSSPEC_S3_SECRET",
    "FSSPEC_S3_TOKEN",
    "AZURE_STORAGE_ACCOUNT_KEY",
    "AZURE_STORAGE_SAS_TOKEN",
    "AZURE_STORAGE_CLIENT_SECRET",
    "AZURE_STORAGE_CONNECTION_STRING",
    "AZURE_CLIENT_SECRET",
)
_PAIR = re.compile(r"(?:AccountKey|SharedAccessSignature)=([^;]+)", re.IGNORECASE)
"""What is secret in a connection string."""
_SHORTEST = 8
"""A shorter value of a variable is not a secret and would blot out innocent words."""


def masked(text: str) -> str:
    """The text with ``***`` in place of every secret that is recognised."""
    text = masked_urls(text)
    for variable in _VARIABLES:
        value = os.environ.get(variable, "").strip()
        for secret in (value, *(p[1] for p in _PAIR.finditer(value))):
            if len(secret) >= _SHORTEST:
                text = text.replace(secret, MASK)
    return text
