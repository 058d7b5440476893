"""Whether what two operators with one id declare fits: connectors, windows and keys.

A new connector gets the bytes of the old one: positions, writer state and committables are written by serializers of
the connector's own, which Flink calls by id, whoever they belong to.

Whether operators of SQL plans compute the same, and sources go on in the data that they read.
"""

import re
from collections.abc import Collection, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

from checker.compare.fit.serializers import serializer_fit
from checker.compare.fit.states import Releases, fit_of_declared
from checker.compare.fit.types import SAME, Fit, TypeFit
from checker.compare.fit.unknowns import not_comparable, without_new_constants
from checker.model.declared_state import COLUMN, LOG_AND_NEW_TABLES, Meaning
from checker.model.nested import split_list
from checker.model.topology import Kind, Transformation

_LIBRARIES = re.compile(
    r"(?:org\.apache\.flink\.(?:connector|streaming\.connectors|cdc\.connectors)|com\.ververica\.cdc\.connectors)"
    r"\.(?!base\.)(\w+)\.|(?:org\.apache|com)\.(doris|starrocks|oceanbase)\."
)
_SEQUENCES = ("NumberSequenceSource", "DataGeneratorSource")
_SEQUENCE_CALLS = frozenset({"sequence"})
"""Sources that write their positions alike: the generator holds a number sequence."""


_OF_SINKS = frozenset({"sink-writer", "sink-committer"})
"""Operators that are declared one by one where others have a sink."""
_APIS = {
    Kind.SOURCE: "Source",
    Kind.LEGACY_SOURCE: "SourceFunction",
    Kind.SINK: "Sink",
    Kind.LEGACY_SINK: "SinkFunction",
}
_OLD_AND_NEW = ({Kind.SOURCE, Kind.LEGACY_SOURCE}, {Kind.SINK, Kind.LEGACY_SINK})


def starts_over(base: Transformation, head: Transformation) -> bool:
    """Whether the two are of the old and the new API: the state is claimed, and not found inside."""
    return {base.kind, head.kind} in _OLD_AND_NEW and not reads_state_of(base, head)


def reads_state_of(base: Transformation, head: Transformation) -> bool:
    """Whether the head's connector looks for its state under the base's names, too."""
    former = {name for state in head.known_states for name in state.formerly}
    return any(state.name in former for state in base.known_states)


def connector_fit(base: Transformation, head: Transformation) -> TypeFit:
    """Whether the head's connector can take what the base's wrote."""
    base_function, head_function = base.function, head.function
    if reads_state_of(base, head):
        return SAME
    if (base.kind in (Kind.SINK, Kind.LEGACY_SINK) or base.operator in _OF_SINKS) and not _keeps(base):
        return SAME
    if starts_over(base, head):
        before, after = _named(base), _named(head)
        if before == after:
            before, after = (f"{name} as a {_APIS[t.kind]}" for name, t in ((before, base), (after, head)))
        return TypeFit(Fit.INCOMPATIBLE, f"{before} became {after}, which does not find what the old one kept")
    of_sinks = base.operator in _OF_SINKS and base.operator == head.operator
    if base.kind is not head.kind or not (base.kind in (Kind.SOURCE, Kind.SINK) or of_sinks):
        return SAME
    families = _family(base), _family(head)
    if (
        base_function == head_function
        or families[0] == families[1]
        or (None in (base_function, head_function) and None in families)
    ):
        return SAME  # the same connector, or two classes of the program's own: a renamed one writes as before
    why = f"{_named(base)} became {_named(head)}, which can't read what the old one wrote"
    return TypeFit(Fit.INCOMPATIBLE if all(families) else Fit.OPEN, why)


def _keeps(sink: Transformation) -> bool:
    """Whether a sink leaves any state behind, as far as it is known."""
    return bool(sink.state or sink.stateful or sink.committer or sink.global_committer)


def _family(connector: Transformation) -> str | None:
    """The connector that it is, of Flink's or of those that Flink CDC comes with; None for any other class."""
    function = connector.function or ""
    if connector.operator in _SEQUENCE_CALLS or function.endswith(_SEQUENCES):
        return "sequence"
    found = _LIBRARIES.match(function)
    return found[1] or found[2] if found is not None else None


def _named(connector: Transformation) -> str:
    return (
        re.split(r"[.$]", connector.function)[-1] if connector.function else str(connector.operator or connector.kind)
    )


_NAMESPACES = {
    "TimeWindow": ("Tumbling", "Sliding", "EventTimeSession", "ProcessingTimeSession", "DynamicEventTime",
                   "DynamicProcessingTime"),
    "GlobalWindow": ("GlobalWindow", "CountWindow"),
}  # fmt: skip
"""Window kinds by how the names of their assigners begin."""


