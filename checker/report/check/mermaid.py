"""A pipeline's job graph as a Mermaid flowchart: chains as boxes, operators coloured by what becomes of their state."""

from __future__ import annotations

import re
from dataclasses import dataclass

from checker.model.findings import Verdict
from checker.model.nested import Json
from checker.model.topology import Kind
from checker.report.presentable import WORDS, short
from checker.report.wording import verdict_of

MOST_OPERATORS = 40
"""GitHub stops at 500 edges and 50,000 characters, people much earlier."""
_CLASSES = {
    Verdict.RESTORES: "fill:#dafbe1,stroke:#1a7f37,color:#1f2328",
    Verdict.FAILS: "fill:#ffebe9,stroke:#cf222e,color:#1f2328,stroke-width:2px",
    Verdict.DROPPED: "fill:#ffebe9,stroke:#cf222e,color:#1f2328,stroke-dasharray:4 3",
    Verdict.MISASSIGNED: "fill:#fbefff,stroke:#8250df,color:#1f2328,stroke-width:2px",
    Verdict.UNDECIDED: "fill:#fff8c5,stroke:#9a6700,color:#1f2328,stroke-dasharray:4 3",
    Verdict.STARTS_EMPTY: "fill:#ddf4ff,stroke:#0969da,color:#1f2328",
    Verdict.STATELESS: "fill:#f6f8fa,stroke:#818b98,color:#59636e",
}


@dataclass(frozen=True, slots=True)
class Flowchart:
    """The diagram, and how many operators of how many it shows."""

    text: str
    shown: int
    total: int


def flowchart(pipeline: Json) -> Flowchart | None:
    """The head's graph, with the operators that only the base had; None when there is no graph of the head.

    With more than ``MOST_OPERATORS`` only those are drawn whose state does not simply restore, and their neighbours.
    """
    graph = pipeline["graphs"]["head"]
    if graph is None or "nodes" not in graph:
        return None
    nodes = {node["node"]: node for node in graph["nodes"]}
    verdicts = {row["head"]["key"]: verdict_of(row) for row in pipeline["operators"] if row["head"]}
    for node in graph["nodes"]:
        # Operators that could not be read are in no comparison, but need attention all the same.
        if node["explained"]["kind"] == Kind.UNKNOWN:
            verdicts.setdefault(node["explained"]["key"], Verdict.UNDECIDED.value)
    lost = [row for row in pipeline["operators"] if row["head"] is None and verdict_of(row) != Verdict.STATELESS]
    shown = _interesting(nodes, verdicts)
    lines = ["flowchart LR"]
    for place, vertex in enumerate(graph["vertices"]):
        inside = [n for n in shown if nodes[n]["explained"]["vertex"] == place]
        if not inside:
            continue
        parallelism = vertex["parallelism"] if isinstance(vertex["parallelism"], int) else "unknown"
        lines.append(f'  subgraph v{place}["parallelism {parallelism}"]')
        lines += [f"    {_node(nodes[n], verdicts)}" for n in inside]
        lines.append("  end")
    loose = [n for n in shown if nodes[n]["explained"]["vertex"] is None]
    lines += [f"  {_node(nodes[n], verdicts)}" for n in loose]
    for number in shown:
        for edge in nodes[number]["out"]:
            if edge["to"] in shown:
                how = edge["partitioner"] if isinstance(edge["partitioner"], str) else "unknown"
                arrow = "-->" if edge["chainable"] else f'-- "{_label(how, 24)}" -->'
                lines.append(f"  n{number} {arrow} n{edge['to']}")
    room = max(0, MOST_OPERATORS - len(shown))
    if lost[:room]:
        lines.append('  subgraph gone["no longer there"]')
        for number, row in enumerate(lost[:room]):
            lines.append(f"    g{number}{_box(row['base']['name'], verdict_of(row))}:::{_class(verdict_of(row))}")
        lines.append("  end")
    drawn = "\n".join(lines)
    lines += [f"  classDef {_class(v)} {style}" for v, style in _CLASSES.items() if f":::{_class(v)}" in drawn]
    return Flowchart("\n".join(lines), len(shown) + len(lost[:room]), len(nodes) + len(lost))


def _interesting(nodes: dict[int, Json], verdicts: dict[str, str]) -> list[int]:
    if len(nodes) <= MOST_OPERATORS:
        return list(nodes)
    plain = {Verdict.RESTORES, Verdict.STATELESS}
    chosen = [n for n, node in nodes.items() if verdicts.get(node["explained"]["key"], "stateless") not in plain]
    kept = dict.fromkeys(chosen[:MOST_OPERATORS])
    near = {n: [e["to"] for e in node["out"]] for n, node in nodes.items()}
    for number, targets in near.items():
        for target in targets:
            if len(kept) < MOST_OPERATORS and (number in kept) != (target in kept):
                kept.setdefault(number)
                if len(kept) < MOST_OPERATORS:
                    kept.setdefault(target)
    return sorted(kept)


def _node(node: Json, verdicts: dict[str, str]) -> str:
    verdict = verdicts.get(node["explained"]["key"], Verdict.STATELESS.value)
    return f"n{node['node']}{_box(node['name'], verdict)}:::{_class(verdict)}"


def _box(name: str, verdict: str) -> str:
    verdict_text = "" if verdict == Verdict.STATELESS else f"<br/>{WORDS[Verdict(verdict)]}"
    return f'["{_label(name, 48)}{verdict_text}"]'


def _class(verdict: str) -> str:
    # "end" and words with a dash upset Mermaid's grammar; a letter in front keeps every class name plain.
    return "v" + verdict.replace("-", "")


def _label(text: str, limit: int) -> str:
    """Anything but letters, digits and blanks as Mermaid's entity codes, which are decoded after parsing."""
    return re.sub(r"[^\w .,:/()+=→…×-]", lambda m: f"#{ord(m[0])};", short(text, limit)) or "#160;"
