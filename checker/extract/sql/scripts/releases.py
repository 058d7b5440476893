"""Releases of connectors that decide on the operators of a plan, as images, scripts and builds name their jars."""

from __future__ import annotations

import re
from collections.abc import Mapping

from checker.extract.asking.consulted import ask
from checker.model.sources import SourceFiles

PAIMON = "paimon.release"
"""What a pipeline's values may say, and what is found otherwise."""
ASSUMED = "1.1 or newer"
"""The releases of Paimon that make the same operators, taken where nothing names one; reports say so."""


def releases(files: SourceFiles, texts: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """(option → release, files that say so) for the connectors that a texts mention; none where files disagree."""
    if not re.search(r"(?i)paimon", texts) or PAIMON in texts:
        return {}, ()
    found, *where = ask(files, "paimon release") or (ASSUMED,)
    return ({PAIMON: found}, tuple(where)) if found else ({}, ())


def assumption(options: Mapping[str, str]) -> str:
    """What a report says where the release was assumed; empty where it was not."""
    return f" (no release of Paimon is named: {ASSUMED} is assumed)" if options.get(PAIMON) == ASSUMED else ""
