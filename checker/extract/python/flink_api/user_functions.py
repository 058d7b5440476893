"""Functions in Python that the Table API is given: ``udf``, ``udtf`` and what they decorate.

The planner needs types and whether calls are repeatable, never the code. Source: ``pyflink/table/udf.py``. Aggregate
functions, and functions that take whole rows, are not planned.
"""

from __future__ import annotations

from checker.extract.python.flink_api.recorded_calls import API, DECLARED, add_step, argument, recorded
from checker.extract.python.flink_api.streams import TableObject
from checker.extract.python.interpreter.evaluate import Call
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.values import Arguments, External, Function, Instance, Opaque, Value
from checker.model.table_programs import Argument, Literal, ResultOf, Several
from checker.model.unknowns import Location, Unknown

_PLANNED_FUNCTIONS = {"udf": "PythonScalarFunction", "udtf": "PythonTableFunction"}
"""What the planner takes in place of functions in Python."""


def python_function(run: Run, target: External, call: Call) -> Value:
    """``udf(...)``, what it decorates, and an expression that calls it."""
    decorates = target.called and any(isinstance(given, Function) for given in call.arguments.all())
    if target.called and not decorates:
        given = Arguments([target, *call.positional], {})
        return recorded(run, None, "Expression", f"{API}Expressions", "call", given, call.place)
    if decorates:
        call = call.having(*call.positional, *target.arguments, **dict(target.keywords))
    function = call.argument(0, "f")
    if function is None:  # to decorate with
        return External(target.path, keywords=tuple(call.keywords.items()), called=True)
    step = _declared(run, target.path.rpartition(".")[2], function, call)
    if step is None:
        return External(target.path, called=True)
    return External(f"{target.path}{DECLARED}", (TableObject(step, "Function", None),), called=True)


def _declared(run: Run, kind: str, function: Value, call: Call) -> int | None:
    """The step that makes the planner's own object for a function in Python; None where it is not known."""
    made = _PLANNED_FUNCTIONS.get(kind)
    repeatable = call.argument(3, "deterministic", True)
    repeatable = True if repeatable is None else repeatable
    flavour = "general" if kind == "udtf" else call.argument(5, "func_type", "general")
    understood = isinstance(repeatable, bool) and flavour in ("general", "pandas") and "udf_type" not in call.keywords
    if made is None or not understood or not isinstance(function, Function | Instance) or _overrides(function):
        return None
    inputs = call.argument(1, "input_types")
    inputs = inputs if inputs is None or isinstance(inputs, list | tuple) else [inputs]
    results = call.argument(2, "result_types" if kind == "udtf" else "result_type")
    given = [
        _types(run, inputs, call.place),
        _row(run, results, call.place) if kind == "udtf" else _types(run, results, call.place),
    ]
    if any(types is None or isinstance(types, Unknown) for types in given):
        return None
    package = "org.apache.flink.table.functions.python."
    flavours = ResultOf(add_step(run, f"{package}PythonFunctionKind", str(flavour).upper(), (), call.place))
    name = function.name if isinstance(function, Function) else function.of.name
    return add_step(
        run,
        f"{package}{made}",
        "new",
        (Literal(name, "String"), Literal("", "bytes"), *(types for types in given if types is not None), flavours,
         Literal(repeatable, "boolean"), Literal(False, "boolean"), Literal(None, "null")),
        call.place,
    )  # fmt: skip


def _overrides(function: Function | Instance) -> bool:
    """Whether an object says by itself whether its calls are repeatable."""
    return isinstance(function, Instance) and any(
        "is_deterministic" in ancestor.members for ancestor in function.of.ancestors()
    )


def _types(run: Run, types: Value, at: Location) -> Argument | None:
    """Types as PyFlink takes them: one, a list of them, or their names."""
    return None if isinstance(types, Opaque) else argument(run, types, at)


def _row(run: Run, row: Value, at: Location) -> Argument | None:
    """The rows that a table function gives: of one type, of a list of types, or as a text."""
    if isinstance(row, str):
        return Literal(row, "String")
    parts = row if isinstance(row, list | tuple) else [row]
    types = [_types(run, part, at) for part in parts]
    if any(isinstance(type_, ResultOf) and run.table_steps[type_.step].call == "ROW" for type_ in types):
        return None
    if not all(isinstance(type_, ResultOf) for type_ in types):
        return None
    return ResultOf(add_step(run, f"{API}DataTypes", "ROW", (Several(tuple(type_ for type_ in types if type_)),), at))
