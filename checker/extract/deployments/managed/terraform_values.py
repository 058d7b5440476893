"""What variables and local values of Terraform stand for: defaults, ``.tfvars``, and what a module is called with.

``terraform.tfvars`` and ``*.auto.tfvars`` beside a root module always count. Another ``.tfvars`` at or below its
folder, and each call of a module, is an environment of its own.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from checker.extract.deployments.hcl import parsed
from checker.model.foreign_documents import list_in, table_in

_VALUES = ".tfvars"
_ALWAYS = re.compile(r"(?:^|/)(?:terraform|[^/]*\.auto)\.tfvars$")
_WHOLE = re.compile(r"\$\{(var|local)\.([\w-]+)((?:\.[\w-]+)*)\}")
_NAMED = re.compile(r"(?<![\w.])(var|local)\.([\w-]+)((?:\.[\w-]+)*)(?![\w.(\[])")
_EXPRESSION = re.compile(r"\$\{[^{}]*\}")
_MOST_NESTED = 8
_MOST_MODULES = 3
"""How deep modules call each other, as far as that is followed."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One way in which a module is applied: what gives its variables their values, and the values."""

    label: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)
    local: Mapping[str, Any] = field(default_factory=dict)
    files: frozenset[str] = frozenset()
    by_default: frozenset[str] = frozenset()
    """The variables that have the values which their declarations give them."""

    def resolved(self, value: Any, depth: int = 0) -> Any:
        """A value with the variables put in that are known; others stay as they are written."""
        if isinstance(value, dict):
            return {key: self.resolved(part, depth) for key, part in value.items()}
        if isinstance(value, list):
            return [self.resolved(part, depth) for part in value]
        if not isinstance(value, str) or "${" not in value or depth > _MOST_NESTED:
            return value
        whole = _WHOLE.fullmatch(value)
        if whole is not None:
            found = self._value(whole)
            return value if found is None else self.resolved(found, depth + 1)

        def plain(match: re.Match[str]) -> str:
            inner = _WHOLE.fullmatch(match[0])
            if inner is None:  # an expression: its variables show when it computes something else
                return _NAMED.sub(lambda m: json.dumps(self._known(m, depth), default=str), match[0])
            found = self._known(inner, depth)
            return (
                match[0]
                if isinstance(found, dict | list)
                else str(found).lower()
                if isinstance(found, bool)
                else str(found)
            )

        return _EXPRESSION.sub(plain, value)

    def _known(self, match: re.Match[str], depth: int) -> Any:
        found = self._value(match)
        return match[0] if found is None else self.resolved(found, depth + 1)

    def _value(self, match: re.Match[str]) -> Any:
        found = (self.given if match[1] == "var" else self.local).get(match[2])
        for part in match[3].split(".")[1:]:
            found = table_in(found).get(part)
        return found


def settings_of(folder: str, texts: Mapping[str, str], depth: int = 0) -> list[Setting]:
    """The ways in which the module in a folder is applied; there is always one."""
    own = [path for path in texts if path.endswith(".tf") and posixpath.dirname(path) == folder]
    declared = {name: about for path in own for name, about in _named(parsed(texts[path]).get("variable"))}
    local = {
        k: v for path in own for table in list_in(parsed(texts[path]).get("locals")) for k, v in table_in(table).items()
    }
    defaults = {name: table_in(about)["default"] for name, about in declared.items() if "default" in table_in(about)}
    found = []
    for label, given, files in [*_calls(folder, texts, depth)] or [*_roots(folder, texts)]:
        values = {**defaults, **{name: value for name, value in given.items() if name in declared}}
        found.append(
            Setting(label, values, local, frozenset({*own, *files}), frozenset(defaults.keys() - given.keys()))
        )
    return found


def _calls(
    folder: str, texts: Mapping[str, str], depth: int
) -> Iterator[tuple[str, Mapping[str, Any], frozenset[str]]]:
    """What each call of the module gives to it."""
    name = posixpath.basename(folder)
    for path, text in texts.items() if depth < _MOST_MODULES and name else ():
        if not path.endswith(".tf") or "module" not in text or name not in text:
            continue
        place = posixpath.dirname(path)
        for _, about in _named(parsed(text).get("module")):
            source = table_in(about).get("source")
            if isinstance(source, str) and source.startswith(".") and _joined(place, source) == folder:
                for setting in settings_of(place, texts, depth + 1):
                    yield setting.label or path, setting.resolved(table_in(about)), setting.files


def _roots(folder: str, texts: Mapping[str, str]) -> Iterator[tuple[str, Mapping[str, Any], frozenset[str]]]:
    """What files of values give to a root module: each that does not always count is an environment."""
    below = sorted(p for p in texts if p.endswith(_VALUES) and (not folder or p.startswith(f"{folder}/")))
    always = [path for path in below if posixpath.dirname(path) == folder and _ALWAYS.search(path)]
    common = {k: v for path in always for k, v in parsed(texts[path]).items()}
    chosen = [path for path in below if path not in always]
    for path in chosen:
        yield path, {**common, **parsed(texts[path])}, frozenset({*always, path})
    if not chosen:
        yield "", common, frozenset(always)


def _named(blocks: Any) -> Iterator[tuple[str, Any]]:
    for block in list_in(blocks):
        yield from table_in(block).items()


def _joined(folder: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(folder, path))
