"""Words that every format for people shares."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from checker.model.account import Explanation
from checker.model.findings import Severity, Verdict
from checker.model.pipelines import ExtractorKind
from checker.model.rehearsal import Start
from checker.repair.advice import REPAIR_COMMAND
from checker.report.check.document import READ
from checker.report.presentable import short
from checker.rules.base import title

Json = dict[str, Any]

REPORT_WORDS = {
    "passes": "State restores",
    "fails": "State would be lost",
    "undecided": "Undecided: not everything could be read",
    "nothing-checked": "No pipelines found: nothing was checked",
}
STATUS_WORDS = {
    "changed": "changed",
    "unchanged": "unchanged",
    "added": "new pipeline",
    "removed": "removed",
    "refused": "Flink refuses to build it",
    "unreadable": "could not be read",
    "batch": "a job that ends by itself: no state to restore",
}
_QUIET = ("unchanged", "batch")
_READ = READ[ExtractorKind.AUTO]
_NAMED = 3
_PLANNED_BY = re.compile(r" by Flink \d[\d.]*")
_COMMIT = re.compile(r"\b[0-9a-f]{40}\b")
FACTS = frozenset({"cause", "path", "why", "edit"})
"""Evidence that is a fact about the change, not a value before and after it."""


def worth_showing(pipeline: Json) -> bool:
    """Whether a report for people says more of a pipeline than that it is unchanged."""
    found = pipeline["findings"] or pipeline["suppressed"] or pipeline["undecided"]
    return bool(found or not (pipeline["status"] in _QUIET or untouched(pipeline)))


def plainly_new(pipeline: Json) -> bool:
    """Whether there is nothing to say of a pipeline but that it is new."""
    found = pipeline["findings"] or pipeline["suppressed"] or pipeline["undecided"]
    return bool(pipeline["status"] == "added" and not found)


def untouched(pipeline: Json) -> bool:
    """Whether a pipeline could be read in neither revision, and no edit that it can reach counts for its state."""
    account = pipeline.get("account")
    if pipeline["status"] != "unreadable" or pipeline["findings"] or pipeline["suppressed"] or account is None:
        return False
    return all(edit["explanation"] == Explanation.WITHOUT_EFFECT for edit in account["edits"])


def in_short(quiet: list[Json], *, every: bool = False, given: Mapping[str | None, str] | None = None) -> list[str]:
    """A line for pipelines of which there is nothing more to say: unchanged ones, and those that nobody could read.

    ``every`` says of unchanged ones how they were read, too. ``given`` are reasons that stand above already, with the
    pipeline that they stand at.
    """
    above = given or {}
    groups: dict[tuple[str, str], list[str]] = {}
    for pipeline in quiet:
        status = pipeline["status"]
        why = pipeline["failure"]["head"] or "" if status == "unreadable" else ""
        why = f"for the reason that stands at {short(above[why], 60)}" if why in above else why
        plainly = all((pipeline["reading"][side] or _READ).startswith(_READ) for side in ("base", "head"))
        if status == "unchanged" and (every or (says_more(pipeline) and not (plainly and assumed_nothing(pipeline)))):
            why = reading_in_full(pipeline)
        groups.setdefault((status, why), []).append(short(pipeline["name"], 60))
    return [_line(status, why, names) for (status, why), names in sorted(groups.items(), reverse=True)]


def _line(status: str, why: str, names: list[str]) -> str:
    some = plural(len(names), "pipeline")
    if status == "unreadable":
        return f"{some} not read, and no edit counts: {why} ({listed(names, _NAMED)})"
    if status == "unchanged":
        return f"{some} unchanged{', ' if why else ''}{why}"
    if status == "added":
        return f"{plural(len(names), 'new pipeline')}: {listed(names, _NAMED)}"
    return f"{some} with an end: no state to restore"


def assumed_nothing(pipeline: Json) -> bool:
    """Whether nothing has to be said about how a pipeline was read but by which means."""
    reading = pipeline["reading"]
    return not (reading["why"] or reading["assumptions"] or pipeline["rehearsal"])


def listed(names: Sequence[str], most: int) -> str:
    """``a, b, c and 7 more``."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def says_more(pipeline: Json) -> bool:
    """Whether how a pipeline was read is worth a line: not that it was plainly read from source, as is usual."""
    reading = pipeline["reading"]
    plain = {reading["base"], reading["head"]} <= {READ[ExtractorKind.JAVA], READ[ExtractorKind.PYTHON], None}
    return not (plain and assumed_nothing(pipeline))


