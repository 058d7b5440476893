"""Secrets that must not be printed: passwords and signatures inside URLs, and credentials of the environment."""

from __future__ import annotations

import os
import re

from checker.model.secrets import MASK, masked_urls

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
