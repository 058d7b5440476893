"""Static methods of library classes, on known values."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from checker.extract.java.interpreter import calls, operators
from checker.extract.java.interpreter.frames import ExitSignal, Frame
from checker.extract.java.interpreter.speculation import Run
from checker.extract.java.interpreter.values import (
    NULL,
    ClassLiteral,
    Constant,
    EntryValue,
    ListValue,
    MapValue,
    Opaque,
    OptionalValue,
    Parameters,
    Settings,
    Value,
    boolean,
    depends_of,
    is_null,
    string,
)
from checker.extract.java.library import configuration, formats, optionals, parameters, resources
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl
from checker.model.topology import Cause, Unknown

Handler = Callable[[Run, list[Value], Node, Frame], Value | None]


def known(simple: str, name: str) -> bool:
    """Whether a static method is modelled."""
    return (simple, name) in _HANDLERS


def call(run: Run, external: External, name: str, given: list[Value], node: Node, frame: Frame) -> Value | None:
    """The result of a static library call, None where it is not modelled."""
    simple = external.simple
    reason = _NON_DETERMINISTIC.get((simple, name))
    if reason is not None:
        return run.opaque(reason, Cause.NON_DETERMINISTIC, node, frame)
    if (simple, name) == ("System", "exit"):
        raise ExitSignal
    handler = _HANDLERS.get((simple, name))
    if handler is not None:
        return handler(run, given, node, frame)
    if simple in _LIST_MAKERS and name in _LIST_MAKERS[simple]:
        return _list(given, _kind(simple))
    if simple in ("Map", "ImmutableMap") and name == "of" and len(given) % 2 == 0:
        pairs = tuple(zip(given[::2], given[1::2], strict=True))
        return MapValue(pairs, "random" if simple == "Map" else "insertion")
    if simple == "Map" and name == "ofEntries" and all(isinstance(value, EntryValue) for value in given):
        return MapValue(tuple((e.parts[0][1], e.parts[1][1]) for e in given if isinstance(e, EntryValue)), "random")
    return None


_LIST_MAKERS = {
    "Arrays": ("asList", "stream"),
    "List": ("of", "copyOf"),
    "Set": ("of",),
    "Stream": ("of",),
    "Collections": ("singletonList", "singleton", "emptyList", "emptySet", "unmodifiableList", "unmodifiableSet"),
    "ImmutableList": ("of", "copyOf"),
    "ImmutableSet": ("of", "copyOf"),
    "Lists": ("newArrayList",),
    "Sets": ("newHashSet", "newLinkedHashSet"),
    "IntStream": ("of",),
}


def _kind(simple: str) -> str:
    if simple == "Set":
        return "RandomSet"
    return "Set" if "Set" in simple else "Stream" if simple.endswith("Stream") else "List"


def _list(given: list[Value], kind: str) -> Value:
    if len(given) == 1 and isinstance(given[0], ListValue) and given[0].kind in ("array", "args", "List", "Set"):
        return ListValue(given[0].elements, kind, given[0].unknown, given[0].depends)
    if len(given) == 1 and isinstance(given[0], Opaque) and given[0].type is None:
        return ListValue(None, kind, given[0].unknown)
    return ListValue(tuple(given), kind)


_NON_DETERMINISTIC = {
    ("UUID", "randomUUID"): "UUID.randomUUID() is another value in every run",
    ("System", "currentTimeMillis"): "System.currentTimeMillis() is another value in every run",
    ("System", "nanoTime"): "System.nanoTime() is another value in every run",
    ("System", "identityHashCode"): "System.identityHashCode() is another value in every run",
    ("Math", "random"): "Math.random() is another value in every run",
    ("ThreadLocalRandom", "current"): "ThreadLocalRandom is another value in every run",
    ("Instant", "now"): "Instant.now() is another value in every run",
    ("LocalDateTime", "now"): "LocalDateTime.now() is another value in every run",
    ("LocalDate", "now"): "LocalDate.now() is another value on every day",
    ("LocalTime", "now"): "LocalTime.now() is another value in every run",
    ("ZonedDateTime", "now"): "ZonedDateTime.now() is another value in every run",
    ("OffsetDateTime", "now"): "OffsetDateTime.now() is another value in every run",
    ("Calendar", "getInstance"): "Calendar.getInstance() is another value in every run",
    ("RandomStringUtils", "randomAlphanumeric"): "a random text is another value in every run",
    ("RandomStringUtils", "randomAlphabetic"): "a random text is another value in every run",
    ("RandomStringUtils", "random"): "a random text is another value in every run",
}


def _environment_value(run: Run, given: list[Value], node: Node, frame: Frame, what: str) -> Value | None:
    if not given:
        unknown = Unknown(f"the {what}s are not known from the source", Cause.ARGUMENT, None, run.location(node, frame))
        return MapValue(None, "random", unknown)
    key = given[0]
    if not isinstance(key, Constant) or not isinstance(key.value, str):
        return run.opaque(f"a {what} is not known from the source", Cause.ARGUMENT, node, frame, of=(key,))
    for name, value in run.entry.values:
        if name == key.value:
            return string(value, frozenset({name}))
    unknown = Unknown(
        f"{what} '{key.value}' is not known from the source", Cause.ARGUMENT, f"--arg {key.value}=VALUE",
        run.location(node, frame),
    )  # fmt: skip
    text = External(("java.lang.String",))
    return Opaque(unknown, f"{what}:{key.value}", text, frozenset({key.value}))


def _getenv(run: Run, given: list[Value], node: Node, frame: Frame) -> Value | None:
    return _environment_value(run, given, node, frame, "environment variable")


def _property(run: Run, given: list[Value], node: Node, frame: Frame) -> Value | None:
    return _environment_value(run, given, node, frame, "system property")


def _require(run: Run, given: list[Value], node: Node, frame: Frame) -> Value | None:
    return given[0] if given else None


def _require_else(run: Run, given: list[Value], node: Node, frame: Frame) -> Value | None:
    if is_null(given[0]):
        return given[1]
    return given[0] if not isinstance(given[0], Opaque) else None


def _parse(java: str) -> Handler:
    def handler(run: Run, given: list[Value], node: Node, frame: Frame) -> Value | None:
        value = given[0] if given else NULL
        if isinstance(value, Constant) and isinstance(value.value, str) and len(given) == 1:
            return parameters.typed(run, value.value, java, value.depends, node, frame)
        if isinstance(value, Constant) and not is_null(value):
            return value
        symbol = f"{java}({value.symbol})" if isinstance(value, Opaque) else None
        return run.opaque("a number that is not known", Cause.OTHER, node, frame, symbol=symbol, of=(value,))

    return handler


def _string_value(run: Run, given: list[Value], node: Node, frame: Frame) -> Value | None:
    return operators.as_text(run, given[0]) if given else None


def _format(run: Run, given: list[Value], node: Node, frame: Frame) -> Value | None:
    if given and isinstance(given[0], Constant) and given[0].java == "String":
        return formats.java_format(run, given[0], given[1:], node, frame)
    if len(given) > 1 and isinstance(given[1], Constant) and given[1].java == "String":
        return formats.java_format(run, given[1], given[2:], node, frame)
    return run.opaque("a format that is not known", Cause.OTHER, node, frame, of=tuple(given))


def _join(run: Run, given: list[Value], node: Node, frame: Frame) -> Value | None:
    if not given or not isinstance(given[0], Constant):
        return None
    rest = given[1:]
    if len(rest) == 1 and isinstance(rest[0], ListValue):
        if rest[0].elements is None:
            return None
        rest = list(rest[0].elements)
    parts: list[Value] = []
    for place, value in enumerate(rest):
        if place:
            parts.append(given[0])
        parts.append(value)
    return operators.concat(run, parts or [string("")], node, frame)


def _equals(run: Run, given: list[Value], node: Node, frame: Frame) -> Value | None:
    if len(given) != 2:
        return None
    if is_null(given[0]):
        same = operators.identical(given[0], given[1])
        return boolean(same) if same is not None else None
    return calls.invoke(run, given[0], "equals", [given[1]], node, frame)


def _is_null(run: Run, given: list[Value], node: Node, frame: Frame) -> Value | None:
    return operators.binary(run, "==", given[0], NULL, node, frame)


def _non_null(run: Run, given: list[Value], node: Node, frame: Frame) -> Value | None:
    return operators.binary(run, "!=", given[0], NULL, node, frame)


def _math(name: str) -> Handler:
    def handler(run: Run, given: list[Value], node: Node, frame: Frame) -> Value | None:
        numbers = [v.value for v in given if isinstance(v, Constant) and isinstance(v.value, int | float)]
        if len(numbers) != len(given) or not numbers:
            return run.opaque("a number that is not known", Cause.OTHER, node, frame, of=tuple(given))
        result = {"max": max, "min": min}[name](numbers) if name != "abs" else abs(numbers[0])
        java = "long" if any(isinstance(v, Constant) and v.java == "long" for v in given) else "int"
        return Constant(result, "double" if isinstance(result, float) else java, depends_of(*given))

    return handler


def _range(closed: bool) -> Handler:
    def handler(run: Run, given: list[Value], node: Node, frame: Frame) -> Value | None:
        bounds = [v.value for v in given if isinstance(v, Constant) and isinstance(v.value, int)]
        if len(bounds) != 2 or bounds[1] - bounds[0] > 10_000:
            unknown = Unknown("a range that is not known", Cause.COLLECTION, None, run.location(node, frame))
            return ListValue(None, "Stream", next((v.unknown for v in given if isinstance(v, Opaque)), unknown))
        return ListValue(tuple(Constant(i, "int") for i in range(bounds[0], bounds[1] + closed)), "Stream")

    return handler


def _parameters_from_file(run: Run, given: list[Value], node: Node, frame: Frame) -> Value | None:
    pinned = tuple((key, (value,)) for key, value in run.entry.values)
    path = resources.path_of(given[0]) if given else None
    if path is not None:
        entries = {key: (value,) for key, value in resources.properties(run, path).items()} | dict(pinned)
        told = frozenset(key for key, _ in pinned)
        return Parameters(tuple(entries.items()), True, source=f"the properties file '{path}'", pinned=told)
    what = given[0].text if given and isinstance(given[0], Constant) else "a file"
    names = frozenset(key for key, _ in pinned)
    return Parameters(pinned, False, source=f"the properties file '{what}'", pinned=names, symbol=f"file:{what}")


def _system_properties(run: Run, given: list[Value], node: Node, frame: Frame) -> Value | None:
    pinned = tuple((key, (value,)) for key, value in run.entry.values)
    told = frozenset(key for key, _ in pinned)
    return Parameters(pinned, False, source=parameters.SYSTEM_PROPERTIES, pinned=told, symbol="system")


def _parameters_from_map(run: Run, given: list[Value], node: Node, frame: Frame) -> Value | None:
    value = given[0] if given else NULL
    if isinstance(value, MapValue) and value.entries is not None:
        texts = {k.value: (v.text,) for k, v in value.entries if isinstance(k, Constant) and isinstance(v, Constant)}
        entries = {str(k): v for k, v in texts.items()}
        return Parameters(tuple(entries.items()), len(entries) == len(value.entries), source="a map")
    pinned = tuple((key, (value,)) for key, value in run.entry.values)
    return Parameters(pinned, False, source="a map", pinned=frozenset(k for k, _ in pinned), symbol=run.fresh("map"))


def _class_for_name(run: Run, given: list[Value], node: Node, frame: Frame) -> Value | None:
    if given and isinstance(given[0], Constant) and isinstance(given[0].value, str):
        decl = run.index.find(given[0].value, frame.decl.unit.path)
        if decl is not None:
            from checker.extract.java.syntax.declarations import TypeRef

            return ClassLiteral(TypeRef(decl.name), decl)
    return run.opaque("a class that is loaded by reflection", Cause.REFLECTION, node, frame)


def _entry(run: Run, given: list[Value], node: Node, frame: Frame) -> Value | None:
    return EntryValue((("getKey", given[0]), ("getValue", given[1]))) if len(given) == 2 else None


def _hash(run: Run, given: list[Value], node: Node, frame: Frame) -> Value | None:
    return run.opaque("a hash code that is not computed", Cause.UNSUPPORTED, node, frame, of=tuple(given))


def _enum_value(run: Run, given: list[Value], node: Node, frame: Frame) -> Value | None:
    from checker.extract.java.interpreter.functions import enum_value

    if len(given) == 2 and isinstance(given[0], ClassLiteral) and isinstance(given[0].type, ClassDecl):
        return enum_value(run, given[0].type, given[1], node, frame)
    return None


def _configuration_from_map(run: Run, given: list[Value], node: Node, frame: Frame) -> Value | None:
    return configuration.from_map(given[0]) if given else Settings()


def _copy_of_range(run: Run, given: list[Value], node: Node, frame: Frame) -> Value | None:
    array = given[0] if given else NULL
    bounds = [v.value for v in given[1:] if isinstance(v, Constant) and isinstance(v.value, int)]
    if isinstance(array, ListValue) and array.elements is not None and bounds and len(bounds) == len(given) - 1:
        low, high = (bounds[0], bounds[1]) if len(bounds) == 2 else (0, bounds[0])
        return ListValue(array.elements[low:high], array.kind, depends=array.depends)
    return ListValue(None, "array", array.unknown if isinstance(array, ListValue | Opaque) else None)


_HANDLERS: dict[tuple[str, str], Handler] = {
    ("System", "getenv"): _getenv,
    ("System", "getProperty"): lambda run, given, node, frame: _property(run, given[:1], node, frame),
    ("System", "lineSeparator"): lambda run, given, node, frame: string("\n"),
    ("Objects", "requireNonNull"): _require,
    ("Preconditions", "checkNotNull"): _require,
    ("Objects", "requireNonNullElse"): _require_else,
    ("Objects", "equals"): _equals,
    ("Objects", "isNull"): _is_null,
    ("Objects", "nonNull"): _non_null,
    ("Objects", "hash"): _hash,
    ("Objects", "toString"): _string_value,
    ("Integer", "parseInt"): _parse("int"),
    ("Integer", "valueOf"): _parse("int"),
    ("Long", "parseLong"): _parse("long"),
    ("Long", "valueOf"): _parse("long"),
    ("Double", "parseDouble"): _parse("double"),
    ("Double", "valueOf"): _parse("double"),
    ("Boolean", "parseBoolean"): _parse("boolean"),
    ("Boolean", "valueOf"): _parse("boolean"),
    ("Short", "parseShort"): _parse("short"),
    ("String", "valueOf"): _string_value,
    ("Integer", "toString"): _string_value,
    ("Long", "toString"): _string_value,
    ("Boolean", "toString"): _string_value,
    ("String", "format"): _format,
    ("String", "join"): _join,
    ("Math", "max"): _math("max"),
    ("Math", "min"): _math("min"),
    ("Math", "abs"): _math("abs"),
    ("Integer", "max"): _math("max"),
    ("Integer", "min"): _math("min"),
    ("IntStream", "range"): _range(False),
    ("IntStream", "rangeClosed"): _range(True),
    ("LongStream", "range"): _range(False),
    ("Optional", "of"): lambda run, given, node, frame: OptionalValue(given[0]),
    ("Optional", "empty"): lambda run, given, node, frame: OptionalValue(None),
    ("Optional", "ofNullable"): lambda run, given, node, frame: (
        optionals.optional_of(run, given[0]) if not isinstance(given[0], Opaque) else None
    ),
    ("ParameterTool", "fromArgs"): lambda run, given, node, frame: parameters.from_args(run, given[0], False),
    ("MultipleParameterTool", "fromArgs"): lambda run, given, node, frame: parameters.from_args(run, given[0], True),
    ("ParameterTool", "fromPropertiesFile"): _parameters_from_file,
    ("ParameterTool", "fromSystemProperties"): _system_properties,
    ("ClassLoader", "getSystemResourceAsStream"): lambda run, given, node, frame: (
        resources.opened(run, given[0].text, frame) if isinstance(given[0], Constant) else None
    ),
    ("ParameterTool", "fromMap"): _parameters_from_map,
    ("Class", "forName"): _class_for_name,
    ("Map", "entry"): _entry,
    ("Enum", "valueOf"): _enum_value,
    ("Configuration", "fromMap"): _configuration_from_map,
    ("Arrays", "copyOfRange"): _copy_of_range,
    ("Arrays", "copyOf"): _copy_of_range,
    ("Collections", "emptyMap"): lambda run, given, node, frame: MapValue(()),
    ("Collections", "unmodifiableMap"): _require,
    ("Function", "identity"): lambda run, given, node, frame: None,
}