def notes_to_show(report: Json, *, every: bool = False) -> list[Json]:
    """The notes that concern what the change reaches, those about what is not read put together in one line.

    All of them, each on its own, where ``every`` one is asked for.
    """
    if every:
        return list(report["notes"])
    read = [pipeline for pipeline in report["pipelines"] if pipeline["status"] != "unreadable"]
    shown = {pipeline["name"] for pipeline in read if worth_showing(pipeline)}
    concerning = [note for note in report["notes"] if note["pipeline"] is None or note["pipeline"] in shown]
    concerning = _of_pipelines_together(concerning)
    unread = [note for note in concerning if note["unread"] is not None]
    if not unread:
        return concerning
    reasons = Counter(note["unread"] for note in unread)
    counts = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    message = f"{plural(len(unread), 'program')} not read ({counts}): --verbose says more"
    together = {"message": message, "location": None, "unread": None, "pipeline": None}
    return [*(note for note in concerning if note["unread"] is None), together]


def _of_pipelines_together(notes: list[Json]) -> list[Json]:
    """Notes that say the same of several pipelines in one, with their names in front."""
    groups: dict[object, list[Json]] = {}
    for number, note in enumerate(notes):
        own = note["pipeline"]
        message = note["message"].removeprefix(f"{own}: ") if own is not None else number
        groups.setdefault(message, []).append(note)
    together = []
    for message, (first, *more) in groups.items():
        names = listed([short(note["pipeline"], 60) for note in (first, *more)], 5) if more else ""
        together.append({**first, "message": f"{names}: {message}"} if more else first)
    return together


def grouped(pipelines: list[Json]) -> tuple[list[tuple[Json, list[str]]], list[list[Json]]]:
    """Findings that pipelines of several groups share, with their names, and the groups: what is alike stands once."""
    common = [(finding, names) for finding, names in shared(pipelines) if finding["severity"] != Severity.ERROR]
    groups = alike_together([without(pipeline, [finding for finding, _ in common]) for pipeline in pipelines])
    return common, unread_together(groups)


def alike_together(pipelines: list[Json]) -> list[list[Json]]:
    """Pipelines, worst first; those of which there is the same to say are beside the first of them."""
    groups: dict[object, list[Json]] = {}
    for number, pipeline in enumerate(worst_first(pipelines)):
        found = _warned(pipeline) or tuple((f["message"], place(f["location"])) for f in pipeline["findings"])
        same = (pipeline["status"], tuple(pipeline["failure"].values()), *found)
        alone = pipeline["suppressed"] or not (found or pipeline["status"] == "unreadable")
        groups.setdefault(number if alone else same, []).append(pipeline)
    return list(groups.values())


def unread_together(groups: list[list[Json]]) -> list[list[Json]]:
    """The same groups, those whose pipelines could not be read for one and the same reason put together."""
    together: dict[object, list[Json]] = {}
    for number, group in enumerate(groups):
        why = None if untouched(group[0]) or group[0]["suppressed"] else only_reason(group[0])
        together.setdefault(number if why is None else why, []).extend(group)
    return list(together.values())


def only_reason(pipeline: Json) -> str | None:
    """Why a pipeline could not be read, None where it was read or the revisions have several reasons."""
    reasons = {why for why in pipeline["failure"].values() if why} if pipeline["status"] == "unreadable" else set()
    return reasons.pop() if len(reasons) == 1 else None


def shared(pipelines: list[Json]) -> list[tuple[Json, list[str]]]:
    """Findings about pipelines as a whole that several have, with their names: another version of Flink is one."""
    return [(finding, names) for finding, names in said_once(pipelines) if len(names) > 1 and of_whole(finding)]


def without(pipeline: Json, findings: Sequence[Json]) -> Json:
    """A pipeline without the findings that say the same as some others."""
    known = {(finding["rule"], finding["message"]) for finding in findings}
    left = [f for f in pipeline["findings"] if not (of_whole(f) and (f["rule"], f["message"]) in known)]
    return {**pipeline, "findings": left}


def of_whole(finding: Json) -> bool:
    """Whether a finding is about a pipeline and no operator or place in it."""
    return not (finding["head"] or finding["base"] or finding["location"])


def alike(findings: list[Json]) -> list[list[Json]]:
    """The findings of one pipeline; those that differ in nothing but the operator are beside the first of them."""
    groups: dict[object, list[Json]] = {}
    for number, finding in enumerate(findings):
        side = finding["head"] or finding["base"]
        message = finding["message"].replace(title(side["name"]), "'…'") if side else finding["message"]
        same = (finding["rule"], finding["severity"], message, finding["repair"])
        groups.setdefault(number if finding["followers"] or not side else same, []).append(finding)
    return list(groups.values())


