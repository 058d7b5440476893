"""The states of one operator before and after: what was added, removed, renamed or given another kind or type."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from checker.compare.fit.states import KindFit, Releases, expiry_fit, kind_fit, spelled, ttl_fit, type_changes
from checker.compare.fit.types import Fit
from checker.compare.fit.unknowns import explained, not_comparable, same_unknown
from checker.compare.revisions.declared_fit import (
    connector_fit,
    key_fit,
    key_part_fit,
    old_windows_fire,
    same_windows,
    starts_over,
    taken_for_another,
)
from checker.compare.revisions.handed_on import Traded, traded_states
from checker.model.comparison import StateChange
from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.findings import Verdict
from checker.model.stream_graph import Role, StreamNode
from checker.model.topology import Transformation
from checker.model.unknowns import Cause, Unknown


@dataclass(frozen=True, slots=True)
class _Paired:
    """The states of an operator before and after: those of one name, and those that only one side has."""

    both: tuple[tuple[StateDescriptor, StateDescriptor], ...]
    before: tuple[StateDescriptor, ...]
    after: tuple[StateDescriptor, ...]


def _paired(base: Transformation, head: Transformation) -> _Paired | None:
    """None where the states of either side are not known at all."""
    if isinstance(base.state, Unknown) or isinstance(head.state, Unknown):
        return None
    services = any(_of_service(state) and state.location is not None for state in base.state)
    before, left = (
        [s for s in side if s.kind not in (StateKind.TIMERS, StateKind.COORDINATOR) or (services and _of_service(s))]
        for side in (base.state, head.state)
    )
    both, gone = [], []
    for old in before:
        heir = next((o for o in head.state if old.name in o.formerly), None)
        if heir is not None:
            left = [o for o in left if o is not heir]
            continue
        new = next((o for o in left if _one_state(old, o)), None)
        if new is None:
            gone.append(old)
        else:
            left.remove(new)
            both.append((old, new))
    return _Paired(tuple(both), tuple(gone), tuple(left))


_USER_TIMERS = "_user-timers"
"""The timer service of Flink's own operators, which fire the timers of functions."""


def _of_service(state: StateDescriptor) -> bool:
    """Whether a state is a queue of a timer service that an operator names itself."""
    return state.kind is StateKind.TIMERS and not (isinstance(state.name, str) and state.name.endswith(_USER_TIMERS))


def _one_state(before: StateDescriptor, after: StateDescriptor) -> bool:
    """One name, known or not; Flink keeps keyed and operator state apart."""
    stores = {kind.keyed for kind in (before.kind, after.kind) if isinstance(kind, StateKind)}
    if len(stores) > 1:
        return False
    if isinstance(before.name, Unknown) and isinstance(after.name, Unknown):
        return before.name.cause is not _EACH_RUN and same_unknown(before.name, after.name)
    return before.name == after.name


def state_changes(base: StreamNode, head: StreamNode, releases: Releases) -> tuple[StateChange, ...]:
    """The descriptors that differ; nothing where either side's states are not known.

    A state whose name is not known may be any: then none counts as removed or added. What a sink declares lies in its
    writer: committers keep what they are handed.
    """
    if head.role in (Role.COMMITTER, Role.GLOBAL_COMMITTER):
        return ()
    paired = _paired(base.declared, head.declared)
    if paired is None:
        return ()
    traded = [trade.before for trade in traded_states(base.declared, head.declared)]
    made = partial(StateChange, newer_kryo=releases.newer_kryo, on_heap=releases.on_heap)
    both = (made(base=old, head=new) for old, new in paired.both)
    changes = [c for c in both if c.base in traded or _differs(c)]
    unnamed_before, unnamed_after = (_unnamed(s_) is not None for s_ in (paired.before, paired.after))
    if not unnamed_after:
        changes += [StateChange(base=old, head=None) for old in paired.before if isinstance(old.name, str)]
    if not unnamed_before:
        changes += [StateChange(base=None, head=new) for new in paired.after if isinstance(new.name, str)]
    return (*changes, *_timers_left(base.declared, head.declared))


