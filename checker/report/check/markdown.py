"""Markdown for a pull-request comment and a step summary, within GitHub's 65,536 characters.

The parts are put together by importance: what does not fit is left out whole, and the comment says so.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from checker.model.findings import Severity, Verdict
from checker.model.nested import Json
from checker.model.unknowns import settle
from checker.repair.advice import MAKES_THEM, REPAIR_COMMAND
from checker.report.grouping import (
    grouped,
    notes_to_show,
    only_reason,
    rows_alike,
    said_once,
    silenced_once,
    without_reason,
)
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
from checker.report.wording import (
    FACTS,
    STATUS_WORDS,
    account_line,
    change,
    failures,
    flink_of,
    headline,
    in_short,
    listed,
    loses_anyway,
    place,
    plural,
    reading_in_full,
    repair_in_a_line,
    revision,
    says_more,
    tally,
    unmentioned_unknowns,
    verdict_of,
    worth_showing,
)

LIMIT = 65_536
"""Of GitHub's comments, in characters; held in UTF-8 bytes to be on the safe side everywhere."""
_ROOM_FOR_CUT = 400
_ROWS_IN_SIGHT = 12
"""Findings, and pipelines, that a comment shows without unfolding: the reader's first screen."""
_MOST_ROWS = 60
_MOST_PIPELINES = 4
_MOST_NAMED = 20
_MOST_OTHERS = 8
"""Operators named in the row of another one, which the same is said about."""
_LONGEST_ENTRY = 3000
"""Of a configuration entry in characters: half an entry would be none."""
_MOST_OPERATORS = 100
_CLOSED = "</details>\n"
_MARKS = {"passes": "✅", "fails": "❌", "undecided": "❔", "nothing-checked": "❔"}
_SEVERITY_MARKS = {Severity.ERROR: "🔴 error", Severity.WARNING: "🟡 warning", Severity.INFO: "🔵 info"}


@dataclass(slots=True)
class _Part:
    """A piece of the comment: its place, how much it matters (0 = must), and what it is called when left out."""

    text: str
    weight: int
    called: str


def render_markdown(report: Json, limit: int = LIMIT) -> str:
    """The whole report, cut to ``limit`` bytes."""
    parts = list(_parts(presentable(without_graphs(report))))
    room = limit - _ROOM_FOR_CUT
    kept: set[int] = set()
    for number, part in sorted(enumerate(parts), key=lambda numbered: (numbered[1].weight, numbered[0])):
        size = len(part.text.encode("utf-8")) + 1
        if size <= room:
            kept.add(number)
            room -= size
    cut = [part.called for number, part in enumerate(parts) if number not in kept]
    text = "\n".join(part.text for number, part in enumerate(parts) if number in kept)
    return text.rstrip("\n") + "\n" + (_cut(cut) if cut else "")


def _cut(called: list[str]) -> str:
    counted = ", ".join(plural(called.count(name), name) for name in dict.fromkeys(called))
    return f"\n> ✂️ **Cut to fit a comment:** {counted}. The HTML and JSON reports hold everything.\n"


def _parts(report: Json) -> Iterator[_Part]:
    mark = "⚠️" if report["verdict"] == "passes" and loses_anyway(report) else _MARKS[report["verdict"]]
    base, head = (code(short(revision(report[side]["label"]))) for side in ("base", "head"))
    yield _Part(f"## {mark} {escaped(headline(report))}\n\n{base} → {head} · {escaped(tally(report))}\n", 0, "heading")
    everything = said_once(report["pipelines"])
    findings = _rows_of(report, [group for group in everything if group[0]["severity"] != Severity.INFO])
    rows = rows_alike([*findings])
    yield from _table(report, rows[:_ROWS_IN_SIGHT])
    if rows[_ROWS_IN_SIGHT:]:
        yield _Part(_opened(plural(sum(map(len, rows[_ROWS_IN_SIGHT:])), "more finding")), 0, "heading")
        yield from _table(report, rows[_ROWS_IN_SIGHT:])
        yield _Part(_CLOSED, 0, "heading")
    common, groups = grouped(report["pipelines"])
    shown = [together for together in groups if worth_showing(together[0])]
    for finding, names in common:
        yield from _common(finding, names)
    many = len(shown) > _ROWS_IN_SIGHT
    if many:
        yield _Part(_opened(f"Evidence of {plural(sum(map(len, shown)), 'pipeline')}"), 0, "heading")
    for together in shown:
        yield from _pipeline(together)
    if many:
        yield _Part(_CLOSED, 0, "heading")
    quiet = [pipeline for together in groups if not worth_showing(together[0]) for pipeline in together]
    if quiet:
        first = ", ".join(code(short(pipeline["name"], 40)) for pipeline in quiet[:10])
        yield _Part(_opened(f"{plural(len(quiet), 'other pipeline')}"), 2, "list of unchanged pipelines")
        yield _Part(f"{first}{', …' if len(quiet) > 10 else ''}\n", 2, "list of unchanged pipelines")
        given: dict[str | None, str] = {only_reason(p): p["name"] for p, *_ in reversed(shown)}
        for line in in_short(quiet, given=given):
            yield _Part(f"- {escaped(short(line, 600))}", 2, "reading")
        yield _Part(_CLOSED, 2, "list of unchanged pipelines")
    for note in notes_to_show(report):
        where = f"{code(place(note['location']))}: " if note["location"] else ""
        yield _Part(f"> **Note:** {where}{escaped(short(note['message'], 400))}\n", 2, "note")
    for loosening in report["loosened"]:
        yield _Part(f"> **Loosened:** {escaped(short(loosening, 400))}\n", 2, "loosened rule")
    yield _Part(f"<sub>savepoint-checker {report['tool']['version']}</sub>\n", 0, "heading")


