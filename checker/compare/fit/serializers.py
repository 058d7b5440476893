"""Whether a serializer that Flink registers takes over what another one wrote, both known exactly.

Rules of the SQL runtime's snapshots (``RowDataSerializerSnapshot`` and its like, 1.15 to 2.3): types are compared as
they are, with nullability, lengths, precisions and the order of fields; names of fields count inside of a ROW only.
``ExternalSerializer`` compares what it nests and not its own type. Asked of real Flinks: ``tests/extract/sql``.

Whether matches that wait in the stages of a pattern (CEP) go on under another one.
"""

import re
from collections.abc import Iterable
from functools import cached_property

from checker.compare.fit.types import SAME, Fit, Spelled, TypeFit, worst
from checker.model.declared_state import ClassShape, SerializerTree
from checker.model.nested import gathered
from checker.model.program_code import simple_name

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


_WRAPPERS = {"NullableList": "List", "NullableMap": "Map", "NullableSet": "Set"}


def unwrapped(type_: Spelled) -> Spelled:
    """A type as the program spells it: Kryo writes everything below it itself."""
    if type_.name == "GenericType" and type_.arguments:
        return unwrapped(type_.arguments[0])
    return Spelled(_WRAPPERS.get(type_.name, type_.name), tuple(map(unwrapped, type_.arguments)), type_.label)


class OwnClasses:
    """The program's own classes by the names that types spell. A name that several of them have is none."""

    def __init__(self, shapes: Iterable[ClassShape]) -> None:
        self.shapes = tuple(shapes)

    @cached_property
    def _by_simple_name(self) -> dict[str, list[ClassShape]]:
        return gathered((simple_name(shape.name), shape) for shape in self.shapes)

    def named(self, type_: Spelled) -> ClassShape | None:
        """The class that a type names itself."""
        found = self._by_simple_name.get(simple_name(type_.name), [])
        return found[0] if len(found) == 1 else None

    def within(self, type_: Spelled) -> tuple[ClassShape, ...]:
        """The classes that a type names anywhere, in order."""
        own = self.named(type_)
        below = (shape for argument in type_.arguments for shape in self.within(argument))
        return tuple(dict.fromkeys((*((own,) if own is not None else ()), *below)))


def read_by_newer_kryo(type_: object) -> TypeFit:
    """What Flink 2 makes of a type that Kryo wrote in Flink 1: both ask for the class's name alone, and find it.

    Asked of 1.20.5, 2.0.2 and 2.3.0: whole numbers and texts come back as they were, fractions, short numbers,
    characters, collections and most classes of Java's library do not.
    """
    why = "Flink 1 wrote {} by Kryo 2, and Kryo 5 of Flink 2 reads many types as other values, without a message"
    return TypeFit(Fit.OPEN, why.format(type_))


_STAGES = re.compile(r"NFAState\[(.*)\]")
_STAGE = re.compile(r"(?:begin|next|followedBy|followedByAny|notNext|notFollowedBy) ('[^']*'|\"[^\"]*\")(?: [^'\"]*)?")
_GONE = "the job fails at the next element of such a key (FlinkRuntimeException: State {} does not exist in the NFA)"
_NAMES_STAY = frozenset({"optional", "greedy"})
_PASSED = "passed"
"""Of a stage in which no match waits: its name lies in no state."""


def pattern_fit(before: str, after: str) -> TypeFit | None:
    """The answer for two lists of stages; None where one is none."""
    old, new = _STAGES.fullmatch(before), _STAGES.fullmatch(after)
    if old is None or new is None:
        return None
    was, now = _stages(old[1]), _stages(new[1])
    if was is None or now is None:
        return None
    was = {name: calls for name, calls in was.items() if _PASSED not in calls}
    now = {name: [call for call in calls if call != _PASSED] for name, calls in now.items()}
    if next(iter(was), None) != next(iter(now), None):
        first = next(iter(was), "")
        why = f"the pattern begins with another stage than {first}: every key that it has seen waits in the old one"
        return TypeFit(Fit.INCOMPATIBLE, why, effect=_GONE.format(first))
    gone = [name for name in was if name not in now]
    if gone:
        why = f"stage {', '.join(gone)} of the pattern is gone: matches that wait in it fail"
        return TypeFit(Fit.INCOMPATIBLE, why, effect=_GONE.format(gone[0]))
    repeated = next((name for name, calls in was.items() if calls != now[name]), None)
    return SAME if repeated is None else TypeFit(Fit.OPEN, f"stage {repeated} of the pattern has other quantifiers")


def _stages(text: str) -> dict[str, list[str]] | None:
    """Stages by name, with the calls on each that decide names; None where a stage is nested or named twice."""
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    for call in text.split(", "):
        stage = _STAGE.fullmatch(call)
        if stage is not None:
            current = []
            if found.setdefault(stage[1], current) is not current:
                return None
        elif current is None or "'" in call or '"' in call or "[" in call:
            return None
        elif call not in _NAMES_STAY:
            current.append(call)
    return found
