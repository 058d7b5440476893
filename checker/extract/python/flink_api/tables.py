"""The Table API: every call is recorded for Flink's planner, and what becomes streams or jobs is a hole until then.

PyFlink calls Java's Table API one to one, so the record names Java's methods: ``execute_sql`` is ``executeSql``, the
property ``.sum`` of an expression a call of ``sum()``, and ``a == b`` one of ``isEqual``.
Source: ``pyflink/table`` of 1.20 and 2.3.
"""

import ast
from dataclasses import replace

from checker.extract.datastream.records import Draft
from checker.extract.python.flink_api import operators
from checker.extract.python.flink_api.jobs import submit_table
from checker.extract.python.flink_api.recorded_calls import (
    API,
    FUNCTIONS,
    PROPERTIES,
    TABLE_METHODS,
    add_step,
    argument,
    is_declared,
    java_name,
    owner_of,
    python_function,
    recorded,
)
from checker.extract.python.flink_api.settings_calls import unsupported
from checker.extract.python.flink_api.streams import Elements, Environment, Stream, TableObject
from checker.extract.python.interpreter.evaluate import Call
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import stopped
from checker.extract.python.interpreter.values import Arguments, External, Opaque, Value, unknown
from checker.extract.sql.programs import BUFFERS, ENVIRONMENTS, MAKES_STREAMS, RESULTS, SHOWS, is_job, submitting
from checker.extract.sql.scripts.templates import words
from checker.model.table_programs import Argument, Literal, ResultOf, Several, described, digest
from checker.model.topology import Kind
from checker.model.unknowns import OF_TABLES, Cause, Location, Unknown

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Eq: "isEqual", ast.NotEq: "isNotEqual", ast.Lt: "isLess", ast.LtE: "isLessOrEqual", ast.Gt: "isGreater",
    ast.GtE: "isGreaterOrEqual", ast.BitAnd: "and", ast.BitOr: "or", ast.Add: "plus", ast.Sub: "minus",
    ast.Mult: "times", ast.Div: "dividedBy", ast.Mod: "mod", ast.Pow: "power",
}  # fmt: skip
_OF_ROWS = ("map", "flatMap", "aggregate", "flatAggregate")
"""Methods of tables that hand all columns as one row to a function that is not called: these are not planned."""
_OPTIONS = {"set_local_timezone": "table.local-time-zone", "set_python_executable": "python.executable"}
"""Methods of PyFlink's ``TableConfig`` that Java's has not, or not with a text, and the options that they set."""


def static_call(run: Run, target: External, call: Call) -> Value | None:
    """A function or static method of ``pyflink.table``; None for anything else."""
    parts = target.path.split(".")
    if target.simple == "create" and len(parts) > 1 and parts[-2] in ENVIRONMENTS:
        return _environment(run, parts[-2], call)
    if target.path.startswith(FUNCTIONS):
        return python_function(run, target, call)
    owner = owner_of(target.path)
    if owner is None:
        return None
    role = "Expression" if owner.endswith(".Expressions") else owner.rpartition(".")[2]
    return recorded(run, None, role, owner, target.simple, call.arguments, call.place)


def _environment(run: Run, name: str, call: Call) -> TableObject:
    for passed in call.arguments.all():
        if isinstance(passed, Opaque):
            why = f"cannot tell the environment below a table environment ({passed.unknown.reason})"
            raise stopped(why, Cause.OTHER, call.place)
    run.tables = True
    stream = next((passed for passed in call.arguments.all() if isinstance(passed, Environment)), None)
    owner = f"{API}bridge.java.{name}" if stream is not None else f"{API}TableEnvironment"
    env = stream or Environment()
    return recorded(run, env, name, owner, "create", call.arguments, call.place)


def attribute(run: Run, owner: TableObject, name: str, at: Location) -> Value | None:
    """A property of an expression; None for what is a method."""
    if owner.role == "Expression" and name in PROPERTIES:
        return recorded(run, owner.env, "Expression", owner.step, name, Arguments([], {}), at)
    if owner.role == "Table" and name not in TABLE_METHODS:  # a column by its name
        return recorded(run, owner.env, "Expression", f"{API}Expressions", "col", Arguments([name], {}), at)
    return None


