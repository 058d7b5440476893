"""Typesafe config (HOCON): ``ConfigFactory.load()`` and its like on resources of the repository.

pyhocon parses. Includes are put in before, as ``SimpleIncluder`` finds them on the class path. What pyhocon is known to
read differently (appended lists, numbers that are asked for as text) is unknown. Nothing is taken from this machine:
substitutions by environment variables are filled in before.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from checker.extract.java.library import resources
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import UnreadError, throw
from checker.extract.java.machine.numbers import boxed
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
from checker.model.unknowns import given_by, not_given

_TOKENS: Final = re.compile(
    r'(?<!\\)(?:"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*+")|(?:#|//)[^\n]*|\$\{(?P<optional>\??)(?P<name>[^}\n]{1,500})\}|(?P<unread>\binclude\b|\+=)'
)
_INCLUDE: Final = re.compile(
    r"include[ \t]+(?:(?P<required>required)\([ \t]*)?(?:(?P<kind>classpath|file|url)\([ \t]*)?"
    r'"(?P<name>[^"\\\n]+)"[ \t)]*(?=[\s,}#/]|$)'
)
_MOST_CHARACTERS: Final = 1_000_000
_MOST_BRACKETS: Final = 2_000
_MOST_SUBSTITUTIONS: Final = 24
"""Substitutions of a text's own values: each may stand for several others."""
_MOST_OF_ITSELF: Final = 5
"""Substitutions by the key that they stand in, which appends to what it was before."""
_OF_ITSELF: Final = re.compile(r"(?P<key>[\w.\-]+)\s*[=:][^\n]*\$\{\??(?P=key)\}")
_MOST_INCLUDES: Final = 10
"""Included files may include others, to this depth."""
_ENVIRONMENT: Final = re.compile(r"[A-Z_][A-Z0-9_]*")
_ODD_NUMBER: Final = re.compile(r"[=:\[,]\s*[-+]?(?:0\d|\d+[eE]|\d+\.\d*[eE]|\.\d)")
_RESERVED: Final = re.compile(
    r"[+`^?!@*&\\$']|[=:][^\n,{}\[\]]*[=:]|\b(?!true|false|yes|no|on|off|null)(?i:true|false|yes|no|on|off|null)\b"
)
"""Outside of quotes: what the library refuses, or keeps as text, and pyhocon reads otherwise."""
_OTHER_ESCAPE: Final = re.compile(r'(?<!\\)(?:\\\\)*\\[^nt"\\]')
_MARK: Final = "\ue000"
"""In front of the name of an environment variable that is not known: a private character, in no file."""
_ENDINGS: Final = (".conf", ".json", ".properties")
_MISSING: Final = object()


class ConfigValue(ExternalObject):
    """A ``Config``: its table."""

    __slots__ = ("table",)

    def __init__(self, table: dict[str, Any]) -> None:
        ExternalObject.__init__(self, External(("com.typesafe.config.Config",)))
        self.table = table


def static_call(run: Run, external: External, call: Call) -> Value | None:
    """``ConfigFactory.load``, ``parseResources``, ``empty``; None for everything else."""
    if external.simple != "ConfigFactory" or any(_java_options(key, value) for key, value in run.entry.configuration):
        return None
    names = [a.text for a in call.arguments if isinstance(a, Constant) and a.java == "String"]
    if len(names) != len(call.arguments) or len(names) > 1:
        return None
    try:
        if call.name == "load":
            return ConfigValue(_resolved(run, call, [_base(names), "reference"]))
        if call.name == "parseResources" and names:
            return ConfigValue(_resolved(run, call, [_base(names)]))
        if call.name == "defaultReference" and not names:
            return ConfigValue(_resolved(run, call, ["reference"], optional=True))
        if call.name == "empty":
            return ConfigValue({})
    except UnreadError:
        pass
    return None


def _java_options(key: str, value: str) -> bool:
    """Whether a deployment sets system properties, which override every file."""
    return key.startswith("env.java.opts") and "-D" in value


def _base(names: list[str]) -> str:
    name = names[0] if names else "application"
    return next((name.removesuffix(e) for e in _ENDINGS if name.endswith(e)), name)


