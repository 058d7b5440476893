"""The gate's and a savepoint's document arranged for people, and as pages: what decides comes first, then bytes."""

import hashlib
import re

from markupsafe import Markup, escape

from checker.compare.restore.refusals import bytes_text, listed
from checker.model.findings import Verdict
from checker.model.nested import Json, gathered
from checker.model.restore import LOSSES
from checker.report.check.document import render_json
from checker.report.gate.steps import cost_of, steps_of
from checker.report.pages import environment, render_page
from checker.report.presentable import (
    SEVERITIES,
    TERMINAL,
    WORDS,
    WORST_FIRST,
    Terminal,
    code,
    code_block,
    escaped,
    presentable,
    short,
)
from checker.report.wording import place

HEADLINES = {
    "restores": "Flink restores this",
    "fails": "Flink refuses this",
    "undecided": "Not decided",
    "losing": "Flink starts this without all of its state",
    "open": "Flink starts this; not all of its state could be compared",
}
"""By verdict; ``losing`` and ``open`` are ways to restore."""
_FEW = 0.25
"""Share of operators with state that find it, up to which a snapshot seems to be of another job."""
_ALIKE = 0.5
"""How alike an operator without state has to be for the snapshot to be of this job, under other ids."""
_OPERATOR_ID = re.compile(r"\b[0-9a-f]{32}\b")
SECTIONS = {
    "fails": "What stops the restore",
    "undecided": "What could not be decided",
    "misassigned": "What goes to another operator",
    "dropped": "What is dropped",
    "starts-empty": "What starts empty",
    "restores": "What restores",
    "stateless": "Without state",
}


def gate_view(document: Json) -> Json:
    """What the templates show: strings made visible, numbers as text, attempts and rows in reading order."""
    digest = hashlib.sha256(render_json(document).encode("utf-8")).hexdigest()
    document = presentable(document)
    way = document["decided_by"]
    attempts = [_attempt(a) for a in document["attempts"]]
    deciding = [a for a in attempts if _same_way(a, way)]
    severities = {"fails": 0, "undecided": 1, "restores": 2}
    deciding.sort(key=lambda a: (severities[a["verdict"]], -a["bytes_at_stake"], a["savepoint"], a["pipeline"]))
    unread = {savepoint["path"] for savepoint in document["savepoints"] if savepoint["error"]}
    deciding = _unread_once(deciding, unread)
    for attempt in deciding:
        attempt["others"] = [
            sibling
            for sibling in attempts
            if (sibling["savepoint"], sibling["pipeline"]) == (attempt["savepoint"], attempt["pipeline"])
            and not _same_way(sibling, way)
            and sibling["savepoint"] not in unread
        ]
        for alternative in attempt["others"]:
            alternative["cost"] = cost_of(alternative, attempt)
    tone = document["verdict"]
    if tone == "restores" and any(_loses(a) for a in deciding):
        tone = "losing"
    elif tone == "restores" and any(a["open_questions"] for a in deciding):
        tone = "open"
    headline = HEADLINES[tone]
    if tone == "restores" and any(a["declared"] for a in deciding):
        headline = f"{headline}, but for state that is declared as dropped"
    foreign = [a["foreign"] for a in deciding if a["foreign"]]
    if foreign and len(foreign) == len(deciding):
        headline = f"This savepoint seems to be of another job: {foreign[0]}"
    if deciding and all(a["savepoint"] in unread for a in deciding):
        headline = "The snapshot can't be read"
    judged = tuple(f"{a['pipeline']}: " for a in deciding)
    reading = [line for line in document["candidate"].get("reading") or () if line.startswith(judged)]
    return {
        **document,
        "candidate": {**document["candidate"], **({"reading": reading} if reading else {})},
        "headline": headline,
        "tone": tone,
        "decision": _decision(tone, passes=document["passes"]),
        "digest": digest,
        "deciding": deciding,
        "savepoints": [{**s, "size": bytes_text(s["state_size"])} for s in document["savepoints"]],
    }


def _unread_once(attempts: list[Json], unread: set[str]) -> list[Json]:
    """A snapshot that can't be read is one attempt, of all pipelines that were to start from it."""
    alike = gathered((a["savepoint"] if a["savepoint"] in unread else n, a) for n, a in enumerate(attempts))
    return [{**same[0], "pipeline": listed([a["pipeline"] for a in same])} for same in alike.values()]


