"""Apache Commons Configuration 1 and 2: properties files of the class path, alone or below each other.

Files with backslashes or ``include`` are unknown, and so are places in values that name something other than a key.
Version 1 takes values apart at commas, version 2 does not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from checker.extract.java.library import resources
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.numbers import boxed
from checker.extract.java.machine.signals import UnreadError
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Constant,
    ExternalObject,
    ListValue,
    Opaque,
    Value,
    boolean,
    integer,
    string,
)
from checker.extract.java.syntax.class_index import External
from checker.model.unknowns import Cause, Unknown, given_by

_FIRST: Final = "org.apache.commons.configuration."
_SECOND: Final = "org.apache.commons.configuration2."
_LINE: Final = re.compile(r"([^=:\s]+)(?:\s*[=:]\s*|\s+|$)(.*)")
_PLACE: Final = re.compile(r"\$\{([^${}]*)\}")
_MOST_NESTED: Final = 10
_WORDS: Final = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_WHOLE: Final = re.compile(r"-?(?:0|[1-9]\d{0,17})")
_OF_THE_PLATFORM: Final = ("SystemConfiguration", "EnvironmentConfiguration")
Entries = Mapping[str, tuple[str, ...]]


class Layer(ExternalObject):
    """A configuration: its values by key, or those of the platform where there are none."""

    __slots__ = ("entries",)

    def __init__(self, external: External, entries: Entries | None) -> None:
        ExternalObject.__init__(self, external)
        self.entries = entries


class Composite(ExternalObject):
    """A ``CompositeConfiguration``: the first of its layers that has a key decides."""

    __slots__ = ("layers",)

    def __init__(self, external: External, layers: tuple[Layer, ...]) -> None:
        ExternalObject.__init__(self, external)
        self.layers = layers


def create(run: Run, external: External, call: Call) -> Value | None:
    """A configuration that a constructor makes; None for everything else."""
    if not external.name.startswith((_FIRST, _SECOND)):
        return None
    if external.simple in _OF_THE_PLATFORM and not call.arguments:
        return Layer(external, None)
    if external.simple in ("PropertiesConfiguration", "BaseConfiguration") and not call.arguments:
        return Layer(external, {})
    if external.simple == "PropertiesConfiguration" and len(call.arguments) == 1:
        return _opened(run, external, call.arguments[0], call)
    if external.simple == "CompositeConfiguration" and not call.arguments:
        return Composite(external, ())
    return None


def call(run: Run, receiver: ExternalObject, call: Call) -> Value | None:
    """A method of a configuration, or of what makes one; None where it is not modelled."""
    if isinstance(receiver, Layer | Composite):
        return _asked(run, receiver, call)
    if not receiver.type.name.startswith(_SECOND):
        return None
    made = External((f"{_SECOND}PropertiesConfiguration",))
    by_name = receiver.type.simple == "Configurations" and not receiver.calls
    if by_name and call.name == "properties" and len(call.arguments) == 1:
        return _opened(run, made, call.arguments[0], call)
    if call.name == "getConfiguration" and not call.arguments:
        return _built(run, receiver, made, call)
    return None


def _built(run: Run, builder: ExternalObject, made: External, call: Call) -> Value | None:
    """What a builder of files gives: its class and the file's name are known, and nothing else was asked for."""
    if builder.type.simple == "Configurations" and [name for name, _ in builder.calls] == ["propertiesBuilder"]:
        given = builder.calls[0][1]
        return _opened(run, made, given[0], call) if len(given) == 1 else None
    if builder.type.simple != "FileBasedConfigurationBuilder":
        return None
    steps = [*builder.calls, *builder.side_calls]
    if [name for name, _ in steps] != ["configure"] or len(steps[0][1]) != 1 or len(builder.arguments) != 1:
        return None
    if getattr(getattr(builder.arguments[0], "type", None), "simple", None) != "PropertiesConfiguration":
        return None
    described = steps[0][1][0]
    if not isinstance(described, ExternalObject) or described.type.simple != "Parameters" or described.side_calls:
        return None
    named = [given for name, given in described.calls if name == "setFileName"]
    others = {name for name, _ in described.calls} - {"properties", "fileBased", "setFileName"}
    return _opened(run, made, named[0][0], call) if len(named) == 1 and not others else None


def _opened(run: Run, external: External, source: Value, call: Call) -> Value | None:
    """The configuration of a file by its name on the class path, or by its URL."""
    stream: Value | None = source
    if isinstance(source, Constant):
        stream = resources.opened(run, source.text, call.frame) if source.java == "String" else None
    if stream is NULL:
        throw("ConfigurationException")
    path = resources.path_of(run, stream)
    if path is None:
        return None
    try:
        text = run.index.read(path).decode("iso-8859-1")
        return Layer(external, entries_of(text, lists=external.name.startswith(_FIRST)))
    except UnreadError:
        return None