def same_windows(before: str, after: str) -> bool | None:
    """Whether two window assigners make windows of one kind; None where one is not an assigner of Flink's."""
    if before == after:
        return True
    old, new = _window_kind(before), _window_kind(after)
    return None if old is None or new is None else old == new


def old_windows_fire(before: str, after: str) -> bool:
    """Whether windows of one assigner, which are open in a savepoint, fire under another one of the same kind.

    Flink's ``WindowOperator`` ignores timers of windows that its set of merging windows does not know, and a trigger
    ignores timers of the other kind of time.
    """
    return _merging(before) == _merging(after) and ("ProcessingTime" in before) == ("ProcessingTime" in after)


_UNFIRED = {
    "CountTrigger": "the number of rows", "DeltaTrigger": "how far rows differ",
    "ProcessingTimeTrigger": "the time of processing", "ContinuousProcessingTimeTrigger": "the time of processing",
}  # fmt: skip
"""What the triggers go by that do not fire windows of event time at their end."""


def unfired(base: Transformation, head: Transformation) -> str | None:
    """Why time windows that are open when triggers change end unfired; None where they fire or never did.

    Flink's ``WindowOperator`` clears a window when its time is over, whatever its trigger says then. Where that is at
    the window's end, a trigger that fires there is asked by the timer that clears; else the trigger sets one itself.
    """
    if not isinstance(head.window, str) or _window_kind(head.window) != "TimeWindow":
        return None
    old, new = (
        None if "ProcessingTime" in str(side.window) and "ProcessingTime" in (side.trigger or "")
        else _UNFIRED.get(side.trigger or "") for side in (base, head)
    )  # fmt: skip
    if old is None and new is not None:
        return f"it fires by {new}, and no longer when a window ends"
    set_no_timer = old is not None and new is None and base.late and head.late
    return f"it fires when a window ends, for which the old trigger (by {old}) set no timer" if set_no_timer else None


def _merging(assigner: str) -> bool:
    return "Session" in assigner or assigner.startswith("Dynamic")


def _window_kind(assigner: str) -> str | None:
    return next((kind for kind, starts in _NAMESPACES.items() if assigner.startswith(starts)), None)


def key_fit(base: Transformation, head: Transformation, releases: Releases) -> TypeFit:
    """Whether keyed state can be found again under the head's key type."""
    if base.key_serializer is not None and head.key_serializer is not None:
        return serializer_fit(base.key_serializer, head.key_serializer)
    if not base.keyed or not head.keyed:
        known = isinstance(base.key_type, str) and isinstance(head.key_type, str)
        if not known:
            return SAME
    return fit_of_declared(base.key_type, base.key_classes, head.key_type, head.key_classes, migrates=False,
                           newer_kryo=releases.newer_kryo)  # fmt: skip


_PART = re.compile(r"[.\w]+(?:\(\)[.\w]*)*")
"""A key that is a plain part of an element: fields and getters only."""
_GETTER = re.compile(r"\.(?:get|is)([A-Z])(\w*)\(\)")


def key_part_fit(base: Transformation, head: Transformation) -> TypeFit:
    """Whether the elements have the keys that they had: other plain parts are others, other code may be.

    ``.name`` and ``.name.trim()`` agree for most elements.
    """
    before, after = base.key, head.key
    if isinstance(before, str) and isinstance(after, str):
        if before == after or before == without_new_constants(before, after):
            return SAME
        why = f"the key changed from {before} to {after}"
        before, after = (_GETTER.sub(_field, key) for key in (before, after))
        nested = f"{before}.".startswith(f"{after}.") or f"{after}.".startswith(f"{before}.")
        if _PART.fullmatch(before) and _PART.fullmatch(after) and not nested:
            return TypeFit(Fit.INCOMPATIBLE, why)
        return TypeFit(Fit.OPEN, f"{why}, and the two may differ")
    if before is None or after is None or not_comparable(before, after) is None:
        return SAME
    return TypeFit(Fit.OPEN, "the code that computes the keys changed, and elements may get different keys")


def _field(getter: re.Match[str]) -> str:
    """The field that a getter is called after: whether a library's gives just that is not known."""
    return f".{getter[1].lower()}{getter[2]}"


def meaning_changed(base: Transformation, head: Transformation) -> bool:
    """Whether both are operators of a SQL plan that compute different things, or sources that read different data."""
    if (base.kind.source or base.reads) and read_otherwise(base, head) is not None:
        return True
    if base.meaning is None or head.meaning is None:
        return False
    return _in_names_of(head.meaning, base.meaning) != head.meaning