def said_once(pipelines: list[Json]) -> list[tuple[Json, list[str]]]:
    """Every finding with the names of the pipelines that have it, gravest first: one cause may reach many of them."""
    found: dict[object, tuple[Json, list[str]]] = {}
    for pipeline in pipelines:
        for finding in pipeline["findings"]:
            same: object = (finding["rule"], finding["severity"], finding["message"], place(finding["location"]))
            if same in found and pipeline["name"] in found[same][1]:
                same = (same, len(found))  # two of one pipeline are two
            found.setdefault(same, (finding, []))[1].append(pipeline["name"])
    return sorted(found.values(), key=lambda group: -Severity(group[0]["severity"]).rank)


def _warned(pipeline: Json) -> tuple[object, ...]:
    """The rules of a new pipeline that has warnings only: which operators they name says its own report."""
    new = pipeline["status"] == "added" and all(f["severity"] != Severity.ERROR for f in pipeline["findings"])
    return tuple(dict.fromkeys(f["rule"] for f in pipeline["findings"])) if new else ()


def worst_first(pipelines: list[Json]) -> list[Json]:
    """Pipelines by what needs a reader first; equal ones in the order given."""
    return sorted(pipelines, key=_gravity)


def _gravity(pipeline: Json) -> tuple[int, ...]:
    severities = [finding["severity"] for finding in pipeline["findings"]]
    unread = pipeline["status"] in ("unreadable", "refused") and not untouched(pipeline)
    return (-severities.count("error"), -unread, -len(pipeline["undecided"]), -severities.count("warning"))


def failures(pipeline: Json) -> list[tuple[str, str]]:
    """Side and reason of what could not be read and no finding speaks of; no side where both say the same."""
    mentioned = "\n".join(finding["message"] for finding in pipeline["findings"])
    found = [(side, why) for side, why in pipeline["failure"].items() if why and why not in mentioned]
    return [("", found[0][1])] if len({why for _, why in found}) == 1 < len(found) else found


def plural(count: int, singular: str, many: str | None = None) -> str:
    """``1 error``, ``2 errors``."""
    return f"{count} {singular if count == 1 else many or singular + 's'}"


def headline(report: Json) -> str:
    """The verdict in a few words, true to what decided it."""
    errors, operators = report["counts"]["findings"]["error"], report["counts"]["operators"]
    if report["verdict"] == "fails":
        if not errors:
            return f"Findings at or above {report['fail_on']}"
        if operators[Verdict.FAILS] or operators[Verdict.DROPPED]:
            return REPORT_WORDS["fails"]
        return "State would land in the wrong operator" if operators[Verdict.MISASSIGNED] else "Not safe to deploy"
    if report["verdict"] == "passes" and loses_anyway(report):
        return "Nothing stops this, but not all state restores"
    if report["verdict"] == "passes" and all(untouched(pipeline) for pipeline in report["pipelines"]):
        return "Not read, and no edit counts"
    if report["verdict"] == "passes" and errors:
        return "Errors found (reported only)"
    return REPORT_WORDS[report["verdict"]]


def lead(report: Json) -> Json | None:
    """The one finding to read first, None where nothing was found.

    ``finding`` is the gravest one that speaks of most operators, ``do`` what to do about it, ``others`` the number of
    findings as grave as this one.
    """
    found = [f for p in report["pipelines"] for f in p["findings"] if f["severity"] != Severity.INFO]
    if not found:
        return None
    first = max(found, key=lambda f: (Severity(f["severity"]).rank, len(f["followers"])))
    others = sum(f["severity"] == first["severity"] for f in found) - 1
    return {"finding": first, "do": repair_in_a_line(first), "others": others}


def repair_in_a_line(finding: Json) -> str | None:
    """The command that makes a finding's repair, or the whole of what it says: half of a repair may lose state."""
    lines = (finding["repair"] or "").splitlines()
    if any(line.startswith(REPAIR_COMMAND) for line in lines):
        return REPAIR_COMMAND
    calls = all(line.startswith(".") for line in lines)
    return ("" if calls else "; ").join(lines) or None


def loses_anyway(report: Json) -> bool:
    """Whether state is lost in a report that passes: accepted, reported only, or not covered by a rule."""
    lost = {Verdict.FAILS.value, Verdict.DROPPED.value, Verdict.MISASSIGNED.value}
    still_there = [pipeline for pipeline in report["pipelines"] if pipeline["status"] != "removed"]
    return any(verdict_of(row) in lost for pipeline in still_there for row in pipeline["operators"])


