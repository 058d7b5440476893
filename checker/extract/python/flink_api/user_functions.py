"""Functions in Python that the Table API is given: ``udf``, ``udtf`` and what they decorate.

The planner needs types and whether calls are repeatable, never the code. Source: ``pyflink/table/udf.py``.
"""

from __future__ import annotations

from dataclasses import replace

from checker.extract.python.flink_api.recorded_calls import API, DECLARED, add_step, argument, is_declared, recorded
from checker.extract.python.flink_api.streams import TableObject
from checker.extract.python.interpreter.call_record import Call
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.values import Arguments, External, Function, Instance, Opaque, Value
from checker.model.table_programs import Argument, Literal, ResultOf, Several
from checker.model.unknowns import Location, Unknown

_PLANNED_FUNCTIONS = {"udf": "PythonScalarFunction", "udtf": "PythonTableFunction"}
"""What the planner takes in place of functions in Python; aggregates keep their state in Python."""
_OF_ROWS = ("map", "flatMap")
"""Methods of tables that hand all columns as one row to a function that is not called."""
_LATERAL = ("joinLateral", "leftOuterJoinLateral")


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
    """The step that makes the planner's own object for a function in Python; None where it is not known.

    The planner needs types and whether calls are repeatable, never the code. Source: ``pyflink/table/udf.py``.
    """
    scalar = kind == "udf"
    made = _PLANNED_FUNCTIONS.get(kind)
    result = call.argument(2, "result_type" if scalar else "result_types")
    repeatable = call.argument(3, "deterministic", True)
    flavour = call.argument(5, "func_type", "general") if scalar else "general"
    understood = isinstance(repeatable, bool) and flavour in ("general", "pandas") and "udf_type" not in call.keywords
    if made is None or not understood or not isinstance(function, Function | Instance) or _overrides(function):
        return None
    inputs = call.argument(1, "input_types")
    inputs = inputs if inputs is None or isinstance(inputs, list | tuple) else [inputs]
    given = [
        _types(run, inputs, call.place),
        _types(run, result, call.place) if scalar else _row(run, result, call.place),
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


def takes_whole_rows(method: str, given: Value) -> bool:
    """Whether a method of a table hands all columns to what it is given; a lateral join needs names of the result."""
    if method in _LATERAL:
        return isinstance(given, External) and given.simple == "alias" and is_declared(given.before)
    return method in _OF_ROWS and is_declared(given)


def on_whole_rows(run: Run, call: Call) -> Value:
    """What ``table.map(function)`` makes of a function: a call with all columns as one row.

    A lateral join gives its columns the names that the function was given; ``map`` and ``flat_map`` don't.

    PyFlink says so to Flink's planner where it makes the planner's object, which is at the function's first use.
    """
    named = call.positional[0]
    assert isinstance(named, External)
    function = named if named.before is None or is_declared(named) else named.before
    assert isinstance(function.arguments[0], TableObject)
    declared = int(function.arguments[0].step)
    used = any(
        ResultOf(declared) in (given, *(given.items if isinstance(given, Several) else ()))
        for step in run.table_steps[declared:]
        for given in step.arguments
    )
    if not used:
        step = run.table_steps[declared]
        place = len(step.arguments) - 2
        given = (*step.arguments[:place], Literal(True, "boolean"), *step.arguments[place + 1 :])
        run.table_steps[declared] = replace(step, arguments=given)
    expressions = f"{API}Expressions"
    columns = [recorded(run, None, "Expression", expressions, "col", Arguments(["*"], {}), call.place)]
    row = recorded(run, None, "Expression", expressions, "with_columns", Arguments([*columns], {}), call.place)
    made = recorded(run, None, "Expression", expressions, "call", Arguments([function, row], {}), call.place)
    if named is function:
        return made
    return recorded(run, None, "Expression", made.step, "alias", Arguments([*named.arguments], {}), call.place)
