"""``equals``, ``hashCode``, ``compareTo`` and ``toString`` of values, as far as they can be computed."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

from checker.extract.interpreting.bounds import A_LOOK
from checker.extract.java.machine import numbers
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    Choice,
    ClassLiteral,
    Constant,
    EntryValue,
    ExternalObject,
    Instance,
    ListValue,
    MapValue,
    Opaque,
    OptionalValue,
    Value,
    boolean,
    integer,
    is_null,
)
from checker.extract.java.syntax.declarations import ClassKind
from checker.extract.java.syntax.java_lang import BOXES
from checker.extract.java.syntax.members import in_hierarchy

_LISTS = frozenset({"List", "LinkedList", "FixedList", "Immutable", "CopyList"})


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
    if isinstance(left, ListValue) and isinstance(right, ListValue):
        return _equal_collections(run, left, right, call)
    if isinstance(left, MapValue) and isinstance(right, MapValue):
        return _equal_maps(run, left, right, call)
    if isinstance(left, EntryValue) and isinstance(right, EntryValue):
        return _all(run, [v for _, v in left.parts], [v for _, v in right.parts], call)
    if isinstance(left, OptionalValue) and isinstance(right, OptionalValue):
        if left.value is None or right.value is None:
            return left.value is right.value
        return equal(run, left.value, right.value, call)
    if isinstance(left, Instance):
        return _equal_instances(run, left, right, call)
    if isinstance(left, ClassLiteral) and isinstance(right, ClassLiteral):
        return left.type == right.type and left.ref == right.ref
    if isinstance(left, ExternalObject) or isinstance(right, ExternalObject):
        return None
    return False


def asked(run: Run, receiver: Value, call: Call, depends: frozenset[str] = frozenset()) -> Value | None:
    """``equals`` and ``hashCode`` as the program calls them; None where the answer is not known."""
    if call.name == "hashCode":
        code = hash_code(run, receiver, call) if not call.arguments else None
        return integer(code, depends) if code is not None else None
    verdict = equal(run, receiver, numbers.boxed(call.arguments[0]), call) if len(call.arguments) == 1 else None
    return boolean(verdict, depends) if verdict is not None else None


def _equal_constants(left: Constant, right: Constant) -> bool:
    if left.value is None or right.value is None:
        return left.value is right.value
    if BOXES.get(left.java, left.java) != BOXES.get(right.java, right.java):
        return False
    if isinstance(left.value, float) and isinstance(right.value, float):
        return struct.pack("d", left.value) == struct.pack("d", right.value)
    return left.value == right.value


def _equal_collections(run: Run, left: ListValue, right: ListValue, call: Call | None) -> bool | None:
    if is_list(left) != is_list(right) or is_set(left) != is_set(right):
        return False
    if not is_list(left) and not is_set(left):
        return False
    first, second = left.elements, right.elements
    if first is None or second is None:
        return None
    if len(first) != len(second):
        return False
    if is_list(left):
        return _all(run, first, second, call)
    verdicts = [[equal(run, a, b, call) for b in second] for a in first]
    if any(None in row and True not in row for row in verdicts):
        return None
    return all(True in row for row in verdicts)


def _equal_maps(run: Run, left: MapValue, right: MapValue, call: Call | None) -> bool | None:
    if left.entries is None or right.entries is None:
        return None
    if len(left.entries) != len(right.entries):
        return False
    for key, value in left.entries:
        found = [(equal(run, key, k, call), v) for k, v in right.entries]
        match = next((v for verdict, v in found if verdict), None)
        if match is None:
            return None if any(verdict is None for verdict, _ in found) else False
        verdict = equal(run, value, match, call)
        if verdict is not True:
            return verdict
    return True


def _all(run: Run, left: Sequence[Value], right: Sequence[Value], call: Call | None) -> bool | None:
    verdicts = [equal(run, a, b, call) for a, b in zip(left, right, strict=True)]
    return False if False in verdicts else None if None in verdicts else True


def _equal_instances(run: Run, left: Instance, right: Value, call: Call | None) -> bool | None:
    own = _declared(run, left, "equals")
    if own is not None:
        if call is None:
            return None
        return run.truth(run.interpreter.call_method(own, left, call.having(name="equals", arguments=[right])))
    if left.decl.annotation_names & {"Data", "Value", "EqualsAndHashCode"}:
        return None
    if left.decl.kind is ClassKind.RECORD:
        if not isinstance(right, Instance):
            return False if not isinstance(right, Opaque | Choice) else None
        if right.decl is not left.decl:
            return False
        return _all(run, components(left), components(right), call)
    return False


def components(record: Instance) -> list[Value]:
    """The values of a record's components in order."""
    return [record.fields[p.name] for p in record.decl.record_components if p.name in record.fields]


def _declared(run: Run, value: Instance, name: str):  # type: ignore[no-untyped-def]
    count = {"equals": 1, "compareTo": 1}.get(name, 0)
    found = in_hierarchy(run.index, value.decl, name)
    return next((m for m in found if not m.abstract and len(m.parameters) == count), None)


