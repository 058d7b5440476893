"""What a loop of unknown length depends on, as a text."""

from __future__ import annotations

from typing import Final

from checker.extract.java.machine.call_record import Site
from checker.extract.java.machine.descriptions import described_as
from checker.extract.java.machine.flink_values import EnvValue, StreamValue
from checker.extract.java.machine.signals import Signal
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Frame, MapValue, TypeName, Value
from checker.extract.java.syntax.nodes import find_field, is_of_object
from checker.extract.java.syntax.tree import Node, field, text, walk
from checker.model.unknowns import Cause

SET: Final = "; set: "
"""Stands before the maps in which a loop does nothing but set entries."""


def free_variables(run: Run, site: Site, of: Value | None) -> str | None:
    """What a loop depends on: its text, what decides how often it runs, and the variables that it mentions."""
    if site.node is None:
        return None
    parts = [" ".join(text(site.node).split())]
    if of is not None:
        parts.append(described_as(of))
    seen: set[str] = set()
    written: list[str] = []
    for node in walk(site.node):
        name = text(node) if node.type in ("identifier", "field_access") else ""
        if not name or name in seen:
            continue
        seen.add(name)
        value = _variable(run, node, name, site.frame)
        if isinstance(value, MapValue) and _only_set(site.node, name):
            written.append(f"{name} = {described_as(value)}")
        elif value is not None and not isinstance(value, StreamValue | EnvValue | TypeName):
            parts.append(f"{name} = {described_as(value)}")
    return f"{'; '.join(parts)}{SET}{'; '.join(written)}"


def _variable(run: Run, node: Node, name: str, frame: Frame) -> Value | None:
    """The value of a local variable or of a field; None of anything else that a name stands for."""
    holder = frame.scope.holder(name)
    if holder is not None:
        return holder.variables[name]
    owner = text(field(node, "object")) if node.type == "field_access" else ""
    if owner not in ("", "this") and not owner[:1].isupper():
        return None
    if not owner and (is_of_object(node) or find_field(run.index, frame.decl, name) is None):
        return None
    try:
        return run.interpreter.evaluate(node, frame)
    except Signal:
        return run.opaque("a field that is not known", Cause.OTHER, None)


def _only_set(loop: Node, name: str) -> bool:
    """Whether a loop does nothing with a map but set entries."""
    calls = [n.parent for n in walk(loop) if n.type == "identifier" and text(n) == name]
    return all(
        call is not None
        and call.type == "method_invocation"
        and text(field(call, "object")) == name
        and text(field(call, "name")) in ("put", "setProperty")
        and call.parent is not None
        and call.parent.type == "expression_statement"
        for call in calls
    )
