"""``new`` of library classes that are modelled, and what their plain objects answer."""

from __future__ import annotations

from checker.extract.java.library import (
    builders,
    function_objects,
    lang,
    new_collections,
    optionals,
    resources,
    strings,
)
from checker.extract.java.machine import exceptions, numbers
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.numbers import UNITS, boxed, nanoseconds
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    ClassLiteral,
    Constant,
    EntryValue,
    ExternalObject,
    Settings,
    Value,
    boolean,
    depends_of,
    integer,
    string,
)
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.type_refs import TypeRef

_HOLDERS = {"AtomicReference": NULL, "AtomicInteger": integer(0), "AtomicLong": Constant(0, "long"),
            "AtomicBoolean": Constant(False, "boolean")}  # fmt: skip

_SAME_FILE = frozenset(
    {"getPath", "getFile", "getAbsolutePath", "getAbsoluteFile", "getCanonicalPath", "normalize", "openStream",
     "toAbsolutePath", "toFile", "toPath", "toURI"}
)  # fmt: skip


def create(run: Run, external: External, call: Call) -> Value | None:
    """A new object of a library class, None where the class is not modelled."""
    given = call.arguments
    simple = external.simple
    made = new_collections.create(run, simple, call)
    if made is not None:
        return made
    if simple in _HOLDERS:
        return optionals.holder(simple, given[0] if given else _HOLDERS[simple])
    if simple in ("StringBuilder", "StringBuffer"):
        return builders.create(call.arguments)
    if simple == "String" and given and (text := resources.text_of(run, *given)) is not None:
        return text
    if simple == "String":
        return strings.create(call.arguments)
    if simple == "Configuration":
        if given and isinstance(given[0], Settings):
            return Settings(dict(given[0].values), given[0].complete, given[0].source)
        return Settings()
    if simple in ("Integer", "Long", "Boolean", "Double") and call.arguments:
        return lang.static(run, simple, call.having(name="valueOf"))
    if simple in ("SimpleEntry", "SimpleImmutableEntry") and len(call.arguments) == 2:
        parts = (("getKey", boxed(call.arguments[0])), ("getValue", boxed(call.arguments[1])))
        return EntryValue(parts)
    if simple in ("Tuple2", "Tuple3", "Tuple4", "Tuple5") and given:
        return EntryValue(tuple((f"f{place}", value) for place, value in enumerate(given)))
    return None


def call(run: Run, receiver: ExternalObject, call: Call) -> Value | None:
    """The result of a modelled call of a library object; None for everything else."""
    if isinstance(receiver, function_objects.LibraryFunction):
        return function_objects.call(run, receiver, call)
    if exceptions.of_jdk(receiver.type.simple):
        found = exception_says(receiver, call.name) if not call.arguments else None
        if found is not None:
            return found
    if receiver.type.simple == "Duration":
        return _of_duration(receiver, call)
    if receiver.type == resources.STREAM and call.name == "readAllBytes":
        return receiver  # the bytes of the same file
    if receiver.type.simple == "OutputTag" and call.name == "getId" and receiver.arguments:
        return receiver.arguments[0]
    if call.name in _SAME_FILE and not call.arguments and resources.path_of(run, receiver):
        return receiver  # another name of the same file
    if call.name == "lines" and receiver.type.simple == "BufferedReader" and not call.arguments:
        return resources.lines_of_reader(run, receiver)
    if call.name in ("getContextClassLoader", "getClassLoader"):
        return resources.class_loader()
    if receiver.type.simple == "ClassLoader" and call.name in ("getResourceAsStream", "getResource") and call.arguments:
        return (
            resources.opened(run, call.arguments[0].text, call.frame)
            if isinstance(call.arguments[0], Constant)
            else None
        )
    return None


def exception_says(receiver: ExternalObject, name: str) -> Value | None:
    """What an exception of the JDK says, where its constructor was given all of it."""
    if not exceptions.of_jdk(receiver.type.simple) or len(receiver.type.candidates) != 1:
        return None
    message = receiver.arguments[0] if len(receiver.arguments) == 1 else None
    if name in ("getMessage", "getLocalizedMessage"):
        return message if isinstance(message, Constant) and message.java in ("String", "null") else None
    if name == "getClass":
        return ClassLiteral(TypeRef(receiver.type.simple), receiver.type)
    if name == "toString" and isinstance(message, Constant) and message.java == "String":
        return string(f"{receiver.type.name}: {message.text}")
    return None


def _of_duration(receiver: ExternalObject, request: Call) -> Value | None:
    """What a duration answers; None where that is not known, and for calls that give another duration."""
    nanos = nanoseconds(receiver)
    if nanos is not None and request.name in ("isZero", "isNegative"):
        return boolean(nanos == 0 if request.name == "isZero" else nanos < 0, depends_of(receiver))
    unit = "Seconds" if request.name == "getSeconds" else request.name.removeprefix("to")
    if nanos is None or request.arguments or unit not in UNITS or nanos < 0:  # Javas round negative ones differently
        return None
    return numbers.constant(nanos // UNITS[unit], "long", depends_of(receiver))
