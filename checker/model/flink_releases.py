"""The Flink releases that are supported: the one list of them. How they differ is in ``checker.flink.versions``."""

from __future__ import annotations

import re

RELEASES = {
    "1.13": "1.13.6", "1.14": "1.14.6", "1.15": "1.15.4", "1.16": "1.16.3", "1.17": "1.17.2", "1.18": "1.18.1",
    "1.19": "1.19.3", "1.20": "1.20.5", "2.0": "2.0.2", "2.1": "2.1.3", "2.2": "2.2.1", "2.3": "2.3.0",
}  # fmt: skip
"""Minor version → newest patch release known to exist as the package ``apache-flink-libraries``, oldest first."""
WITHOUT_PACKAGE = frozenset({"1.13.0", "1.13.1", "1.13.2", "1.13.3", "1.13.4", "1.13.5", "1.14.1"})
"""Patch releases that do not: the newest one of their minor stands for them."""
SUPPORTED = tuple(RELEASES)
NEWEST = SUPPORTED[-1]
"""The rules that hold where neither configuration nor build files name a Flink version."""
ASSUMED_FOR_SQL = "1.20"
"""What plans a SQL script in the same place: the last release of the line that most deployments run."""
FIRST_FOR_SQL = (1, 13)
"""The first minor whose planner is asked: older ones have no package of jars."""


def minor_of(version: str | None) -> tuple[int, int]:
    """Major and minor of a Flink version, for comparisons; those of the newest supported where there is none."""
    match = re.match(r"(\d+)\.(\d+)", version or "") or re.match(r"(\d+)\.(\d+)", NEWEST)
    assert match is not None
    return int(match[1]), int(match[2])
