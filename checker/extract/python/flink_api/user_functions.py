"""Functions in Python that the Table API is given: ``udf``, ``udtf``, ``udaf``, ``udtaf`` and what they decorate.

The planner needs types and whether calls are repeatable, never the code. Source: ``pyflink/table/udf.py``.
"""

from __future__ import annotations

from dataclasses import replace

from checker.extract.python.flink_api.recorded_calls import API, DECLARED, add_step, argument, is_declared, recorded
from checker.extract.python.flink_api.streams import TableObject
from checker.extract.python.interpreter.evaluate import Call
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import UnclearError
from checker.extract.python.interpreter.values import Arguments, External, Function, Instance, Opaque, Value
from checker.model.table_programs import Argument, Literal, ResultOf, Several
from checker.model.unknowns import Location, Unknown

_PLANNED_FUNCTIONS = {"udf": "PythonScalarFunction", "udtf": "PythonTableFunction",
                      "udaf": "PythonAggregateFunction", "udtaf": "PythonTableAggregateFunction"}  # fmt: skip
"""What the planner takes in place of functions in Python."""
_AGGREGATES = {"AggregateFunction": "udaf", "TableAggregateFunction": "udtaf"}
"""What stands for objects of these classes where they are registered (``_wrap_aggregate_function_if_needed``)."""
_AGGREGATING = ("aggregate", "flatAggregate")
_OF_ROWS = ("map", "flatMap", *_AGGREGATING)
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


def registered(run: Run, call: Call) -> Call:
    """A function that is registered by its name, as PyFlink wraps it."""
    name, function = (*call.positional, None, None)[:2]
    base = function.of.foreign() if isinstance(function, Instance) else None
    kind = _AGGREGATES.get(base.simple) if isinstance(base, External) else None
    if kind is None or function is None:
        return call
    wrapped = python_function(run, External(f"pyflink.table.udf.{kind}"), call.having(function))
    return call.having(name, wrapped, *call.positional[2:], **call.keywords)


def _declared(run: Run, kind: str, function: Value, call: Call) -> int | None:
    """The step that makes the planner's own object for a function in Python; None where it is not known.

    The planner needs types and whether calls are repeatable, never the code. Source: ``pyflink/table/udf.py``.
    """
    made = _PLANNED_FUNCTIONS.get(kind)
    aggregate = kind in _AGGREGATES.values()
    repeatable = call.argument(4 if aggregate else 3, "deterministic", True)
    repeatable = True if repeatable is None else repeatable
    flavour = "general" if kind == "udtf" else call.argument(6 if aggregate else 5, "func_type", "general")
    understood = isinstance(repeatable, bool) and flavour in ("general", "pandas") and "udf_type" not in call.keywords
    if made is None or not understood or not isinstance(function, Function | Instance) or _overrides(function):
        return None
    inputs = call.argument(1, "input_types")
    inputs = inputs if inputs is None or isinstance(inputs, list | tuple) else [inputs]
    if kind == "udtf":
        results = [_row(run, call.argument(2, "result_types"), call.place)]
    elif aggregate:
        results = _results(run, function, call, pandas=flavour == "pandas")
    else:
        results = [_types(run, call.argument(2, "result_type"), call.place)]
    given = [_types(run, inputs, call.place), *results]
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


def _results(run: Run, function: Function | Instance, call: Call, *, pandas: bool) -> list[Argument | None]:
    """The types of an aggregate's result and of its accumulator, which may be methods of the function."""
    result = _type_of(function, call.argument(2, "result_type"), "get_result_type")
    types = _types(run, result, call.place)
    if not pandas:
        kept = _type_of(function, call.argument(3, "accumulator_type"), "get_accumulator_type")
        return [types, _types(run, kept, call.place)]
    if isinstance(result, str):
        return [types, Literal(f"ARRAY<{result}>", "String")]
    if types is None:
        return [None]
    return [types, ResultOf(add_step(run, f"{API}DataTypes", "ARRAY", (types,), call.place))]


def _type_of(function: Function | Instance, given: Value, method: str) -> Value:
    """A type that is given, or what a method of the function says."""
    if given is not None or not isinstance(function, Instance):
        return given
    if not isinstance(function.of.member(method), Function):
        return Opaque(function.reason())
    try:
        return function.asked(method)
    except UnclearError as unclear:
        return Opaque(unclear.unknown)


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
    if method in _OF_ROWS and is_declared(given):
        return True
    named = isinstance(given, External) and given.simple == "alias" and is_declared(given.before)
    return named and method in (*_LATERAL, *_AGGREGATING)


def on_whole_rows(run: Run, owner: TableObject, call: Call) -> Value:
    """What ``table.map(function)`` makes of a function: a call with all columns as one row.

    A lateral join and an aggregation give their columns the names that the function was given; ``map`` and ``flat_map``
    don't.

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
    time = _time_of_window(run, owner)
    columns = time or recorded(run, None, "Expression", expressions, "col", Arguments(["*"], {}), call.place)
    which = "with_columns" if time is None else "without_columns"
    row = recorded(run, None, "Expression", expressions, which, Arguments([columns], {}), call.place)
    made = recorded(run, None, "Expression", expressions, "call", Arguments([function, row], {}), call.place)
    if named is function:
        return made
    return recorded(run, None, "Expression", made.step, "alias", Arguments([*named.arguments], {}), call.place)


def _time_of_window(run: Run, grouped: TableObject) -> TableObject | None:
    """The column of time by which rows are in windows, which no aggregation of these takes; None where no window is."""
    steps = run.table_steps
    step = steps[grouped.step] if isinstance(grouped.step, int) else None
    if step is None or step.call != "groupBy" or not isinstance(step.on, int) or steps[step.on].call != "window":
        return None
    given = steps[step.on].arguments[:1]
    while given and isinstance(given[0], ResultOf):
        window = steps[given[0].step]
        if window.call == "on" and isinstance(window.arguments[0], ResultOf):
            return TableObject(window.arguments[0].step, "Expression", None)
        given = (ResultOf(window.on),) if isinstance(window.on, int) else ()
    return None
