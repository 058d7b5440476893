"""Static methods of library classes, on known values."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from checker.extract.datastream.table import table
from checker.extract.java.library import configuration, holders, lang, makers, parameters, resources, strings
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.descriptions import described_as, expression_of, short
from checker.extract.java.machine.exceptions import ExitSignal
from checker.extract.java.machine.flink_values import Parameters
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Choice,
    ClassLiteral,
    Constant,
    MapValue,
    Opaque,
    Value,
    boolean,
    is_null,
    string,
    unknown_of,
)
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.type_refs import UNBOXED, TypeRef
from checker.extract.unfollowed.unread_code import NEEDS_CODE
from checker.model.unknowns import Cause, given_by, not_given

Handler = Callable[[Run, Call], Value | None]

_PURE: Final = frozenset({*UNBOXED, "Math", "StrictMath", "String"})
"""Classes whose static methods only compute."""


_ONLY_STATIC: Final = frozenset({"Math", "StrictMath", "Objects", "Collections", "Arrays", "Collectors"})
_FACTORIES: Final = frozenset({"of", "copyOf", "ofNullable", "entry", "concat", "ofEntries", "fromArgs", "fromMap"})
_OF_BOXES: Final = frozenset(
    {"valueOf", "copyValueOf", "format", "join", "compare", "max", "min", "sum", "toHexString"}
)


def known(simple: str, name: str, count: int) -> bool:
    """Whether ``Type::name`` with some arguments is a static method (and not one of its first argument's)."""
    if simple in _PURE and not simple.endswith("Math"):
        about = "is" if simple == "Character" else "parse"
        return name in _OF_BOXES or name.startswith(about) or (name == "toString" and count == 2)
    return simple in _ONLY_STATIC or name in _FACTORIES or (simple, name) in _HANDLERS


def call(run: Run, external: External, call: Call) -> Value | None:
    """The result of a static library call, None where it is not modelled."""
    found = _modelled(run, external, call)
    if found is not None and (external.simple, call.name) in _PARSES and unknown_of(found) is not None:
        run.may_throw("NumberFormatException", *call.arguments)
    return found


_PARSES = frozenset(
    {("Integer", "parseInt"), ("Integer", "valueOf"), ("Long", "parseLong"), ("Long", "valueOf"),
     ("Double", "parseDouble"), ("Double", "valueOf"), ("Float", "parseFloat"), ("Short", "parseShort"),
     ("Byte", "parseByte"), ("Objects", "requireNonNull"), ("UUID", "fromString"), ("Duration", "parse")}
)  # fmt: skip
"""Static methods that throw where their argument does not fit."""


def _modelled(run: Run, external: External, call: Call) -> Value | None:
    simple = external.simple
    reason = _NON_DETERMINISTIC.get(f"{simple}.{call.name}")
    if reason is not None:
        return run.opaque(reason, Cause.NON_DETERMINISTIC, call.site)
    if (simple, call.name) == ("System", "exit"):
        raise ExitSignal
    handler = _HANDLERS.get((simple, call.name))
    if handler is not None:
        return handler(run, call)
    if simple in _PURE:
        return _computed(run, simple, call)
    if simple == "Optional":
        return holders.static(run, call)
    if simple in ("Objects", "Preconditions"):
        return lang.static(run, simple, call)
    return makers.static(run, simple, call)


def _computed(run: Run, simple: str, request: Call) -> Value | None:
    """A computation, for each of the values that an argument can have."""
    if any(isinstance(value, Choice) for value in request.arguments):
        request = request.having(arguments=[run.soften(value) for value in request.arguments])
    choice = next((value for value in request.arguments if isinstance(value, Choice)), None)
    if choice is not None and simple != "String":

        def replaced(option: Value) -> list[Value]:
            return [option if value is choice else value for value in request.arguments]

        return run.on_each(choice, lambda option: _computed(run, simple, request.having(arguments=replaced(option))))
    if simple == "String":
        return strings.static(run, request.name, request)
    found = lang.static(run, simple, request)
    if found is not None:
        return found
    if request.name.startswith(("parse", "valueOf", "decode", "toIntExact")) and simple not in ("Boolean", "Character"):
        given = next((why for why in map(unknown_of, request.arguments) if why is not None), None)
        why = given or run.unknown("cannot tell the text of a number", Cause.OTHER, request.site)
        run.may_throw_any(("java.lang.NumberFormatException",), why, *request.arguments)
    if not any(isinstance(value, Opaque) for value in request.arguments):
        return None
    first = request.arguments[0] if request.arguments else NULL
    symbol = None
    if len(request.arguments) == 1 and isinstance(first, Opaque):
        symbol = f"{simple}.{request.name}({first.symbol})"
    return run.opaque("an unknown number", Cause.OTHER, request.site, symbol=symbol, of=tuple(request.arguments))


_NON_DETERMINISTIC = table("different_in_every_run")


def _all_variables(run: Run, call: Call) -> MapValue:
    if run.entry.assume_defaults:
        return MapValue(tuple((string(k), string(v)) for k, v in run.entry.environment), "hash")
    all_of_them = "the environment variables, all of which are read here"
    unknown = not_given(all_of_them, "--assume defaults", run.location(call.site))
    return Variables(None, "hash", replace(unknown, derived_from=run.entry.all_variables))


class Variables(MapValue):
    """All environment variables, of which some are known."""

    __slots__ = ()


def variable(run: Run, receiver: MapValue, call: Call) -> Value | None:
    """``System.getenv().get("NAME")`` and the like: as ``System.getenv("NAME")``. None for other calls and maps."""
    if not isinstance(receiver, Variables) or call.name not in ("get", "getOrDefault", "containsKey"):
        return None
    found = _given_value(run, call, "environment variable", run.entry.environment)
    if call.name != "containsKey":
        return found
    if not isinstance(found, Opaque):
        return boolean(not is_null(found))
    return replace(found, symbol=f"{found.symbol} is set", type=None)


def _given_value(run: Run, call: Call, what: str, given: tuple[tuple[str, str], ...]) -> Value:
    key, otherwise = call.arguments[0], call.arguments[1] if len(call.arguments) > 1 else NULL
    if not isinstance(key, Constant) or not isinstance(key.value, str):
        symbol = short(f"value({run.entry.all_variables}, {described_as(key)}, {described_as(otherwise)})")
        reason = f"the name of the {what} that is read here is computed"
        return run.opaque(reason, Cause.ARGUMENT, call.site, symbol=run.fresh(symbol), of=(key,))
    for name, value in given:
        if name == key.value:
            return string(value)
    if run.entry.is_unset(key.value) and not (is_null(otherwise) and run.entry.is_needed(key.value)):
        return otherwise
    unknown = not_given(f"{what} '{key.value}'", given_by(key.value), run.location(call.site))
    text = External(("java.lang.String",))
    symbol = f"{what}:{key.value}" + ("" if is_null(otherwise) else f" or {described_as(otherwise)}")
    return Opaque(unknown, symbol, text)


def _parameters_from_file(run: Run, call: Call) -> Value | None:
    path = resources.path_of(run, call.arguments[0], named=True) if call.arguments else None
    if path is not None:
        pinned = parameters.pinned(run)
        entries = {key: (value,) for key, value in resources.properties(run, path).items()} | pinned
        source = f"the properties file '{path}'"
        return Parameters(tuple(entries.items()), True, source=source, pinned=frozenset(pinned))
    what = call.arguments[0].text if call.arguments and isinstance(call.arguments[0], Constant) else "a file"
    return parameters.open_to(run, f"the properties file '{what}'", f"file:{what}")


def _parameters_from_map(run: Run, call: Call) -> Value | None:
    value = call.arguments[0] if call.arguments else NULL
    if isinstance(value, MapValue) and value.entries is not None:
        texts = {k.value: (v.text,) for k, v in value.entries if isinstance(k, Constant) and isinstance(v, Constant)}
        entries = {str(k): v for k, v in texts.items()}
        return Parameters(tuple(entries.items()), len(entries) == len(value.entries), source="a map")
    content = expression_of(value, Cause.ARGUMENT)
    symbol = run.fresh("map") if content == NEEDS_CODE else short(f"map({content})")
    return parameters.open_to(run, "a map", symbol)


def _class_for_name(run: Run, call: Call) -> Value | None:
    if call.arguments and isinstance(call.arguments[0], Constant) and isinstance(call.arguments[0].value, str):
        decl = run.index.find(call.arguments[0].value, call.frame.decl.unit.path)
        if decl is not None:
            return ClassLiteral(TypeRef(decl.name), decl)
    return run.opaque("a class that is loaded by reflection", Cause.REFLECTION, call.site)


def _resource(run: Run, call: Call) -> Value | None:
    return resources.named(run, call.arguments[0], call.frame) if call.arguments else None


_HANDLERS: dict[tuple[str, str], Handler] = {
    ("Paths", "get"): resources.path_named,
    ("Path", "of"): resources.path_named,
    ("Files", "readAllBytes"): resources.read_of,
    ("Files", "newInputStream"): resources.read_of,
    ("Files", "readString"): resources.text_file,
    ("FileUtils", "readFileUtf8"): resources.text_file,
    ("FileUtils", "readFileToString"): resources.text_file,
    ("IOUtils", "toString"): resources.text_file,
    ("Resources", "toString"): resources.text_file,
    ("Resources", "getResource"): _resource,
    ("System", "getenv"): lambda run, call: (
        _given_value(run, call, "environment variable", run.entry.environment)
        if call.arguments
        else _all_variables(run, call)
    ),
    ("System", "getProperty"): lambda run, call: _given_value(run, call, "system property", run.entry.values),
    ("System", "lineSeparator"): lambda run, call: string("\n"),
    ("ParameterTool", "fromArgs"): lambda run, call: parameters.from_args(run, call.arguments[0], False),
    ("MultipleParameterTool", "fromArgs"): lambda run, call: parameters.from_args(run, call.arguments[0], True),
    ("ParameterTool", "fromPropertiesFile"): _parameters_from_file,
    ("ParameterTool", "fromSystemProperties"): lambda run, call: replace(
        parameters.open_to(run, "the JVM's system properties", "system"), of_jvm=True
    ),
    ("ClassLoader", "getSystemResourceAsStream"): _resource,
    ("ParameterTool", "fromMap"): _parameters_from_map,
    ("Class", "forName"): _class_for_name,
    ("Configuration", "fromMap"): lambda run, call: configuration.from_map(call.arguments[0]),
}