def _resolved(run: Run, call: Call, bases: list[str], *, optional: bool = False) -> dict[str, Any]:
    """The tables of resources by their names without ending, the first on top. One that is absent is empty."""
    texts = []
    for base in bases:
        text = _text(run, call, base)
        texts += [] if text is None else [_with_includes(run, call, text, base, 0)]
    if not texts:
        if optional or all(resources.is_absent(run, base + ending) for base in bases for ending in _ENDINGS):
            return {}
        raise UnreadError
    given = dict(run.entry.environment)
    # A later text wins, as later keys of one file do; substitutions are resolved over all of them.
    return parsed("\n".join(filled(text, given, run.entry.is_unset) for text in reversed(texts)))


def _text(run: Run, call: Call, base: str) -> str | None:
    """The text of a resource by its name without ending; None where the repository has none. Raises UnreadError."""
    found = [
        path
        for ending in _ENDINGS
        if (path := resources.path_of(run, resources.opened(run, base + ending, call.frame))) is not None
    ]
    texts = [run.index.read(path).decode("utf-8", "replace") for path in found]
    if len(found) > 1 or any(not path.endswith(_ENDINGS[0]) for path in found):
        raise UnreadError  # merged by rules of their own
    return texts[0] if texts else None


def _with_includes(run: Run, call: Call, text: str, base: str, depth: int) -> str:
    """A text with the resources that it includes in their places. Raises UnreadError.

    A name is relative to the resource that includes it, and what is absent is empty unless it is required.
    """
    pieces, place, problem = [], 0, False
    for token in _TOKENS.finditer(text):
        if token["unread"] != "include" or token.start() < place:
            continue
        match = _INCLUDE.match(text, token.start())
        if match is None or match["kind"] in ("file", "url") or depth == _MOST_INCLUDES:
            problem = True
            continue
        name = match["name"]
        relative = not name.startswith("/") and match["kind"] is None
        path = _base([posixpath.normpath(posixpath.join(posixpath.dirname(base), name) if relative else name)])
        included = _text(run, call, path.lstrip("/"))
        elsewhere = any(run.index.ask("ending", f"/{path.lstrip('/')}{ending}") for ending in _ENDINGS)
        if included is None and (match["required"] or elsewhere):
            raise UnreadError
        inner = "" if included is None else _with_includes(run, call, included, path.lstrip("/"), depth + 1)
        nested = _level(text[: token.start()]) > 0
        problem = problem or (nested and "${" in inner)  # its substitutions are relative to where it stands
        pieces += [text[place : token.start()], "\n", _unwrapped(inner), "\n"]
        place = match.end()
    if problem:  # after the others were read: their edits count
        raise UnreadError
    return "".join((*pieces, text[place:]))


def _level(text: str) -> int:
    """How many braces are open at the end of a text, but for those around a whole file."""
    bare = _TOKENS.sub("", text)
    return bare.count("{") - bare.count("}") - bare.lstrip("\ufeff \t\r\n").startswith("{")


def filled(text: str, given: Mapping[str, str], is_unset: Callable[[str], bool]) -> str:
    """The text with the environment variables that are known. Raises UnreadError."""

    def fill(match: re.Match[str]) -> str:
        if match["unread"]:
            raise UnreadError
        name = match["name"]
        if name is None and _OTHER_ESCAPE.search(match[0]) and not match[0].startswith(("#", "//")):
            raise UnreadError
        if name is None or _ENVIRONMENT.fullmatch(name) is None:
            return match[0]
        if name in given:
            return _quoted(given[name])
        if is_unset(name):
            if match["optional"]:
                return match[0]
            raise UnreadError
        return _quoted(_MARK + name)

    bare = _TOKENS.sub(lambda match: "" if match[0].startswith(("#", "//")) else "x", text)
    if (
        _RESERVED.search(bare)
        or _ODD_NUMBER.search(text)
        or _MARK in text
        or text.lstrip("\ufeff \t\r\n").startswith("[")
    ):
        raise UnreadError
    return _unwrapped(_TOKENS.sub(fill, text))


def _unwrapped(text: str) -> str:
    """Without the braces around a whole file, so that texts can be put one below the other."""
    stripped = text.strip()
    return stripped[1:-1] if stripped.startswith("{") and stripped.endswith("}") else text


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