def _in_names_of(head: Meaning, base: Meaning) -> Meaning:
    """What a meaning is in the names that its tables' columns have in another revision.

    A column is renamed where one that the table lacks now stood, at the same place among those that it still has. One
    that trades places with another is none: what is kept of either is read as the other.
    """
    names: dict[str, str] = {}
    changed = [table for table in head.tables if table not in base.tables]
    for before in (table for table in base.tables if table not in head.tables):
        after = next((table for table in changed if _goes_on(before.table, table.table)), before)
        if after.table != before.table:
            names[f"{before.table}."] = f"{after.table}."
        matched = SequenceMatcher(None, before.columns, after.columns, autojunk=False)
        for what, start, end, first, last in matched.get_opcodes():
            if what == "replace" and end - start == last - first:
                renamed = zip(before.columns[start:end], after.columns[first:last], strict=True)
                names.update({before.named(old): after.named(new) for old, new in renamed
                              if old not in after.columns and new not in before.columns})  # fmt: skip
    return base.with_names(names)


def _goes_on(before: str, after: str) -> bool:
    """Whether a table is one that is read on, from more or fewer topics, perhaps."""
    topics = set(before.split(";")), set(after.split(";"))
    return topics[0] <= topics[1] or topics[1] <= topics[0]


_OF_LOGS = re.compile(r"\.cdc\.")
"""Flink CDC's sources, which go on at a place in the log of a database."""


def read_otherwise(base: Transformation, head: Transformation) -> str | None:
    """What a source does that is given other data to read, None where it is given all that it was given before.

    Flink's newer sources go on to read what they have positions in, whatever they are given; the older ones keep
    positions in what they are still given only. Whose positions these are, none of them notes.
    """
    if base.reads_at and head.reads_at and not set(base.reads_at) & set(head.reads_at):
        before, after = ", ".join(base.reads_at), ", ".join(head.reads_at)
        return (
            f"reads from {after} at the positions that it kept of {before}. They point to other records or to none, "
            "unless both are the same data"
        )
    gone, new = sorted(set(base.reads) - set(head.reads)), sorted(set(head.reads) - set(base.reads))
    if head.operator == LOG_AND_NEW_TABLES:
        return None
    if not base.reads or not head.reads:
        differs = head.reads_by and set(base.reads_by) - set(head.reads_by)
        return "may read other data than before, and continues at the positions that it kept" if differs else None
    left, added = ", ".join(gone), ", ".join(new)
    if _OF_LOGS.search(base.function or ""):
        # One that is taken out is read no longer, as it is meant to be.
        without = f" without {left}" if gone else ""
        unread = f"{without}: what {added} held before is read only if the source looks for new tables"
        return f"continues at its position in the log{unread}" if new and (gone or base.kind is Kind.SOURCE) else None
    if not gone or (not new and base.kind is not Kind.SOURCE):
        return None
    if base.kind is head.kind is Kind.SOURCE:
        besides = f"reads {added} and " if new else ""
        return f"{besides}keeps reading {left} too, from the positions in its state"
    return f"leaves its positions in {left} behind and reads {added} from where it is told to start"


def taken_for_another(base: Transformation, head: Transformation) -> str | None:
    """Which part of a key, of accumulators or of kept rows is read as what else, None where all is what it was.

    What else an operator of a plan computes of the same rows is not judged, nor how a value in rows is computed that no
    column gives. Positions of a source are never those of other data.
    """
    if base.meaning is None or head.meaning is None:
        return None
    kept = _in_names_of(head.meaning, base.meaning).keeps
    of_rows = (
        len(base.inputs) if len(kept) == 2 * len(base.inputs) and not _AGGREGATE.match(base.meaning.computes) else 0
    )
    for place, (before, after) in enumerate(zip_longest(kept, head.meaning.keeps, fillvalue="nothing")):
        columns = list(zip_longest(split_list(before), split_list(after), fillvalue="nothing"))
        differ = [pair for pair in columns if pair[0] != pair[1]]
        if not differ or (place >= len(kept) - of_rows and not any(_is_another(*pair, differ) for pair in differ)):
            continue
        was, is_ = (", ".join(side) for side in zip(*differ, strict=True))
        return f"reads state that was written as ({was}) as ({is_})".replace(COLUMN, "")
    return None


_AGGREGATE = re.compile(r"\w*Aggregate\b")
_PLAIN = re.compile(rf"[^(){COLUMN}]+{COLUMN}")


def _is_another(was: str, is_: str, differ: Sequence[tuple[str, str]]) -> bool:
    """Whether a value in rows is another one: of another column or place, and not the same computed otherwise."""
    columns = _PLAIN.fullmatch(was) and _PLAIN.fullmatch(is_)
    return bool(columns) or "nothing" in (was, is_) or any(was == new for _, new in differ)


def same_but_for_data(
    base: Transformation, head: Transformation, was_read: Collection[str], is_read: Collection[str]
) -> bool:
    """Whether an operator of a SQL plan computes the same of what a source reads now in place of one other."""
    if base.meaning is None or head.meaning is None or not was_read or not is_read:
        return False
    return base.meaning.with_names({f"{';'.join(was_read)}.": f"{';'.join(is_read)}."}) == head.meaning
