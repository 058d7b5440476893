"""What a call may change whose code is not followed.

Code outside of the repository may change what it is given: collections, maps, options filled by annotations. It may
call the functions that it gets. Code of the repository that could not be followed may also change the static fields of
its classes. Flink, the JDK, loggers and the connectors of the tables only read what they are given, but for the JDK's
own mutators.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from enum import Enum, auto
from typing import Final

from checker.extract.datastream.table import words
from checker.extract.java.flink_api import unknowns
from checker.extract.java.library import makers
from checker.extract.java.library.contents import WRITES_THROUGH, only_asks
from checker.extract.java.library.contents import forget as forget_content
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.descriptions import unknown_after
from checker.extract.java.machine.exceptions import OF_LIBRARIES, of_jdk
from checker.extract.java.machine.flink_values import EnvValue, StreamValue
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    Builder,
    Choice,
    Constant,
    Described,
    EntryValue,
    Frame,
    Instance,
    Lambda,
    ListValue,
    MapValue,
    MethodRef,
    Opaque,
    OptionalValue,
    Settings,
    Value,
    is_null,
    parts_of,
)
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.type_refs import lambda_parameters
from checker.extract.unfollowed.unread_code import NEEDS_CODE
from checker.model.unknowns import Cause, Unknown

_READERS: Final = (
    "java.", "javax.", "org.apache.flink.", "org.slf4j.", "org.apache.log4j.", "org.apache.logging.",
    "org.apache.kafka.",
    "com.google.common.collect.", "com.google.common.base.", "org.apache.commons.lang", "org.junit.", "lombok.",
    "ch.qos.logback.", "scala.", "kotlin.",
)  # fmt: skip
_OF_STREAMS: Final = words("graph_names") | {"process", "transform"}
_RUNS_LATER: Final = (
    "org.apache.flink.", "org.apache.kafka.", "org.slf4j.", "org.apache.log4j.", "org.apache.logging.",
)  # fmt: skip
"""Libraries whose functions run in the cluster or not at all, never while the graph is built."""
LOOKS_UP: Final = (
    "java.lang.reflect.", "java.lang.Class", "java.lang.invoke.", "java.util.ServiceLoader", "javax.script.",
)  # fmt: skip
"""Classes of the JDK that find code or files by their names."""


class Fields(Enum):
    """Which fields of the repository's objects a call may have assigned."""

    ANNOTATED = auto()
    """Those that a command line or a container fills in."""
    PLAIN = auto()
    """Those of options objects that are annotated, all of other objects."""
    ALL = auto()
    """All that code of the repository can assign."""


def of_library_call(run: Run, owner: External, call: Call) -> None:
    """What a call of a library may have changed in its arguments."""
    only_reads = all(candidate.startswith(_READERS) for candidate in owner.candidates)
    of_streams = call.name in _OF_STREAMS and owner.name.startswith("java.")  # which a collection handed out
    if (call.name != "new" and not only_reads) or of_streams or owner.name.startswith(LOOKS_UP):
        run.gap(call.site)
    by = f"{owner.simple}.{call.name}()"
    if _throws(owner, call):
        unknown = run.unknown(f"{by} is not in the repository", Cause.EXTERNAL, call.site)
        run.may_throw_any(OF_LIBRARIES, unknown, *call.arguments)
    if not all(candidate.startswith(_RUNS_LATER) for candidate in owner.candidates):
        calls_back(run, call, by)
    if only_reads:
        if owner.simple in ("Collections", "Arrays") and call.name in makers.CHANGES and call.arguments:
            forget_content(run, call.arguments[0], Unknown(f"{by} changes it", Cause.EXTERNAL))
            forget(run, call.arguments[:1], by, call.site)
        return
    forget(run, call.arguments, by, call.site, fields=Fields.ANNOTATED if only_asks(call.name) else Fields.PLAIN)


_THROWING_OF_TEXT: Final = frozenset({"charAt", "substring", "subSequence", "codePointAt", "repeat", "format"})


def _throws(owner: External, call: Call) -> bool:
    """Whether a call of a library may end with an exception that a program would wait for."""
    if any(candidate.startswith(_RUNS_LATER) for candidate in owner.candidates) or of_jdk(owner.simple):
        return False
    if owner.simple == "String":
        return call.name in _THROWING_OF_TEXT
    return not unknowns.harmless(owner.simple, call.name)


def of_modelled_call(run: Run, receiver: Value, call: Call) -> None:
    """A method that is not modelled of a modelled object: its content is forgotten, unless the method only asks."""
    unknown = run.unknown(f"'{call.name}' is not evaluated", Cause.UNSUPPORTED, call.site)
    run.may_throw_any(OF_LIBRARIES, unknown, receiver, *call.arguments)
    contents = receiver.contents if isinstance(receiver, ListValue) else ()
    made = calls_back(run, call, f"'{call.name}'", (*contents, *call.arguments))
    if not only_asks(call.name):
        made = NEEDS_CODE if call.name in WRITES_THROUGH else made
        left = unknown_after(receiver, call, replace(unknown, cause=Cause.EXTERNAL), made)
        forget(run, [receiver], f"'{call.name}'", call.site, derived_from=left.derived_from)


