"""Loops: unrolled over what is known, one unknown transformation where it is not known how often they run."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from checker.extract.interpreting.memory import MISSING
from checker.extract.java.flink_api.flink_values import Draft, EnvValue, StreamValue
from checker.extract.java.interpreter import classes_of_values, expressions, names, statements
from checker.extract.java.interpreter.call_record import Site
from checker.extract.java.interpreter.frames import (
    BreakSignal,
    ContinueSignal,
    Frame,
    LimitSignal,
    ReturnSignal,
    Signal,
)
from checker.extract.java.interpreter.made_of import described_as
from checker.extract.java.interpreter.run_state import MAX_LOOP
from checker.extract.java.interpreter.speculation import Run, is_value
from checker.extract.java.interpreter.values import (
    NULL,
    Constant,
    ListValue,
    MapValue,
    Opaque,
    Value,
    boolean,
    short,
    unknown_of,
)
from checker.extract.java.library import collections
from checker.extract.java.syntax.declarations import type_ref
from checker.extract.java.syntax.parse import field, text
from checker.model.topology import Cause, Unknown


def _body_round(run: Run, body: Node | None, frame: Frame, label: str) -> bool:
    """One round of a loop; False when it breaks out."""
    try:
        if body is not None:
            statements.execute(run, body, frame.inner())
    except BreakSignal as signal:
        if signal.label in ("", label):
            return False
        raise
    except ContinueSignal as signal:
        if signal.label not in ("", label):
            raise
    return True


def _for_each(run: Run, node: Node, frame: Frame, label: str = "") -> None:
    source = run.settle(expressions.evaluate(run, field(node, "value"), frame))
    name, ref = text(field(node, "name")), type_ref(field(node, "type"))
    body = field(node, "body")
    elements = collections.elements_of(run, source)
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

        unknown_loop(run, once, unknown, Site(node, frame))
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
    for child in node.children_by_field_name("init"):
        if child.type == "local_variable_declaration":
            statements.execute(run, child, inner)
        elif child.is_named:
            expressions.evaluate(run, child, inner)
    updates = [child for child in node.children_by_field_name("update") if child.is_named]
    _loop(run, node, field(node, "condition"), updates, inner, label)


def _while(run: Run, node: Node, frame: Frame, label: str = "") -> None:
    _loop(run, node, field(node, "condition"), [], frame.inner(), label)


def _do(run: Run, node: Node, frame: Frame, label: str = "") -> None:
    inner = frame.inner()
    if _body_round(run, field(node, "body"), inner, label):
        _loop(run, node, field(node, "condition"), [], inner, label)


DULL_ROUNDS = 100
"""Rounds after which a loop that has declared nothing so far is not followed any further."""


def _loop(run: Run, node: Node, condition: Node | None, updates: list[Node], frame: Frame, label: str) -> None:
    body = field(node, "body")

    def once(inner: Frame) -> None:
        _body_round(run, body, inner, label)
        for update in updates:
            expressions.evaluate(run, update, inner)

    start = run.memory.mark()
    for count in range(MAX_LOOP):
        value = expressions.evaluate(run, condition, frame) if condition is not None else boolean(True)
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
            unknown_loop(run, once, unknown, Site(node, frame))
            return
        if not _body_round(run, body, frame, label):
            return
        for update in updates:
            expressions.evaluate(run, update, frame)
    raise LimitSignal(f"more than {MAX_LOOP:,} rounds of one loop")


def unknown_loop(run: Run, once: Callable[[Frame], None], unknown: Unknown, site: Site) -> None:
    """A loop whose rounds are not known: what one round would write is unknown afterwards.

    If a round declares operators, they become one transformation of kind ``unknown``.
    """
    from checker.extract.java.flink_api import unknowns

    mark = run.memory.mark()
    known_drafts = {id(draft) for env in run.envs for draft in env.drafts}
    outer_choices, outer_region, jobs = run.choices, run.region_mark, run.jobs.items
    inner_choices = type(outer_choices)(parent=outer_choices)
    run.choices, run.region_mark = inner_choices, None
    used: tuple[Draft, ...] = ()
    envs: list[EnvValue] = []
    left: ReturnSignal | None = None
    try:
        once(site.frame.inner())
    except LimitSignal:
        raise
    except Signal as signal:
        left = signal if isinstance(signal, ReturnSignal) else None
    finally:
        for env in run.envs:
            new = [draft for draft in env.drafts if id(draft) not in known_drafts]
            if new:
                envs.append(env)
                used += tuple(i for draft in new for i in draft.inputs if id(i) in known_drafts)
        effects = run.memory.effects(mark)
        topological = run.memory.touched_topology(mark) or run.jobs.items != jobs
        run.choices, run.region_mark = outer_choices, outer_region
        run.memory.rollback(mark)
    replacement: StreamValue | None = None
    if topological:
        for env in envs or run.envs[-1:]:
            inputs = tuple(dict.fromkeys(used))
            replacement = unknowns.stream(run, env, unknown, inputs, site)
    for write, value in effects.values():
        if write.entry and write.old is not MISSING and is_value(write.old):
            run.memory.put(write.target, write.key, _after(run, write.old, value, unknown, replacement))
        elif not write.entry and isinstance(write.target, ListValue | MapValue):
            run.memory.assign(write.target, write.key, None)
            run.memory.assign(write.target, "unknown", unknown)
        elif not write.entry and isinstance(write.target, Draft):
            if write.key in ("uid", "name", "parallelism", "max_parallelism", "uid_hash", "chaining"):
                run.memory.assign(write.target, write.key, unknown)
        elif not write.entry and isinstance(write.target, EnvValue) and write.key not in ("drafts",):
            run.memory.assign(write.target, write.key, unknown)
        elif not write.entry and is_value(write.old):
            run.memory.assign(write.target, write.key, Opaque(unknown, run.fresh("after loop")))
    if left is not None and run.decide(Opaque(unknown, run.fresh("returns"))):
        raise ReturnSignal(
            left.value if isinstance(left.value, Constant) else _after(run, NULL, left.value, unknown, replacement)
        )


def _after(run: Run, old: Value, new: Value, unknown: Unknown, replacement: StreamValue | None) -> Value:
    """What a variable holds after an unknown number of rounds."""
    if isinstance(new, StreamValue) and replacement is not None:
        return StreamValue(new.type, new.env, replacement.draft)
    if old is new or old == new:
        return old
    return Opaque(unknown, run.fresh("after loop"))


LOOPS: dict[str, Callable[[Run, Node, Frame, str], None]] = {
    "enhanced_for_statement": _for_each,
    "for_statement": _for,
    "while_statement": _while,
    "do_statement": _do,
}
"""Loop statements by the name of their node."""