def _rows_of(report: Json, findings: list[tuple[Json, list[str]]]) -> Iterator[tuple[Json, list[str]]]:
    """The findings, each reason why pipelines could not be read in the first of them only."""
    reasons = {pipeline["name"]: only_reason(pipeline) for pipeline in report["pipelines"]}
    known: set[str] = set()
    for finding, names in findings:
        why = reasons[names[0]]
        if why in known:
            yield without_reason(finding, why), names
            continue
        if why is not None and why in finding["message"]:
            known.add(why)
        yield finding, names


def _table(report: Json, rows: list[list[tuple[Json, list[str]]]]) -> Iterator[_Part]:
    """What is broken, a row per cause: the operators that it concerns, with the repair beside it."""
    if not rows:
        return
    yield _Part("| | Pipeline | What | Repair | Where |\n| --- | --- | --- | --- | --- |", 0, "heading")
    for number, ((finding, pipelines), *more) in enumerate(rows):
        row = _row(report, finding, pipelines, [similar for similar, _ in more])
        yield _Part(row, 1 if number < _MOST_ROWS else 5, "row of the table")
    yield _Part("", 0, "heading")


def _row(report: Json, finding: Json, pipelines: list[str], more: list[Json]) -> str:
    mark = _SEVERITY_MARKS[Severity(finding["severity"])]
    others = f" (and {plural(len(finding['followers']), 'more operator')})" if finding["followers"] else ""
    also = f"; and so {listed([_named(report, similar) for similar in more], _MOST_OTHERS)}" if more else ""
    what = f"{escaped(short(finding['message'], 400))}{others} ({code(finding['rule'])}){also}"
    line = repair_in_a_line(finding) or ""
    command = REPAIR_COMMAND in line
    repair = f"{code(line)}, or by hand: below" if command else code_or_prose(short(line, 200)) if line else ""
    names = listed([code(short(name, 60)) for name in pipelines], _MOST_PIPELINES)
    where = _linked(report, finding, place(finding["location"]))
    return f"| {mark} | {names} | {what} | {repair} | {where if finding['location'] else ''} |"


def _named(report: Json, finding: Json) -> str:
    """A finding that is like another one, by its operator and its line."""
    name = code(short((finding["head"] or finding["base"])["name"], 60))
    where = place(finding["location"]).rpartition("/")[2]
    return f"{name} ({_linked(report, finding, where)})" if where else name


def _linked(report: Json, finding: Json, where: str) -> str:
    side = "head" if finding["head"] or not finding["base"] else "base"
    return link(short(where, 60), source_link(report, finding["location"], side))


def _common(finding: Json, names: list[str]) -> Iterator[_Part]:
    """The evidence of a finding that several pipelines share, folded."""
    yield _Part(_opened(f"{plural(len(names), 'pipeline')}: {html_text(finding['rule'])}"), 1, "finding of several")
    yield _Part(f"{listed([code(short(name, 60)) for name in names], _MOST_NAMED)}\n", 1, "finding of several")
    yield _Part(_details(finding), 4, "finding's details")
    yield _Part(_CLOSED, 1, "finding of several")


