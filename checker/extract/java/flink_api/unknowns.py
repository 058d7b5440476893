"""What can't be followed but may declare operators: transformations of kind ``unknown``, tainting what they touch."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from checker.extract.datastream.records import Draft
from checker.extract.datastream.table import words
from checker.extract.java.flink_api import jobs
from checker.extract.java.flink_api.states.held import closed_over
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.descriptions import described_as, expression_text, short
from checker.extract.java.machine.flink_values import EnvValue, StreamValue
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    Constant,
    ExternalObject,
    Frame,
    Instance,
    Lambda,
    MethodRef,
    Opaque,
    Value,
    parts_of,
)
from checker.extract.java.syntax.tree import Node, walk
from checker.extract.java.syntax.type_refs import lambda_parameters
from checker.extract.sql.programs import ENVIRONMENTS
from checker.extract.unfollowed.unread_code import CODE
from checker.model.topology import Kind
from checker.model.unknowns import Unknown

_HARMLESS_CLASSES = words("harmless_classes")
_HARMLESS_METHODS = words("harmless_methods")

_MOST_WAYS = 8
"""How many ways of a function that library code is given are looked at."""


def harmless(simple: str, name: str) -> bool:
    """Whether a library call certainly declares no operators, whatever it is handed."""
    return simple in _HARMLESS_CLASSES or name in _HARMLESS_METHODS


def carries_topology(run: Run, values: Sequence[Value], frame: Frame) -> bool:
    """Whether any of the values is, or holds, a stream or an environment."""
    return any(env_in(value) is not None or _declares(run, value, frame) for value in values)


def _declares(run: Run, value: Value, frame: Frame) -> bool:
    """Whether a function that is passed to unknown code would declare operators when called."""
    if not isinstance(value, Lambda | MethodRef) or not run.envs:
        return False
    if isinstance(value, Lambda) and not any(node.type == "method_invocation" for node in walk(value.node)):
        return False
    count = len(lambda_parameters(value.node)) if isinstance(value, Lambda) else 0
    unknown = Unknown("cannot tell what library code hands to a function")
    given: list[Value] = [Opaque(unknown, run.fresh("handed")) for _ in range(count)]
    call = Call("apply", given, Site(None, frame))
    return run.speculate(lambda: run.interpreter.call_function(value, call), _MOST_WAYS)


def _parts(value: Value) -> list[Value]:
    parts = list(parts_of(value))
    if isinstance(value, Instance) and value.captured is not None:
        return [*parts, *_streams_around(value.decl.node, value.captured)]
    return _streams_around(value.node, value.frame) if isinstance(value, Lambda) else parts


def _streams_around(code: Node, frame: Frame) -> list[Value]:
    """Streams and environments among the local variables that a lambda or local class mentions."""
    return [value for _, value in closed_over(code, frame) if isinstance(value, StreamValue | EnvValue)]


def _within(value: Value, depth: int = 0) -> Iterator[Value]:
    """A value, and what it holds."""
    yield value
    for part in _parts(value) if depth <= 2 else ():
        if not isinstance(part, Constant | Opaque):
            yield from _within(part, depth + 1)


def streams_in(value: Value) -> list[StreamValue]:
    """All streams that a value is or holds: of two that are connected, both."""
    found = [inner for inner in _within(value) if isinstance(inner, StreamValue)]
    return [part for stream in found for part in (stream.parts if stream.draft is None else (stream,))]


def env_in(value: Value) -> EnvValue | None:
    """The first environment that a value is or holds."""
    return next((env for inner in _within(value) if (env := _env_of(inner)) is not None), None)


def _env_of(value: Value) -> EnvValue | None:
    if isinstance(value, StreamValue):
        return value.env
    if isinstance(value, ExternalObject) and value.type.simple in ENVIRONMENTS:
        return next((argument for argument in value.arguments if isinstance(argument, EnvValue)), None)
    return value if isinstance(value, EnvValue) else None


_SINKS = frozenset({Kind.SINK, Kind.LEGACY_SINK})


def escaped(run: Run, unknown: Unknown, call: Call, of: tuple[Value, ...] = ()) -> Value:
    """The result of a call that can't be followed; where it was handed streams it becomes a transformation."""
    envs = [env for env in (env_in(value) for value in call.arguments) if env is not None]
    if not envs and call.node is not None and any(_declares(run, value, call.frame) for value in call.arguments):
        envs = [jobs.default(run)]
    if not envs or call.node is None:
        return Opaque(unknown, run.fresh("result"))
    drafts_ = (s.draft for value in call.arguments for s in streams_in(value) if s.draft is not None)
    inputs = tuple(draft for draft in dict.fromkeys(drafts_) if draft.kind not in _SINKS)  # which nothing reads
    if unknown.derived_from is None and unknown.cause not in CODE:
        expression = f"{call.name}({', '.join(described_as(value) for value in (*of, *call.arguments))})"
        unknown = replace(unknown, derived_from=short(expression_text(expression, unknown.cause)))
    made = stream(run, envs[0], unknown, inputs, call.site)
    return Opaque(unknown, run.fresh("result"), origin=made.draft)


def stream(run: Run, env: EnvValue, unknown: Unknown, inputs: tuple[Draft, ...], site: Site) -> StreamValue:
    """A stream that comes out of operators that are not known."""
    draft = jobs.make(run, env, Kind.UNKNOWN, site, inputs=inputs, unknown=unknown)
    return StreamValue("SingleOutputStreamOperator", env, draft)


def stream_for(run: Run, unknown: Unknown, simple: str, site: Site) -> StreamValue:
    """A stream of a declared class of which nothing is known."""
    made = stream(run, jobs.default(run), unknown, (), site)
    return StreamValue(simple, made.env, made.draft)


def everything(run: Run, unknown: Unknown, site: Site) -> None:
    """Anything may happen here: every environment gets an unknown transformation."""
    for env in run.envs or [jobs.default(run)]:
        stream(run, env, unknown, (), site)
