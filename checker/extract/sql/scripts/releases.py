"""Releases of connectors that decide on the operators of a plan, as images, scripts and builds name their jars."""

from __future__ import annotations

import re

from checker.extract.consulted import ask
from checker.model.sources import SourceFiles

PAIMON = "paimon.release"
"""What a pipeline's values may say, and what is found otherwise."""


def releases(files: SourceFiles, texts: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """(option → release, files that say so) for the connectors that a pipeline's texts mention."""
    if not re.search(r"(?i)paimon", texts):
        return {}, ()
    found, *where = ask(files, "paimon release")
    return ({PAIMON: found}, tuple(where)) if found else ({}, ())