def _decision(tone: str, *, passes: bool) -> str:
    if not passes:
        return "The gate is closed."
    ways = {"losing": ", without all of the state", "open": ", though not all of the state was compared"}
    return f"The gate is open{ways.get(tone, '')}."


def _loses(attempt: Json) -> bool:
    """Whether state does not come back, or nothing reads it, and the mapping file does not say so."""
    unread = any(state["verdict"] == "dropped" for row in attempt["operators"] for state in row["states"])
    losses = [w for w in attempt["warnings"] if w["rule"] in LOSSES]
    all_declared = bool(losses) and all(w["declared"] is not None for w in losses)
    return (bool(attempt["bytes_at_stake"]) or unread) and not all_declared


def _same_way(attempt: Json, way: Json) -> bool:
    return bool(
        attempt["path"] == way["path"] and attempt["allow_non_restored_state"] == way["allow_non_restored_state"]
    )


def _attempt(attempt: Json) -> Json:
    worst_first = sorted(
        attempt["operators"], key=lambda row: (WORST_FIRST.index(row["verdict"]), -row["bytes"], row["name"] or "")
    )
    rows = [_row(row, attempt["message"]) for row in worst_first]
    sections = [
        {"verdict": verdict, "title": SECTIONS[verdict], "rows": [r for r in rows if r["verdict"] == verdict]}
        for verdict in WORST_FIRST
    ]
    tone, words = attempt["verdict"], WORDS[Verdict(attempt["verdict"])]
    if tone == "restores" and _loses(attempt):
        tone, words = "dropped", "loses state"
    elif tone == "restores" and attempt["open_questions"]:
        tone, words = "undecided", "partly compared"
    shown = {
        **attempt,
        "label": f"{attempt['path']}{' with --allowNonRestoredState' if attempt['allow_non_restored_state'] else ''}",
        "tone": tone,
        "verdict_text": words,
        "stake": bytes_text(attempt["bytes_at_stake"]),
        "declared": {(w["operator"], w["state"]) for w in attempt["warnings"] if w["declared"] is not None},
        "foreign": _foreign(attempt),
        "also": _shortly(attempt["message"], attempt["also"]),
        "sections": [s for s in sections if s["rows"]],
        "rows": rows,
    }
    return {**shown, "steps": steps_of(shown)}


def _foreign(attempt: Json) -> str | None:
    """How few operators of a snapshot the candidate has; None where it may be of this job."""
    rows = [row for row in attempt["operators"] if row["in_snapshot"] and row["bytes"]]
    own = sum(row["claimed_by"] is not None for row in rows)
    alike = any(row["best_candidate"] and row["best_candidate"]["likeness"] >= _ALIKE for row in rows)
    if not rows or alike or own > _FEW * len(rows):
        return None
    return f"{own} of {len(rows)} operators with state match"


def _shortly(first: str, messages: list[str]) -> list[str]:
    """What Flink would say next: a sentence that it says of several operators stands once, with their ids."""
    sentence, found = _OPERATOR_ID.sub("", first), []
    alike = [message for message in messages if _OPERATOR_ID.sub("", message) == sentence]
    if alike:
        found.append("the same for " + listed([match for m in alike for match in _OPERATOR_ID.findall(m)[:1]]))
    return [*found, *(message for message in messages if message not in alike)]


def _row(row: Json, message: str) -> Json:
    """A row of the table, without the reason that the attempt itself says."""
    return {
        **row,
        "reason": "" if row["reason"] == message else row["reason"],
        "title": row["name"] or row["uid"] or row["operator_id"] or "?",
        "size": bytes_text(row["bytes"]) if row["in_snapshot"] else "–",
        "verdict_text": WORDS[Verdict(row["verdict"])],
        "place": place(row["location"]),
        "scale": _change(row["parallelism"]),
        "max_scale": _change(row["max_parallelism"]),
    }


def _change(change: Json) -> str:
    before, after = change["before"], change["after"]
    if before is None or after is None or before == after:
        return str(before if before is not None else after if after is not None else "")
    return f"{before} → {after}"


def savepoint_view(document: Json) -> Json:
    """A savepoint's document for people, biggest operators first."""
    document = presentable(document)
    operators = sorted(document["operators"], key=lambda o: (-o["state_size"], o["name"] or o["operator_id"]))
    return {
        **document,
        "type": (document["checkpoint_properties"] or {"type": None})["type"] or document["kind"],
        "size": bytes_text(document["state_size"]),
        "operators": [_described(o) for o in operators],
    }


