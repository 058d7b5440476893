"""Loops: unrolled over what is known, one unknown transformation where it is not known how often they run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from dataclasses import field as field_
from typing import Any

from tree_sitter import Node

from checker.extract.interpreting.memory import MISSING, Write
from checker.extract.interpreting.path_choices import PathChoices
from checker.extract.java.flink_api import unknowns
from checker.extract.java.interpreter import classes_of_values, expressions, names, objects, statements
from checker.extract.java.library import collections
from checker.extract.java.machine.call_record import Site
from checker.extract.java.machine.descriptions import described_as, made_of_text
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.flink_values import Draft, EnvValue, StreamValue
from checker.extract.java.machine.frames import (
    BreakSignal,
    ContinueSignal,
    Frame,
    LimitSignal,
    ReturnSignal,
    Signal,
    ThrowSignal,
)
from checker.extract.java.machine.run_state import MAX_LOOP, MAX_PATHS
from checker.extract.java.machine.speculation import Run, is_value
from checker.extract.java.machine.values import (
    NULL,
    Choice,
    Constant,
    IteratorValue,
    ListValue,
    MapValue,
    Opaque,
    Value,
    boolean,
    is_null,
    short,
    unknown_of,
)
from checker.extract.java.syntax.declarations import type_ref
from checker.extract.java.syntax.parse import field, text, walk
from checker.extract.unread_code import NEEDS_CODE
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
    if is_null(source):
        throw("NullPointerException")
    name, ref = text(field(node, "name")), type_ref(field(node, "type"))
    body = field(node, "body")
    elements = collections.rounds(run, source, Site(node, frame))
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
            unknown_loop(run, once, unknown, Site(node, frame), value)
            return
        if not _body_round(run, body, frame, label):
            return
        for update in updates:
            expressions.evaluate(run, update, frame)
    raise LimitSignal(f"more than {MAX_LOOP:,} rounds of one loop")


_ROUNDS = 3
"""Rounds after which an unknown loop has written whatever it can write."""


def unknown_loop(run: Run, once: Callable[[Frame], None], unknown: Unknown, site: Site, of: Value | None) -> None:
    """A loop that runs zero or more times, along all ways of its body: what any round may write is unknown afterwards.

    If a round declares operators, they become one transformation of kind ``unknown``. ``of`` is what decides how often
    it runs.
    """
    entered = run.entered
    before = _free_variables(site, of)
    found = _rounds(run, once, unknown, site)
    fresh = [decl for write, decl in found.writes.values() if write.target is run.initialized]
    if fresh:  # what a class starts with is not what a round changes
        for decl in fresh:
            objects.ensure_initialized(run, decl)
        found = _rounds(run, once, unknown, site)
    made = NEEDS_CODE if run.entered != entered or before is None else made_of_text(before, unknown.cause)
    unknown = replace(unknown, made_of=made)
    replacement: StreamValue | None = None
    if found.topological:
        for env in found.envs or run.envs[-1:]:
            replacement = unknowns.stream(run, env, unknown, tuple(dict.fromkeys(found.used)), site)
    _forget(run, found.writes, unknown, replacement)
    if found.thrown and run.catching and run.decide(Opaque(unknown, run.fresh("throws"))):
        raise found.thrown[0]
    if found.returned and run.decide(Opaque(unknown, run.fresh("returns"))):
        values = [signal.value for signal in found.returned]
        value = values[0]
        if not (isinstance(value, Constant) and all(one == value for one in values)):
            value = _after(run, NULL, value, unknown, replacement)
        raise ReturnSignal(value)


@dataclass(eq=False, slots=True)
class _Found:
    """What the rounds of a loop do, all ways together."""

    writes: dict[Any, tuple[Write, Any]] = field_(default_factory=dict)
    topological: bool = False
    used: tuple[Draft, ...] = ()
    envs: list[EnvValue] = field_(default_factory=list)
    returned: list[ReturnSignal] = field_(default_factory=list)
    thrown: list[ThrowSignal] = field_(default_factory=list)


def _rounds(run: Run, once: Callable[[Frame], None], unknown: Unknown, site: Site) -> _Found:
    """Try rounds, each on all its ways and from what the rounds before it may have left; nothing of it stays."""
    found = _Found()
    mark, jobs = run.memory.mark(), run.jobs.items
    known_drafts = {id(draft) for env in run.envs for draft in env.drafts}
    outer_choices, outer_region, outer_attempting = run.choices, run.region_mark, run.attempting
    try:
        for _ in range(_ROUNDS):
            written = len(found.writes)
            forced: tuple[int, ...] | None = ()
            start, count = run.memory.mark(), 0
            while forced is not None and count < MAX_PATHS:
                count += 1
                run.choices = PathChoices(forced=forced, parent=outer_choices)
                run.region_mark, run.attempting = None, False
                try:
                    once(site.frame.inner())
                except ReturnSignal as signal:
                    found.returned.append(signal)
                except ThrowSignal as signal:
                    found.thrown.append(signal)
                except LimitSignal:
                    raise
                except Signal:
                    pass
                for env in run.envs:
                    new = [draft for draft in env.drafts if id(draft) not in known_drafts]
                    if new:
                        found.envs += [env] if env not in found.envs else []
                        found.used += tuple(i for draft in new for i in draft.inputs if id(i) in known_drafts)
                found.topological |= run.memory.touched_topology(start) or run.jobs.items != jobs
                for place, effect in run.memory.effects(start).items():
                    found.writes.setdefault(place, effect)
                forced = run.choices.next_path()
                run.memory.rollback(start)
            if forced is not None:
                raise LimitSignal(f"a loop whose body has more than {MAX_PATHS} ways")
            if len(found.writes) == written:
                break
            _forget(run, found.writes, unknown, None)
    finally:
        run.choices, run.region_mark, run.attempting = outer_choices, outer_region, outer_attempting
        run.memory.rollback(mark)
    return found


def _forget(run: Run, writes: dict[Any, tuple[Write, Any]], unknown: Unknown, replacement: StreamValue | None) -> None:
    """What was written in a loop is not known after it."""
    for write, value in writes.values():
        if write.entry and write.old is not MISSING and is_value(write.old):
            run.memory.put(write.target, write.key, _after(run, write.old, value, unknown, replacement))
        elif write.entry and is_value(value) and isinstance(value, Opaque | Constant | Choice):
            run.memory.put(write.target, write.key, Opaque(unknown, run.fresh("after loop")))
        elif not write.entry and isinstance(write.target, ListValue | MapValue):
            if write.key in ("elements", "entries"):
                run.memory.assign(write.target, "unknown", unknown)
            if write.key != "unknown":
                run.memory.assign(write.target, write.key, None)
        elif not write.entry and isinstance(write.target, IteratorValue):
            run.memory.assign(write.target, "version", None)
            run.memory.assign(write.target, "place", -1)
        elif not write.entry and isinstance(write.target, Draft):
            if write.key in ("uid", "name", "parallelism", "max_parallelism", "uid_hash", "chaining"):
                run.memory.assign(write.target, write.key, unknown)
        elif not write.entry and isinstance(write.target, EnvValue) and write.key not in ("drafts",):
            run.memory.assign(write.target, write.key, unknown)
        elif not write.entry and is_value(write.old):
            run.memory.assign(write.target, write.key, Opaque(unknown, run.fresh("after loop")))


def _free_variables(site: Site, of: Value | None) -> str | None:
    """What a loop is made of: its text, what decides how often it runs, and the variables that it mentions."""
    if site.node is None:
        return None
    parts = [" ".join(text(site.node).split())]
    if of is not None:
        parts.append(described_as(of))
    seen: set[str] = set()
    for node in walk(site.node):
        name = text(node) if node.type == "identifier" else ""
        if not name or name in seen:
            continue
        seen.add(name)
        holder = site.frame.scope.holder(name)
        if holder is not None and not isinstance(holder.variables[name], StreamValue | EnvValue):
            parts.append(f"{name} = {described_as(holder.variables[name])}")
    return "; ".join(parts)


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
