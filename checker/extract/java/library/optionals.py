"""``Optional``, atomic holders, ``StringBuilder``, class literals and composed functions."""

from __future__ import annotations

from checker.extract.java.interpreter import calls, operators
from checker.extract.java.interpreter.call_record import Call
from checker.extract.java.interpreter.frames import ThrowSignal
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
    run: Run, receiver: OptionalValue | Holder | Builder | ClassLiteral, call: Call,
) -> Value | None:  # fmt: skip
    """A method of one of these; None where it is not modelled."""
    if isinstance(receiver, OptionalValue):
        return _optional(run, receiver, call)
    if isinstance(receiver, Holder):
        return _holder(run, receiver, call)
    if isinstance(receiver, Builder):
        return _builder(run, receiver, call)
    if call.name == "cast" and len(call.arguments) == 1:
        return call.arguments[0]
    if (
        call.name in ("getResourceAsStream", "getResource")
        and call.arguments
        and isinstance(call.arguments[0], Constant)
    ):
        path = call.arguments[0].text
        if not path.startswith("/") and isinstance(receiver.type, ClassDecl):
            path = f"{receiver.type.package.replace('.', '/')}/{path}"
        return resources.opened(run, path, call.frame)
    if call.name == "getClassLoader":
        return resources.class_loader()
    return _class(run, receiver, call.name)


def optional_of(run: Run, value: Value) -> Value:
    """``Optional.ofNullable``."""
    return OptionalValue(None if is_null(value) else value)


def _optional(run: Run, receiver: OptionalValue, call: Call) -> Value | None:
    value = receiver.value
    if call.name in ("isPresent", "isEmpty"):
        return boolean((value is not None) == (call.name == "isPresent"))
    if call.name in ("get", "orElseThrow", "getAsInt", "getAsLong"):
        if value is None:
            raise ThrowSignal(ExternalObject(External(("java.util.NoSuchElementException",))))
        return value
    if call.name == "orElse":
        return value if value is not None else call.arguments[0]
    if call.name == "orElseGet":
        return value if value is not None else calls.call_function(run, call.arguments[0], call.having(arguments=[]))
    if call.name in ("map", "flatMap"):
        if value is None:
            return receiver
        result = calls.call_function(run, call.arguments[0], call.having(arguments=[value]))
        return result if call.name == "flatMap" else optional_of(run, result)
    if call.name == "filter":
        if value is None:
            return receiver
        verdict = run.truth(calls.call_function(run, call.arguments[0], call.having(arguments=[value])))
        return None if verdict is None else receiver if verdict else OptionalValue(None)
    if call.name == "ifPresent":
        if value is not None:
            calls.call_function(run, call.arguments[0], call.having(arguments=[value]))
        return NULL
    if call.name == "ifPresentOrElse":
        if value is not None:
            calls.call_function(run, call.arguments[0], call.having(arguments=[value]))
        else:
            calls.call_function(run, call.arguments[1], call.having(arguments=[]))
        return NULL
    if call.name == "or":
        return receiver if value is not None else calls.call_function(run, call.arguments[0], call.having(arguments=[]))
    if call.name == "stream":
        return ListValue((value,) if value is not None else (), "Stream")
    return None


def _holder(run: Run, receiver: Holder, call: Call) -> Value | None:
    if call.name in ("get", "intValue", "longValue", "getPlain", "getAcquire", "toString"):
        return receiver.value
    if call.name in ("set", "lazySet"):
        run.memory.assign(receiver, "value", call.arguments[0])
        return NULL
    old = receiver.value
    deltas = {"incrementAndGet": 1, "getAndIncrement": 1, "decrementAndGet": -1, "getAndDecrement": -1}
    if call.name in deltas:
        new = operators.binary(run, "+", old, integer(deltas[call.name]), call.site)
    elif call.name in ("addAndGet", "getAndAdd") and call.arguments:
        new = operators.binary(run, "+", old, call.arguments[0], call.site)
    elif call.name == "getAndSet" and call.arguments:
        new = call.arguments[0]
    else:
        return None
    run.memory.assign(receiver, "value", new)
    return old if call.name.startswith("getAnd") else new


def _builder(run: Run, receiver: Builder, call: Call) -> Value | None:
    if call.name == "append" and call.arguments:
        run.memory.assign(receiver, "content", operators.concat(run, [receiver.content, call.arguments[0]], call.site))
        return receiver
    if (
        call.name == "insert"
        and len(call.arguments) == 2
        and isinstance(call.arguments[0], Constant)
        and call.arguments[0].value == 0
    ):
        run.memory.assign(receiver, "content", operators.concat(run, [call.arguments[1], receiver.content], call.site))
        return receiver
    if call.name == "toString":
        return receiver.content
    if call.name in ("length", "isEmpty", "charAt", "substring", "indexOf"):
        return calls.invoke(run, receiver.content, call)
    if call.name in ("setLength", "deleteCharAt", "reverse", "replace", "delete") and isinstance(
        receiver.content, Constant
    ):
        content = receiver.content.text
        if (
            call.name == "setLength"
            and call.arguments
            and isinstance(call.arguments[0], Constant)
            and isinstance(call.arguments[0].value, int)
        ):
            run.memory.assign(receiver, "content", string(content[: call.arguments[0].value], receiver.content.depends))
            return receiver
        if (
            call.name == "deleteCharAt"
            and isinstance(call.arguments[0], Constant)
            and isinstance(call.arguments[0].value, int)
        ):
            at = call.arguments[0].value
            run.memory.assign(receiver, "content", string(content[:at] + content[at + 1 :], receiver.content.depends))
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
