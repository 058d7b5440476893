"""Rules about operators that keep their id and state, and compute or read something else with it."""

from __future__ import annotations

from collections.abc import Iterable

from checker.compare.fit.types import Fit
from checker.compare.revisions import meanings
from checker.compare.revisions.connector_fit import connector_fit
from checker.compare.revisions.states import key_fit, key_part_fit, old_windows_fire, same_windows
from checker.model.findings import Evidence, RestorePath, Severity, Verdict
from checker.rules.base import Category, Hit, RuleContext, kept_pairs, rule, title_of


@rule("Another connector takes over the state of the old one", Severity.ERROR, Category.STATE)
def connector_changed(context: RuleContext) -> Iterable[Hit]:
    """A source or sink is another connector under the same id: it is handed bytes that it did not write.

    One hit per declaration that kept state.
    """
    seen: set[str] = set()
    for row, side, base, head in kept_pairs(context):
        found = connector_fit(base.declared, head.declared)
        stateless = base.stateful is False and not base.has_coordinator
        if found.fit is Fit.SAME or stateless or head.declared.id in seen:
            continue
        seen.add(head.declared.id)
        yield Hit(
            message=f"{title_of(side)} is another connector under the id of the old one: {found.why}, and Flink "
            "gives it that state all the same",
            base=row.base,
            head=side,
            evidence=(Evidence("connector", base.declared.function, head.declared.function),),
            repair="give the new connector a uid of its own, and say where it starts",
        )


@rule("Keyed state is looked up by another key", Severity.ERROR, Category.STATE)
def key_selector_changed(context: RuleContext) -> Iterable[Hit]:
    """Keyed state is looked up by another part of the element: what was kept stays under the old keys.

    One hit per operator whose key types fit: another type is another rule's.
    """
    for row, side, base, head in kept_pairs(context):
        before, after = base.declared.key, head.declared.key
        if not isinstance(before, str) or not isinstance(after, str):
            continue
        if key_part_fit(base.declared, head.declared).fit is not Fit.INCOMPATIBLE:
            continue
        if base.stateful is not False and key_fit(base.declared, head.declared).fit is Fit.SAME:
            yield Hit(
                message=f"{title_of(side)} is keyed by another part of its elements: its state restores and stays "
                "under the old keys, where only elements with an equal key find it",
                base=row.base,
                head=side,
                evidence=(Evidence("key", before, after),),
                repair="if the two are equal for every element, suppress this; else give the operator a new uid",
            )


@rule("The key type of keyed state changed", Severity.ERROR, Category.STATE)
def key_type_changed(context: RuleContext) -> Iterable[Hit]:
    """Keyed state can not be found under keys of another type: Flink refuses to build the backend.

    One hit per operator whose key types certainly do not fit.
    """
    for row, side, base, head in kept_pairs(context):
        found = key_fit(base.declared, head.declared)
        if found.fit is Fit.INCOMPATIBLE:
            before, after = base.declared.key_type, head.declared.key_type
            known = before is not None and after is not None  # SQL declares serializers only
            changed = found.why or f"from {before} to {after}"
            yield Hit(
                message=f"the key type of {title_of(side)} changed ({changed}): keyed state can't be migrated to "
                "other keys, and Flink fails to restore the backend",
                base=row.base,
                head=side,
                evidence=(Evidence("key type", str(before), str(after)),) if known else (),
                repair="keep the key type, or give the operator a new uid and fill its state anew",
            )


_OF_OPERATORS = "computes something other than before and takes over the old state"
_OF_SOURCES = "reads other data than before and goes on at the old positions"
_REPAIR_OF_SOURCES = (
    "give the source another uid, so that it starts without the old positions, and say from where it reads; "
    "if the data was only renamed, suppress this with that reason"
)
_REPAIR_WITHOUT_UID = (
    "give the source a uid, so that it starts without the old positions, or in SQL write the statement as a new job; "
    "if the data was only renamed, suppress this with that reason"
)


@rule("State is taken over by another computation", Severity.ERROR, Category.STATE)
def meaning_changed(context: RuleContext) -> Iterable[Hit]:
    """Another computation takes over state: another aggregate, window, join or order in SQL, or a source of other data.

    One hit per operator whose state restores: where Flink refuses, another rule says so.

    Where all that changed is what a source reads, the operators behind it follow the source.
    """
    changed = []
    for row in context.pairs:
        base, head = context.base_node(row), context.head_node(row)
        if base is None or head is None or row.head is None or row.id_changed is not False:
            continue
        if row.verdict(RestorePath.SAVEPOINT) is not Verdict.MISASSIGNED or base.stateful is False:
            continue
        if meanings.meaning_changed(base.declared, head.declared):
            changed.append((row, base.declared, head.declared))
    taken = set[str]()
    for row, before, after in sorted(changed, key=lambda found: not found[1].kind.source):
        if row.head is None or before.id in taken:
            continue
        source = before.kind.source
        behind = {
            old.id: follower.head for follower, old, new in changed
            if source and old.id not in taken and meanings.same_but_for_data(old, new, before.reads, after.reads)
        }  # fmt: skip
        taken |= behind.keys()
        yield Hit(
            message=f"{title_of(row.head)} {_OF_SOURCES if source else _OF_OPERATORS}: "
            "Flink compares its type, which is the same, and says nothing",
            base=row.base,
            head=row.head,
            evidence=(Evidence("computes", before.computes, after.computes),),
            location=row.head.location,
            followers=tuple(side for side in behind.values() if side is not None),
            repair=_REPAIR_OF_SOURCES
            if source and isinstance(before.uid, str)
            else _REPAIR_WITHOUT_UID
            if source
            else "start the changed statement without the old state: write it as a new job, or compile its plan "
            "and give the operator another id there; if the old values may stand in for the new ones, suppress "
            "this with that reason",
        )


@rule("The window assigner changed", Severity.WARNING, Category.STATE)
def window_changed(context: RuleContext) -> Iterable[Hit]:
    """Open windows were made by another assigner: they fire by their old bounds, never fire, or do not restore.

    One hit per operator.
    """
    for row, side, base, head in kept_pairs(context):
        before, after = base.declared.window, head.declared.window
        if not isinstance(before, str) or not isinstance(after, str) or before == after:
            continue
        same = same_windows(before, after)
        if same is None:
            continue
        fires = same and old_windows_fire(before, after)
        if fires:
            ending = "open windows keep their old bounds and fire beside the new ones"
        elif same:
            ending = "open windows never fire any more, and what they hold is left behind"
        else:
            ending = "its state is kept per window of another kind, and Flink refuses to restore it"
        yield Hit(
            message=f"the window assigner of {title_of(side)} changed from {before} to {after}: {ending}",
            base=row.base,
            head=side,
            evidence=(Evidence("window", before, after),),
            repair="let the open windows end first, or give the operator a new uid and start its windows empty",
        )