def _unnamed(states: Iterable[StateDescriptor]) -> Unknown | None:
    """The first name that may be any; one that is different in every run is none of the other revision."""
    names = (s.name for s in states if isinstance(s.name, Unknown))
    return next((name for name in names if name.cause is not _EACH_RUN), None)


_EACH_RUN = Cause.NON_DETERMINISTIC
_PROCESSES = "process"
"""What the operators are called that fire timers of their functions."""


def _timers_left(base: Transformation, head: Transformation) -> tuple[StateChange, ...]:
    """Timers of a function whose operator fires none any more: they are carried along."""
    if isinstance(head.state, Unknown) or any(s.kind is StateKind.TIMERS for s in head.state):
        return ()
    if _PROCESSES in (head.operator or _PROCESSES):
        return ()
    timers = [s for s in base.known_states if s.kind is StateKind.TIMERS and s.location is not None]
    return tuple(StateChange(base=state, head=None) for state in timers[:1])


def _differs(change: StateChange) -> bool:
    before, after = change.base, change.head
    if before is None or after is None or not _same_kind(before, after):
        return True
    expires = ttl_fit(before.ttl, after.ttl, None) is not Fit.SAME or expiry_fit(before, after)[0] is not Fit.SAME
    return expires or bool(type_changes(before, after, newer_kryo=change.newer_kryo, on_heap=change.on_heap))


def _same_kind(before: StateDescriptor, after: StateDescriptor) -> bool:
    if isinstance(before.kind, StateKind) and isinstance(after.kind, StateKind):
        return before.kind is after.kind
    return not_comparable(before.kind, after.kind) is None


class Aspect(StrEnum):
    """The property of an operator that a comparison of states depends on."""

    KEY = "key"
    KEY_PART = "key-part"
    """Which part of the elements is the key."""
    WINDOW = "window"
    CONNECTOR = "connector"
    STATES = "states"
    """Which states there are."""
    KIND = "kind"
    TYPE = "type"
    TIME_TO_LIVE = "time-to-live"
    MEANING = "meaning"
    """What an operator of a SQL plan computes."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What a change of states does to a restore that finds the operator."""

    aspect: Aspect
    verdict: Verdict
    reason: str


def effects(
    changes: tuple[StateChange, ...], base: StreamNode, head: StreamNode, releases: Releases
) -> tuple[Effect, ...]:
    """Everything that keeps state of a matched operator from restoring in the head's Flink, or leaves that open."""
    found = (*_of_operator(changes, base.declared, head.declared, releases), *(_effect(c, releases) for c in changes))
    return tuple(e for e in found if e is not None)


def _of_operator(
    changes: tuple[StateChange, ...], old: Transformation, new: Transformation, releases: Releases
) -> Iterator[Effect | None]:
    yield _key_effect(old, new, releases)
    yield _key_part_effect(old, new)
    yield _window_effect(old, new)
    yield _connector_effect(old, new)
    yield _states_effect(old, new)
    misread = taken_for_another(old, new)
    if misread is not None:
        # Tables of two names for what is not known of them (``UNKNOWN_PART``) may be the same.
        kept = (re.sub(r"\bunknown-\w+", "", " ".join(side.meaning.keeps)) for side in (old, new) if side.meaning)
        verdict = Verdict.UNDECIDED if len(set(kept)) == 1 else Verdict.MISASSIGNED
        yield Effect(Aspect.MEANING, verdict, f"it {misread}, and Flink reports no error")
    for gone in [c.base for c in changes if c.base is not None and c.head is None][:1]:
        yield Effect(Aspect.STATES, Verdict.DROPPED, f"the operator no longer registers state {quoted(gone)}")
    for trade in traded_states(old, new)[:1]:  # read as another one was, by the code that works on its field
        yield Effect(Aspect.STATES, Verdict.MISASSIGNED, traded_text(trade))


