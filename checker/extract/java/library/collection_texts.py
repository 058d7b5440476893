"""``toString()`` of collections."""

from __future__ import annotations

from checker.extract.interpreting.bounds import A_LOOK
from checker.extract.java.library import map_contents
from checker.extract.java.library.contents import NotKnown, in_order
from checker.extract.java.machine import operators
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.operators import joined
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import EntryValue, ListValue, MapValue, Value, string


def text_of_collection(run: Run, value: ListValue | MapValue | EntryValue, call: Call | None) -> Value | None:
    """``toString()``, None where it is not known."""
    run.made(A_LOOK)
    try:
        if isinstance(value, MapValue):
            entries = map_contents.in_order(run, value, call)
            if entries is None:
                return None
            pairs = [_pair(run, key, content) for key, content in entries]
            return joined(run, pairs, ", ", "{", "}")
        if isinstance(value, EntryValue):
            if value.parts and value.parts[0][0] == "getKey":
                return _pair(run, value.parts[0][1], value.parts[1][1])
            return joined(run, [operators.as_text(run, part) for _, part in value.parts], ",", "(", ")")
        if value.kind in ("array", "args", "Stream"):
            return None
        elements = in_order(run, value, call)
    except NotKnown:
        return None
    if elements is None:
        return None
    return joined(run, [operators.as_text(run, e) for e in elements], ", ", "[", "]")


def _pair(run: Run, key: Value, value: Value) -> Value:
    return operators.concat(run, [operators.as_text(run, key), string("="), operators.as_text(run, value)], None)