def tally(report: Json) -> str:
    """``2 pipelines, 1 error, 3 warnings``."""
    counts = report["counts"]
    parts = [plural(counts["pipelines"], "pipeline")]
    unread = sum(untouched(pipeline) for pipeline in report["pipelines"])
    if unread:
        parts.append(f"{unread} not read")
    parts += [plural(n, s) for s, n in counts["findings"].items() if n and s != "info"]
    if counts["findings"]["info"]:
        parts.append(plural(counts["findings"]["info"], "note"))
    return ", ".join(parts if any(counts["findings"].values()) else [*parts, "nothing found"])


def flink_of(pipeline: Json) -> str:
    """``Flink 1.20``, ``Flink 1.19 → 1.20``, or nothing where no version is known."""
    base, head = pipeline["flink"]["base"], pipeline["flink"]["head"]
    if base and head and base != head:
        return f"Flink {base} → {head}"
    return f"Flink {head or base}" if head or base else ""


def reading_of(pipeline: Json) -> str:
    """By which means it was read, for both sides where they differ: ``read from source (java)``."""
    base, head = pipeline["reading"]["base"], pipeline["reading"]["head"]
    if base and head and base != head:
        if _PLANNED_BY.sub("", base) == _PLANNED_BY.sub("", head):  # the versions stand beside the name
            return _PLANNED_BY.sub("", str(head))
        return f"{base} in the base, {head} in the head"
    return str(head or base)


def reading_in_full(pipeline: Json) -> str:
    """The same, with why, and what would settle what stays undecided."""
    reading = pipeline["reading"]
    why = f": {reading['why']}" if reading["why"] else ""
    settle = f"; {reading['settled_by']} settles what is undecided by running it" if reading["settled_by"] else ""
    assumed = f"; assumed: {', '.join(reading['assumptions'])}" if reading["assumptions"] else ""
    return f"{reading_of(pipeline)}{why}{settle}{assumed}{_rehearsal(pipeline)}"


def _rehearsal(pipeline: Json) -> str:
    """What came of really starting the head from a savepoint of the base, empty where nobody asked for it."""
    rehearsal = pipeline["rehearsal"]
    if rehearsal is None:
        return ""
    message = short(rehearsal["message"], 300)
    sentences = {
        Start.STARTED: "Flink starts the head from a savepoint of the base",
        Start.REFUSED: f"Flink refuses to start the head from a savepoint of the base: {message}",
        Start.FAILED: f"the head fails as it takes the state of a savepoint of the base: {message}",
    }
    start = sentences.get(rehearsal["start"])
    return f"; not rehearsed: {message}" if start is None else f"; rehearsed: {start}"


def unmentioned_unknowns(pipeline: Json) -> list[Json]:
    """What is not known and no finding speaks of already, each reason once, with a location where there is one."""
    mentioned = "\n".join(
        text or ""
        for finding in pipeline["findings"]
        for text in (finding["message"], *(evidence["after"] for evidence in finding["evidence"]))
    )
    found: dict[str, Json] = {}
    for unknown in sorted(pipeline["undecided"], key=lambda unknown: unknown["location"] is None):
        if unknown["reason"] not in mentioned:
            found.setdefault(unknown["reason"], unknown)
    return list(found.values())


def change(evidence: Json, limit: int = 400, *, compared: bool = True) -> str:
    """``before → after``, one of them where they are equal or where there is no before by nature.

    ``compared`` says whether the finding speaks of two revisions: one that the head has by itself has no before.
    """
    before, after = (None if evidence[k] is None else short(str(evidence[k]), limit) for k in ("before", "after"))
    if evidence["name"] in FACTS or before == after or (before is None and not compared):
        return after or before or "none"
    return f"{before or 'none'} → {after or 'none'}"


def place(location: Json | None) -> str:
    """``file:line``."""
    return f"{location['file']}:{location['line']}" if location else ""


def verdict_of(row: Json, path: str = "savepoint", *, allow: bool = False) -> str:
    """The verdict of one operator on one restore path, ``undecided`` where it was not asked for."""
    for verdict in row["verdicts"]:
        if verdict["path"] == path and verdict["allow_non_restored_state"] is allow:
            return str(verdict["verdict"])
    return str(row["verdicts"][0]["verdict"]) if row["verdicts"] else "stateless"


def revision(label: str) -> str:
    """A revision's label with whole commit ids shortened."""
    return _COMMIT.sub(lambda found: found[0][:10], label)


def account_line(pipeline: Json) -> str | None:
    """The account of a pipeline's edits in one line, None where it reaches none."""
    account = pipeline["account"]
    if not account or not account["edits"]:
        return None
    counts = account["counts"]
    explained = ((counts["compared"], "compared"), (counts["without-effect"], "without effect on state"))
    open_ = counts["not-understood"]
    parts = [f"{number} {what}" for number, what in (*explained, (open_, "not understood")) if number]
    return f"{plural(len(account['edits']), 'edit')}: {', '.join(parts)}"
