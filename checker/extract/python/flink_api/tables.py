"""The Table API: every call is recorded for Flink's planner, and what becomes streams or jobs is a hole until then.

PyFlink calls Java's Table API one to one, so the record names Java's methods: ``execute_sql`` is ``executeSql``, the
property ``.sum`` of an expression a call of ``sum()``, and ``a == b`` one of ``isEqual``.
Source: ``pyflink/table`` of 1.20 and 2.3.
"""

from __future__ import annotations

import ast
import datetime
from dataclasses import replace

from checker.extract.python.flink_api import operators
from checker.extract.python.flink_api.element_types import Elements
from checker.extract.python.flink_api.jobs import submit_table
from checker.extract.python.flink_api.row_types import inferred_columns
from checker.extract.python.flink_api.settings_calls import unsupported
from checker.extract.python.flink_api.streams import Configuration, Environment, Step, Stream, TableObject
from checker.extract.python.flink_api.table_names import PROPERTIES, TABLE_METHODS, java_name
from checker.extract.python.interpreter.call_record import Call
from checker.extract.python.interpreter.descriptions import described as description
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import stopped
from checker.extract.python.interpreter.values import (
    Arguments,
    External,
    Function,
    Instance,
    Opaque,
    Value,
    reason_of,
    unknown,
)
from checker.extract.sql.programs.calls import BUFFERS, ENVIRONMENTS, MAKES_STREAMS, RESULTS, SHOWS, is_job, submitting
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
    described,
    digest,
)
from checker.model.topology import Kind
from checker.model.unknowns import Cause, Location, Unknown

_API = "org.apache.flink.table.api."
_MAX_STEPS = 5_000
_MODULES = {"expressions": f"{_API}Expressions"}
_OWNERS = frozenset(
    {"EnvironmentSettings", "Schema", "TableDescriptor", "FormatDescriptor", "DataTypes", "Tumble", "Slide", "Session",
     "Over", "StatementSet"}
)  # fmt: skip
"""Classes of ``pyflink.table`` whose static methods are Java's of the same name."""
_OPERATORS: dict[type[ast.AST], str] = {
    ast.Eq: "isEqual", ast.NotEq: "isNotEqual", ast.Lt: "isLess", ast.LtE: "isLessOrEqual", ast.Gt: "isGreater",
    ast.GtE: "isGreaterOrEqual", ast.BitAnd: "and", ast.BitOr: "or", ast.Add: "plus", ast.Sub: "minus",
    ast.Mult: "times", ast.Div: "dividedBy", ast.Mod: "mod", ast.Pow: "power",
}  # fmt: skip
_TURNED: dict[str, str] = {
    "isLess": "isGreater", "isGreater": "isLess", "isLessOrEqual": "isGreaterOrEqual",
    "isGreaterOrEqual": "isLessOrEqual", "isEqual": "isEqual", "isNotEqual": "isNotEqual",
}  # fmt: skip
_CATALOGS = {
    "pyflink.table.catalog.HiveCatalog": "org.apache.flink.table.catalog.hive.HiveCatalog",
    "pyflink.table.catalog.JdbcCatalog": "org.apache.flink.connector.jdbc.catalog.JdbcCatalog",
}
_FUNCTIONS = ("pyflink.table.udf.udf", "pyflink.table.udf.udtf", "pyflink.table.udf.udaf", "pyflink.table.udf.udtaf")
_PLANNED_FUNCTIONS = {"udf": "PythonScalarFunction", "udtf": "PythonTableFunction"}
"""What the planner takes in place of functions in Python; aggregates keep their state in Python."""
_DECLARED = ".function"
"""How the path of a function ends that the planner is given; its one argument is the step that makes it."""
_LARGEST_INT = 2**31
_OPTIONS = {"set_local_timezone": "table.local-time-zone", "set_python_executable": "python.executable"}
"""Methods of PyFlink's ``TableConfig`` that Java's has not, or not with a text, and the options that they set."""