def _described(operator: Json) -> Json:
    finished = len(operator["finished_subtasks"])
    notes = []
    if operator["fully_finished"]:
        notes.append("finished")
    elif finished:
        notes.append(f"{finished} subtasks finished")
    if operator["coordinator_state_bytes"] is not None:
        notes.append(f"coordinator {bytes_text(operator['coordinator_state_bytes'])}")
    if operator["sizes"]["input_channel"] or operator["sizes"]["result_subpartition"]:
        in_flight = operator["sizes"]["input_channel"] + operator["sizes"]["result_subpartition"]
        notes.append(f"in flight {bytes_text(in_flight)}")
    if not operator["headers"]["complete"]:
        notes.append("state headers not read whole")
    return {
        **operator,
        "title": operator["name"] or operator["uid"] or operator["operator_id"],
        "size": bytes_text(operator["state_size"]),
        "notes": notes,
        "state_lines": [_state_line(s) for s in operator["states"]]
        or [f"{s['name']}: {s['mode']}, {s['entries']} entries" for s in operator["operator_states"]],
    }


def _state_line(state: Json) -> str:
    kind = state["options"].get("KEYED_STATE_TYPE") or state["options"].get("OPERATOR_STATE_DISTRIBUTION_MODE")
    if state["backend_type"] == "PRIORITY_QUEUE":
        return f"{state['name']}: timers"
    value = state["serializers"].get("VALUE_SERIALIZER")
    return f"{state['name']}: {kind}{' of ' + _serializer(value) if value else ''}"


def _serializer(snapshot: Json) -> str:
    short = snapshot["class"].rsplit(".", 1)[-1].rsplit("$", 1)[-1].removesuffix("Snapshot").removesuffix("Serializer")
    if snapshot.get("type"):
        fields = ", ".join(snapshot.get("fields", ()))
        return f"{snapshot['type']}{' {' + fields + '}' if fields else ''}"
    nested = ", ".join(_serializer(n) for n in snapshot.get("nested", ()))
    return f"{short}<{nested}>" if nested else short


_COLOURS = TERMINAL | SEVERITIES | {"losing": "yellow", "open": "yellow"}


def gate_text(document: Json, terminal: Terminal | None = None) -> str:
    """The gate's document for a terminal: verdict, then each deciding attempt, and what other ways would give."""
    return _text("gate.txt", gate_view(document), terminal)


def savepoint_text(document: Json, terminal: Terminal | None = None) -> str:
    """What a savepoint holds, for a terminal."""
    return _text("gate.savepoint.txt", savepoint_view(document), terminal)


def gate_markdown(document: Json) -> str:
    """The gate's document for release notes."""
    return _markdown("gate.md", gate_view(document))


def gate_html(document: Json) -> str:
    """The gate's document as one page."""
    return render_page("gate.html", "gate.css", view=gate_view(document), prose=_html_prose)


def savepoint_markdown(document: Json) -> str:
    """A savepoint's document for people who read Markdown."""
    return _markdown("gate.savepoint.md", savepoint_view(document))


def savepoint_html(document: Json) -> str:
    """A savepoint's document as one page."""
    return render_page("gate.savepoint.html", "gate.css", view=savepoint_view(document))


def _prose(sentence: str) -> str:
    """A sentence of ours in Markdown: what stands between backticks is code."""
    parts = sentence.split("`")
    if len(parts) % 2 == 0:
        return escaped(sentence)
    return "".join(code(part) if number % 2 else escaped(part) for number, part in enumerate(parts))


def _html_prose(sentence: str) -> Markup:
    """The same in HTML."""
    parts = sentence.split("`")
    if len(parts) % 2 == 0:
        return escape(sentence)
    spans = (Markup("<code>{}</code>").format(p) if number % 2 else escape(p) for number, p in enumerate(parts))
    return Markup("").join(spans)


def _markdown(name: str, view: Json) -> str:
    return (
        environment(autoescape=False)
        .get_template(name)
        .render(view=view, text=escaped, prose=_prose, code=code, block=code_block)
    )


def _text(name: str, view: Json, terminal: Terminal | None) -> str:
    template = environment(autoescape=False).get_template(name)
    return template.render(view=view, styled=(terminal or Terminal()).styled, colours=_COLOURS, short=short)
