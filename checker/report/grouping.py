"""Findings, notes and pipelines in the order in which a person needs them, with equal ones put together."""

from collections import Counter
from collections.abc import Sequence

from checker.model.findings import Severity
from checker.model.nested import Json, gathered
from checker.report.presentable import short
from checker.report.wording import listed, place, plural, untouched, worth_showing
from checker.rules.base import title
from checker.rules.suppressions import UNDECIDED_RULES


def notes_to_show(report: Json, *, every: bool = False) -> list[Json]:
    """The notes about pipelines that the change reaches; notes about programs that were not read become one line.

    Programs that were not read and that no edit concerns are named where no pipeline was found at all.

    With ``every``, all notes, each on a line of its own.
    """
    if every:
        return list(report["notes"])
    read = [pipeline for pipeline in report["pipelines"] if pipeline["status"] != "unreadable"]
    shown = {pipeline["name"] for pipeline in read if worth_showing(pipeline)}
    concerning = [
        note
        for note in report["notes"]
        if note["pipeline"] in (None, *shown) or (note["unread"] is not None and not report["pipelines"])
    ]
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
    """Equal notes about several pipelines as one note that begins with their names."""
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
    """Findings that several pipelines share, with the names of these, and the pipelines grouped by what is left."""
    common = [(finding, names) for finding, names in shared(pipelines) if finding["severity"] != Severity.ERROR]
    return common, alike_together([without(pipeline, [finding for finding, _ in common]) for pipeline in pipelines])


def alike_together(pipelines: list[Json]) -> list[list[Json]]:
    """Groups of pipelines with equal findings, worst first."""
    groups: dict[object, list[Json]] = {}
    for number, pipeline in enumerate(worst_first(pipelines)):
        found = _warned(pipeline) or tuple((f["message"], place(f["location"])) for f in pipeline["findings"])
        same = (pipeline["status"], tuple(pipeline["failure"].values()), *found)
        alone = pipeline["suppressed"] or not (found or pipeline["status"] == "unreadable")
        groups.setdefault(number if alone else same, []).append(pipeline)
    return list(groups.values())


def shared(pipelines: list[Json]) -> list[tuple[Json, list[str]]]:
    """Findings about whole pipelines that several have, such as another version of Flink, with the pipelines' names."""
    return [(finding, names) for finding, names in said_once(pipelines) if len(names) > 1 and of_whole(finding)]


def without(pipeline: Json, findings: Sequence[Json]) -> Json:
    """A pipeline without those of its findings that equal given ones."""
    known = {(finding["rule"], finding["message"]) for finding in findings}
    left = [f for f in pipeline["findings"] if not (of_whole(f) and (f["rule"], f["message"]) in known)]
    return {**pipeline, "findings": left}


def of_whole(finding: Json) -> bool:
    """Whether a finding is about a pipeline and no operator or place in it."""
    return not (finding["head"] or finding["base"] or finding["location"])


def alike(findings: list[Json]) -> list[list[Json]]:
    """The findings of one pipeline, grouped where they differ in nothing but the operator."""
    return [[finding for finding, _ in group] for group in rows_alike([(finding, []) for finding in findings])]


def rows_alike(rows: Sequence[tuple[Json, list[str]]]) -> list[list[tuple[Json, list[str]]]]:
    """Findings with the names of their pipelines, grouped where they differ in nothing but the operator."""
    groups: dict[object, list[tuple[Json, list[str]]]] = {}
    for number, (finding, names) in enumerate(rows):
        side = finding["head"] or finding["base"]
        message = finding["message"].replace(title(side["name"]), "'…'") if side else finding["message"]
        same = (finding["rule"], finding["severity"], message, finding["repair"], *names)
        groups.setdefault(number if finding["followers"] or not side else same, []).append((finding, names))
    return list(groups.values())


def said_once(pipelines: list[Json]) -> list[tuple[Json, list[str]]]:
    """Every finding with the names of the pipelines that have it, most severe first."""
    found: dict[object, tuple[Json, list[str]]] = {}
    for pipeline in pipelines:
        for finding in pipeline["findings"]:
            same: object = (finding["rule"], finding["severity"], finding["message"], place(finding["location"]))
            if same in found and pipeline["name"] in found[same][1]:
                same = (same, len(found))  # two of one pipeline are two
            found.setdefault(same, (finding, []))[1].append(pipeline["name"])
    return sorted(found.values(), key=lambda group: -Severity(group[0]["severity"]).rank)


def _warned(pipeline: Json) -> tuple[object, ...]:
    """The rules of a new pipeline that has warnings only; its own report names the operators."""
    new = pipeline["status"] == "added" and all(f["severity"] != Severity.ERROR for f in pipeline["findings"])
    return tuple(dict.fromkeys(f["rule"] for f in pipeline["findings"])) if new else ()


def worst_first(pipelines: list[Json]) -> list[Json]:
    """Pipelines by what needs a reader first; equal ones in the order given."""
    return sorted(pipelines, key=_gravity)


def _gravity(pipeline: Json) -> tuple[int, ...]:
    severities = [finding["severity"] for finding in pipeline["findings"]]
    unread = pipeline["status"] in ("unreadable", "refused") and not untouched(pipeline)
    lost = sum(f["severity"] == "error" and f["rule"] not in UNDECIDED_RULES for f in pipeline["findings"])
    return (-lost, -severities.count("error"), -unread, -len(pipeline["undecided"]), -severities.count("warning"))


def silenced_once(pipeline: Json) -> list[str]:
    """What is suppressed, each reason of a place once: ``uid-missing on uid:a, uid:b: reason (place)``."""
    alike = gathered(
        ((s["finding"]["rule"], s["reason"], s["source"], s["expires"]), short(s["finding"]["operator_key"]))
        for s in pipeline["suppressed"]
    )
    return [
        f"{rule} on {listed(keys, 5)}: {short(reason, 300)} ({source}{f', until {expires}' if expires else ''})"
        for (rule, reason, source, expires), keys in alike.items()
    ]