def calls_back(
    run: Run, call: Call, by: str, functions: Sequence[Value] | None = None, *, derived_from: str | None = None
) -> str | None:
    """Functions that are handed out may be called any number of times, with whatever arguments.

    ``derived_from`` is what decides that where the call and its arguments do not. Returns what a single function's
    doing is made of, None where there are none or several.
    """
    made: list[str | None] = []
    for value in call.arguments if functions is None else functions:
        if not isinstance(value, Lambda | MethodRef):
            continue
        count = len(lambda_parameters(value.node)) if isinstance(value, Lambda) else 1
        unknown = run.unknown(f"cannot tell what {by} hands to a function", Cause.EXTERNAL, call.site)
        unknown = replace(unknown, derived_from=derived_from)
        given: Sequence[Value] = [Opaque(unknown, run.fresh("handed")) for _ in range(count)]

        def once(frame: Frame, function: Value = value, given: Sequence[Value] = given) -> None:
            run.interpreter.call_function(function, Call("apply", given, Site(call.node, frame)))

        made.append(run.interpreter.unknown_loop(once, unknown, call.site, None))
    return made[0] if len(made) == 1 else None


def forget(
    run: Run,
    values: Sequence[Value],
    by: str,
    site: Site,
    *,
    fields: Fields = Fields.ANNOTATED,
    replacement: Value | None = None,
    derived_from: str | None = None,
) -> list[Value]:
    """The content of values is not known any more. ``fields`` are those of the repository's objects, too.

    Returns the functions that the values hold.
    """
    unknown = Unknown(
        f"its content was given by {by}, which is not in the repository",
        Cause.EXTERNAL,
        None,
        run.location(site),
        derived_from=derived_from,
    )
    seen: dict[int, Value] = {}
    for value in values:
        _forget(run, value, unknown, fields, replacement, seen)
    return [part for part in seen.values() if isinstance(part, Lambda | MethodRef) and part not in values]


_CHANGING: Final = (
    ListValue, MapValue, Settings, Builder, Described, Instance, OptionalValue, EntryValue, Choice,
)  # fmt: skip
"""What may be changed where it is, or holds something that may."""
_NOTED: Final = (*_CHANGING, Lambda, MethodRef)


def _forget(
    run: Run, value: Value, unknown: Unknown, fields: Fields, replacement: Value | None, seen: dict[int, Value]
) -> None:
    if id(value) in seen:
        return
    seen[id(value)] = value
    inner: Iterable[Value] = () if isinstance(value, Instance | MethodRef) else parts_of(value)
    if isinstance(value, ListValue) and value.kind == "args":
        return
    if isinstance(value, ListValue | MapValue):
        forget_content(run, value, unknown)
    elif isinstance(value, Settings):
        run.memory.assign(value, "complete", False)
    elif isinstance(value, Builder):
        run.memory.assign(value, "content", Opaque(unknown, run.fresh("text")))
    elif isinstance(value, Described):
        run.memory.assign(value, "ttl", Opaque(unknown, run.fresh("time-to-live")))
    elif isinstance(value, Instance) and value.name is None:
        inner = _forget_fields(run, value, unknown, fields, replacement)
    for part in inner:
        if isinstance(part, _NOTED):
            _forget(run, part, unknown, fields, replacement, seen)


def _forget_fields(
    run: Run, value: Instance, unknown: Unknown, which: Fields, replacement: Value | None
) -> list[Value]:
    """Fields that may be assigned: annotated ones are what a command line or container fills in."""
    nothing_given = run.entry.args == () and run.entry.texts_known
    inner: list[Value] = []
    owners = run.index.lineage(value.decl)
    marked = any(declared.annotated for owner in owners for declared in owner.fields.values())
    every = which is Fields.ALL or (which is Fields.PLAIN and not marked)
    for owner in owners:
        for declared in owner.fields.values():
            content = value.fields.get(declared.name)
            if declared.static or content is None:
                continue
            annotated = not nothing_given and declared.annotated
            if declared.final or not (annotated or every):
                if every:
                    inner.append(content)
                continue
            run.memory.put(value.fields, declared.name, _any(run, content, declared.name, unknown, replacement))
            inner.append(content)
    return [*inner, *_around(value)] if which is Fields.ALL else inner


def _around(value: Instance) -> Iterator[Value]:
    """What code of an inner, local or anonymous class can change besides: its outer object, what variables hold."""
    if value.outer is not None:
        yield value.outer
    scope = None if value.captured is None else value.captured.scope
    while scope is not None:
        yield from scope.variables.values()
        scope = scope.parent


def _any(run: Run, content: Value, name: str, unknown: Unknown, replacement: Value | None) -> Value:
    """What a variable may hold after code that is not known."""
    if isinstance(content, StreamValue):
        origin = replacement.origin if isinstance(replacement, Opaque) else None
        return StreamValue(content.type, content.env, origin or content.draft)
    if isinstance(content, EnvValue):
        return content
    kind = content.type if isinstance(content, Opaque) else None
    if isinstance(content, Constant) and not is_null(content) and content.java == "String":
        kind = External(("java.lang.String",))
    return Opaque(unknown, run.fresh(name), kind)


def forget_statics(run: Run, unknown: Unknown) -> None:
    """Static fields that code of the repository can assign."""
    for key, owner in list(run.initialized.items()):
        for declared in owner.fields.values():
            if not declared.static:
                continue
            place = (key, declared.name)
            content = run.statics.get(place)
            if declared.final and isinstance(content, _CHANGING):
                _forget(run, content, unknown, Fields.ALL, None, {})
            elif content is not None and not declared.final:
                run.memory.put(run.statics, place, _any(run, content, declared.name, unknown, None))
