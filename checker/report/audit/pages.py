"""The report of an audit as text, Markdown and one self-contained page."""

from __future__ import annotations

import base64
import hashlib
from datetime import UTC, datetime
from typing import Any

from checker.errors import UsageError
from checker.report.check.document import to_json
from checker.report.markdown_text import code, escaped
from checker.report.presentable import presentable, short
from checker.report.templates import asset, environment
from checker.report.wording import plural

Json = dict[str, Any]

MARKS = {
    "unchanged": "·", "changed": "~", "broke": "X", "repaired": "+", "undecided": "?", "unreadable": "!",
    "refused": "X", "added": "a", "removed": "r",
}  # fmt: skip
WORDS = {
    "changed": "changed, state kept", "broke": "state broke", "repaired": "state repaired", "undecided": "undecided",
    "unreadable": "could not be read", "refused": "Flink would refuse it", "added": "added", "removed": "removed",
    "unchanged": "unchanged",
}  # fmt: skip
_WIDEST = 120
_MOST_IN_TEXT = 200


def render_audit(document: Json, output_format: str) -> str:
    """An audit's document as ``text``, ``json``, ``markdown`` or ``html``. Raises UsageError for another format."""
    if output_format == "json":
        return to_json(document) + "\n"
    names = {"text": "audit.txt", "markdown": "audit.md", "html": "audit.html"}
    if output_format not in names:
        raise UsageError(f"--format {output_format}: an audit is text, json, markdown or html")
    view = _view(presentable(document), latest=None if output_format == "html" else _WIDEST)
    tools = {"plural": plural, "short": short, "words": WORDS, "marks": MARKS, "most": _MOST_IN_TEXT}
    if output_format == "html":
        style = asset("audit.css")
        digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
        policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
        template = environment(autoescape=True).get_template(names[output_format])
        return template.render(view=view, style=style, policy=policy, **tools)
    return (
        environment(autoescape=False)
        .get_template(names[output_format])
        .render(view=view, text=escaped, code=code, **tools)
    )


def headline(document: Json) -> str:
    """The answer in one line."""
    counts = document["counts"]
    if not counts["units"] and counts["unreadable_repositories"]:
        return f"{plural(counts['unreadable_repositories'], 'repository', 'repositories')} could not be read"
    if not counts["units"]:
        return "No pipelines found: nothing was audited"
    if counts["broke"]:
        mended = f", {counts['repaired']} repaired later" if counts["repaired"] else ""
        return f"State broke {plural(counts['broke'], 'time')}{mended}"
    if document["verdict"] == "undecided":
        return "No step is known to have broken state, but some could not be decided"
    return "No step broke state"


def _view(document: Json, *, latest: int | None) -> Json:
    """The document with what the templates show beside it."""
    document["headline"] = headline(document)
    for change in document["changes"]:
        change["shown"] = "repaired" if change["repairs"] else change["status"]
        change["when"] = _date(change["head"]["time"])
        change["label"] = _label(change["head"])
    for line in document["timeline"]:
        steps = line["steps"][-latest:] if latest else line["steps"]
        line["earlier"] = len(line["steps"]) - len(steps)
        line["steps"] = steps
        most = max([step["moved"] for step in steps] or [0])
        for place, step in enumerate(steps):
            step["x"] = place * 14
            step["bar"] = -(-40 * step["moved"] // most) if most else 0
        places = {step["place"]: number for number, step in enumerate(steps)}
        for pipeline in line["pipelines"]:
            pipeline["marks"] = _marks(pipeline["cells"], list(places))
            pipeline["cells"] = [
                {**cell, "x": places[cell["place"]] * 14, "step": steps[places[cell["place"]]]}
                for cell in pipeline["cells"]
                if cell["place"] in places
            ]
        line["width"] = max(14, 14 * len(steps))
    if document["operator"]:
        for answer in document["operator"]["answers"]:
            for event in answer["events"]:
                event["label"], event["when"] = _label(event["head"]), _date(event["head"]["time"])
    return document


def _marks(cells: list[Json], places: list[int]) -> str:
    """One character a step; what could not be read stays so until something changes."""
    status = {cell["place"]: cell["status"] for cell in cells}
    before = [cell["status"] for cell in cells if places and cell["place"] < places[0]]
    unread = bool(before) and before[-1] == "unreadable"
    marks = ""
    for place in places:
        if place in status:
            unread = status[place] == "unreadable"
        marks += MARKS["unreadable"] if unread else MARKS[status.get(place, "unchanged")]
    return marks


def _label(point: Json) -> str:
    return str(point["label"])


def _date(seconds: int) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")
    except (ValueError, OverflowError, OSError):
        return ""