def entries_of(text: str, *, lists: bool) -> dict[str, tuple[str, ...]]:
    """The values of a properties file by key, all of a key that is given several times. Raises UnreadError."""
    found: dict[str, tuple[str, ...]] = {}
    if "\\" in text:
        raise UnreadError
    for line in re.split("\r\n|[\r\n]", text):
        stripped = line.strip()
        if stripped[:1] in ("", "#", "!"):
            continue
        match = _LINE.fullmatch(stripped)
        if match is None or match[1].lower().startswith("include"):
            raise UnreadError
        value = match[2].strip()
        parts = tuple(part.strip() for part in value.split(",")) if lists else (value,)
        found[match[1]] = (*found.get(match[1], ()), *parts)
    return found


def _asked(run: Run, receiver: Layer | Composite, call: Call) -> Value | None:
    if isinstance(receiver, Composite) and call.name == "addConfiguration" and len(call.arguments) == 1:
        added = call.arguments[0]
        if not isinstance(added, Layer):
            return None
        run.memory.assign(receiver, "layers", (*receiver.layers, added))
        return NULL
    key = call.arguments[0] if call.arguments else None
    if not isinstance(key, Constant) or key.java != "String" or len(call.arguments) > 2:
        return None
    layers = receiver.layers if isinstance(receiver, Composite) else (receiver,)
    if isinstance(receiver, Layer) and receiver.entries is not None and call.name == "setProperty":
        given = call.arguments[1] if len(call.arguments) == 2 else None
        if not isinstance(given, Constant) or given.value is None or "," in given.text:
            return None
        run.memory.assign(receiver, "entries", {**receiver.entries, key.text: (given.text,)})
        return NULL
    try:
        return _got(run, layers, key.text, call)
    except UnreadError:
        return None


def _got(run: Run, layers: tuple[Layer, ...], key: str, call: Call) -> Value | None:
    name = call.name
    if name == "subset" and len(call.arguments) == 1:
        if any(layer.entries is None or _PLACE.search(str(layer.entries)) for layer in layers):
            return None
        inner = [_below(layer.entries or {}, key) for layer in reversed(layers)]
        return Layer(layers[0].type, {k: v for entries in inner for k, v in entries.items()}) if layers else None
    found = values(run, layers, key, call)
    if found is not None and not isinstance(found, tuple):
        return found if name == "getString" else None
    if name == "containsKey" and len(call.arguments) == 1:
        return boolean(found is not None)
    if name in ("getStringArray", "getList") and len(call.arguments) == 1:
        texts = tuple(string(_filled(run, layers, text, call)) for text in found or ())
        return ListValue(texts, "array") if name == "getStringArray" else ListValue(texts)
    if name not in ("getString", "getInt", "getInteger", "getLong", "getBoolean"):
        return None
    if found is None:
        if len(call.arguments) == 2:
            return call.arguments[1]
        if name == "getString":
            return NULL
        throw("NoSuchElementException")
    return _converted(name, _filled(run, layers, found[0], call), boxed_too=len(call.arguments) == 2)


def _below(entries: Entries, prefix: str) -> Entries:
    start = f"{prefix}."
    return {k.removeprefix(start): v for k, v in entries.items() if k.startswith(start)}


def values(run: Run, layers: tuple[Layer, ...], key: str, call: Call) -> tuple[str, ...] | Value | None:
    """The values of a key in the first layer that has it; None in none, an unknown one where that is not known."""
    entry = run.entry
    given = dict(entry.values).get(key)
    if given is not None:
        return (given,)
    for layer in layers:
        if layer.entries is not None:
            if key in layer.entries:
                return layer.entries[key]
        elif layer.type.simple == "EnvironmentConfiguration" and key in dict(entry.environment):
            return (dict(entry.environment)[key],)
        elif not entry.is_unset(key):
            what = "environment variable" if layer.type.simple.startswith("Env") else "system property"
            why = Unknown(
                f"{what} '{key}' is not known from the source", Cause.ARGUMENT, given_by(key),
                run.location(call.site),
            )  # fmt: skip
            return Opaque(why, f"{what}:{key}", External(("java.lang.String",)), frozenset({key}))
    return None


def _filled(run: Run, layers: tuple[Layer, ...], text: str, call: Call, depth: int = 0) -> str:
    """A value with the keys that it names filled in; one that nothing gives stays as it is. Raises UnreadError."""
    if depth > _MOST_NESTED:
        raise UnreadError

    def fill(match: re.Match[str]) -> str:
        if ":" in match[1]:
            raise UnreadError
        found = values(run, layers, match[1], call)
        if found is not None and not isinstance(found, tuple):
            raise UnreadError
        return match[0] if found is None else _filled(run, layers, found[0], call, depth + 1)

    return _PLACE.sub(fill, text)


def _converted(name: str, text: str, *, boxed_too: bool) -> Value | None:
    if name == "getString":
        return string(text)
    if name == "getBoolean":
        return boolean(_WORDS[text.lower()]) if text.lower() in _WORDS else None
    if not _WHOLE.fullmatch(text):
        return None
    number = int(text)
    if name == "getLong":
        return Constant(number, "long")
    if not -(2**31) <= number < 2**31:
        return None
    return boxed(integer(number)) if name == "getInteger" and boxed_too else integer(number)