def _pipeline(together: list[Json]) -> Iterator[_Part]:
    """The evidence of one pipeline, folded: how it was read, findings in full, operators.

    The others are those of which there is the same to say.
    """
    pipeline, others = together[0], len(together) - 1
    why = only_reason(pipeline) if others else None
    about = " · ".join(filter(None, (STATUS_WORDS[pipeline["status"]], flink_of(pipeline), account_line(pipeline))))
    more = f" and {plural(others, 'other')}" if others else ""
    yield _Part(_opened(f"<code>{html_text(short(pipeline['name']))}</code>{more} {html_text(about)}"), 1, "pipeline")
    if says_more(pipeline):
        yield _Part(f"{escaped(short(reading_in_full(pipeline), 600))}\n", 1, "pipeline")
    if others:
        names = listed([code(short(alike["name"], 60)) for alike in together[1:]], _MOST_NAMED)
        yield _Part(f"And so {plural(others, 'other')}: {names}\n", 2, "list of pipelines")
    if why is not None:
        yield _Part(f"{escaped(short(why, 600))}\n", 1, "failure")
    for side, failure in failures(pipeline) if why is None else ():
        line = f"**{side}:** {escaped(short(failure, 600))}" if side else escaped(short(failure, 600))
        yield _Part(f"{line}\n", 1, "failure")
    for unknown in unmentioned_unknowns(pipeline):
        where = f" ({code(place(unknown['location']))})" if unknown["location"] else ""
        where += escaped(settle(unknown["settled_by"]))
        yield _Part(f"- ❔ {escaped(short(unknown['reason'], 400))}{where}", 2, "undecided value")
    for silenced in silenced_once(pipeline):
        yield _Part(f"- 🔕 {escaped(silenced)}", 2, "suppressed finding")
    if pipeline["undecided"] or pipeline["suppressed"]:
        yield _Part("", 0, "heading")
    for finding in pipeline["findings"] if why is None else [found for found, _ in said_once(together)]:
        yield _Part(
            _details(without_reason(finding, why)),
            3 if finding["severity"] == Severity.ERROR else 4,
            "finding's details",
        )
    if pipeline["operators"]:
        yield _Part(_operators(pipeline), 4, "table of operators")
    yield _Part(_CLOSED, 1, "pipeline")


def _opened(summary: str) -> str:
    return f"<details><summary>{summary}</summary>\n"


def _details(finding: Json) -> str:
    name = (finding["head"] or finding["base"] or {"name": finding["operator_key"]})["name"]
    lines = [f"<details><summary>{html_text(finding['rule'])}: {html_text(short(name))}</summary>", ""]
    lines += [escaped(short(finding["message"], 1200)), ""]
    facts = [evidence for evidence in finding["evidence"] if evidence["name"] in FACTS]
    values = [evidence for evidence in finding["evidence"] if evidence["name"] not in FACTS]
    lines += [f"- {escaped(fact['name'])}: {escaped(change(fact))}" for fact in facts] + [""] * bool(facts)
    if values:
        lines += ["| | before | after |", "| --- | --- | --- |"]
        for evidence in values:
            before, after = (
                "" if evidence[key] is None else code_or_prose(short(str(evidence[key]), 200))
                for key in ("before", "after")
            )
            lines.append(f"| {escaped(evidence['name'])} | {before} | {after} |")
        lines.append("")
    if finding["followers"]:
        names = [code(short(f["name"], 60)) for f in finding["followers"][:20]]
        more = len(finding["followers"]) - len(names)
        lines += [f"Same cause: {', '.join(names)}{f' and {more} more' if more else ''}", ""]
    if finding["repair"]:
        lines += ["Repair:", "", *_repair(finding["repair"])]
    lines += ["Intended? This silences it, with a reason, in `savepoint-checker.toml`:", ""]
    configuration = finding["suppression"]["configuration"]
    fits = len(configuration) <= _LONGEST_ENTRY
    lines += [
        code_block(configuration if fits else "# too long for a comment: see the HTML or JSON report", "toml"),
        "",
    ]
    return "\n".join([*lines, f"<sub>fingerprint {code(finding['fingerprint'])}</sub>", "</details>", ""])


def _repair(repair: str) -> Iterator[str]:
    """Lines to copy as blocks of code, with the sentences between them."""
    for prose, lines in groupby(repair.splitlines(), is_prose):
        if prose:
            yield from (f"{_sentence(line)}\n" for line in lines)
        else:
            yield code_block("\n".join(lines)) + "\n"


def _sentence(line: str) -> str:
    command = line.removesuffix(MAKES_THEM)
    return escaped(line) if command == line else f"{code(command)}{MAKES_THEM}."


def _operators(pipeline: Json) -> str:
    rows = sorted(pipeline["operators"], key=lambda row: WORST_FIRST.index(Verdict(verdict_of(row))))
    lines = [
        f"<details><summary>{plural(len(rows), 'operator')}</summary>",
        "",
        "| Operator | savepoint | last-state | id before | id after |",
        "| --- | --- | --- | --- | --- |",
    ]
    for row in rows[:_MOST_OPERATORS]:
        name = code(short((row["head"] or row["base"])["name"], 60))
        verdicts = [Verdict(verdict_of(row, path)) for path in ("savepoint", "last-state")]
        words = [f"{DOTS[verdict]} {WORDS[verdict]}" for verdict in verdicts]
        ids = [code(row[side]["id"] or "undecided") if row[side] else "" for side in ("base", "head")]
        lines.append(f"| {name} | {' | '.join(words)} | {ids[0]} | {ids[1]} |")
    if len(rows) > _MOST_OPERATORS:
        lines += ["", f"{len(rows) - _MOST_OPERATORS} operators more, none with a worse verdict."]
    return "\n".join([*lines, "", "</details>", ""])
