"""A call of the Table API as a record for Flink's planner, and values of the script as its arguments.

Of functions in Python (``udf``, ``udtf``) the planner needs types and whether calls are repeatable, never the code.
Aggregate functions, and functions that take whole rows, are not planned. Source: ``pyflink/table/udf.py``.
"""

import datetime
from dataclasses import replace

from checker.extract.datastream.table import camel, table, words
from checker.extract.python.flink_api.streams import Configuration, Environment, Stream, TableObject
from checker.extract.python.interpreter.descriptions import described as description
from checker.extract.python.interpreter.evaluate import Call
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import stopped
from checker.extract.python.interpreter.values import Arguments, External, Function, Instance, Opaque, Value, reason_of
from checker.extract.sql.programs import RESULTS
from checker.model.table_programs import (
    Argument,
    Literal,
    Options,
    ResultOf,
    Several,
    StreamEnvironment,
    StreamInput,
    TableStep,
    Template,
)
from checker.model.unknowns import Cause, Location, Unknown

API = "org.apache.flink.table.api."
_MAX_STEPS = 5_000
_MODULES = {"expressions": f"{API}Expressions"}
_OWNERS = words("same_in_java")
"""Classes of ``pyflink.table`` whose static methods are Java's of the same name."""
_CATALOGS = {
    "pyflink.table.catalog.HiveCatalog": "org.apache.flink.table.catalog.hive.HiveCatalog",
    "pyflink.table.catalog.JdbcCatalog": "org.apache.flink.connector.jdbc.catalog.JdbcCatalog",
}
FUNCTIONS = ("pyflink.table.udf.udf", "pyflink.table.udf.udtf", "pyflink.table.udf.udaf", "pyflink.table.udf.udtaf")
DECLARED = ".function"
"""How the path of a function ends that the planner is given; its one argument is the step that makes it."""
_LARGEST_INT = 2**31


_NAMES = table("methods_of_java")
"""Methods that Java calls otherwise than by the same words."""
PROPERTIES = words("properties_of_expressions")
"""What PyFlink's expressions have as properties, Java's as methods."""
TABLE_METHODS = words("methods_of_tables")
"""Methods of PyFlink's tables; other names are columns."""


def java_name(name: str) -> str:
    """The method of Java's Table API that one of PyFlink's calls."""
    if name in _NAMES:
        return str(_NAMES[name])
    if name.isupper():  # a type or unit, such as TIMESTAMP_LTZ
        return name
    return camel(name)


def owner_of(path: str) -> str | None:
    """The class of Java for a path of PyFlink, up to its last part."""
    parts = path.split(".")
    if len(parts) < 3 or parts[:2] != ["pyflink", "table"]:
        return None
    if parts[-2] in _MODULES:
        return _MODULES[parts[-2]]
    return f"{API}{parts[-2]}" if parts[-2] in _OWNERS else None


def recorded(
    run: Run, env: Environment | None, role: str, on: int | str, name: str, arguments: Arguments, at: Location
) -> TableObject:
    """A call and its result. A stream that it is given is read by tables from then on."""
    called = java_name(name)
    for passed in arguments.all():
        if isinstance(passed, Stream) and env is not None and passed.step not in env.tabled:
            env.tabled.append(passed.step)
    given = tuple(argument(run, passed, at) for passed in arguments.all())
    if "**" in arguments.keywords:
        given = (*given[:-1], Unknown("unknown arguments", Cause.OTHER, None, at))
    step = add_step(run, on, called, given, at)
    return TableObject(step, RESULTS.get(called, role), env)


def add_step(run: Run, on: int | str, called: str, given: tuple[Argument, ...], at: Location) -> int:
    """A call by its place among the calls of the program."""
    if len(run.table_steps) >= _MAX_STEPS:
        raise stopped(f"more than {_MAX_STEPS:,} calls of the Table API", Cause.LIMIT, at)
    run.table_steps.append(TableStep(on=on, call=called, arguments=given, location=at))
    return len(run.table_steps) - 1


