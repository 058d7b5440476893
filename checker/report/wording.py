"""Words that all formats for people share."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from checker.model.account import Explanation, Why
from checker.model.findings import Severity, Verdict
from checker.model.nested import Json, gathered
from checker.model.pipelines import OF_TESTS, ExtractorKind
from checker.repair.advice import MAKES_THEM
from checker.report.check.document import READ
from checker.report.presentable import short
from checker.rules.suppressions import UNDECIDED_RULES

REPORT_WORDS = {
    "passes": "State restores",
    "fails": "State would be lost",
    "undecided": "Undecided: not all state could be judged",
    "nothing-checked": "No Flink job was read, so nothing was checked",
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
_ASSUMED = "; assumed: "
_PLANNED_BY = re.compile(r" by Flink \d[\d.]*")
_QUOTED = re.compile(r"'([^']+)'")
_COMMIT = re.compile(r"\b[0-9a-f]{40}\b")
FACTS = frozenset({"cause", "claimed by", "path", "why", "edit"})
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
    """Whether a pipeline could be read in neither revision, or Flink refuses both, and no edit of it counts."""
    account, failure = pipeline.get("account"), pipeline["failure"]
    refused = pipeline["status"] == "refused" and failure["base"] == failure["head"]
    if not (refused or pipeline["status"] == "unreadable") or account is None:
        return False
    if pipeline["findings"] or pipeline["suppressed"]:
        return False
    return all(edit["explanation"] == Explanation.WITHOUT_EFFECT for edit in account["edits"])


def in_short(quiet: list[Json], *, every: bool = False) -> list[str]:
    """A line for pipelines of which there is nothing more to say: unchanged ones, and those that could not be read.

    ``every`` says of unchanged ones how they were read, too.
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for pipeline in quiet:
        status = pipeline["status"]
        why = pipeline["failure"]["head"] or "" if status in ("unreadable", "refused") else ""
        plainly = all((pipeline["reading"][side] or _READ).startswith(_READ) for side in ("base", "head"))
        if status == "unchanged" and (every or (says_more(pipeline) and not (plainly and assumed_nothing(pipeline)))):
            why = reading_in_full(pipeline)
        flinks = [pipeline["flink"][side] for side in ("base", "head")]
        if status == "unchanged" and all(flinks) and flinks[0] != flinks[1]:
            why = f"Flink {' → '.join(flinks)}{', ' if why else ''}{why}"
        groups.setdefault((status, why), []).append(short(pipeline["name"], 60))
    groups = groups if every else _assumed_together(groups)
    unread = [why for status, why in groups if status == "unreadable"]
    if len(unread) > 1 and not every:
        groups["unreadable", "--verbose says why"] = sorted(
            n for why in unread for n in groups.pop(("unreadable", why))
        )
    return [_line(status, why, names) for (status, why), names in sorted(groups.items(), reverse=True)]


def _assumed_together(groups: dict[tuple[str, str], list[str]]) -> dict[tuple[str, str], list[str]]:
    """The same with those in one group that differ in nothing but what is assumed of each."""
    alike = gathered(((status, why.partition(_ASSUMED)[0]), (status, why)) for status, why in groups)
    found: dict[tuple[str, str], list[str]] = {}
    for (status, reading), keys in alike.items():
        why = keys[0][1] if len(keys) == 1 else f"{reading}; --verbose says what is assumed of each"
        found[status, why] = [name for key in keys for name in groups[key]]
    return found


def _line(status: str, why: str, names: list[str]) -> str:
    some = plural(len(names), "pipeline")
    if status == "unreadable":
        return f"{some} not read, using no changed file: {why} ({listed(names, _NAMED)})"
    if status == "refused":
        return f"{some} as before: {why} ({listed(names, _NAMED)})"
    if status == "unchanged":
        return f"{some} unchanged{', ' if why else ''}{why}"
    if status == "added":
        return f"{plural(len(names), 'new pipeline')}: {listed(names, _NAMED)}"
    return f"{some} with an end: no state to restore"


def assumed_nothing(pipeline: Json) -> bool:
    """Whether nothing has to be said about how a pipeline was read but by which means."""
    reading = pipeline["reading"]
    return not (reading["why"] or reading["assumptions"])


