"""The gate and a savepoint as text for a terminal."""

from __future__ import annotations

from checker.model.nested import Json
from checker.report.gate.view import gate_view, savepoint_view
from checker.report.presentable import SEVERITIES, TERMINAL, Terminal, short

_COLOURS = TERMINAL | SEVERITIES | {"losing": "yellow", "open": "yellow"}


def gate_text(document: Json, terminal: Terminal | None = None) -> str:
    """Verdict, then each deciding attempt with its table, warnings and what the other ways would give."""
    show = terminal or Terminal()
    view = gate_view(document)
    lines = [show.styled(view["headline"].upper(), "bold", _COLOURS[view["tone"]])]
    lines += [f"  {s['path']}: {s['error']}" for s in view["savepoints"] if s["error"] and not view["deciding"]]
    lines += [line for s in view["savepoints"] if s["rewritten"] for line in _rewritten(s["path"], s["rewritten"])]
    candidate = view["candidate"]
    running = candidate.get("running_job")
    facts = [*([running] if running else ()), *(candidate.get("reading") or ())]
    facts += [f"assumed: {sentence}" for sentence in candidate.get("assumptions") or ()]
    lines += [show.styled(f"  {line}", "dim") for line in facts]
    for attempt in view["deciding"]:
        lines += ["", *_attempt(attempt, show)]
    lines += ["", show.styled(view["command"], "dim")]
    return "\n".join(lines) + "\n"


def _rewritten(path: str, rewritten: Json) -> list[str]:
    return [f"  {path} was rewritten from {rewritten['source']}:", *(f"    {c}" for c in rewritten["changes"])]


def _attempt(attempt: Json, show: Terminal) -> list[str]:
    verdict = show.styled(attempt["verdict_text"], "bold", _COLOURS[attempt["verdict"]])
    lines = [f"{verdict}  {attempt['pipeline']} from {attempt['savepoint']} ({attempt['label']})"]
    if attempt["unrelated"]:
        lines.append(f"  {attempt['unrelated']}")
    rule = f" [{attempt['rule']}]" if attempt["rule"] else ""
    lines.append(f"  {attempt['message']}{rule}")
    lines += [f"  then: {message}" for message in attempt["also"]]
    if attempt["offer"]:
        lines.append("  rewrite the savepoint, where the code can't take its ids back (docs/how-to-rewrite.md):")
        lines.append(f"    {attempt['offer']['command']}")
        lines.append(f"    then it restores: {attempt['offer']['message']}")
    if attempt["rehearsed"]:
        lines.append(f"  {attempt['rehearsed']}")
    lines.append("")
    for row in attempt["rows"]:
        lines += _row(row, show)
    if attempt["warnings"]:
        lines.append("")
    for warning in attempt["warnings"]:
        label = show.styled(warning["severity"], _COLOURS[warning["severity"]])
        lines.append(f"  {label} [{warning['rule']}] {warning['message']}")
    if attempt["open_questions"]:
        lines += ["", "  not covered by the verdict:", *(f"    {question}" for question in attempt["open_questions"])]
    if attempt["others"]:
        lines += ["", "  other ways to start:"]
        lines += [
            f"    {variant['label']}: {show.styled(variant['verdict_text'], _COLOURS[variant['verdict']])}"
            + (f" [{variant['rule']}] {short(variant['message'], 160)}" if variant["rule"] else "")
            for variant in attempt["others"]
        ]
    return lines


def _row(row: Json, show: Terminal) -> list[str]:
    verdict = show.styled(f"{row['verdict_text']:<14}", _COLOURS[row["verdict"]])
    line = f"  {verdict} {row['size']:>10}  {row['title']}"
    if row["operator_id"] and row["title"] != row["operator_id"]:
        line += f"  {row['operator_id']}"
    if row["place"]:
        line += f"  {row['place']}"
    lines = [line]
    if row["reason"] and row["verdict"] not in ("restores", "stateless", "starts-empty"):
        lines.append(f"  {'':<14} {'':>10}  {short(row['reason'], 200)}")
    if row["best_candidate"]:
        best = row["best_candidate"]
        lines.append(f"  {'':<14} {'':>10}  best candidate: {best['name']} ({'; '.join(best['evidence'])})")
    return lines


def savepoint_text(document: Json, terminal: Terminal | None = None) -> str:
    """What a savepoint holds, biggest operators first."""
    show = terminal or Terminal()
    view = savepoint_view(document)
    lines = [
        show.styled(view["path"], "bold"),
        f"{view['type']} {view['checkpoint_id']}, metadata version {view['metadata_version']}, "
        f"{len(view['operators'])} operators, {view['size']} of state",
        f"sha256 {view['sha256']}",
    ]
    if view["rewritten"]:
        lines += _rewritten(view["path"], view["rewritten"])
    lines += [f"master hook {m['name']}: {m['bytes']} bytes" for m in view["master_states"]]
    files = view["files"]
    if files and files["missing"]:
        missing = f"{files['missing']} state files are missing: {', '.join(files['missing_paths'])}"
        lines.append(show.styled(missing, "red"))
    for operator in view["operators"]:
        lines += ["", *_operator(operator, show)]
    return "\n".join(lines) + "\n"


def _operator(operator: Json, show: Terminal) -> list[str]:
    notes = f" ({', '.join(operator['notes'])})" if operator["notes"] else ""
    lines = [
        f"{operator['size']:>10}  {show.styled(operator['title'], 'bold')}  {operator['operator_id']}"
        f"  parallelism {operator['parallelism']} of {operator['max_parallelism']}{notes}"
    ]
    lines += [f"{'':>12}{line}" for line in operator["state_lines"]]
    if operator["place"] or (operator["owner"] and operator["owner"] != operator["title"]):
        lines.append(f"{'':>12}is {operator['owner']}  {operator['place']}".rstrip())
    elif operator["explained"] is not None and not operator["owner"]:
        if operator["guess"]:
            lines.append(
                f"{'':>12}" + show.styled(f"no operator explains it; best candidate: {operator['guess']}", "yellow")
            )
        else:
            lines.append(f"{'':>12}" + show.styled("no operator of the revision explains it", "yellow"))
    return lines
