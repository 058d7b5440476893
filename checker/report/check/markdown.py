"""Markdown for a pull-request comment and a step summary, within GitHub's 65,536 characters.

What it says is in ``reports/templates/report.md``, in parts. They are put together by importance: what does not fit is
left out whole, and the comment says so.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from checker.model.findings import Severity, Verdict
from checker.model.nested import Json
from checker.model.unknowns import settle
from checker.repair.advice import MAKES_THEM, REPAIR_COMMAND
from checker.report import grouping, wording
from checker.report.pages import environment
from checker.report.presentable import (
    DOTS,
    WORDS,
    WORST_FIRST,
    code,
    code_block,
    code_or_prose,
    escaped,
    html_text,
    is_prose,
    link,
    presentable,
    short,
    source_link,
    without_graphs,
)
from checker.report.wording import listed, place, plural

LIMIT = 65_536
"""Of GitHub's comments, in characters; held in UTF-8 bytes to be on the safe side everywhere."""
_ROOM_FOR_CUT = 400
_IN_SIGHT = 12
"""Findings, and pipelines, that a comment shows without unfolding: the reader's first screen."""
_MOST_OTHERS = 8
"""Operators named in the row of another one, which the same is said about."""
_MARKS = {"passes": "✅", "fails": "❌", "undecided": "❔", "nothing-checked": "❔"}
_SEVERITY_MARKS = {Severity.ERROR: "🔴 error", Severity.WARNING: "🟡 warning", Severity.INFO: "🔵 info"}
_PART = re.compile("\x00([0-5])([^\x00]*)\x00")
"""Where a part begins: nothing that a report says has such a character."""
_TOOLS = (
    code, code_or_prose, place, plural, settle, short,
    grouping.notes_to_show, grouping.silenced_once, wording.account_line, wording.change, wording.failures,
    wording.flink_of, wording.headline, wording.in_short, wording.reading_in_full, wording.revision,
    wording.says_more, wording.tally, wording.unmentioned_unknowns, wording.verdict_of,
)  # fmt: skip
"""Functions that the template calls by their names."""


def render_markdown(report: Json, limit: int = LIMIT) -> str:
    """The whole report, cut to ``limit`` bytes."""
    template = environment(autoescape=False).get_template("report.md")
    _, *found = _PART.split(template.render(**_shown(presentable(without_graphs(report)))))
    parts = list(zip(found[::3], found[1::3], found[2::3], strict=True))
    room = limit - _ROOM_FOR_CUT
    kept: set[int] = set()
    for number, (_weight, _called, text) in sorted(enumerate(parts), key=lambda part: (part[1][0], part[0])):
        size = len(text.encode("utf-8"))
        if size <= room:
            kept.add(number)
            room -= size
    cut = [called for number, (_weight, called, _text) in enumerate(parts) if number not in kept]
    text = "".join(text for number, (_weight, _called, text) in enumerate(parts) if number in kept)
    return text.rstrip("\n") + "\n" + (_cut(cut) if cut else "")


def _cut(called: list[str]) -> str:
    counted = ", ".join(plural(called.count(name), name) for name in dict.fromkeys(called))
    return f"\n> ✂️ **Cut to fit a comment:** {counted}. The HTML and JSON reports hold everything.\n"


def _shown(report: Json) -> dict[str, Any]:
    """The report as the template shows it, and what it calls."""
    everything = grouping.said_once(report["pipelines"])
    findings = [group for group in everything if group[0]["severity"] != Severity.INFO]
    common, groups = grouping.grouped(report["pipelines"])
    shown = [together for together in groups if wording.worth_showing(together[0])]

    def linked(finding: Json, where: str) -> str:
        side = "head" if finding["head"] or not finding["base"] else "base"
        return link(short(where, 60), source_link(report, finding["location"], side))

    def named(alike: Sequence[tuple[Json, list[str]]]) -> str:
        """Findings that are like another one, by their operators and lines."""
        names = []
        for finding, _ in alike:
            name = code(short((finding["head"] or finding["base"])["name"], 60))
            where = place(finding["location"]).rpartition("/")[2]
            names.append(f"{name} ({linked(finding, where)})" if where else name)
        return listed(names, _MOST_OTHERS)

    return {
        **{tool.__name__: tool for tool in _TOOLS},
        "text": escaped,
        "html": html_text,
        "block": code_block,
        "part": lambda weight, called: f"\x00{weight}{called}\x00",
        "codes": lambda names, most: listed([code(short(name, 60)) for name in names], most),
        "linked": linked,
        "named": named,
        "repair_of": _repair_of,
        "repair_blocks": _repair_blocks,
        "worst_rows": _worst_rows,
        "facts": wording.FACTS,
        "statuses": wording.STATUS_WORDS,
        "severities": _SEVERITY_MARKS,
        "dots": DOTS,
        "words": WORDS,
        "in_sight": _IN_SIGHT,
        "report": report,
        "mark": "⚠️" if report["verdict"] == "passes" and wording.loses_anyway(report) else _MARKS[report["verdict"]],
        "rows": grouping.rows_alike(findings),
        "common": common,
        "shown": shown,
        "quiet": [p for together in groups if not wording.worth_showing(together[0]) for p in together],
    }


def _repair_of(finding: Json) -> str:
    """The repair as a cell of the table."""
    line = wording.repair_in_a_line(finding) or ""
    if REPAIR_COMMAND in line:
        return f"{code(line)}, or by hand: below"
    return code_or_prose(short(line, 200)) if line else ""


def _repair_blocks(repair: str) -> Iterator[str]:
    """Lines to copy as blocks of code, with the sentences between them."""
    for prose, lines in groupby(repair.splitlines(), is_prose):
        if not prose:
            yield code_block("\n".join(lines))
            continue
        for line in lines:
            command = line.removesuffix(MAKES_THEM)
            yield escaped(line) if command == line else f"{code(command)}{MAKES_THEM}."


def _worst_rows(pipeline: Json) -> list[Json]:
    return sorted(pipeline["operators"], key=lambda row: WORST_FIRST.index(Verdict(wording.verdict_of(row))))
