"""Names of calls that emit elements, set their members or hold them, and of types that have a part in this."""

from __future__ import annotations

from typing import Final

from checker.extract.java.syntax.java_lang import UNBOXED

OF_ONE_ELEMENT: Final = frozenset({"map", "flatMap", "processElement", "filter"})
"""Methods that Flink gives one element, as their first argument."""
EMITTING: Final = frozenset({"collect", "output", "complete"})
MAIN_OUTPUT: Final = frozenset({"collect", "complete"})
EMITTERS: Final = frozenset(
    {"Collector", "ResultFuture", "Context", "OnTimerContext", "ReadOnlyContext", "ReadOnlyOnTimerContext"}
)
"""Types of what a function emits elements with."""
SETTING: Final = frozenset({"put", "set", "setField", "add", "addField"})
"""Calls that set what their first argument names."""
BUILDING: Final = frozenset({"builder", "newBuilder", "toBuilder"})
HOLDERS: Final = frozenset({"Collections", "List", "Set", "Arrays", "Optional", "Stream"})
HOLDING: Final = frozenset({"singleton", "singletonList", "of", "ofNullable", "asList"})
"""Calls of Java's library that give what holds their arguments."""
VALUES: Final = frozenset({*UNBOXED, "Math", "String"})
"""Classes whose static methods return plain values, which have no members."""
STATIC_OF_STRING: Final = frozenset({"valueOf", "copyValueOf", "format", "join"})