_GRAVEST_FIRST = (Verdict.FAILS, Verdict.UNDECIDED, Verdict.MISASSIGNED, Verdict.DROPPED, Verdict.STARTS_EMPTY)


def worst_effect(
    changes: tuple[StateChange, ...], base: StreamNode, head: StreamNode, releases: Releases
) -> Effect | None:
    """The most severe effect (the first of equal ones), None when everything restores."""
    return min(effects(changes, base, head, releases), key=lambda e: _GRAVEST_FIRST.index(e.verdict), default=None)


def traded_text(trade: Traded) -> str:
    """What happened to a state that changed places with another one."""
    before, instead = quoted(trade.before), quoted(trade.instead)
    if trade.after.kept_in is None or trade.after.unused:
        return f"'{trade.before.kept_in}' held state {before} and now holds {instead}, and nothing reads {before}"
    return f"state {before} is now held by '{trade.after.kept_in}', which held {instead}"


def _key_part_effect(base: Transformation, head: Transformation) -> Effect | None:
    found = key_part_fit(base, head)
    if found.fit is Fit.INCOMPATIBLE:
        return Effect(Aspect.KEY_PART, Verdict.DROPPED, f"{found.why}, and the state stays under the old keys")
    return _undecided(Aspect.KEY_PART, found.why if found.fit is Fit.OPEN else None)


def _key_effect(base: Transformation, head: Transformation, releases: Releases) -> Effect | None:
    found = key_fit(base, head, releases)
    if found.fit is Fit.SAME:
        return None
    before, after = spelled(base.key_type), spelled(head.key_type)
    if found.fit is Fit.INCOMPATIBLE:
        why = found.why or f"the key type changed from {before} to {after}: keys can't be migrated"
        return Effect(Aspect.KEY, Verdict.FAILS, why)
    if isinstance(base.key_type, str) and isinstance(head.key_type, str):
        why = found.why or f"the key type changed from {before} to {after}, and its serializer may no longer fit"
        return Effect(Aspect.KEY, Verdict.UNDECIDED, why)
    return Effect(Aspect.KEY, Verdict.UNDECIDED, f"cannot tell whether the key type is as before ({found.why})")


def _window_effect(base: Transformation, head: Transformation) -> Effect | None:
    before, after = base.window, head.window
    if before is None or after is None:
        return None
    if isinstance(before, str) and isinstance(after, str):
        same = same_windows(before, after)
        reason = f"the windows changed from {before} to {after}: state is kept per window"
        if same and not old_windows_fire(before, after):
            return Effect(Aspect.WINDOW, Verdict.DROPPED, f"{reason}, and open windows will never fire")
        return None if same else Effect(Aspect.WINDOW, Verdict.UNDECIDED if same is None else Verdict.FAILS, reason)
    return _cannot_tell(Aspect.WINDOW, "whether its windows are of the same kind", not_comparable(before, after))


def _undecided(aspect: Aspect, why: str | None) -> Effect | None:
    return Effect(aspect, Verdict.UNDECIDED, why) if why else None


def _cannot_tell(aspect: Aspect, what: str, why: str | None) -> Effect | None:
    return _undecided(aspect, why and f"cannot tell {what} ({why})")


def _states_effect(base: Transformation, head: Transformation) -> Effect | None:
    """Open where it is not known which states the operator asks for, or not known to be the same ones."""
    paired = _paired(base, head)
    if paired is None:
        return _cannot_tell(Aspect.STATES, "which states it registers", not_comparable(base.state, head.state))
    gone, new = (_unnamed(side) for side in (paired.before, paired.after))
    unnamed = explained(gone, new) if gone is not None and new is not None else new or gone
    if unnamed is not None:
        return _undecided(Aspect.STATES, f"a state may have a different name ({unnamed.reason})")
    changing = next((s.name for s in (*paired.before, *paired.after) if isinstance(s.name, Unknown)), None)
    why = None if changing is None else f"a state has a different name in every run ({changing.reason})"
    return None if why is None else Effect(Aspect.STATES, Verdict.STARTS_EMPTY, why)


