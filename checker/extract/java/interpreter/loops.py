"""Loops: unrolled over what is known, one unknown transformation where it is not known how often they run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from checker.extract.java.interpreter import (
    classes_of_values,
    names,
)
from checker.extract.java.interpreter.unknown_loops import unknown_loop
from checker.extract.java.library import iteration
from checker.extract.java.machine.call_record import Site
from checker.extract.java.machine.descriptions import described_as
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.run_state import MAX_LOOP
from checker.extract.java.machine.signals import (
    BreakSignal,
    ContinueSignal,
    LimitSignal,
)
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    Frame,
    Opaque,
    boolean,
    is_null,
    short,
    unknown_of,
)
from checker.extract.java.syntax.kinds import NodeKind
from checker.extract.java.syntax.tree import Node, field, text
from checker.extract.java.syntax.type_refs import type_ref
from checker.model.unknowns import Cause, Unknown


def _body_round(run: Run, body: Node | None, frame: Frame, label: str) -> bool:
    """One round of a loop; False when it breaks out."""
    try:
        if body is not None:
            run.interpreter.execute(body, frame.inner())
    except BreakSignal as signal:
        if signal.label in ("", label):
            return False
        raise
    except ContinueSignal as signal:
        if signal.label not in ("", label):
            raise
    return True


def _for_each(run: Run, node: Node, frame: Frame, label: str = "") -> None:
    source = run.settle(run.interpreter.evaluate(field(node, "value"), frame))
    if is_null(source):
        throw("NullPointerException")
    name, ref = text(field(node, "name")), type_ref(field(node, "type"))
    body = field(node, "body")
    elements = iteration.rounds(run, source, Site(node, frame))
    if elements is None:
        unknown = unknown_of(source) or Unknown(
            "a collection whose elements are not known from the source", Cause.COLLECTION, None,
            run.location(Site(node, frame)),
        )  # fmt: skip
        unknown = Unknown(
            f"a loop over {text(field(node, 'value'))[:60]}: {unknown.reason}",
            unknown.cause if unknown.cause in (Cause.ARGUMENT, Cause.NON_DETERMINISTIC) else Cause.COLLECTION,
            unknown.settled_by, run.location(Site(node, frame)),
        )  # fmt: skip
        element = Opaque(
            unknown, run.fresh(short(f"element({described_as(source)})")), run.index.resolve_type(ref, frame.decl)
        )

        def once(inner: Frame) -> None:
            names.declare(run, name, ref, element, inner)
            _body_round(run, body, inner, label)

        unknown_loop(run, once, unknown, Site(node, frame), source)
        return
    for place, element_value in enumerate(elements):
        if place >= MAX_LOOP:
            raise LimitSignal(f"more than {MAX_LOOP:,} rounds of one loop")
        inner = frame.inner()
        names.declare(run, name, ref, classes_of_values.coerce(run, element_value, ref, frame), inner)
        if not _body_round(run, body, inner, label):
            break


def _for(run: Run, node: Node, frame: Frame, label: str = "") -> None:
    inner = frame.inner()
    for child in node.fields("init"):
        if child.type == "local_variable_declaration":
            run.interpreter.execute(child, inner)
        elif child.is_named:
            run.interpreter.evaluate(child, inner)
    updates = [child for child in node.fields("update") if child.is_named]
    _loop(run, node, field(node, "condition"), updates, inner, label)


def _while(run: Run, node: Node, frame: Frame, label: str = "") -> None:
    _loop(run, node, field(node, "condition"), [], frame.inner(), label)


def _do(run: Run, node: Node, frame: Frame, label: str = "") -> None:
    inner = frame.inner()
    if _body_round(run, field(node, "body"), inner, label):
        _loop(run, node, field(node, "condition"), [], inner, label)


DULL_ROUNDS = 100
"""Rounds after which a loop that has declared nothing so far is not followed any further."""


def _loop(run: Run, node: Node, condition: Node | None, updates: Sequence[Node], frame: Frame, label: str) -> None:
    body = field(node, "body")

    def once(inner: Frame) -> None:
        _body_round(run, body, inner, label)
        for update in updates:
            run.interpreter.evaluate(update, inner)

    start = run.memory.mark()
    for count in range(MAX_LOOP):
        value = run.interpreter.evaluate(condition, frame) if condition is not None else boolean(True)
        known = run.truth(value)
        if known is False:
            return
        reason = unknown_of(value)
        if count >= DULL_ROUNDS and not run.memory.touched_topology(start):
            known, reason = None, Unknown(f"it goes on after {DULL_ROUNDS} rounds", Cause.LIMIT)
        if known is None:
            unknown = Unknown(
                f"how often a loop runs is not known: {reason.reason if reason else 'its condition is not'}",
                reason.cause if reason and reason.cause is Cause.ARGUMENT else Cause.COLLECTION,
                reason.settled_by if reason else None, run.location(Site(node, frame)),
            )  # fmt: skip
            unknown_loop(run, once, unknown, Site(node, frame), value)
            return
        if not _body_round(run, body, frame, label):
            return
        for update in updates:
            run.interpreter.evaluate(update, frame)
    raise LimitSignal(f"more than {MAX_LOOP:,} rounds of one loop")


LOOPS: dict[NodeKind, Callable[[Run, Node, Frame, str], None]] = {
    "enhanced_for_statement": _for_each,
    "for_statement": _for,
    "while_statement": _while,
    "do_statement": _do,
}
"""Loop statements by the name of their node."""
