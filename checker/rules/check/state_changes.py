"""Changed states of operators that restore: what the rules about states share."""

import re
from collections.abc import Iterable, Iterator, Sequence

from checker.compare.fit.states import TypeChange
from checker.compare.fit.states import type_changes as types_of
from checker.compare.fit.types import Fit, worst
from checker.compare.restore.states import BUILT_IN
from checker.compare.revisions.declared_fit import connector_fit
from checker.compare.revisions.states import quoted
from checker.model.changed_files import ChangedText, renamed_by
from checker.model.comparison import OperatorComparison, StateChange
from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.findings import Evidence, Hit
from checker.model.unknowns import Location, Unknown
from checker.rules.base import Hits, RuleContext, kept, title_of

_OF_FLINK = BUILT_IN - {"count", "splits", "state"}
"""Names that are Flink's alone."""
_KEPT_BY_FLINK = (
    "Flink's operator keeps this state, and no code of the program names it: undo the edit that changed what it holds, "
    "or give the operator a new uid and let it start empty"
)


MIGRATE = (
    "move the state before the upgrade: with the old release, copy it into a state of another name whose type Flink "
    "writes itself (a POJO of basic types, Types.LIST, Types.MAP, a serializer of your own), then take the savepoint"
)
"""What to do about types that Kryo writes, where Flink 2 comes."""


def restored(context: RuleContext) -> Iterator[OperatorComparison]:
    """Operators whose state reaches them, and whose states changed; what another connector keeps is its own."""
    for row in context.pairs:
        base, head = context.base_node(row), context.head_node(row)
        if not row.state_changes or not kept(row) or base is None or head is None:
            continue
        if connector_fit(base.declared, head.declared).fit is Fit.SAME:
            yield row


def renamed_and_removed(row: OperatorComparison) -> tuple[list[StateChange], list[StateChange]]:
    """States that came back under another name, of the same kind and type, and those that are gone."""
    added = [c.head for c in row.state_changes if c.base is None and c.head is not None]
    renamed, removed = [], []
    for change in row.state_changes:
        if change.base is None or change.head is not None:
            continue
        match = next((a for a in added if _alike(change.base, a)), None)
        if match is None:
            removed.append(change)
        else:
            added.remove(match)
            renamed.append(StateChange(base=change.base, head=match))
    return renamed, removed


def _alike(before: StateDescriptor, after: StateDescriptor) -> bool:
    return before.kind == after.kind and all(c.fit.fit is Fit.SAME for c in types_of(before, after))


def kind_changes(row: OperatorComparison) -> list[StateChange]:
    """States of one name and another kind."""
    return [
        c
        for c in row.state_changes
        if c.base is not None
        and c.head is not None
        and isinstance(c.base.kind, StateKind)
        and isinstance(c.head.kind, StateKind)
        and c.base.kind is not c.head.kind
    ]


def type_changes(row: OperatorComparison, wanted: Fit) -> list[StateChange]:
    """States of one name and kind whose types fit in the wanted way, judged by the worst of key and value."""
    found = []
    for change in row.state_changes:
        if change.base is None or change.head is None or change.base.kind is not change.head.kind:
            continue
        if worst(c.fit for c in types_of_change(change)).fit is wanted:
            found.append(change)
    return found


def state_hit(
    row: OperatorComparison,
    message: str,
    changes: Sequence[StateChange],
    repair: str,
    texts: Iterable[ChangedText] = (),
) -> Hits:
    """A hit for some states of an operator, if any; ``{0}`` in its message are their names, ``{why}`` what decides.

    It points at the class that changed, else at the one of ``texts`` by which a state was renamed.
    """
    if row.head is None or not changes:
        return
    found = [w for c in changes for w in inside(c)]
    named = [c.base for c in changes if c.base is not None]
    names = ", ".join(dict.fromkeys(map(quoted, named)))
    if named and all(state.name in _OF_FLINK for state in named):
        repair = _KEPT_BY_FLINK
    registered = (c.head.location for c in changes if c.head is not None)
    places = (*(class_of(changes, why) for why in found), *(_text_of(c, texts) for c in changes), *registered)
    location = next((place for place in places if place is not None), None)
    yield Hit(
        message=message.format(names, operator=title_of(row.head), why=f" ({found[0]})" if found else ""),
        base=row.base,
        head=row.head,
        evidence=tuple(dict.fromkeys(e for c in changes for e in evidence_of(c))),
        repair=repair,
        location=location,
    )


_CLASS = re.compile(r"class ([\w.$]+)")


def class_of(changes: Sequence[StateChange], why: str) -> Location | None:
    """Where the class is that was edited: the last one that is named."""
    *_, named = (None, *_CLASS.findall(why))
    classes = (shape for change in changes if change.head is not None for shape in change.head.classes)
    return next((shape.location for shape in classes if shape.name == named), None)


def _text_of(change: StateChange, texts: Iterable[ChangedText]) -> Location | None:
    before, after = (side and side.name for side in (change.base, change.head))
    changed = renamed_by(texts, before, after) if isinstance(before, str) and isinstance(after, str) else None
    return None if changed is None else changed.location


def evidence_of(change: StateChange) -> tuple[Evidence, ...]:
    """The state on both sides."""
    return (Evidence("state", described(change.base), described(change.head)),)


def inside(change: StateChange) -> list[str]:
    """What decides whether the types of a state fit, as far as they are not the same."""
    return [c.fit.why for c in types_of_change(change) if c.fit.why and c.fit.fit is not Fit.SAME]


def types_of_change(change: StateChange) -> tuple[TypeChange, ...]:
    """The types of a state that differ, or that the newer release does not read."""
    if change.base is None or change.head is None:
        return ()
    return types_of(change.base, change.head, newer_kryo=change.newer_kryo, on_heap=change.on_heap)


def described(state: StateDescriptor | None) -> str | None:
    """A descriptor as people would write it."""
    if state is None:
        return None
    types = ", ".join(t for t in (state.key_type, state.value_type) if isinstance(t, str))
    name, kind = ("(computed)" if isinstance(v, Unknown) else v for v in (state.name, state.kind))
    return f"{name}: {kind}" + (f"<{types}>" if types else "")
