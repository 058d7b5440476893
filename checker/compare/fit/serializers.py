"""Whether a serializer that Flink registers takes over what another one wrote, both known exactly.

Rules of the SQL runtime's snapshots (``RowDataSerializerSnapshot`` and its like, 1.15 to 2.3): types are compared as
they are, with nullability, lengths, precisions and the order of fields; names of fields count inside of a ROW only.
``ExternalSerializer`` compares what it nests and not its own type. Asked of real Flinks: ``tests/extract/sql``.
"""

from __future__ import annotations

from checker.compare.fit.types import SAME, Fit, TypeFit, worst
from checker.model.declared_state import SerializerTree

_TTL = "Ttl"
_EXTERNAL = "External"


def serializer_fit(before: SerializerTree, after: SerializerTree) -> TypeFit:
    """Whether state written with ``before`` is taken over by ``after``. Time-to-live is compared by ``ttl_fit``."""
    if before == after:
        return SAME
    if (before.name == _TTL) != (after.name == _TTL):
        return serializer_fit(_value_of(before), _value_of(after))
    if before.name != after.name:
        return TypeFit(Fit.INCOMPATIBLE, f"{before} → {after}")
    if before.types != after.types and before.name != _EXTERNAL:
        return TypeFit(Fit.INCOMPATIBLE, _types_changed(before, after))
    if len(before.nested) != len(after.nested):
        return TypeFit(Fit.INCOMPATIBLE, f"{before} → {after}")
    return worst(serializer_fit(old, new) for old, new in zip(before.nested, after.nested, strict=True))


def _value_of(tree: SerializerTree) -> SerializerTree:
    """What a serializer with time-to-live wraps: its fields are the timestamp and the value."""
    return tree.nested[-1] if tree.name == _TTL and tree.nested else tree


def _types_changed(before: SerializerTree, after: SerializerTree) -> str:
    """The first column that differs, or how many there are."""
    if len(before.types) != len(after.types):
        return f"{before} → {after}"
    places = [place for place, (old, new) in enumerate(zip(before.types, after.types, strict=True)) if old != new]
    first = places[0]
    where = f"column {first + 1} of {len(before.types)}: " if len(before.types) > 1 else ""
    return f"{where}{before.types[first]} → {after.types[first]}"
