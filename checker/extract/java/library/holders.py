"""What holds one value or one text: ``Optional``, class literals, ``StringBuilder``."""

from collections.abc import Sequence
from functools import partial

from checker.extract.java.library import resources
from checker.extract.java.library.contents import apply, test
from checker.extract.java.machine import operators
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import ThrowSignal, throw
from checker.extract.java.machine.numbers import boxed
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Builder,
    Choice,
    ClassLiteral,
    Constant,
    Opaque,
    OptionalValue,
    Value,
    boolean,
    is_null,
    string,
    unknown_of,
)
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind
from checker.model.unknowns import Cause


def call(
    run: Run, receiver: OptionalValue | Builder | ClassLiteral, call: Call,
) -> Value | None:  # fmt: skip
    """A method of one of these; None where it is not modelled."""
    if isinstance(receiver, OptionalValue):
        return _optional(run, receiver, call)
    if isinstance(receiver, Builder):
        return call_of_builder(run, receiver, call)
    if call.name == "cast" and len(call.arguments) == 1:
        return call.arguments[0]
    if call.name in ("getResourceAsStream", "getResource") and call.arguments:
        package = f"{receiver.type.package.replace('.', '/')}/" if isinstance(receiver.type, ClassDecl) else ""
        return resources.named(run, call.arguments[0], call.frame, package)
    if call.name == "getClassLoader":
        return resources.class_loader()
    return _class(run, receiver, call.name)


def static(run: Run, call: Call) -> Value | None:
    """``Optional.of``, ``ofNullable`` and ``empty``: a value that is not known may be null."""
    if call.name == "empty":
        return OptionalValue(None)
    return _made(run, call.name, call.arguments[0], call) if call.arguments else None


def _made(run: Run, name: str, value: Value, call: Call) -> Value | None:
    """An Optional of a value; None where it may be a stream, or one of too many values."""
    options = [option for _, option in value.options] if isinstance(value, Choice) else [value]
    node = call.site.node
    if node is None or any(isinstance(o, Choice) or (isinstance(o, Opaque) and o.origin is not None) for o in options):
        return None
    if isinstance(value, Choice):
        return run.ways(value, [partial(_of_one, run, name, option, call, node.id) for option in options])
    return _of_one(run, name, value, call, node.id)


def _of_one(run: Run, name: str, value: Value, call: Call, key: int) -> Value:
    if isinstance(value, Opaque) and name == "ofNullable":
        null = operators.binary(run, "==", value, NULL, call.site)
        return run.branch(null, lambda: OptionalValue(None), lambda: OptionalValue(value), name, key)
    if is_null(value):
        return OptionalValue(None) if name == "ofNullable" else throw("NullPointerException")
    return OptionalValue(boxed(value))


def _optional(run: Run, receiver: OptionalValue, call: Call) -> Value | None:
    value, name, given = receiver.value, call.name, call.arguments
    match name, len(given):
        case (("isPresent" | "isEmpty"), 0):
            return boolean((value is not None) == (name == "isPresent"))
        case (("get" | "orElseThrow"), 0):
            return value if value is not None else throw("NoSuchElementException")
        case "orElseThrow", 1:
            if value is not None:
                return value
            raise ThrowSignal(run.settle(apply(run, given[0], [], call)))
        case "orElse", 1:
            return value if value is not None else boxed(given[0])
        case "orElseGet", 1:
            return value if value is not None else apply(run, given[0], [], call)
        case (("map" | "flatMap"), 1):
            if value is None:
                return receiver
            result = apply(run, given[0], [value], call)
            return result if name == "flatMap" else _made(run, "ofNullable", result, call)
        case "filter", 1:
            if value is None or test(run, given[0], [value], call):
                return receiver
            return OptionalValue(None)
        case (("ifPresent" | "ifPresentOrElse"), 1 | 2):
            if value is not None:
                apply(run, given[0], [value], call)
            elif len(given) == 2:
                apply(run, given[1], [], call)
            return NULL
    return None


def _class(run: Run, receiver: ClassLiteral, name: str) -> Value | None:
    simple = receiver.ref.simple
    if name == "getSimpleName" and isinstance(receiver.type, ClassDecl) and receiver.type.kind is ClassKind.ANONYMOUS:
        return string("")
    if name == "getSimpleName":
        return string(simple + "[]" * receiver.ref.dimensions)
    if name in ("getName", "getTypeName", "getCanonicalName"):
        if isinstance(receiver.type, ClassDecl):
            nested = name == "getName"
            return string(receiver.type.binary_name if nested else receiver.type.qualified_name)
        if isinstance(receiver.type, External) and len(receiver.type.candidates) == 1:
            return string(receiver.type.name)
    return None


def create_builder(given: Sequence[Value]) -> Value:
    """``new StringBuilder(...)``."""
    if given and isinstance(given[0], Constant) and given[0].java != "String":
        return Builder(string(""))
    if given and isinstance(given[0], Builder):
        return Builder(given[0].content)
    return Builder(given[0] if given else string(""))


def call_of_builder(run: Run, receiver: Builder, request: Call) -> Value | None:
    """A method of StringBuilder; None where it is not modelled."""
    name, given, site = request.name, request.arguments, request.site
    match name, len(given):
        case "append", 1:
            value = operators.concat(run, [receiver.content, run.settle(given[0])], site)
            run.memory.assign(receiver, "content", value)
            return receiver
        case "toString", 0:
            return receiver.content
        case "equals", 1:
            return None
    content = receiver.content
    if not isinstance(content, Constant) or not isinstance(content.value, str):
        return _on_unknown(run, receiver, request)
    if name in _CHANGES:
        return _on_unknown(run, receiver, request)
    return run.interpreter.invoke(content, request) if name in ("length", "isEmpty", "substring", "indexOf") else None


_CHANGES = frozenset(
    {"reverse", "insert", "setCharAt", "setLength", "deleteCharAt", "delete", "replace", "appendCodePoint", "append"}
)


def _on_unknown(run: Run, receiver: Builder, request: Call) -> Value:
    unknown = unknown_of(receiver.content) or run.unknown("an unknown text", Cause.OTHER, request.site)
    if request.name in _CHANGES:
        run.memory.assign(receiver, "content", Opaque(unknown, run.fresh("text")))
        return receiver
    return Opaque(unknown, run.fresh(request.name))
