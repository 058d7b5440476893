"""The lines of source that findings point at, for reports that show them as compilers do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from checker.model.nested import Json
from checker.model.secrets import masked
from checker.model.sources import SourceFiles

_MOST = 100
"""The findings of one report that come with source."""
_BESIDE = 2
"""An edit so few lines away from what a finding is about is in its lines of source."""
_LONGEST = 160
"""The characters of a line that are shown."""


_CODE = (".java", ".py", ".sql", ".scala", ".kt")
"""Files whose lines may be shown: manifests and configurations hold values."""
_SECRET = re.compile(r"passw|secret|token|credential|(api|access|private|account).?key", re.IGNORECASE)


def with_excerpts(report: Json, base_files: SourceFiles, head_files: SourceFiles) -> Json:
    """The report, its findings with ``excerpts``: the line of the edit that is the cause, and their own line."""

    @cache
    def lines_of(side: str, file: str) -> list[str]:
        if not file.endswith(_CODE):
            return []
        try:
            return (base_files if side == "base" else head_files).read(file).decode("utf-8-sig").splitlines()
        except (KeyError, UnicodeDecodeError):
            return []

    left = _MOST
    for pipeline in report["pipelines"]:
        rows = [(row[side], row["cause"]) for row in pipeline["operators"] for side in ("base", "head")]
        causes = {operator["key"]: cause for operator, cause in rows if operator}
        for finding in pipeline["findings"][: max(left, 0)]:
            left -= 1
            found = (
                _excerpt(about, side, location, lines_of(side, location["file"]))
                for about, side, location in _places(finding, causes)
            )
            finding["excerpts"] = [excerpt for excerpt in found if excerpt is not None]
    return report


def _places(finding: Json, causes: dict[str, Json | None]) -> Iterator[tuple[str, str, Json]]:
    own = finding["location"]
    operator = finding["head"] or finding["base"]
    cause = causes.get(operator["key"]) if operator else None
    side = "base" if finding["base"] and not finding["head"] else "head"
    if cause and cause["location"]:
        edited, at = "base" if cause["kind"].endswith("removed") else "head", cause["location"]
        beside = own and (edited, at["file"]) == (side, own["file"]) and abs(at["line"] - own["line"]) <= _BESIDE
        if not beside:
            yield "edit", edited, at
    if own:
        yield "finding", side, own


def _excerpt(about: str, side: str, location: Json, lines: list[str]) -> Json | None:
    """The line with its neighbours, None near what may be a secret; the caret stands under the word that it names."""
    number = location["line"]
    around = lines[max(0, number - 3) : number + 2]
    if not 0 < number <= len(lines) or any(_SECRET.search(text) for text in around):
        return None
    line, column = lines[number - 1], location["column"] or 1
    word = re.match(r"\w*", line[column - 1 :])
    first = max(1, number - 1)
    shown = [text.expandtabs(4).rstrip() for text in lines[first - 1 : number + 1]]
    indent = min((len(text) - len(text.lstrip()) for text in shown if text), default=0)
    return {
        "about": about,
        "side": side,
        "location": location,
        "first": first,
        "lines": [masked(text[indent:][:_LONGEST]) for text in shown],
        "caret": max(0, len(line[: column - 1].expandtabs(4)) - indent),
        "width": max(1, len(word[0]) if word else 1),
    }
