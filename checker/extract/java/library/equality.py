"""``equals``, ``hashCode``, ``compareTo`` and ``toString`` of values, as far as they can be computed."""

from __future__ import annotations

from checker.extract.interpreting.bounds import A_LOOK
from checker.extract.java.machine import numbers
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    Choice,
    ClassLiteral,
    Constant,
    ExternalObject,
    Instance,
    ListValue,
    Opaque,
    Value,
    boolean,
)
from checker.extract.java.syntax.declarations import ClassKind
from checker.extract.java.syntax.nodes import in_hierarchy
from checker.extract.java.syntax.type_refs import BOXES

_LISTS = frozenset({"List", "LinkedList"})


def is_list(value: ListValue) -> bool:
    """Whether it is a ``java.util.List``."""
    return value.kind in _LISTS


def is_set(value: ListValue) -> bool:
    """Whether it is a ``java.util.Set``."""
    return value.kind.endswith("Set")


def equal(run: Run, left: Value, right: Value, call: Call | None = None) -> bool | None:
    """``left.equals(right)`` (null equals null only), None where that is not known."""
    if isinstance(left, Constant) and isinstance(right, Constant):
        return _equal_constants(left, right)
    if isinstance(left, Opaque) and isinstance(right, Opaque) and left.symbol == right.symbol:
        return True if left.negated == right.negated else None
    if isinstance(left, Opaque | Choice) or isinstance(right, Opaque | Choice):
        return None
    if left is right:
        return True
    run.made(A_LOOK)
    if not isinstance(left, Instance | ClassLiteral | ExternalObject | Constant):
        return None  # collections, entries and optionals: no program that builds jobs compares them
    if isinstance(left, Instance):
        return _equal_instances(run, left, right, call)
    if isinstance(left, ClassLiteral) and isinstance(right, ClassLiteral):
        return left.type == right.type and left.ref == right.ref
    if isinstance(left, ExternalObject) or isinstance(right, ExternalObject):
        return None
    return False


def asked(run: Run, receiver: Value, call: Call, depends: frozenset[str] = frozenset()) -> Value | None:
    """``equals`` as the program calls it; None where the answer is not known, as that of ``hashCode`` is."""
    if call.name != "equals" or len(call.arguments) != 1:
        return None
    verdict = equal(run, receiver, numbers.boxed(call.arguments[0]), call)
    return boolean(verdict, depends) if verdict is not None else None


def _equal_constants(left: Constant, right: Constant) -> bool:
    if left.value is None or right.value is None:
        return left.value is right.value
    if BOXES.get(left.java, left.java) != BOXES.get(right.java, right.java):
        return False
    return left.value == right.value


def _equal_instances(run: Run, left: Instance, right: Value, call: Call | None) -> bool | None:
    found = in_hierarchy(run.index, left.decl, "equals")
    own = next((m for m in found if not m.abstract and len(m.parameters) == 1), None)
    if own is not None:
        if call is None:
            return None
        return run.truth(run.interpreter.call_method(own, left, call.having(name="equals", arguments=[right])))
    generated = left.decl.annotation_names & {"Data", "Value", "EqualsAndHashCode"}
    return None if generated or left.decl.kind is ClassKind.RECORD else False


def compare(left: Value, right: Value) -> int | None:
    """``left.compareTo(right)`` of Strings, whole numbers and enum constants; None where that is not known."""
    if isinstance(left, Instance) and isinstance(right, Instance) and None not in (left.name, right.name):
        return left.ordinal - right.ordinal
    if not isinstance(left, Constant) or not isinstance(right, Constant) or left.java != right.java:
        return None
    a, b = left.value, right.value
    if isinstance(a, str) and isinstance(b, str):
        return (a > b) - (a < b) if max(a + b, default="") <= "\uffff" else None
    return (a > b) - (a < b) if isinstance(a, int) and isinstance(b, int) else None


def string_hash(value: str) -> int:
    """The bits of ``String.hashCode``."""
    data, code = value.encode("utf-16-be", "surrogatepass"), 0
    for high, low in zip(data[::2], data[1::2], strict=True):
        code = (code * 31 + (high << 8 | low)) & 0xFFFFFFFF
    return code