def string_hash(value: str) -> int:
    """``String.hashCode``."""
    data = value.encode("utf-16-be", "surrogatepass")
    result = 0
    for place in range(0, len(data), 2):
        result = (result * 31 + (data[place] << 8 | data[place + 1])) & 0xFFFFFFFF
    return numbers.wrap(result, "int")


def hash_code(run: Run, value: Value, call: Call | None = None) -> int | None:
    """``hashCode()`` (0 for null), None where it is not known or differs from run to run."""
    if isinstance(value, Constant):
        return _hash_constant(value)
    run.made(A_LOOK)
    parts: list[int | None]
    if isinstance(value, ListValue) and value.elements is not None and (is_list(value) or is_set(value)):
        parts = [hash_code(run, element, call) for element in value.elements]
        if is_set(value):
            return _sum(parts)
        return combined(parts, 1)
    if isinstance(value, MapValue) and value.entries is not None:
        return _sum([_both(hash_code(run, k, call), hash_code(run, v, call)) for k, v in value.entries])
    if isinstance(value, EntryValue) and value.parts[0][0] == "getKey":
        return _both(hash_code(run, value.parts[0][1], call), hash_code(run, value.parts[1][1], call))
    if isinstance(value, OptionalValue):
        return hash_code(run, value.value, call) if value.value is not None else 0
    if isinstance(value, Instance):
        own = _declared(run, value, "hashCode")
        if own is not None and call is not None:
            return numbers.whole(run.interpreter.call_method(own, value, call.having(name="hashCode", arguments=[])))
        if own is None and value.decl.kind is ClassKind.RECORD:
            return combined([hash_code(run, part, call) for part in components(value)], 0)
    return None


def combined(parts: Sequence[int | None], start: int) -> int | None:
    """``31 * result + hash`` over all parts."""
    result = start
    for part in parts:
        if part is None:
            return None
        result = (31 * result + part) & 0xFFFFFFFF
    return numbers.wrap(result, "int")


def _both(left: int | None, right: int | None) -> int | None:
    return left ^ right if left is not None and right is not None else None


def _sum(parts: Sequence[int | None]) -> int | None:
    known = [part for part in parts if part is not None]
    return numbers.wrap(sum(known), "int") if len(known) == len(parts) else None


def _hash_constant(constant: Constant) -> int | None:
    value, java = constant.value, numbers.primitive(constant.java)
    if value is None:
        return 0
    if isinstance(value, bool):
        return 1231 if value else 1237
    if isinstance(value, str):
        return ord(value) if java == "char" else string_hash(value)
    if java == "float":
        return numbers.wrap(int(struct.unpack("i", struct.pack("f", value))[0]), "int")
    bits = value if isinstance(value, int) else int(struct.unpack("q", struct.pack("d", value))[0])
    if isinstance(value, float) and math.isnan(value):
        bits = 0x7FF8000000000000
    return numbers.wrap(bits ^ ((bits & (2**64 - 1)) >> 32), "int") if java in ("long", "double") else bits


def compare(run: Run, left: Value, right: Value, comparator: Value | None, call: Call | None) -> int | None:
    """What a comparator, or ``compareTo`` without one, says of two values; None where that is not known."""
    if comparator is not None and not is_null(comparator):
        if call is None:
            return None
        result = run.interpreter.call_function(comparator, call.having(name="compare", arguments=[left, right]))
        return numbers.whole(result)
    if isinstance(left, Constant) and isinstance(right, Constant):
        return compare_constants(left, right)
    if isinstance(left, Instance) and isinstance(right, Instance):
        if left.name is not None and right.name is not None:
            return left.ordinal - right.ordinal
        own = _declared(run, left, "compareTo")
        if own is not None and call is not None:
            return numbers.whole(
                run.interpreter.call_method(own, left, call.having(name="compareTo", arguments=[right]))
            )
    return None


def compare_constants(left: Constant, right: Constant) -> int | None:
    """``left.compareTo(right)`` of two boxes or Strings."""
    a, b = left.value, right.value
    if a is None or b is None or BOXES.get(left.java, left.java) != BOXES.get(right.java, right.java):
        return None
    if isinstance(a, str) and isinstance(b, str):
        return compare_texts(a, b)
    if isinstance(a, str) or isinstance(b, str):
        return None
    if isinstance(a, float) or isinstance(b, float):
        return compare_doubles(float(a), float(b))
    if numbers.primitive(left.java) in ("short", "byte"):
        return a - b
    return (a > b) - (a < b)


def compare_doubles(a: float, b: float) -> int:
    """``Double.compare``: NaN is the largest, and -0.0 less than 0.0."""
    first = (math.isnan(a), 0.0 if math.isnan(a) else a, 0 if math.isnan(a) else math.copysign(1, a))
    second = (math.isnan(b), 0.0 if math.isnan(b) else b, 0 if math.isnan(b) else math.copysign(1, b))
    return (first > second) - (first < second)


def units(value: str) -> list[int]:
    """The UTF-16 code units of a text."""
    data = value.encode("utf-16-be", "surrogatepass")
    return [data[place] << 8 | data[place + 1] for place in range(0, len(data), 2)]


def compare_texts(a: str, b: str) -> int:
    """``String.compareTo``."""
    first, second = units(a), units(b)
    for x, y in zip(first, second, strict=False):
        if x != y:
            return x - y
    return len(first) - len(second)
