"""A finding as plain sentences, for formats that show nothing but text."""

from __future__ import annotations

from typing import Any

from checker.report import wording
from checker.report.presentable import short
from checker.report.wording import change

Json = dict[str, Any]


def summary(finding: Json) -> str:
    """One line: pipeline and message."""
    return f"{short(finding['pipeline'], 80)}: {short(finding['message'], 1000)}"


def in_full(finding: Json) -> str:
    """Message, evidence, followers, repair and fingerprint, a line each."""
    lines = [short(finding["message"], 2000)]
    compared = finding["base"] is not None
    lines += [f"{e['name']}: {change(e, compared=compared)}" for e in finding["evidence"]]
    if finding["followers"]:
        names = ", ".join(short(follower["name"], 60) for follower in finding["followers"][:20])
        more = len(finding["followers"]) - 20
        lines.append(f"same cause: {names}{f' and {more} more' if more > 0 else ''}")
    if finding["repair"]:
        lines.append(f"repair: {finding['repair']}")
    return "\n".join([*lines, f"fingerprint: {finding['fingerprint']}"])


def line_of(finding: Json, pipeline: Json) -> Json | None:
    """Where a finding is shown: its own line, else the top of the file that its pipeline was read from."""
    if finding["location"]:
        return dict(finding["location"])
    file = next((files[0] for files in (pipeline["files"]["head"], pipeline["files"]["base"]) if files), None)
    return None if file is None else {"file": file, "line": 1, "column": 1}


def failures(pipeline: Json) -> list[str]:
    """Why sides of a pipeline could not be read, where no finding says it: no format may leave that out."""
    return [f"{side + ': ' if side else ''}{short(why, 1000)}" for side, why in wording.failures(pipeline)]
