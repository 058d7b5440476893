"""What a reader of the gate's report does next, and what every other way to start costs."""

import json
import re
import shlex

from checker.compare.restore.refusals import bytes_text, listed
from checker.model.findings import Severity
from checker.model.nested import Json
from checker.model.restore import RestoreRule
from checker.report.presentable import short
from checker.report.wording import place
from checker.rules.registry import rule_page

_MOST = 6
"""So many steps are told."""
_ALIKE = 0.6
"""How alike an operator has to be for its savepoint to be rewritten for it: by the name, or by the hash of one."""
_SAYS_IT = (None, RestoreRule.UNREADABLE_METADATA)
"""Rules whose message says what to do."""
_LOST = ("dropped", "misassigned", "fails", "undecided")


def steps_of(attempt: Json) -> list[Json]:
    """What to do, surest first: ``say`` and the lines to copy as ``code``. Empty where nothing is in the way."""
    rows = attempt["rows"]
    if attempt["foreign"]:
        say = "Name the savepoint of this job, or with `--head` the revision whose job wrote this one"
        return [{"say": say, "code": f"--savepoint {attempt['pipeline']}=PATH"}]
    steps = [
        {
            "say": f"Give {short(best['name'], 60)}{_at(best['location'])} the id of its state"
            f"{'' if row['title'] == best['name'] else ' (' + short(row['title'], 60) + ')'}",
            "code": best["edit"],
        }
        for row in rows
        if (best := row["best_candidate"]) is not None and best["edit"]
    ]
    alike = [row for row in rows if row["best_candidate"] and row["best_candidate"]["likeness"] >= _ALIKE]
    moves = {row["best_candidate"]["operator_id"]: row["operator_id"] for row in alike}
    if moves and None not in moves and len(moves) == len(alike):
        words = ["savepoint-checker", "savepoint", "rewrite", attempt["savepoint"], "--out", "REWRITTEN"]
        words += [word for new, old in moves.items() for word in ("--move", f"{old}={new}")]
        steps.append({"say": "Or rewrite the savepoint, and ask gate what comes of it", "code": shlex.join(words)})
    rules = [attempt["rule"], *(w["rule"] for w in attempt["warnings"] if w["severity"] == Severity.ERROR)]
    if not steps:
        advising = (rule for rule in dict.fromkeys(rules) if rule not in _SAYS_IT)
        steps = [{"say": repair, "code": ""} for rule in advising if (repair := _repair(rule))]
    for row in rows:
        if (row["operator_id"], None) in attempt["declared"]:
            continue
        dropped = [state["name"] for state in row["states"] if state["verdict"] == "dropped"]
        unread = [name for name in dropped if (row["operator_id"], name) not in attempt["declared"]]
        if row["in_snapshot"] and row["bytes"] and row["claimed_by"] is None and row["verdict"] in ("fails", "dropped"):
            start = " and start with --allowNonRestoredState" if row["verdict"] == "fails" else ""
            say = f"If {_called(row)} may lose its state: declare it in savepoint-mapping.toml{start}"
            steps.append({"say": say, "code": _declaration(attempt["pipeline"], row)})
        elif unread and row["verdict"] == "restores":
            say = f"If {listed(unread)} of {_called(row)} may go: declare that in savepoint-mapping.toml"
            tables = (_declaration(attempt["pipeline"], row, name) for name in unread)
            steps.append({"say": say, "code": "\n\n".join(tables)})
    if attempt["verdict"] == "restores" and attempt["open_questions"]:
        say = "Judge a revision (--head), or accept what is not covered by the verdict"
        steps.append({"say": say, "code": "--allow-uncompared"})
    more = len(steps) - _MOST
    return [*steps[:_MOST], *([{"say": f"{more} more like these", "code": ""}] if more > 0 else [])]


def _repair(rule: str) -> str:
    """What the page of a rule says under Repair."""
    found = re.search(r"^## Repair\n+(.*?)(?=\n\n|\n## |\Z)", rule_page(rule), re.S | re.M)
    return " ".join(found[1].split()) if found else ""


def _at(location: Json | None) -> str:
    return f" at {place(location)}" if location else ""


def _declaration(pipeline: str, row: Json, state: str | None = None) -> str:
    entries = {"pipeline": pipeline, "old": row["uid"] or row["name"] or row["operator_id"], "state": state}
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entries.items() if value is not None]
    return "\n".join(["[[operator]]", *lines, "dropped = true", 'reason = "why this state is no longer needed"'])


def cost_of(way: Json, deciding: Json) -> str:
    """What starting another way costs, or why it does not start."""
    if way["verdict"] != "restores":
        same = way["operator"] == deciding["operator"] is not None or way["message"] == deciding["message"]
        return "for the same reason" if same else short(way["message"], 160)
    lost = [row for row in way["operators"] if row["in_snapshot"] and row["bytes"] and row["verdict"] in _LOST]
    unread = [s["name"] for row in way["operators"] for s in row["states"] if s["verdict"] == "dropped"]
    costs = [f"{bytes_text(sum(r['bytes'] for r in lost))}: {listed([_called(r) for r in lost])}"] if lost else []
    costs += [f"nothing reads {listed(unread)}"] if unread else []
    return "; ".join(costs) or "costs no state"


def _called(row: Json) -> str:
    return str(row["name"] or row["uid"] or row["operator_id"])