def object_call(run: Run, owner: TableObject, call: Call) -> Value:
    """A method of a table environment, a table, an expression, a statement set, a schema …"""
    env = owner.env
    if call.name in _OPTIONS and len(call.positional) == 1 and not call.keywords:
        call = replace(call, name="set", arguments=Arguments([_OPTIONS[call.name], *call.positional], {}))
    called = java_name(call.name)
    if call.name == "from_elements" and owner.role in ENVIRONMENTS:
        return _from_elements(run, owner, call)
    if called in _OF_ROWS and call.positional and is_declared(call.positional[0]):
        call = call.having(External(FUNCTIONS[0], called=True), *call.positional[1:], **call.keywords)
    if called in MAKES_STREAMS:
        if env is None or owner.role == "TableEnvironment":
            return unsupported(call)
        return _stream(run, owner, env, call)
    if called in SHOWS and env is not None and owner.role != "Expression":
        return unknown(
            f"cannot tell the result of {call.name}", Cause.EXTERNAL, call.place, run.fresh(f"{call.name}()")
        )
    if env is not None and owner.role in ENVIRONMENTS and called == "execute":
        return unsupported(call)
    made = recorded(run, env, owner.role, owner.step, call.name, call.arguments, call.place)
    if called in ("getCurrentCatalog", "getCurrentDatabase"):  # a text
        return replace(unknown(f"the result of {call.name}()", at=call.place), name_of=made)
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
    rows = elements if isinstance(elements, list | tuple) else ()
    if rows and all(isinstance(row, TableObject) and row.role == "Expression" for row in rows):
        given = [*([] if schema is None else [schema]), list(elements)]
        return recorded(run, owner.env, owner.role, owner.step, "from_values", Arguments(given, {}), call.place)
    given_names = schema is None or isinstance(schema, list | tuple)
    row = _row_of(run, elements, schema, call.place) if given_names else argument(run, schema, call.place)
    builder: int | str = f"{API}Schema"
    for name, arguments in (("newBuilder", ()), ("fromRowDataType", (row,)), ("build", ())):
        builder = add_step(run, builder, name, arguments, call.place)
    table: int | str = f"{API}TableDescriptor"
    connector = Literal("python-input-format", "String")
    for name, arguments in (("forConnector", (connector,)), ("schema", (ResultOf(int(builder)),)), ("build", ())):
        table = add_step(run, table, name, arguments, call.place)
    step = add_step(run, owner.step, "from", (ResultOf(int(table)),), call.place)
    return TableObject(step, RESULTS["from"], owner.env)


def _row_of(run: Run, elements: Value, names: Value, at: Location) -> Argument:
    """The type of rows that PyFlink infers of plain values."""
    columns = _inferred_columns(elements, names)
    if columns is None:
        return Unknown("the columns that from_elements() infers of its elements", Cause.UNSUPPORTED, None, at)
    fields = []
    for name, java_type in columns:
        made = ResultOf(add_step(run, f"{API}DataTypes", java_type, (), at))
        fields.append(ResultOf(add_step(run, f"{API}DataTypes", "FIELD", (Literal(name, "String"), made), at)))
    return ResultOf(add_step(run, f"{API}DataTypes", "ROW", (Several(tuple(fields)),), at))


_INFERRED: dict[type, str] = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE", str: "STRING"}
"""Type of a value → the type of its column, as Java's ``DataTypes`` calls it."""


def _inferred_columns(elements: Value, names: Value) -> list[tuple[str, str]] | None:
    """(name, type) of the columns that PyFlink infers (``_infer_schema_from_data`` of ``pyflink.table.types``).

    None where one is not known or has values of several types.
    """
    rows = [_values(element) for element in elements] if isinstance(elements, list | tuple) else []
    given = list(names) if isinstance(names, list | tuple) else []
    width = len(rows[0]) if rows and rows[0] is not None else 0
    given += [f"_{place + 1}" for place in range(len(given), width)]
    if not rows or any(row is None or len(row) != width for row in rows) or len(given) != width:
        return None
    found = []
    for place, name in enumerate(given):
        types = {type(row[place]) for row in rows if row is not None} - {type(None)}
        if len(types) != 1 or not isinstance(name, str) or not types <= _INFERRED.keys():
            return None
        found.append((name, _INFERRED[types.pop()]))
    return found


def _values(element: Value) -> list[Value] | None:
    """The values of a row; None where they have names of their own or are not known."""
    if isinstance(element, External) and element.called and element.simple == "Row" and not element.keywords:
        return list(element.arguments)
    return list(element) if isinstance(element, list | tuple) else None


def operator(run: Run, op: ast.AST, left: Value, right: Value, at: Location) -> Value:
    """``a + b``, ``a == b`` … of an expression of the Table API; unknown where it is not one of these."""
    name = _OPERATORS.get(type(op))
    if name is None or not isinstance(left, TableObject):
        return unknown("an operation on a table that is not followed", Cause.OTHER, at)
    return recorded(run, left.env, "Expression", left.step, name, Arguments([right], {}), at)


def _hole(run: Run, env: Environment, called: str, step: int, at: Location) -> Draft:
    """Operators that Flink's planner will make of a step."""
    steps = tuple(run.table_steps)
    of = described(steps, words)
    reason = f"{called}() plans the operators of a table when the program runs"
    unknown_part = Unknown(reason, Cause.UNSUPPORTED, None, at, derived_from=None if of is None else f"{OF_TABLES}{of}")
    return operators.declare(
        Kind.UNKNOWN, None, env.tabled, at, unknown=unknown_part, table_step=step,
        operator=f"table-plan {of or digest(steps)}",
    )  # fmt: skip


def _stream(run: Run, owner: TableObject, env: Environment, call: Call) -> Value:
    made = recorded(run, env, owner.role, owner.step, call.name, call.arguments, call.place)
    hole = _hole(run, env, java_name(call.name), made.step, call.place)
    operators.register(env, hole)
    assert hole.unknown is not None
    return Stream(
        env, hole, Elements(call.name != "to_retract_stream", hole.unknown)
    )  # which gives pairs, the others rows