def listed(names: Sequence[str], most: int) -> str:
    """``a, b, c and 7 more``."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def says_more(pipeline: Json) -> bool:
    """Whether how a pipeline was read is worth a line: not that it was plainly read from source, as is usual."""
    reading = pipeline["reading"]
    plain = {reading["base"], reading["head"]} <= {READ[ExtractorKind.JAVA], READ[ExtractorKind.PYTHON], None}
    return not (plain and assumed_nothing(pipeline))


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
    unread = any(note["unread"] not in (None, OF_TESTS) for note in report["notes"])
    nothing_read = report["verdict"] == "nothing-checked" and unread
    if nothing_read or (report["verdict"] == "passes" and all(untouched(pipeline) for pipeline in report["pipelines"])):
        return "Could not be read, but uses no changed file"
    if report["verdict"] == "passes" and errors:
        return "Errors found (reported only)"
    gone = sum(pipeline["status"] == "removed" for pipeline in report["pipelines"])
    if report["verdict"] == "passes" and gone:
        rest = "; state of the others restores" if gone < len(report["pipelines"]) else ""
        return f"{plural(gone, 'pipeline is', 'pipelines are')} gone{rest}"
    return REPORT_WORDS[report["verdict"]]


def lead(report: Json) -> Json | None:
    """The one finding to read first, None where nothing was found.

    ``finding`` is the most severe one (of equal ones, one that is certain, then the one about most operators), ``do``
    what to do about it, ``others`` the number of other findings of its severity.
    """
    found = [f for p in report["pipelines"] for f in p["findings"] if f["severity"] != Severity.INFO]
    if not found:
        return None
    first = max(
        found, key=lambda f: (Severity(f["severity"]).rank, f["rule"] not in UNDECIDED_RULES, len(f["followers"]))
    )
    others = sum(f["severity"] == first["severity"] for f in found) - 1
    return {"finding": first, "do": repair_in_a_line(first), "others": others}


def repair_in_a_line(finding: Json) -> str | None:
    """The command that makes a finding's repair, or the whole of what it says: half of a repair may lose state."""
    lines = (finding["repair"] or "").splitlines()
    command = next((line for line in lines if line.endswith(MAKES_THEM)), None)
    if command is not None:
        return command.removesuffix(MAKES_THEM)
    calls = all(line.startswith(".") for line in lines)
    return ("" if calls else "; ").join(lines) or None


def loses_anyway(report: Json) -> bool:
    """Whether state is lost in a report that passes: accepted, reported only, or not covered by a rule."""
    lost = {Verdict.FAILS.value, Verdict.DROPPED.value, Verdict.MISASSIGNED.value}
    still_there = [pipeline for pipeline in report["pipelines"] if pipeline["status"] != "removed"]
    return any(verdict_of(row) in lost for pipeline in still_there for row in pipeline["operators"])


def coverage(report: Json) -> str:
    """How much was read: ``3 of 4 pipelines read whole, 1 in part (2 of 17 operators undecided), 2 files not read``."""
    pipelines = report["pipelines"]
    gone = [p for p in pipelines if p["status"] == "removed" and p["failure"]["base"] is not None]
    unread = [p for p in pipelines if p["status"] == "unreadable" or untouched(p) or p in gone]
    read = (p for p in pipelines if p not in unread)
    partly = [p for p in read if p["lacking"] or p["undecided"] or any(row["undecided"] for row in p["operators"])]
    rows = [row for p in partly for row in p["operators"]]
    undecided = sum(bool(row["undecided"]) for row in rows)
    files = {n["location"]["file"] for n in report["notes"] if n["unread"] is not None and n["location"] is not None}
    whole, every = len(pipelines) - len(unread) - len(partly), plural(len(pipelines), "pipeline")
    parts = [f"{every} read whole" if whole == len(pipelines) else f"{whole} of {every} read whole"]
    if len(unread) == len(pipelines):
        parts = [f"{every} not read" if pipelines else every]
    elif unread:
        parts.append(f"{len(unread)} not read")
    if partly:
        operators = f" ({undecided} of {plural(len(rows), 'operator')} undecided)" if undecided else ""
        parts.insert(1, f"{len(partly)} in part{operators}")
    if files:
        parts.append(f"{plural(len(files), 'file')} not read")
    return ", ".join(parts)


