"""The states of one operator before and after: what was added, removed, renamed or given another kind or type."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from checker.model.comparison import StateChange
from checker.model.findings import Verdict
from checker.model.graphs import StreamNode
from checker.model.topology import StateDescriptor, StateKind, Transformation, Unknown


class Fit(StrEnum):
    """Whether a type can take over the state that another one wrote."""

    SAME = "same"
    INCOMPATIBLE = "incompatible"
    OPEN = "open"
    """Depends on the classes themselves, which nobody looked at."""


_BASIC = frozenset(
    {
        "String", "Boolean", "Byte", "Short", "Integer", "Long", "Float", "Double", "Character", "BigInteger",
        "BigDecimal", "Date", "Instant", "LocalDate", "LocalTime", "LocalDateTime", "Void", "byte[]",
    }
)  # fmt: skip
"""Types with a serializer of their own: two of them never fit each other."""
_PRIMITIVES = {
    "boolean": "Boolean", "byte": "Byte", "short": "Short", "int": "Integer", "long": "Long", "float": "Float",
    "double": "Double", "char": "Character",
}  # fmt: skip
_QUALIFIED = re.compile(r"\b(?:[a-z_][\w$]*\.)+(?=[A-Z])")


def plain_type(text: str) -> str:
    """A type without packages, spaces and other spellings: ``java.lang.Long`` and ``Types.LONG`` are Long."""
    plain = _QUALIFIED.sub("", text).replace(" ", "").removesuffix(".class").removesuffix("[]?")
    if plain.startswith("Types."):
        constant = plain.removeprefix("Types.")
        plain = {"INT": "Integer", "BIG_DEC": "BigDecimal", "BIG_INT": "BigInteger"}.get(
            constant, "".join(part.capitalize() for part in constant.split("_"))
        )
    return _PRIMITIVES.get(plain, plain)


def fit(before: str, after: str) -> Fit:
    """Whether state written as ``before`` can be read as ``after``, from how the source spells the two."""
    one, other = plain_type(before), plain_type(after)
    if one == other:
        return Fit.SAME
    if one in _BASIC and other in _BASIC:
        return Fit.INCOMPATIBLE
    outer, inner = _parts(one), _parts(other)
    if (one in _BASIC) != (other in _BASIC) and not (_is_variable(one) or _is_variable(other)):
        return Fit.INCOMPATIBLE if outer[0] in _CONTAINERS or inner[0] in _CONTAINERS else Fit.OPEN
    if outer[0] == inner[0] and outer[0] in _CONTAINERS and len(outer[1]) == len(inner[1]):
        fits = [fit(a, b) for a, b in zip(outer[1], inner[1], strict=True)]
        if Fit.INCOMPATIBLE in fits:
            return Fit.INCOMPATIBLE
        return Fit.OPEN if Fit.OPEN in fits else Fit.SAME
    return Fit.OPEN


_CONTAINERS = frozenset({"List", "Map", *(f"Tuple{n}" for n in range(26))})


def _is_variable(text: str) -> bool:
    return len(text) <= 2 and text.isupper()


def _parts(text: str) -> tuple[str, tuple[str, ...]]:
    """``Tuple2<String,Map<K,V>>`` → ``Tuple2`` and its arguments."""
    if not text.endswith(">") or "<" not in text:
        return text, ()
    outer, _, rest = text[:-1].partition("<")
    arguments, depth, start = [], 0, 0
    for place, char in enumerate(rest):
        depth += (char == "<") - (char == ">")
        if char == "," and depth == 0:
            arguments.append(rest[start:place])
            start = place + 1
    return outer, (*arguments, rest[start:])


def state_changes(base: StreamNode, head: StreamNode) -> tuple[StateChange, ...]:
    """The descriptors that differ, by name; nothing where either side's states are not known."""
    before, after = _named(base.declared), _named(head.declared)
    if before is None or after is None:
        return ()
    changes = [
        StateChange(base=one, head=after.get(name)) for name, one in before.items() if _differs(one, after.get(name))
    ]
    changes += [StateChange(base=None, head=one) for name, one in after.items() if name not in before]
    return tuple(changes)


