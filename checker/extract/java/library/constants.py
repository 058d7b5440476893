"""Constants of library classes that a program can mention."""

from __future__ import annotations

import math
import sys

from checker.extract.java.machine.values import Constant, ExternalObject, Value, integer, string
from checker.extract.java.syntax.class_index import External
from checker.model.unknowns import Cause, Unknown

_KNOWN: dict[tuple[str, str], Value] = {
    ("Integer", "MAX_VALUE"): integer(2**31 - 1),
    ("Integer", "MIN_VALUE"): integer(-(2**31)),
    ("Long", "MAX_VALUE"): Constant(2**63 - 1, "long"),
    ("Long", "MIN_VALUE"): Constant(-(2**63), "long"),
    ("Short", "MAX_VALUE"): Constant(2**15 - 1, "short"),
    ("Byte", "MAX_VALUE"): Constant(127, "byte"),
    ("Short", "MIN_VALUE"): Constant(-(2**15), "short"),
    ("Byte", "MIN_VALUE"): Constant(-128, "byte"),
    ("Character", "MAX_VALUE"): Constant("\uffff", "char"),
    ("Character", "MIN_VALUE"): Constant("\0", "char"),
    ("Double", "NaN"): Constant(math.nan, "double"),
    ("Double", "POSITIVE_INFINITY"): Constant(math.inf, "double"),
    ("Double", "NEGATIVE_INFINITY"): Constant(-math.inf, "double"),
    ("Double", "MAX_VALUE"): Constant(sys.float_info.max, "double"),
    ("Double", "MIN_VALUE"): Constant(5e-324, "double"),
    ("Math", "PI"): Constant(math.pi, "double"),
    ("Math", "E"): Constant(math.e, "double"),
    ("Boolean", "TRUE"): Constant(True, "Boolean"),
    ("Boolean", "FALSE"): Constant(False, "Boolean"),
    ("ExecutionConfig", "PARALLELISM_DEFAULT"): integer(-1),
    ("File", "separator"): string("/"),
    ("StreamGraphGenerator", "DEFAULT_SLOT_SHARING_GROUP"): string("default"),
    ("StreamGraphGenerator", "DEFAULT_LOWER_BOUND_MAX_PARALLELISM"): integer(128),
    ("StreamGraphGenerator", "UPPER_BOUND_MAX_PARALLELISM"): integer(32768),
    ("KeyGroupRangeAssignment", "UPPER_BOUND_MAX_PARALLELISM"): integer(32768),
    ("KeyGroupRangeAssignment", "DEFAULT_LOWER_BOUND_MAX_PARALLELISM"): integer(128),
}

OPTION_KEYS: dict[tuple[str, str], str] = {
    ("CoreOptions", "DEFAULT_PARALLELISM"): "parallelism.default",
    ("PipelineOptions", "MAX_PARALLELISM"): "pipeline.max-parallelism",
    ("PipelineOptions", "OPERATOR_CHAINING"): "pipeline.operator-chaining.enabled",
    ("PipelineOptions", "OPERATOR_CHAINING_CHAIN_OPERATORS_WITH_DIFFERENT_MAX_PARALLELISM"): (
        "pipeline.operator-chaining.chain-operators-with-different-max-parallelism"
    ),
    ("PipelineOptions", "AUTO_GENERATE_UIDS"): "pipeline.auto-generate-uids",
    ("ExecutionOptions", "RUNTIME_MODE"): "execution.runtime-mode",
    ("PipelineOptions", "NAME"): "pipeline.name",
}
"""Options that touch ids, by the constant that names them."""


def of_class(external: External, member: str) -> Value | None:
    """The value of a library constant, None where it is not modelled."""
    return _KNOWN.get((external.simple, member))


def unknown_constant(external: External, member: str) -> Value:
    """A library constant that is not modelled: an object that knows what it is called."""
    unknown = Unknown(f"{external.simple}.{member} is not in the repository", Cause.EXTERNAL)
    return ExternalObject(external, (), ((member, ()),), f"{external.simple}.{member}", unknown)


def constant_name(value: Value) -> tuple[str, str] | None:
    """Class and member of a library constant that was mentioned, as ``unknown_constant`` made it."""
    if isinstance(value, ExternalObject) and len(value.calls) == 1 and value.symbol:
        owner, _, member = value.symbol.rpartition(".")
        if member == value.calls[0][0] and owner == value.type.simple:
            return owner, member
    return None
