"""Static methods of library classes, on known values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from checker.extract.java.interpreter import calls, operators
from checker.extract.java.interpreter.call_record import Call
from checker.extract.java.interpreter.frames import ExitSignal
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

Handler = Callable[[Run, Call], Value | None]


def known(simple: str, name: str) -> bool:
    """Whether a static method is modelled."""
    return (simple, name) in _HANDLERS


def call(run: Run, external: External, call: Call) -> Value | None:
    """The result of a static library call, None where it is not modelled."""
    simple = external.simple
    reason = _NON_DETERMINISTIC.get((simple, call.name))
    if reason is not None:
        return run.opaque(reason, Cause.NON_DETERMINISTIC, call.site)
    if (simple, call.name) == ("System", "exit"):
        raise ExitSignal
    handler = _HANDLERS.get((simple, call.name))
    if handler is not None:
        return handler(run, call)
    if simple in _LIST_MAKERS and call.name in _LIST_MAKERS[simple]:
        return _list(call.arguments, _kind(simple))
    if simple in ("Map", "ImmutableMap") and call.name == "of" and len(call.arguments) % 2 == 0:
        pairs = tuple(zip(call.arguments[::2], call.arguments[1::2], strict=True))
        return MapValue(pairs, "random" if simple == "Map" else "insertion")
    if simple == "Map" and call.name == "ofEntries" and all(isinstance(value, EntryValue) for value in call.arguments):
        return MapValue(
            tuple((e.parts[0][1], e.parts[1][1]) for e in call.arguments if isinstance(e, EntryValue)), "random"
        )
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


def _list(given: Sequence[Value], kind: str) -> Value:
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


def _environment_value(run: Run, call: Call, what: str) -> Value | None:
    if not call.arguments:
        unknown = Unknown(f"the {what}s are not known from the source", Cause.ARGUMENT, None, run.location(call.site))
        return MapValue(None, "random", unknown)
    key = call.arguments[0]
    if not isinstance(key, Constant) or not isinstance(key.value, str):
        return run.opaque(f"a {what} is not known from the source", Cause.ARGUMENT, call.site, of=(key,))
    given = run.entry.environment if what == "environment variable" else run.entry.values
    for name, value in given:
        if name == key.value:
            return string(value, frozenset({name}))
    unknown = Unknown(
        f"{what} '{key.value}' is not known from the source", Cause.ARGUMENT, f"--arg {key.value}=VALUE",
        run.location(call.site),
    )  # fmt: skip
    text = External(("java.lang.String",))
    return Opaque(unknown, f"{what}:{key.value}", text, frozenset({key.value}))


def _getenv(run: Run, call: Call) -> Value | None:
    return _environment_value(run, call, "environment variable")


def _property(run: Run, call: Call) -> Value | None:
    return _environment_value(run, call, "system property")


def _require(run: Run, call: Call) -> Value | None:
    return call.arguments[0] if call.arguments else None


def _require_else(run: Run, call: Call) -> Value | None:
    if is_null(call.arguments[0]):
        return call.arguments[1]
    return call.arguments[0] if not isinstance(call.arguments[0], Opaque) else None


def _parse(java: str) -> Handler:
    def handler(run: Run, call: Call) -> Value | None:
        value = call.arguments[0] if call.arguments else NULL
        if isinstance(value, Constant) and isinstance(value.value, str) and len(call.arguments) == 1:
            return parameters.typed(run, value.value, java, value.depends, call.site)
        if isinstance(value, Constant) and not is_null(value):
            return value
        symbol = f"{java}({value.symbol})" if isinstance(value, Opaque) else None
        return run.opaque("a number that is not known", Cause.OTHER, call.site, symbol=symbol, of=(value,))

    return handler


def _string_value(run: Run, call: Call) -> Value | None:
    return operators.as_text(run, call.arguments[0]) if call.arguments else None


def _format(run: Run, call: Call) -> Value | None:
    if call.arguments and isinstance(call.arguments[0], Constant) and call.arguments[0].java == "String":
        return formats.java_format(run, call.arguments[0], call.having(arguments=call.arguments[1:]))
    if len(call.arguments) > 1 and isinstance(call.arguments[1], Constant) and call.arguments[1].java == "String":
        return formats.java_format(run, call.arguments[1], call.having(arguments=call.arguments[2:]))
    return run.opaque("a format that is not known", Cause.OTHER, call.site, of=tuple(call.arguments))


def _join(run: Run, call: Call) -> Value | None:
    if not call.arguments or not isinstance(call.arguments[0], Constant):
        return None
    rest = call.arguments[1:]
    if len(rest) == 1 and isinstance(rest[0], ListValue):
        if rest[0].elements is None:
            return None
        rest = list(rest[0].elements)
    parts: list[Value] = []
    for place, value in enumerate(rest):
        if place:
            parts.append(call.arguments[0])
        parts.append(value)
    return operators.concat(run, parts or [string("")], call.site)


def _equals(run: Run, call: Call) -> Value | None:
    if len(call.arguments) != 2:
        return None
    if is_null(call.arguments[0]):
        same = operators.identical(call.arguments[0], call.arguments[1])
        return boolean(same) if same is not None else None
    return calls.invoke(run, call.arguments[0], call.having(name="equals", arguments=[call.arguments[1]]))


def _is_null(run: Run, call: Call) -> Value | None:
    return operators.binary(run, "==", call.arguments[0], NULL, call.site)


def _non_null(run: Run, call: Call) -> Value | None:
    return operators.binary(run, "!=", call.arguments[0], NULL, call.site)


def _math(name: str) -> Handler:
    def handler(run: Run, call: Call) -> Value | None:
        numbers = [v.value for v in call.arguments if isinstance(v, Constant) and isinstance(v.value, int | float)]
        if len(numbers) != len(call.arguments) or not numbers:
            return run.opaque("a number that is not known", Cause.OTHER, call.site, of=tuple(call.arguments))
        result = {"max": max, "min": min}[name](numbers) if name != "abs" else abs(numbers[0])
        java = "long" if any(isinstance(v, Constant) and v.java == "long" for v in call.arguments) else "int"
        return Constant(result, "double" if isinstance(result, float) else java, depends_of(*call.arguments))

    return handler


def _range(closed: bool) -> Handler:
    def handler(run: Run, call: Call) -> Value | None:
        bounds = [v.value for v in call.arguments if isinstance(v, Constant) and isinstance(v.value, int)]
        if len(bounds) != 2 or bounds[1] - bounds[0] > 10_000:
            unknown = Unknown("a range that is not known", Cause.COLLECTION, None, run.location(call.site))
            return ListValue(
                None, "Stream", next((v.unknown for v in call.arguments if isinstance(v, Opaque)), unknown)
            )
        return ListValue(tuple(Constant(i, "int") for i in range(bounds[0], bounds[1] + closed)), "Stream")

    return handler


def _parameters_from_file(run: Run, call: Call) -> Value | None:
    pinned = tuple((key, (value,)) for key, value in run.entry.values)
    path = resources.path_of(call.arguments[0]) if call.arguments else None
    if path is not None:
        entries = {key: (value,) for key, value in resources.properties(run, path).items()} | dict(pinned)
        told = frozenset(key for key, _ in pinned)
        return Parameters(tuple(entries.items()), True, source=f"the properties file '{path}'", pinned=told)
    what = call.arguments[0].text if call.arguments and isinstance(call.arguments[0], Constant) else "a file"
    names = frozenset(key for key, _ in pinned)
    return Parameters(pinned, False, source=f"the properties file '{what}'", pinned=names, symbol=f"file:{what}")


def _system_properties(run: Run, call: Call) -> Value | None:
    pinned = tuple((key, (value,)) for key, value in run.entry.values)
    told = frozenset(key for key, _ in pinned)
    return Parameters(pinned, False, source=parameters.SYSTEM_PROPERTIES, pinned=told, symbol="system")


def _parameters_from_map(run: Run, call: Call) -> Value | None:
    value = call.arguments[0] if call.arguments else NULL
    if isinstance(value, MapValue) and value.entries is not None:
        texts = {k.value: (v.text,) for k, v in value.entries if isinstance(k, Constant) and isinstance(v, Constant)}
        entries = {str(k): v for k, v in texts.items()}
        return Parameters(tuple(entries.items()), len(entries) == len(value.entries), source="a map")
    pinned = tuple((key, (value,)) for key, value in run.entry.values)
    return Parameters(pinned, False, source="a map", pinned=frozenset(k for k, _ in pinned), symbol=run.fresh("map"))


def _class_for_name(run: Run, call: Call) -> Value | None:
    if call.arguments and isinstance(call.arguments[0], Constant) and isinstance(call.arguments[0].value, str):
        decl = run.index.find(call.arguments[0].value, call.frame.decl.unit.path)
        if decl is not None:
            from checker.extract.java.syntax.declarations import TypeRef

            return ClassLiteral(TypeRef(decl.name), decl)
    return run.opaque("a class that is loaded by reflection", Cause.REFLECTION, call.site)


def _entry(run: Run, call: Call) -> Value | None:
    return (
        EntryValue((("getKey", call.arguments[0]), ("getValue", call.arguments[1])))
        if len(call.arguments) == 2
        else None
    )


def _hash(run: Run, call: Call) -> Value | None:
    return run.opaque("a hash code that is not computed", Cause.UNSUPPORTED, call.site, of=tuple(call.arguments))


def _enum_value(run: Run, call: Call) -> Value | None:
    from checker.extract.java.interpreter.functions import enum_value

    if (
        len(call.arguments) == 2
        and isinstance(call.arguments[0], ClassLiteral)
        and isinstance(call.arguments[0].type, ClassDecl)
    ):
        return enum_value(run, call.arguments[0].type, call.arguments[1], call.site)
    return None


def _configuration_from_map(run: Run, call: Call) -> Value | None:
    return configuration.from_map(call.arguments[0]) if call.arguments else Settings()


def _copy_of_range(run: Run, call: Call) -> Value | None:
    array = call.arguments[0] if call.arguments else NULL
    bounds = [v.value for v in call.arguments[1:] if isinstance(v, Constant) and isinstance(v.value, int)]
    if (
        isinstance(array, ListValue)
        and array.elements is not None
        and bounds
        and len(bounds) == len(call.arguments) - 1
    ):
        low, high = (bounds[0], bounds[1]) if len(bounds) == 2 else (0, bounds[0])
        return ListValue(array.elements[low:high], array.kind, depends=array.depends)
    return ListValue(None, "array", array.unknown if isinstance(array, ListValue | Opaque) else None)


_HANDLERS: dict[tuple[str, str], Handler] = {
    ("System", "getenv"): _getenv,
    ("System", "getProperty"): lambda run, call: _property(run, call.having(arguments=call.arguments[:1])),
    ("System", "lineSeparator"): lambda run, call: string("\n"),
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
    ("Optional", "of"): lambda run, call: OptionalValue(call.arguments[0]),
    ("Optional", "empty"): lambda run, call: OptionalValue(None),
    ("Optional", "ofNullable"): lambda run, call: (
        optionals.optional_of(run, call.arguments[0]) if not isinstance(call.arguments[0], Opaque) else None
    ),
    ("ParameterTool", "fromArgs"): lambda run, call: parameters.from_args(run, call.arguments[0], False),
    ("MultipleParameterTool", "fromArgs"): lambda run, call: parameters.from_args(run, call.arguments[0], True),
    ("ParameterTool", "fromPropertiesFile"): _parameters_from_file,
    ("ParameterTool", "fromSystemProperties"): _system_properties,
    ("ClassLoader", "getSystemResourceAsStream"): lambda run, call: (
        resources.opened(run, call.arguments[0].text, call.frame) if isinstance(call.arguments[0], Constant) else None
    ),
    ("ParameterTool", "fromMap"): _parameters_from_map,
    ("Class", "forName"): _class_for_name,
    ("Map", "entry"): _entry,
    ("Enum", "valueOf"): _enum_value,
    ("Configuration", "fromMap"): _configuration_from_map,
    ("Arrays", "copyOfRange"): _copy_of_range,
    ("Arrays", "copyOf"): _copy_of_range,
    ("Collections", "emptyMap"): lambda run, call: MapValue(()),
    ("Collections", "unmodifiableMap"): _require,
    ("Function", "identity"): lambda run, call: None,
}