def _named(declared: Transformation) -> dict[tuple[str, bool], StateDescriptor] | None:
    """By name, keyed and operator state apart: Flink keeps them apart too."""
    if isinstance(declared.state, Unknown):
        return None
    found: dict[tuple[str, bool], StateDescriptor] = {}
    for one in declared.state:
        if isinstance(one.name, Unknown) or isinstance(one.kind, Unknown):
            return None
        if one.kind not in (StateKind.TIMERS, StateKind.COORDINATOR):
            found[one.name, one.kind.keyed] = one
    return found


def _differs(before: StateDescriptor, after: StateDescriptor | None) -> bool:
    if after is None or before.kind is not after.kind:
        return True
    return any(
        isinstance(one, str) and isinstance(other, str) and fit(one, other) is not Fit.SAME
        for one, other in ((before.key_type, after.key_type), (before.value_type, after.value_type))
    )


_NAMESPACES = {
    "TimeWindow": ("Tumbling", "Sliding", "EventTimeSession", "ProcessingTimeSession", "DynamicEventTime",
                   "DynamicProcessingTime"),
    "GlobalWindow": ("GlobalWindow", "CountWindow"),
}  # fmt: skip
"""Window kinds by how the names of their assigners begin."""


def same_namespace(before: str, after: str) -> bool:
    """Whether two window assigners make windows of one kind, as far as their names are known: True when in doubt."""
    one, other = _window_kind(before), _window_kind(after)
    return one is None or other is None or one == other


def _window_kind(assigner: str) -> str | None:
    return next((kind for kind, starts in _NAMESPACES.items() if assigner.startswith(starts)), None)


@dataclass(frozen=True, slots=True)
class Effect:
    """What a change of states does to a restore that finds the operator."""

    verdict: Verdict
    reason: str


def worst_effect(changes: tuple[StateChange, ...], base: StreamNode, head: StreamNode) -> Effect | None:
    """The gravest effect of changed states, None when everything restores."""
    of_operator = (_key_effect(base.declared, head.declared), _window_effect(base.declared, head.declared))
    effects = [e for e in (*of_operator, *map(_effect, changes)) if e is not None]
    for verdict in (Verdict.FAILS, Verdict.UNDECIDED, Verdict.STARTS_EMPTY):
        for effect in effects:
            if effect.verdict is verdict:
                return effect
    return None


def key_fit(base: Transformation, head: Transformation) -> Fit:
    """Whether keyed state can be found again under the head's key type."""
    if not isinstance(base.key_type, str) or not isinstance(head.key_type, str):
        return Fit.SAME
    return fit(base.key_type, head.key_type)


def _key_effect(base: Transformation, head: Transformation) -> Effect | None:
    found = key_fit(base, head)
    if found is Fit.INCOMPATIBLE:
        return Effect(
            Verdict.FAILS, f"the key type changed from {base.key_type} to {head.key_type}: keys can't be migrated"
        )
    if found is Fit.OPEN:
        return Effect(
            Verdict.UNDECIDED,
            f"the key type changed from {base.key_type} to {head.key_type}: whether its serializer still fits "
            "depends on the classes",
        )
    return None


def _window_effect(base: Transformation, head: Transformation) -> Effect | None:
    before, after = base.window, head.window
    if isinstance(before, str) and isinstance(after, str) and not same_namespace(before, after):
        return Effect(Verdict.FAILS, f"the windows changed from {before} to {after}: state is kept per window")
    return None


def _effect(change: StateChange) -> Effect | None:
    before, after = change.base, change.head
    if before is None or after is None:
        return None
    if before.kind is not after.kind:
        if StateKind.BROADCAST in (before.kind, after.kind):
            return Effect(
                Verdict.STARTS_EMPTY,
                f"state '{before.name}' changed from {before.kind} to {after.kind}: it starts empty without a message, "
                "and the next savepoint can't be restored any more",
            )
        return Effect(Verdict.FAILS, f"state '{before.name}' was {before.kind} and is registered as {after.kind}")
    for what, one, other in (
        ("key type", before.key_type, after.key_type),
        ("type", before.value_type, after.value_type),
    ):
        if not isinstance(one, str) or not isinstance(other, str):
            continue
        found = fit(one, other)
        if found is Fit.INCOMPATIBLE:
            return Effect(Verdict.FAILS, f"the {what} of state '{before.name}' changed from {one} to {other}")
        if found is Fit.OPEN:
            return Effect(
                Verdict.UNDECIDED,
                f"the {what} of state '{before.name}' changed from {one} to {other}: whether the serializers fit "
                "depends on the classes",
            )
    return None
