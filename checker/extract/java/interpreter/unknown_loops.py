"""Steps that run an unknown number of times: what any round may write is not known afterwards."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from dataclasses import field as field_
from typing import Any

from checker.extract.datastream.records import Draft
from checker.extract.interpreting.memory import MISSING, Write, tick
from checker.extract.interpreting.shapes import Decision, PathChoices
from checker.extract.java.flink_api import unknowns
from checker.extract.java.machine.call_record import Site
from checker.extract.java.machine.descriptions import described_as, expression_text, short
from checker.extract.java.machine.exceptions import LimitSignal, ReturnSignal, Signal, ThrowSignal
from checker.extract.java.machine.flink_values import EnvValue, Registrations, StreamValue
from checker.extract.java.machine.run_state import MAX_PATHS
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.splits import is_value
from checker.extract.java.machine.values import (
    NULL,
    Choice,
    Constant,
    ExternalObject,
    Frame,
    ListValue,
    MapValue,
    Opaque,
    TypeName,
    Value,
)
from checker.extract.java.syntax.nodes import find_field, stands_for_value
from checker.extract.java.syntax.tree import Node, code_text, field, text, walk
from checker.extract.unfollowed.unread_code import NEEDS_CODE
from checker.model.unknowns import Cause, Unknown

_ROUNDS = 3
"""Rounds after which an unknown loop has written whatever it can write."""


def unknown_loop(run: Run, once: Callable[[Frame], None], unknown: Unknown, site: Site, of: Value | None) -> str:
    """A loop that runs zero or more times, along all ways of its body: what any round may write is unknown afterwards.

    If a round declares operators, they become one transformation of kind ``unknown``. ``of`` is what decides how often
    it runs. What it leaves is made of the result.
    """
    entered = run.entered
    before = free_variables(run, site, of)
    found = _rounds(run, once, unknown, site)
    fresh = [decl for write, decl in found.writes.values() if write.target is run.initialized]
    if fresh:  # what a class starts with is not what a round changes
        for decl in fresh:
            run.interpreter.ensure_initialized(decl)
        found = _rounds(run, once, unknown, site)
    complete = before is not None and run.entered == entered and unknown.derived_from != NEEDS_CODE
    made = expression_text(before, unknown.cause) if complete and before is not None else NEEDS_CODE
    unknown = replace(unknown, derived_from=None if unknown.cause is Cause.NON_DETERMINISTIC else made)
    replacement: StreamValue | None = None
    if found.topological:
        for env in found.envs or run.envs[-1:]:
            replacement = unknowns.stream(run, env, unknown, tuple(dict.fromkeys(found.used)), site)
    _forget(run, found.writes, unknown, replacement)
    if run.following is not None and all(signal.value is NULL for signal in found.returned):
        if found.returned:
            run.following.doubt = run.following.doubt or run.following.doubtful(unknown)
        return made
    if found.thrown and run.catching and run.decide(Opaque(unknown, _result(run, "throws", unknown))):
        raise found.thrown[0]
    if found.returned and run.decide(Opaque(unknown, _result(run, "returns", unknown))):
        values = [signal.value for signal in found.returned]
        value = values[0]
        if not (isinstance(value, Constant) and all(result == value for result in values)):
            value = _after(run, NULL, value, unknown, replacement)
        raise ReturnSignal(value)
    return made


def _result(run: Run, what: object, unknown: Unknown) -> str:
    """The symbol of what a loop leaves in one place."""
    made = unknown.derived_from
    return run.fresh("after loop" if made is None or made == NEEDS_CODE else f"({what} after {short(made)})")


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
    since, changed = tick(), set[Any]()
    run.loops += 1
    try:
        for _ in range(_ROUNDS):
            before = len(changed)
            forced: tuple[Decision, ...] | None = ()
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
                    if isinstance(effect[0].target, Registrations) and place in found.writes:
                        write, asked = found.writes[place]
                        found.writes[place] = (write, tuple(dict.fromkeys((*asked, *effect[1]))))
                    found.writes.setdefault(place, effect)
                    if _lasts(effect[0], since):
                        changed.add(place)
                forced = run.choices.next_path()
                run.memory.rollback(start)
            if forced is not None:
                raise LimitSignal(f"a loop whose body has more than {MAX_PATHS} ways", run.location(site))
            if len(changed) == before:
                break
            _forget(run, found.writes, unknown, None)
    finally:
        run.loops -= 1
        run.choices, run.region_mark, run.attempting = outer_choices, outer_region, outer_attempting
        run.memory.rollback(mark)
    return found


def _lasts(write: Write, since: int) -> bool:
    """Whether the next round can meet what was written: not what the round made itself, nor the calls on a logger."""
    return getattr(write.target, "born", -1) <= since and not isinstance(write.target, ExternalObject)


def _forget(run: Run, writes: dict[Any, tuple[Write, Any]], unknown: Unknown, replacement: StreamValue | None) -> None:
    """What was written in a loop is not known after it."""
    for place, (write, value) in enumerate(writes.values()):
        if isinstance(write.target, Registrations):
            run.memory.assign(write.target, write.key, write.target.merged([write.old, value], unknown))
        elif write.entry and write.old is not MISSING and is_value(write.old):
            run.memory.put(write.target, write.key, _after(run, write.old, value, unknown, replacement, write.key))
        elif write.entry and is_value(value) and isinstance(value, Opaque | Constant | Choice):
            run.memory.put(write.target, write.key, Opaque(unknown, _result(run, write.key, unknown)))
        elif not write.entry and isinstance(write.target, ListValue | MapValue):
            if write.key in ("elements", "entries"):
                content = unknown.derived_from
                of_this = content if content in (None, NEEDS_CODE) else f"{place} of {content}"
                run.memory.assign(write.target, "unknown", replace(unknown, derived_from=of_this))
            if write.key != "unknown":
                run.memory.assign(write.target, write.key, None)
        elif not write.entry and isinstance(write.target, Draft):
            if write.key in Draft.SETTINGS:
                run.memory.assign(write.target, write.key, unknown)
        elif not write.entry and isinstance(write.target, EnvValue) and write.key == "tabled":
            there = {id(draft) for draft in write.target.drafts}
            handed = [draft for draft in value if id(draft) in there]
            made = [replacement.draft] if replacement is not None and replacement.draft is not None else []
            run.memory.assign(write.target, write.key, tuple(dict.fromkeys((*write.old, *handed, *made))))
        elif not write.entry and isinstance(write.target, EnvValue) and write.key not in ("drafts", "groups"):
            run.memory.assign(write.target, write.key, unknown)
        elif not write.entry and is_value(write.old):
            run.memory.assign(write.target, write.key, Opaque(unknown, _result(run, f"{place} {write.key}", unknown)))


def _after(
    run: Run, old: Value, new: Value, unknown: Unknown, replacement: StreamValue | None, what: object = "result"
) -> Value:
    """What a variable holds after an unknown number of rounds."""
    if isinstance(new, StreamValue) and replacement is not None:
        return StreamValue(new.type, new.env, replacement.draft)
    if old is new or old == new:
        return old
    return Opaque(unknown, _result(run, what, unknown))


def free_variables(run: Run, site: Site, of: Value | None) -> str | None:
    """What a loop depends on: its text, what decides how often it runs, and the variables that it mentions."""
    if site.node is None:
        return None
    parts = [code_text(site.node)]
    if of is not None:
        parts.append(described_as(of))
    seen: set[str] = set()
    for node in walk(site.node):
        name = text(node) if node.type in ("identifier", "field_access") else ""
        if not name or name in seen:
            continue
        seen.add(name)
        value = _variable(run, node, name, site.frame)
        if value is not None and not isinstance(value, StreamValue | EnvValue | TypeName):
            parts.append(f"{name} = {described_as(value)}")
    return "; ".join(parts)


def _variable(run: Run, node: Node, name: str, frame: Frame) -> Value | None:
    """The value of a local variable or of a field; None of anything else that a name stands for."""
    holder = frame.scope.holder(name)
    if holder is not None:
        return holder.variables[name]
    owner = text(field(node, "object")) if node.type == "field_access" else ""
    if owner not in ("", "this") and not owner[:1].isupper():
        return None
    if not owner and (not stands_for_value(node) or find_field(run.index, frame.decl, name) is None):
        return None
    try:
        return run.interpreter.evaluate(node, frame)
    except Signal:
        return run.opaque("an unknown field", Cause.OTHER, None)
