"""The Table API: every call is recorded for Flink's planner, and what becomes streams or jobs is a hole until then.

Tables, expressions, schemas, statement sets and configurations are library objects that know the step that made them.
"""

from dataclasses import replace

from checker.extract.datastream.records import Draft
from checker.extract.java.flink_api import element_types, jobs, unknowns
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import LimitSignal, throw
from checker.extract.java.machine.flink_values import EnvValue, StreamValue
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Builder,
    ClassLiteral,
    Constant,
    ExternalObject,
    Instance,
    ListValue,
    Opaque,
    Settings,
    Value,
)
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.sql.programs import (
    AS_ARGUMENTS,
    BUFFERS,
    ENVIRONMENTS,
    MAKES_STREAMS,
    RECORDED,
    RESULTS,
    SHOWS,
    is_job,
    submitting,
)
from checker.extract.sql.scripts.templates import words
from checker.extract.unfollowed.unread_code import NEEDS_CODE
from checker.model.table_programs import (
    Argument,
    ClassName,
    Literal,
    Options,
    OwnObject,
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
from checker.model.unknowns import OF_TABLES, Cause, Unknown

_MAX_STEPS = 5_000
_OF_TEXT = frozenset({"executeSql", "sqlQuery", "sqlUpdate", "explainSql"})
"""Calls that parse a statement; ``ParserImpl.parse`` matches it against patterns, which null is not for."""
_AS_BY_DEFAULT = "useBlinkPlanner"
"""What settings ask for anyhow in every supported release, so that taking it out is no edit."""
_API = "org.apache.flink.table.api."
_STATIC = ENVIRONMENTS | {
    "DataTypes", "EnvironmentSettings", "Expressions", "FormatDescriptor", "Over", "Schema", "Session", "Slide",
    "TableConfig", "TableDescriptor", "Tumble",
}  # fmt: skip
"""Classes of the Table API by whose names a program means them, whatever other packages it imports as a whole."""


def static_call(run: Run, external: External, call: Call) -> Value | None:
    """A static method or constructor of a class of the Table API; None for every other class."""
    owners = [name for name in external.candidates if name.startswith(RECORDED)]
    if not owners or (len(owners) < len(external.candidates) and external.simple not in _STATIC):
        return None
    env: EnvValue | None = None
    if external.simple in ENVIRONMENTS:
        run.limits.tables = True
        handed = next((value for value in map(run.settle, call.arguments) if isinstance(value, EnvValue)), None)
        env = handed or EnvValue()
    return _recorded(run, External(tuple(owners)), "|".join(owners), call, env)


def object_call(run: Run, receiver: ExternalObject, call: Call) -> Value | None:
    """A call on what an earlier call of the Table API gave; None for other objects."""
    if receiver.step is None:
        return None
    env = next((value for value in receiver.arguments if isinstance(value, EnvValue)), None)
    if call.name in _OF_TEXT and call.arguments[:1] and run.settle(call.arguments[0]) == NULL:
        throw("NullPointerException")
    if call.name == "toString" and not call.arguments:
        return run.interpreter.to_string(receiver)
    if call.name == _AS_BY_DEFAULT:
        return receiver
    if call.name in SHOWS and env is not None:
        return Opaque(receiver.unknown, run.fresh(call.name))
    if call.name == "execute" and receiver.type.simple in ENVIRONMENTS and env is not None:
        jobs.execute(run, env, call.site)
        return receiver
    return _recorded(run, receiver.type, receiver.step, call, env)


def _recorded(run: Run, owner: External, on: int | str, call: Call, env: EnvValue | None) -> Value:
    """The object that a call gives: the step, and where it makes a stream or a job also a hole."""
    arguments = tuple(_argument(run, run.settle(value), call) for value in call.arguments)
    if env is not None:
        read = tuple(s.draft for v in call.arguments for s in unknowns.streams_in(v) if s.draft is not None)
        if read:
            run.memory.assign(env, "tabled", tuple(dict.fromkeys((*env.tabled, *read))))
    step = _step(run, on, call, arguments)
    if env is not None and call.name in MAKES_STREAMS:
        return StreamValue("SingleOutputStreamOperator", env, _hole(run, env, call, step, registered=True))
    written = call.name == BUFFERS and any(submitting(argument) for argument in arguments)
    if env is not None and (written or (call.name == "insertInto" and run.api.inserts_wait)):
        _hole(run, env, call, step, registered=True)
    maker = run.jobs.table_steps[on].call if isinstance(on, int) else None
    if env is not None and is_job(owner.simple, maker, call.name, arguments):
        hole = _hole(run, env, call, step, registered=False)
        jobs.submit(run, env, (hole,), call.site)
    why = f"only the planner knows what {owner.simple}.{call.name}() returns"
    result = RESULTS.get(call.name)
    return ExternalObject(
        owner if result is None else External((_API + result,)),
        () if env is None else (env,),
        (),
        run.fresh(f"step {step}"),
        run.unknown(why, Cause.EXTERNAL, call.site),
        step=step,
    )


def _step(run: Run, on: int | str, call: Call, arguments: tuple[Argument, ...]) -> int:
    steps = run.jobs.table_steps
    if len(steps) >= _MAX_STEPS:
        raise LimitSignal(f"more than {_MAX_STEPS:,} calls of the Table API")
    location = run.location(call.site) or call.frame.decl.location
    made = TableStep(on=on, call=call.name, arguments=arguments, location=location)
    run.memory.assign(run.jobs, "table_steps", (*steps, made))
    return len(steps)


def _hole(run: Run, env: EnvValue, call: Call, step: int, *, registered: bool) -> Draft:
    """Operators that Flink's planner will make of a step."""
    reason = f"{call.name}() plans the operators of a table when the program runs"
    of = described(run.jobs.table_steps, words)
    unknown = Unknown(
        reason,
        Cause.UNSUPPORTED,
        None,
        run.location(call.site),
        derived_from=NEEDS_CODE if of is None else f"{OF_TABLES}{of}",
    )
    hole = jobs.make(
        run, env, Kind.UNKNOWN, call.site, inputs=env.tabled, unknown=unknown, register=registered,
        operator=f"table-plan {of or digest(run.jobs.table_steps)}",
    )  # fmt: skip
    run.memory.assign(hole, "table_step", step)
    return hole


def _argument(run: Run, value: Value, call: Call) -> Argument:
    if isinstance(value, Constant):
        return Literal(value.value, value.java)
    if isinstance(value, ExternalObject):
        return _object(run, value, call)
    if isinstance(value, StreamValue) and value.draft is not None:
        return _stream(run, value, call)
    if isinstance(value, EnvValue):
        return StreamEnvironment()
    if isinstance(value, ListValue) and value.elements is not None:
        return Several(tuple(_argument(run, run.settle(element), call) for element in value.elements))
    if isinstance(value, Settings) and value.complete:
        items = sorted(value.values.items())
        return Options(tuple((key, _argument(run, run.settle(option), call)) for key, option in items))
    if isinstance(value, ClassLiteral):
        own = isinstance(value.type, ClassDecl)
        name = value.type.binary_name if isinstance(value.type, ClassDecl) else ""
        name = name or (value.type.name if isinstance(value.type, External) else value.ref.name)
        return ClassName(name + "[]" * value.ref.dimensions, own)
    if isinstance(value, Instance):
        return OwnObject(value.decl.binary_name)
    if isinstance(value, Builder):
        return _argument(run, run.settle(value.content), call)
    if isinstance(value, Opaque) and value.parts:
        parts = [_argument(run, run.settle(part), call) for part in value.parts]
        if all(isinstance(part, Literal | Unknown | Template | ResultOf) for part in parts):
            texts = (text for part in parts for text in _texts(run, part, call))
            return Template(tuple(text for text in texts if text != ""))
    return jobs.unknown(value)


def _texts(run: Run, part: Argument, call: Call) -> tuple[str | Unknown | ResultOf, ...]:
    """What a part adds to a text: one that the program's way decided on has parts of its own."""
    if isinstance(part, Template):
        return part.parts
    if isinstance(part, ResultOf):
        return (ResultOf(_step(run, part.step, replace(call, name="toString"), ())),)
    return (part,) if isinstance(part, Unknown) else (str(part.value),) if isinstance(part, Literal) else ()


def _object(run: Run, value: ExternalObject, call: Call) -> Argument:
    """An object of a library: by its step, or by the calls that make it, recorded where it is used."""
    if value.step is not None:
        return ResultOf(value.step)
    owner = next((name for name in value.type.candidates if name.startswith((*AS_ARGUMENTS, *RECORDED))), None)
    if owner is None:
        return jobs.unknown(value)
    on: int | str = owner
    made = value.calls if not value.arguments else (("new", value.arguments), *value.calls)
    for name, given in made:
        arguments = tuple(_argument(run, run.settle(argument), call) for argument in given)
        on = _step(run, on, replace(call, name=name), arguments)
    return ResultOf(on) if isinstance(on, int) else jobs.unknown(value)


def _stream(run: Run, value: StreamValue, call: Call) -> Argument:
    handed = run.jobs.table_streams
    element = element_types.element_of(run, value, None)
    type_, classes = element_types.written(run, element)
    assert value.draft is not None
    run.memory.assign(run.jobs, "table_streams", (*handed, (value.draft, type_, classes, element.names)))
    return StreamInput(len(handed))