def static_call(run: Run, target: External, call: Call) -> Value | None:
    """A function or static method of ``pyflink.table``; None for anything else."""
    parts = target.path.split(".")
    if target.simple == "create" and len(parts) > 1 and parts[-2] in ENVIRONMENTS:
        return _environment(run, parts[-2], call)
    if target.path.startswith(_FUNCTIONS):
        return _python_function(run, target, call)
    owner = _owner(target.path)
    if owner is None:
        return None
    role = "Expression" if owner.endswith(".Expressions") else owner.rpartition(".")[2]
    return _recorded(run, None, role, owner, target.simple, call.arguments, call.place)


def _python_function(run: Run, target: External, call: Call) -> Value:
    """``udf(...)``, what it decorates, and an expression that calls it."""
    decorates = target.called and any(isinstance(given, Function) for given in call.arguments.all())
    if target.called and not decorates:
        given = Arguments([target, *call.positional], {})
        return _recorded(run, None, "Expression", f"{_API}Expressions", "call", given, call.place)
    if decorates:
        call = call.having(*call.positional, *target.arguments, **dict(target.keywords))
    function = call.argument(0, "f")
    if function is None:  # to decorate with
        return External(target.path, keywords=tuple(call.keywords.items()), called=True)
    step = _declared(run, target.path.rpartition(".")[2], function, call)
    if step is None:
        return External(target.path, called=True)
    return External(f"{target.path}{_DECLARED}", (TableObject(step, "Function", None),), called=True)


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
    flavours = ResultOf(_step(run, f"{package}PythonFunctionKind", str(flavour).upper(), (), call.place))
    name = function.name if isinstance(function, Function) else function.of.name
    return _step(
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
    return ResultOf(_step(run, f"{_API}DataTypes", "ROW", (Several(tuple(type_ for type_ in types if type_)),), at))


def _owner(path: str) -> str | None:
    """The class of Java for a path of PyFlink, up to its last part."""
    parts = path.split(".")
    if len(parts) < 3 or parts[:2] != ["pyflink", "table"]:
        return None
    if parts[-2] in _MODULES:
        return _MODULES[parts[-2]]
    return f"{_API}{parts[-2]}" if parts[-2] in _OWNERS else None


def _environment(run: Run, name: str, call: Call) -> TableObject:
    for passed in call.arguments.all():
        if isinstance(passed, Opaque):
            why = f"the environment below a table environment is not known: {passed.unknown.reason}"
            raise stopped(why, Cause.OTHER, call.place)
    run.tables = True
    stream = next((passed for passed in call.arguments.all() if isinstance(passed, Environment)), None)
    owner = f"{_API}bridge.java.{name}" if stream is not None else f"{_API}TableEnvironment"
    env = stream or Environment()
    return _recorded(run, env, name, owner, "create", call.arguments, call.place)


def attribute(run: Run, owner: TableObject, name: str, at: Location) -> Value | None:
    """A property of an expression; None for what is a method."""
    if owner.role == "Expression" and name in PROPERTIES:
        return _recorded(run, owner.env, "Expression", owner.step, name, Arguments([], {}), at)
    if owner.role == "Table" and name not in TABLE_METHODS:  # a column by its name
        return _recorded(run, owner.env, "Expression", f"{_API}Expressions", "col", Arguments([name], {}), at)
    return None


def object_call(run: Run, owner: TableObject, call: Call) -> Value:
    """A method of a table environment, a table, an expression, a statement set, a schema …"""
    env = owner.env
    if call.name in _OPTIONS and len(call.positional) == 1 and not call.keywords:
        call = _as_option(run, call)
    called = java_name(call.name)
    if call.name == "from_elements" and owner.role in ENVIRONMENTS:
        return _from_elements(run, owner, call)
    if called in MAKES_STREAMS:
        if env is None or owner.role == "TableEnvironment":
            return unsupported(call)
        return _stream(run, owner, env, call)
    if called in SHOWS and env is not None and owner.role != "Expression":
        return unknown(f"the result of {call.name}", Cause.EXTERNAL, call.place, run.fresh(f"{call.name}()"))
    if env is not None and owner.role in ENVIRONMENTS and called == "execute":
        return unsupported(call)
    made = _recorded(run, env, owner.role, owner.step, call.name, call.arguments, call.place)
    if (
        env is not None
        and called == BUFFERS
        and any(submitting(submitted) for submitted in run.table_steps[made.step].arguments)
    ):
        operators.register(env, _hole(run, env, called, made.step, call.place))
    maker = run.table_steps[owner.step].call if isinstance(owner.step, int) else None
    if env is not None and is_job(owner.role, maker, called, run.table_steps[made.step].arguments):
        hole = _hole(run, env, called, made.step, call.place)
        run.jobs.append(submit_table(run, env, hole, call.place))
    return made


def _from_elements(run: Run, owner: TableObject, call: Call) -> Value:
    """A table of the script's own objects. Source: ``TableEnvironment.from_elements``, ``PythonTableUtils``."""
    elements, schema = call.argument(0, "elements"), call.argument(1, "schema")
    if isinstance(elements, list | tuple) and elements and all(_is_expression(element) for element in elements):
        given = [*([] if schema is None else [schema]), list(elements)]
        return _recorded(run, owner.env, owner.role, owner.step, "from_values", Arguments(given, {}), call.place)
    given_names = schema is None or isinstance(schema, list | tuple)
    row = _row_of(run, elements, schema, call.place) if given_names else argument(run, schema, call.place)
    builder: int | str = f"{_API}Schema"
    for name, arguments in (("newBuilder", ()), ("fromRowDataType", (row,)), ("build", ())):
        builder = _step(run, builder, name, arguments, call.place)
    table: int | str = f"{_API}TableDescriptor"
    connector = Literal("python-input-format", "String")
    for name, arguments in (("forConnector", (connector,)), ("schema", (ResultOf(int(builder)),)), ("build", ())):
        table = _step(run, table, name, arguments, call.place)
    step = _step(run, owner.step, "from", (ResultOf(int(table)),), call.place)
    return TableObject(step, RESULTS["from"], owner.env)


def _is_expression(value: Value) -> bool:
    return isinstance(value, TableObject) and value.role == "Expression"


def _row_of(run: Run, elements: Value, names: Value, at: Location) -> Argument:
    """The type of rows that PyFlink infers of plain values."""
    columns = inferred_columns(elements, names)
    if columns is None:
        return Unknown("the columns that from_elements() infers of its elements", Cause.UNSUPPORTED, None, at)
    fields = []
    for name, java_type in columns:
        made = ResultOf(_step(run, f"{_API}DataTypes", java_type, (), at))
        fields.append(ResultOf(_step(run, f"{_API}DataTypes", "FIELD", (Literal(name, "String"), made), at)))
    return ResultOf(_step(run, f"{_API}DataTypes", "ROW", (Several(tuple(fields)),), at))


def _as_option(run: Run, call: Call) -> Call:
    return replace(call, name="set", arguments=Arguments([_OPTIONS[call.name], *call.positional], {}))


def operator(run: Run, op: ast.AST, left: Value, right: Value, at: Location) -> Value | None:
    """``a + b``, ``a == b`` … where one side is an expression of the Table API; None where it is not one of these."""
    name = _OPERATORS.get(type(op))
    if name is None:
        return None
    if not isinstance(left, TableObject):
        if name in _TURNED:
            left, right, name = right, left, _TURNED[name]
        else:
            left = _recorded(run, right.env, "Expression", f"{_API}Expressions", "lit", Arguments([left], {}), at)
    return _recorded(run, left.env, "Expression", left.step, name, Arguments([right], {}), at)


def negated(run: Run, op: ast.unaryop, operand: TableObject, at: Location) -> Value | None:
    """``-a`` and ``~a`` of an expression."""
    name = {ast.USub: "negative", ast.Invert: "not"}.get(type(op))
    if name is None:
        return None
    return _recorded(run, operand.env, "Expression", f"{_API}Expressions", name, Arguments([operand], {}), at)


def _recorded(
    run: Run, env: Environment | None, role: str, on: int | str, name: str, arguments: Arguments, at: Location
) -> TableObject:
    called = java_name(name)
    for passed in arguments.all():
        if isinstance(passed, Stream) and env is not None and passed.step not in env.tabled:
            env.tabled.append(passed.step)
    given = tuple(argument(run, passed, at) for passed in arguments.all())
    if "**" in arguments.keywords:
        given = (*given[:-1], Unknown("arguments that are not known", Cause.OTHER, None, at))
    step = _step(run, on, called, given, at)
    return TableObject(step, RESULTS.get(called, role), env)


def _step(run: Run, on: int | str, called: str, given: tuple[Argument, ...], at: Location) -> int:
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
        return ResultOf(_step(run, "java.time.Duration", "ofMillis", (milliseconds,), at))
    if isinstance(value, list | tuple):
        return Several(tuple(argument(run, item, at) for item in value))
    if isinstance(value, TableObject):
        return ResultOf(value.step)
    if isinstance(value, Environment):
        return StreamEnvironment()
    if isinstance(value, Configuration):
        return Options(tuple((key, argument(run, item, at)) for key, item in sorted(value.keys.items())))
    if isinstance(value, Stream):
        run.table_streams.append((value.step, value.elements.type, value.elements.names))
        return StreamInput(len(run.table_streams) - 1)
    if isinstance(value, External) and value.path.endswith(_DECLARED) and isinstance(value.arguments[0], TableObject):
        return ResultOf(value.arguments[0].step)
    if isinstance(value, External) and value.path.startswith(_FUNCTIONS):
        return Unknown("a function in Python, which is not planned", Cause.UNSUPPORTED, None, at)
    if isinstance(value, External) and not value.called and (owner := _owner(value.path)) is not None:
        return ResultOf(_step(run, owner, value.simple, (), at))
    if isinstance(value, External) and value.called and value.path in _CATALOGS:
        given = tuple(argument(run, passed, at) for passed in value.arguments)
        return ResultOf(_step(run, _CATALOGS[value.path], "new", given, at))
    if isinstance(value, External) and value.called and ".Types." in value.path:
        return _type_information(run, value, at)
    if isinstance(value, Opaque):
        return _not_known(run, value)
    return Unknown(f"a function or object of the script: {_shown(value)}", Cause.UNSUPPORTED, None, at)


def _type_information(run: Run, value: External, at: Location) -> Argument:
    """``Types.ROW([Types.INT()])``: Java takes the parts of a row one by one, and has constants for plain types."""
    given = [argument(run, passed, at) for passed in (*value.arguments, *(keyword for _, keyword in value.keywords))]
    if value.simple in ("ROW", "TUPLE", "ROW_NAMED") and given and isinstance(given[-1], Several):
        given = [*given[:-1], *given[-1].items]
    return ResultOf(_step(run, "org.apache.flink.api.common.typeinfo.Types", value.simple, tuple(given), at))


def _shown(value: Value) -> str:
    return str(getattr(value, "name", type(value).__name__))


def _not_known(run: Run, value: Opaque) -> Argument:
    if not value.parts:
        derived_from = description(run, value)
        return reason_of(Opaque(value.unknown, value.name, derived_from))
    parts = [part if isinstance(part, str) else _not_known(run, part) for part in value.parts]
    return Template(tuple(part for part in parts if isinstance(part, str | Unknown) and part != ""))


def _hole(run: Run, env: Environment, called: str, step: int, at: Location) -> Step:
    """Operators that Flink's planner will make of a step."""
    steps = tuple(run.table_steps)
    of = described(steps)
    reason = f"{called}() plans the operators of a table when the program runs"
    unknown_part = Unknown(
        reason, Cause.UNSUPPORTED, None, at, derived_from=None if of is None else f"table calls {of}"
    )
    return Step(
        Kind.UNKNOWN, None, list(env.tabled), unknown=unknown_part, location=at, table_step=step,
        call=f"table-plan {of or digest(steps)}",
    )  # fmt: skip


def _stream(run: Run, owner: TableObject, env: Environment, call: Call) -> Value:
    made = _recorded(run, env, owner.role, owner.step, call.name, call.arguments, call.place)
    hole = _hole(run, env, java_name(call.name), made.step, call.place)
    operators.register(env, hole)
    assert hole.unknown is not None
    return Stream(
        env, hole, Elements(call.name != "to_retract_stream", hole.unknown)
    )  # which gives pairs, the others rows


__all__ = ["argument", "attribute", "negated", "object_call", "operator", "static_call"]