def argument(run: Run, value: Value, at: Location) -> Argument:
    """A value of the script as an argument of a recorded call."""
    if value is None or isinstance(value, bool | str | float):
        java = {bool: "boolean", str: "String", float: "double"}.get(type(value), "null")
        return Literal(value, java)
    if isinstance(value, int):
        return Literal(value, "int" if -_LARGEST_INT <= value < _LARGEST_INT else "long")
    if isinstance(value, datetime.timedelta):
        milliseconds = Literal(round(value.total_seconds() * 1000), "long")
        return ResultOf(add_step(run, "java.time.Duration", "ofMillis", (milliseconds,), at))
    if isinstance(value, list | tuple):
        return Several(tuple(argument(run, item, at) for item in value))
    if isinstance(value, TableObject):
        return ResultOf(value.step)
    if isinstance(value, Environment):
        return StreamEnvironment()
    if isinstance(value, Configuration):
        return Options(tuple((key, argument(run, item, at)) for key, item in sorted(value.keys.items())))
    if isinstance(value, Stream):
        run.table_streams.append((value.step, value.elements.type, (), value.elements.names))
        return StreamInput(len(run.table_streams) - 1)
    if isinstance(value, External) and is_declared(value) and isinstance(value.arguments[0], TableObject):
        return ResultOf(value.arguments[0].step)
    if isinstance(value, External) and value.path.startswith(FUNCTIONS):
        return Unknown("a function in Python, which is not planned", Cause.UNSUPPORTED, None, at)
    if isinstance(value, External) and not value.called and (owner := owner_of(value.path)) is not None:
        return ResultOf(add_step(run, owner, value.simple, (), at))
    if isinstance(value, External) and value.called and value.path in _CATALOGS:
        given = tuple(argument(run, passed, at) for passed in value.arguments)
        return ResultOf(add_step(run, _CATALOGS[value.path], "new", given, at))
    if isinstance(value, External) and value.called and ".Types." in value.path:
        return _type_information(run, value, at)
    if isinstance(value, Opaque):
        return _not_known(run, value, at)
    shown = getattr(value, "name", type(value).__name__)
    return Unknown(f"a function or object of the script: {shown}", Cause.UNSUPPORTED, None, at)


def _type_information(run: Run, value: External, at: Location) -> Argument:
    """``Types.ROW([Types.INT()])``: Java takes the parts of a row one by one, and has constants for plain types."""
    given = [argument(run, passed, at) for passed in (*value.arguments, *(keyword for _, keyword in value.keywords))]
    if value.simple in ("ROW", "TUPLE", "ROW_NAMED") and given and isinstance(given[-1], Several):
        given = [*given[:-1], *given[-1].items]
    return ResultOf(add_step(run, "org.apache.flink.api.common.typeinfo.Types", value.simple, tuple(given), at))


def _not_known(run: Run, value: Opaque, at: Location) -> Argument:
    if isinstance(value.name_of, TableObject):
        return Template((ResultOf(add_step(run, value.name_of.step, "toString", (), at)),))
    if not value.parts:
        return reason_of(replace(value, derived_from=description(run, value)))
    parts: list[str | Unknown | ResultOf] = []
    for part in value.parts:
        made = part if isinstance(part, str) else _not_known(run, part, at)
        parts += made.parts if isinstance(made, Template) else [made] if isinstance(made, str | Unknown) else []
    return Template(tuple(part for part in parts if part != ""))


def is_declared(value: Value) -> bool:
    """Whether a value is a function in Python that the planner is given."""
    return isinstance(value, External) and value.path.endswith(DECLARED)


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
        argument(run, inputs, call.place),
        _row(run, results, call.place) if kind == "udtf" else argument(run, results, call.place),
    ]
    if any(types is None or isinstance(types, Unknown | Template) for types in given):
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


def _row(run: Run, row: Value, at: Location) -> Argument | None:
    """The rows that a table function gives: of one type, of a list of types, or as a text."""
    if isinstance(row, str):
        return Literal(row, "String")
    parts = row if isinstance(row, list | tuple) else [row]
    types = [argument(run, part, at) for part in parts]
    if any(isinstance(type_, ResultOf) and run.table_steps[type_.step].call == "ROW" for type_ in types):
        return None
    if not all(isinstance(type_, ResultOf) for type_ in types):
        return None
    return ResultOf(add_step(run, f"{API}DataTypes", "ROW", (Several(tuple(type_ for type_ in types if type_)),), at))
