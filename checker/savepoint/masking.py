"""Secrets that must not be printed: passwords and signatures inside URLs, and credentials of the environment."""

from __future__ import annotations

import os
import re

MASK = "***"

_PASSWORD = re.compile(r"(?<=://)([^\s:/@'\"]*):(?!\d+/)[^\s@'\"]+@")
"""``user:password@``. A port and a path may stand in front of an ``@`` too: ``host:8020/user@domain`` stays."""
_PARAMETER = re.compile(
    r"(?P<name>\b(?:sig|signature|awsaccesskeyid|(?:x-amz-|x-goog-)(?:signature|credential|security-token)"
    r"|(?:account|access|secret|shared|api)[-_]?(?:access[-_]?)?key(?:[-_]?id)?|sharedaccesssignature"
    r"|password|passwd|secret|delegation|token|(?:access|session|id|sas)[-_]?token)=)[^\s&;'\"<>]+",
    re.IGNORECASE,
)
"""Parameters of signed URLs (Azure SAS, presigned S3 and Google, WebHDFS) and of Azure connection strings."""
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
"""A shorter value of a variable is no secret and would blot out innocent words."""


def masked(text: str) -> str:
    """The text with ``***`` in place of every secret that can be told."""
    text = _PARAMETER.sub(rf"\g<name>{MASK}", _PASSWORD.sub(rf"\1:{MASK}@", text))
    for variable in _VARIABLES:
        value = os.environ.get(variable, "").strip()
        for secret in (value, *(p[1] for p in _PAIR.finditer(value))):
            if len(secret) >= _SHORTEST:
                text = text.replace(secret, MASK)
    return text