@lru_cache(maxsize=64)
def parsed(text: str) -> dict[str, Any]:
    """The table of a text whose substitutions are all its own. Raises UnreadError."""
    from pyhocon import ConfigFactory  # pyparsing takes a while to import: only programs that use HOCON pay for it
    from pyhocon.exceptions import ConfigException
    from pyparsing import ParseBaseException

    names = [m["name"] for m in _TOKENS.finditer(text) if m["name"] and _ENVIRONMENT.fullmatch(m["name"])]
    if any(name in os.environ for name in names):  # pyhocon would look there
        raise UnreadError
    own = [m for m in _TOKENS.finditer(text) if m["name"] and not _ENVIRONMENT.fullmatch(m["name"])]
    nested = len(text) > _MOST_CHARACTERS or text.count("{") + text.count("[") > _MOST_BRACKETS
    if nested or len(own) > _MOST_SUBSTITUTIONS or len(_OF_ITSELF.findall(text)) > _MOST_OF_ITSELF:
        raise UnreadError  # may stand for a text without end
    try:
        table = _plain(ConfigFactory.parse_string(text))
    except (ConfigException, ParseBaseException, RecursionError, ValueError, TypeError, AttributeError, KeyError):
        raise UnreadError from None
    if not isinstance(table, dict):
        raise UnreadError
    return table


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key).strip('"'): _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


def call(run: Run, receiver: ExternalObject, call: Call) -> Value | None:
    """A method of a ``Config``; None where it is not modelled."""
    if not isinstance(receiver, ConfigValue):
        return None
    if call.name == "resolve" and not call.arguments:
        return receiver
    if call.name == "isEmpty" and not call.arguments:
        return boolean(not receiver.table)
    if len(call.arguments) != 1:
        return None
    argument = call.arguments[0]
    if call.name == "checkValid" and isinstance(argument, ConfigValue):
        return NULL if not argument.table else None
    if call.name == "withFallback" and isinstance(argument, ConfigValue):
        return ConfigValue(_merged(argument.table, receiver.table))
    if not isinstance(argument, Constant) or argument.java != "String" or '"' in argument.text:
        return None
    found = _found(receiver.table, argument.text)
    if call.name in ("hasPath", "hasPathOrNull"):
        return boolean(found is not _MISSING and (found is not None or call.name == "hasPathOrNull"))
    if not call.name.startswith("get"):
        return None
    if found is _MISSING or found is None:
        throw("ConfigException")
    return _typed(run, call, found)


def _found(table: Any, path: str) -> Any:
    for key in path.split("."):
        if not isinstance(table, dict) or key not in table:
            return _MISSING
        table = table[key]
    return table


def _typed(run: Run, call: Call, found: Any) -> Value | None:
    """A value as the getter that asks for it gives it."""
    name = call.name
    if isinstance(found, str) and _MARK in found:
        variable = found.rpartition(_MARK)[2]
        why = not_given(f"environment variable '{variable}'", given_by(variable), run.location(call.site))
        return Opaque(why, f"environment variable:{variable}:{found}:{name}", depends=frozenset({variable}))
    if name == "getConfig" and isinstance(found, dict):
        return ConfigValue(found)
    if name in ("getStringList", "getIntList") and isinstance(found, list):
        kind = str if name == "getStringList" else int
        if all(isinstance(value, kind) and not isinstance(value, bool) and _MARK not in str(value) for value in found):
            return ListValue(tuple(string(o) if isinstance(o, str) else boxed(integer(o)) for o in found))
        return None
    if name == "getString":
        if isinstance(found, bool):
            return string("true" if found else "false")
        return string(str(found)) if isinstance(found, str | int) else None
    if name == "getBoolean":
        words = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
        if isinstance(found, str) and found in words:
            found = words[found]
        return boolean(found) if isinstance(found, bool) else None
    number = int(found) if isinstance(found, str) and re.fullmatch(r"-?(?:0|[1-9]\d*)", found) else found
    if isinstance(number, bool) or not isinstance(number, int):
        return Constant(number, "double") if name == "getDouble" and isinstance(number, float) else None
    if name == "getInt":
        return integer(number) if -(2**31) <= number < 2**31 else None
    if name == "getLong":
        return Constant(number, "long") if -(2**63) <= number < 2**63 else None
    return Constant(float(number), "double") if name == "getDouble" else None


def _merged(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    result = dict(below)
    for key, value in above.items():
        old = result.get(key)
        result[key] = _merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return result
