"""GitHub's workflow commands (``::error file=...``): annotations on the lines of a pull request.

GitHub shows ten of each kind a step, so the most severe findings come first and the rest is counted in one line.
"""

from __future__ import annotations

from typing import Any

from checker.model.findings import Severity
from checker.report.check.prose import failures, in_full, line_of
from checker.report.grouping import notes_to_show, said_once
from checker.report.presentable import presentable, short, without_graphs
from checker.report.wording import headline, listed, tally, unmentioned_unknowns, untouched

Json = dict[str, Any]

MOST_OF_A_KIND = 10
_MOST_PIPELINES = 4
_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render_github(report: Json) -> str:
    """One command per line. Nothing in a name can start a command of its own."""
    shown = presentable(without_graphs(report))
    commands: list[tuple[str, str, str, Json | None]] = []
    by_name = {pipeline["name"]: pipeline for pipeline in shown["pipelines"]}
    for finding, names in said_once(shown["pipelines"]):
        title = f"{listed([short(name, 60) for name in names], _MOST_PIPELINES)}: {finding['rule']}"
        line = line_of(finding, by_name[finding["pipeline"]])
        commands.append((_COMMANDS[Severity(finding["severity"])], title, in_full(finding), line))
    for pipeline in shown["pipelines"]:
        name = short(pipeline["name"], 60)
        kind = "notice" if untouched(pipeline) else "error"
        commands += [(kind, f"{name} could not be read", why, None) for why in failures(pipeline)]
        commands += [
            ("notice", f"{name}: assumed", assumption, None) for assumption in pipeline["reading"]["assumptions"]
        ]
        for unknown in unmentioned_unknowns(pipeline):
            settled = f"\nsettle it with {unknown['settled_by']}" if unknown["settled_by"] else ""
            commands.append(("warning", f"{name}: undecided", unknown["reason"] + settled, unknown["location"]))
    commands += [("notice", "savepoint-checker", note["message"], note["location"]) for note in notes_to_show(shown)]
    lines = []
    for kind in ("error", "warning", "notice"):
        ours = [command for command in commands if command[0] == kind]
        # The last of the ten places says how many did not get one.
        shown_of_kind = ours if len(ours) <= MOST_OF_A_KIND else ours[: MOST_OF_A_KIND - 1]
        lines += [_command(*command) for command in shown_of_kind]
        if len(ours) > len(shown_of_kind):
            more = len(ours) - len(shown_of_kind)
            lines.append(_command(kind, "savepoint-checker", f"{more} more of this kind: see the report", None))
    lines.append(f"savepoint-checker: {headline(shown)}; {tally(shown)}")
    return "\n".join(lines) + "\n"


def _command(kind: str, title: str, message: str, location: Json | None) -> str:
    properties = [f"title={_property(title)}"]
    if location:
        properties = [
            f"file={_property(location['file'])}", f"line={location['line']}", f"col={location['column']}", *properties
        ]  # fmt: skip
    return f"::{kind} {','.join(properties)}::{_message(short(message, 4000))}"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