def tally(report: Json) -> str:
    """How much was read, and what was found: ``4 pipelines read whole, 1 error, 3 warnings``."""
    counts = report["counts"]["findings"]
    found = [plural(n, s) for s, n in counts.items() if n and s != "info"]
    if counts["info"]:
        found.append(plural(counts["info"], "note"))
    return ", ".join([coverage(report), *(found or ["nothing found"])])


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
            return _PLANNED_BY.sub(" by Flink", str(head))
        return f"{base} in the base, {head} in the head"
    return str(head or base or READ[ExtractorKind.FLINK])


def reading_in_full(pipeline: Json) -> str:
    """The same, with why, and what would settle what stays undecided."""
    reading = pipeline["reading"]
    why = f": {reading['why']}" if reading["why"] else ""
    settle = f"; {reading['settled_by']} settles what is undecided by running it" if reading["settled_by"] else ""
    assumed = f"{_ASSUMED}{', '.join(reading['assumptions'])}" if reading["assumptions"] else ""
    return f"{reading_of(pipeline)}{why}{settle}{assumed}"


def unmentioned_unknowns(pipeline: Json) -> list[Json]:
    """What is not known and no finding speaks of already, each reason once, with a location where there is one.

    Of several that the same value settles at one place, the shortest stands for all.
    """
    mentioned = "\n".join(
        text or ""
        for finding in pipeline["findings"]
        for text in (finding["message"], *(evidence["after"] for evidence in finding["evidence"]))
    )
    found: dict[str, Json] = {}
    for unknown in sorted(pipeline["undecided"], key=lambda unknown: unknown["location"] is None):
        if unknown["reason"] not in mentioned:
            found.setdefault(unknown["reason"], unknown)
    once: dict[object, Json] = {}
    for reason, unknown in sorted(found.items(), key=lambda item: len(item[0])):
        settled = unknown["settled_by"]
        once.setdefault((settled, place(unknown["location"])) if settled and unknown["location"] else reason, unknown)
    return [unknown for unknown in found.values() if unknown in once.values()]


def worth_a_line(finding: Json) -> list[Json]:
    """The evidence of a finding without ids, and without what its message or other evidence says already."""
    shown: list[Json] = []
    for fact in finding["evidence"]:
        texts = [finding["message"], *(earlier["after"] or "" for earlier in shown)]
        steps = str(fact["after"]).split(" → ")
        again = fact["name"] in ("cause", "refused", "why") and any(fact["after"] in text for text in texts)
        values = _QUOTED.findall(
            f"'{fact['before']}' '{fact['after']}'" if fact["name"] == "uid" else fact["after"] or ""
        )
        again |= fact["name"] in ("cause", "uid") and bool(values) and all(value in texts[0] for value in values)
        if not (again or fact["name"] == "operator id" or (fact["name"] == "path" and len(steps) < 3)):
            shown.append(fact)
    return shown


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


def verdict_of(row: Json, path: str = "savepoint") -> str:
    """The verdict of one operator on one restore path, as the deployment starts it where one does."""
    for verdict in sorted(row["verdicts"], key=lambda verdict: "deployed" not in verdict):
        if verdict["path"] == path:
            return str(verdict["verdict"])
    return str(row["verdicts"][0]["verdict"]) if row["verdicts"] else "stateless"


def day(seconds: int) -> str:
    """The date of seconds since 1970, empty where no calendar has one."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")
    except (ValueError, OverflowError, OSError):
        return ""


def revision(label: str) -> str:
    """A revision's label with whole commit ids shortened."""
    return _COMMIT.sub(lambda found: found[0][:10], label)


def account_line(pipeline: Json) -> str | None:
    """The account of a pipeline's edits in one line, None where it reaches none."""
    account = pipeline["account"]
    if not account or not account["edits"] or pipeline["lacking"]:
        return None
    counts, bodies = account["counts"], [edit for edit in account["edits"] if edit["why"] == Why.BODY]
    beside = counts[Explanation.WITHOUT_EFFECT] - len(bodies)
    explained = (
        (counts[Explanation.COMPARED], "compared"),
        (beside, "that state does not depend on"),
        (counts[Explanation.NOT_UNDERSTOOD], "not understood"),
    )
    parts = [(number, what) for number, what in explained if number]
    how = f" {parts[0][1]}" if len(parts) == 1 else ": " + ", ".join(f"{number} {what}" for number, what in parts)
    sentences = [f"{plural(len(account['edits']) - len(bodies), 'edit')}{how}"] if parts else []
    if bodies:
        sentences.append(f"{plural(len(bodies), 'edit')} of function bodies: what they compute is not judged")
    return "; ".join(sentences)
