"""What a savepoint does not say of the SQL runtime's states: when they expire, and what the bytes of Python are.

Runs in the child process. Read from the fields of the operators' objects: ``stateRetentionTime`` of aggregations and
deduplications, ``leftStateRetentionTime`` and ``rightStateRetentionTime`` of joins, ``ttlConfig`` of rankings and
``SinkUpsertMaterializer`` (Flink 1.13 to 2.3).
"""

from __future__ import annotations

import re
from typing import Any

from checker.extract.runtime.capture.jvm import private

_RUNTIME = "org.apache.flink.table.runtime."
_OF_PYTHON = f"{_RUNTIME}operators.python.aggregate."
_LENGTH = "etentionTime"
_CLEANED_BY_TIMERS = frozenset({"minRetentionTime", "maxRetentionTime"})
_READS = re.compile(r"\bin1\.\w+\((\d+)")
_DEPTH = 3
"""How deep functions lie in their operators."""


def retentions(operator: Any, depth: int = 0) -> dict[str, int]:
    """Field → milliseconds, of an operator and the functions in it; fields that say 0 are left out."""
    found: dict[str, int] = {}
    cls = operator.getClass()
    while cls is not None and str(cls.getName()).startswith(("org.apache.flink.table.", "org.apache.flink.streaming.")):
        for field in cls.getDeclaredFields():
            name, kind = str(field.getName()), str(field.getType().getName())
            if kind == "long" and name.endswith(_LENGTH) and name not in _CLEANED_BY_TIMERS:
                field.setAccessible(True)
                found[name] = int(field.getLong(operator))
            elif kind.endswith(".StateTtlConfig"):
                field.setAccessible(True)
                found |= _configured(name, field.get(operator))
            elif depth < _DEPTH and not field.getType().isPrimitive():
                field.setAccessible(True)
                value = field.get(operator)
                if value is not None and str(value.getClass().getName()).startswith(_RUNTIME):
                    found |= retentions(value, depth + 1)
        cls = cls.getSuperclass()
    return {name: length for name, length in found.items() if length > 0}


def _configured(name: str, config: Any) -> dict[str, int]:
    if config is None or not config.isEnabled():
        return {}
    length = config.getTimeToLive() if hasattr(config, "getTimeToLive") else config.getTtl()
    return {name: int(length.toMillis() if hasattr(length, "toMillis") else length.toMilliseconds())}


def accumulators(operator: Any) -> list[str] | None:
    """The types of what functions in Python keep as bytes; none of Pandas' functions, whose operators keep rows.

    None for other operators. They are known by name: not every Flink can load the stand-ins' classes.
    """
    if not str(operator.getClass().getName()).startswith(_OF_PYTHON):
        return None
    functions = [info.getPythonFunction() for info in private(operator, "functions") or ()]
    return [
        str(private(function, "accumulatorType") or private(function, "accumulatorTypeString"))
        if hasattr(function, "getAccumulatorType")
        else str(function.toString())  # of PyFlink's own
        for function in functions
        if str(function.getPythonFunctionKind()) != "PANDAS"
    ]


def key_fields(selector: Any) -> list[int] | None:
    """The places of a row that are its key, as the code generated for a ``RowDataKeySelector`` reads them."""
    projection = private(selector, "generatedProjection")
    if projection is None:
        return None
    return [int(place) for place in dict.fromkeys(_READS.findall(str(projection.getCode())))]