def _connector_effect(base: Transformation, head: Transformation) -> Effect | None:
    found = connector_fit(base, head)
    if found.fit is Fit.SAME:
        return None
    if starts_over(base, head):
        return Effect(Aspect.CONNECTOR, Verdict.STARTS_EMPTY, found.why)
    return Effect(Aspect.CONNECTOR, Verdict.FAILS if found.fit is Fit.INCOMPATIBLE else Verdict.UNDECIDED, found.why)


def _effect(change: StateChange, releases: Releases) -> Effect | None:
    before, after = change.base, change.head
    if before is None or after is None:
        return None
    if not isinstance(before.kind, StateKind) or not isinstance(after.kind, StateKind):
        what = f"whether state {quoted(before)} is of the same kind"
        unlike = _cannot_tell(Aspect.KIND, what, not_comparable(before.kind, after.kind))
        return unlike or _type_effect(change) or _ttl_effect(before, after, releases)
    kinds = kind_fit(before.kind, after.kind)
    if kinds is KindFit.STARTS_EMPTY:
        return Effect(
            Aspect.KIND,
            Verdict.STARTS_EMPTY,
            f"state {quoted(before)} changed from {before.kind} to {after.kind}: it starts empty without a message, "
            "and the next savepoint can't be restored any more",
        )
    if kinds is KindFit.REFUSED:
        return Effect(
            Aspect.KIND, Verdict.FAILS, f"state {quoted(before)} was {before.kind} and is registered as {after.kind}"
        )
    return _type_effect(change) or _ttl_effect(before, after, releases)


def quoted(state: StateDescriptor) -> str:
    """A state's name for a sentence."""
    return f"'{state.name}'" if isinstance(state.name, str) else "with a computed name"


def _type_effect(change: StateChange) -> Effect | None:
    before, after = change.base, change.head
    assert before is not None
    assert after is not None
    for type_change in type_changes(before, after, newer_kryo=change.newer_kryo, on_heap=change.on_heap):
        changed = (
            f"the {type_change.what} of state {quoted(before)} changed from {type_change.before} to {type_change.after}"
        )
        if type_change.fit.why:
            changed = f"the {type_change.what} of state {quoted(before)} changed ({type_change.fit.why})"
        if type_change.fit.fit is Fit.INCOMPATIBLE:
            return Effect(Aspect.TYPE, Verdict.FAILS, changed)
        if type_change.fit.fit is Fit.OPEN:
            why = changed if type_change.fit.why else f"{changed}, and the serializers may not fit"
            return Effect(Aspect.TYPE, Verdict.UNDECIDED, why)
    return None


def _ttl_effect(before: StateDescriptor, after: StateDescriptor, releases: Releases) -> Effect | None:
    found = ttl_fit(before.ttl, after.ttl, releases.after, releases.on_heap)
    if not isinstance(before.ttl, bool) or not isinstance(after.ttl, bool):
        if found is not Fit.OPEN:
            return None
        why = f"cannot tell whether the time-to-live of state {quoted(before)} is as before"
        return Effect(Aspect.TIME_TO_LIVE, Verdict.UNDECIDED, f"{why} ({not_comparable(before.ttl, after.ttl)})")
    switched = f"time-to-live of state {quoted(before)} was switched {'on' if after.ttl else 'off'}"
    if found is Fit.INCOMPATIBLE:
        return Effect(
            Aspect.TIME_TO_LIVE, Verdict.FAILS, f"{switched}, which Flink {releases.after} takes for another type"
        )
    if found is Fit.OPEN:
        why = f"{switched}: Flink takes the state over from 2.1 (RocksDB) and 2.2 (heap) on, and refuses it before"
        return Effect(Aspect.TIME_TO_LIVE, Verdict.UNDECIDED, why)
    return None
