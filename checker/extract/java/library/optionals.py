"""``Optional``, atomic holders, ``StringBuilder``, class literals and composed functions."""

from __future__ import annotations

from tree_sitter import Node

from checker.extract.java.interpreter import calls, operators
from checker.extract.java.interpreter.frames import Frame, ThrowSignal
from checker.extract.java.interpreter.speculation import Run
from checker.extract.java.interpreter.values import (
    NULL,
    Builder,
    ClassLiteral,
    Constant,
    ExternalObject,
    Holder,
    ListValue,
    OptionalValue,
    Value,
    boolean,
    integer,
    is_null,
    string,
)
from checker.extract.java.library import resources
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl


def call(
    run: Run, receiver: OptionalValue | Holder | Builder | ClassLiteral, name: str, given: list[Value], node: Node,
    frame: Frame,
) -> Value | None:  # fmt: skip
    """A method of one of these; None where it is not modelled."""
    if isinstance(receiver, OptionalValue):
        return _optional(run, receiver, name, given, node, frame)
    if isinstance(receiver, Holder):
        return _holder(run, receiver, name, given, node, frame)
    if isinstance(receiver, Builder):
        return _builder(run, receiver, name, given, node, frame)
    if name == "cast" and len(given) == 1:
        return given[0]
    if name in ("getResourceAsStream", "getResource") and given and isinstance(given[0], Constant):
        path = given[0].text
        if not path.startswith("/") and isinstance(receiver.type, ClassDecl):
            path = f"{receiver.type.package.replace('.', '/')}/{path}"
        return resources.opened(run, path, frame)
    if name == "getClassLoader":
        return resources.class_loader()
    return _class(run, receiver, name)


def optional_of(run: Run, value: Value) -> Value:
    """``Optional.ofNullable``."""
    return OptionalValue(None if is_null(value) else value)


def _optional(
    run: Run, receiver: OptionalValue, name: str, given: list[Value], node: Node, frame: Frame
) -> Value | None:
    value = receiver.value
    if name in ("isPresent", "isEmpty"):
        return boolean((value is not None) == (name == "isPresent"))
    if name in ("get", "orElseThrow", "getAsInt", "getAsLong"):
        if value is None:
            raise ThrowSignal(ExternalObject(External(("java.util.NoSuchElementException",))))
        return value
    if name == "orElse":
        return value if value is not None else given[0]
    if name == "orElseGet":
        return value if value is not None else calls.call_function(run, given[0], [], node, frame)
    if name in ("map", "flatMap"):
        if value is None:
            return receiver
        result = calls.call_function(run, given[0], [value], node, frame)
        return result if name == "flatMap" else optional_of(run, result)
    if name == "filter":
        if value is None:
            return receiver
        verdict = run.truth(calls.call_function(run, given[0], [value], node, frame))
        return None if verdict is None else receiver if verdict else OptionalValue(None)
    if name == "ifPresent":
        if value is not None:
            calls.call_function(run, given[0], [value], node, frame)
        return NULL
    if name == "ifPresentOrElse":
        if value is not None:
            calls.call_function(run, given[0], [value], node, frame)
        else:
            calls.call_function(run, given[1], [], node, frame)
        return NULL
    if name == "or":
        return receiver if value is not None else calls.call_function(run, given[0], [], node, frame)
    if name == "stream":
        return ListValue((value,) if value is not None else (), "Stream")
    return None


def _holder(run: Run, receiver: Holder, name: str, given: list[Value], node: Node, frame: Frame) -> Value | None:
    if name in ("get", "intValue", "longValue", "getPlain", "getAcquire", "toString"):
        return receiver.value
    if name in ("set", "lazySet"):
        run.world.assign(receiver, "value", given[0])
        return NULL
    old = receiver.value
    deltas = {"incrementAndGet": 1, "getAndIncrement": 1, "decrementAndGet": -1, "getAndDecrement": -1}
    if name in deltas:
        new = operators.binary(run, "+", old, integer(deltas[name]), node, frame)
    elif name in ("addAndGet", "getAndAdd") and given:
        new = operators.binary(run, "+", old, given[0], node, frame)
    elif name == "getAndSet" and given:
        new = given[0]
    else:
        return None
    run.world.assign(receiver, "value", new)
    return old if name.startswith("getAnd") else new


def _builder(run: Run, receiver: Builder, name: str, given: list[Value], node: Node, frame: Frame) -> Value | None:
    if name == "append" and given:
        run.world.assign(receiver, "content", operators.concat(run, [receiver.content, given[0]], node, frame))
        return receiver
    if name == "insert" and len(given) == 2 and isinstance(given[0], Constant) and given[0].value == 0:
        run.world.assign(receiver, "content", operators.concat(run, [given[1], receiver.content], node, frame))
        return receiver
    if name == "toString":
        return receiver.content
    if name in ("length", "isEmpty", "charAt", "substring", "indexOf"):
        return calls.invoke(run, receiver.content, name, given, node, frame)
    if name in ("setLength", "deleteCharAt", "reverse", "replace", "delete") and isinstance(receiver.content, Constant):
        content = receiver.content.text
        if name == "setLength" and given and isinstance(given[0], Constant) and isinstance(given[0].value, int):
            run.world.assign(receiver, "content", string(content[: given[0].value], receiver.content.depends))
            return receiver
        if name == "deleteCharAt" and isinstance(given[0], Constant) and isinstance(given[0].value, int):
            at = given[0].value
            run.world.assign(receiver, "content", string(content[:at] + content[at + 1 :], receiver.content.depends))
            return receiver
    return None


def _class(run: Run, receiver: ClassLiteral, name: str) -> Value | None:
    simple = receiver.ref.simple
    if name == "getSimpleName":
        return string(simple + "[]" * receiver.ref.dimensions)
    if name in ("getName", "getTypeName", "getCanonicalName"):
        if isinstance(receiver.type, ClassDecl):
            nested = name == "getName"
            return string(receiver.type.binary_name if nested else receiver.type.qualified_name)
        if isinstance(receiver.type, External) and len(receiver.type.candidates) == 1:
            return string(receiver.type.name)
    if name == "getEnumConstants" and isinstance(receiver.type, ClassDecl):
        from checker.extract.java.interpreter import objects

        objects.ensure_initialized(run, receiver.type)
        return run.statics.get(run.static_key(receiver.type, "$VALUES"))
    return None


def compose(run: Run, first: Value, second: Value) -> Value:
    """A function that applies ``first`` and then ``second``."""
    return ExternalObject(External(("java.util.function.Function",)), (first, second), (("andThen", ()),))
