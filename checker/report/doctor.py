"""What was found of Flink, how each pipeline is read, and what is missing: for terminals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from checker.model.account import Explanation
from checker.model.nested import Json
from checker.report.presentable import presentable, short, without_graphs
from checker.report.wording import coverage, failures, flink_of, place, reading_in_full, untouched


def render_doctor(
    report: Json, deployed: Mapping[str, str], without_job: Sequence[str], machine: Sequence[tuple[str, str]]
) -> str:
    """The whole text.

    ``deployed`` maps a pipeline to what starts it, ``without_job`` are files that use Flink where no job was found,
    ``machine`` is what this machine has of what readers need, or how to get it.
    """
    shown = presentable(without_graphs(report))
    sections = {
        "pipelines": list(_pipelines(shown, deployed)),
        "not read": [_at(note["location"], note["message"]) for note in shown["notes"] if note["unread"] is not None],
        "use Flink, and no job was found": list(without_job),
        "edits that are not understood": list(_edits(shown)),
        "this machine": [f"{what}: {found}" for what, found in machine],
    }
    text = [f"{title}\n" + "".join(f"  {line}\n" for line in lines) for title, lines in sections.items() if lines]
    return "\n".join([*text, f"{coverage(shown)}\n"])


def _pipelines(report: Json, deployed: Mapping[str, str]) -> Iterator[str]:
    for pipeline in report["pipelines"]:
        name, rows = pipeline["name"], pipeline["operators"]
        open_rows = [row for row in rows if row["undecided"]]
        unread = pipeline["status"] == "unreadable" or untouched(pipeline)
        partly = f"in part, {len(open_rows)} of {len(rows)} operators undecided" if open_rows else "in part"
        how = (
            "not read"
            if unread
            else partly
            if open_rows or pipeline["undecided"] or pipeline["lacking"]
            else "read whole"
        )
        reading = reading_in_full(pipeline)
        facts = (
            "" if reading.startswith(how) else how,
            reading,
            flink_of(pipeline),
            deployed.get(name, "nothing here starts it"),
        )
        yield f"{short(name)}  {' · '.join(filter(None, facts))}"
        for side, why in failures(pipeline):
            yield "  " + _at(pipeline["failure_location"][side or "head"], why)
        found = {u["reason"]: u for u in (*pipeline["undecided"], *(u for row in rows for u in row["undecided"]))}
        for unknown in found.values():
            settled = f"; settle it with {unknown['settled_by']}" if unknown["settled_by"] else ""
            yield "  " + _at(unknown["location"], unknown["reason"] + settled)


def _edits(report: Json) -> Iterator[str]:
    for pipeline in report["pipelines"]:
        for edit in (pipeline["account"] or {"edits": ()})["edits"]:
            if edit["explanation"] == Explanation.NOT_UNDERSTOOD:
                settled = f"; settle it with {edit['settled_by']}" if edit["settled_by"] else ""
                at = edit["head"] or edit["base"]
                yield _at(at, f"{short(edit['name'])} ({short(pipeline['name'])}): {edit['reason']}{settled}")


def _at(location: Json | None, text: str) -> str:
    return f"{place(location)}: {text}" if location and not text.startswith(location["file"]) else text
