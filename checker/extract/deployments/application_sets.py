"""What the generators of an ``ApplicationSet`` of Argo CD fill its template in with, as of Argo CD 2.3 to 3.

Lists, and directories and files of the same repository; ``matrix`` and ``merge`` put these together. What clusters,
pull requests and plugins give is known to the running Argo CD only: such a template is filled in once, without them.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from checker.extract.deployments.go_templates import NeedsHelmError, Renderer
from checker.extract.deployments.overlays import documents, merged
from checker.model.foreign_documents import list_in, spelled, table_in, text_in

_TEMPLATED = re.compile(r"\{\{\s*\.?([\w.\[\]-]+)\s*\}\}")
_ACTION = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_ROOT = re.compile(r"(?<![\w)\]])\.(\w+)")
"""The parameter that an expression of a Go template begins with."""
_NOT_IN_NAMES = re.compile(r"[^a-z0-9.-]")
_MOST_LEVELS = 3
_MOST = 500


@dataclass(frozen=True, slots=True)
class Element:
    """The parameters of one application, and the files that they come from."""

    parameters: Mapping[str, Any]
    files: tuple[str, ...] = ()


def elements(spec: Mapping[str, Any], texts: Mapping[str, str]) -> Iterator[Element]:
    """What the template of a set is filled in with, once for each application."""
    go = spec.get("goTemplate") is True
    for generator in map(table_in, list_in(spec.get("generators"))):
        yield from _Generators(texts, go).of(generator, 0)


def filled(value: Any, element: Element, go: bool) -> Any:
    """A template with the parameters of one element. What is not known stays as it is written."""
    if isinstance(value, dict):
        return {key: filled(inner, element, go) for key, inner in value.items()}
    if isinstance(value, list):
        return [filled(inner, element, go) for inner in value]
    if not isinstance(value, str) or "{{" not in value:
        return value
    given = element.parameters
    if go:
        asked = {name for action in _ACTION.findall(value) for name in _ROOT.findall(action)}
        try:
            return Renderer(given).rendered(value) if asked <= given.keys() else value
        except NeedsHelmError:
            return value
    return _TEMPLATED.sub(lambda match: spelled(given[match[1]]) if match[1] in given else match[0], value)


@dataclass(frozen=True, slots=True)
class _Generators:
    texts: Mapping[str, str]
    go: bool

    def of(self, generator: Mapping[str, Any], level: int) -> list[Element]:
        """The elements of one generator, and of those in it."""
        known = [kind for kind in ("list", "git", "matrix", "merge") if kind in generator]
        if not known or level > _MOST_LEVELS:
            return [Element({})]
        inner = table_in(generator[known[0]])
        if known[0] in ("matrix", "merge"):
            combined = self._matrix if known[0] == "matrix" else self._merged
            return combined(inner, level)[:_MOST]
        if known[0] == "list":
            found = [Element(table_in(element)) for element in list_in(inner.get("elements"))]
        else:
            found = [*self._directories(inner), *self._files(inner)]
        return [self._with_values(element, inner.get("values")) for element in found[:_MOST]]

    def _matrix(self, inner: Mapping[str, Any], level: int) -> list[Element]:
        """Every element of the first generator with every one of the second, which may use the first one's."""
        found = [Element({})]
        for generator in list_in(inner.get("generators")):
            found = [
                Element({**first.parameters, **second.parameters}, (*first.files, *second.files))
                for first in found
                for second in self.of(table_in(filled(generator, first, self.go)), level + 1)
            ]
        return found

    def _merged(self, inner: Mapping[str, Any], level: int) -> list[Element]:
        """The elements of the first generator, with what later ones give to those of the same keys."""
        first, *later = [self.of(table_in(g), level + 1) for g in list_in(inner.get("generators"))] or [[]]
        keys = [spelled(key) for key in list_in(inner.get("mergeKeys"))]
        for others in later:
            above = {tuple(spelled(o.parameters.get(key)) for key in keys): o for o in others}
            first = [
                Element(merged(e.parameters, o.parameters), (*e.files, *o.files))
                if (o := above.get(tuple(spelled(e.parameters.get(key)) for key in keys))) is not None
                else e
                for e in first
            ]
        return first

    def _directories(self, git: Mapping[str, Any]) -> Iterator[Element]:
        wanted = [table_in(d) for d in list_in(git.get("directories"))]
        folders = {folder for path in self.texts for folder in _parents(path)} if wanted else ()
        for folder in sorted(folders):
            matching = [d for d in wanted if _matches(folder, text_in(d.get("path")) or "")]
            if matching and not any(d.get("exclude") is True for d in matching):
                yield Element(self._place(folder, git, None))

    def _files(self, git: Mapping[str, Any]) -> Iterator[Element]:
        wanted = [table_in(f) for f in list_in(git.get("files"))]
        for path in sorted(self.texts) if wanted else ():
            matching = [f for f in wanted if _matches(path, text_in(f.get("path")) or "")]
            if matching and not any(f.get("exclude") is True for f in matching):
                for document in _content(path, self.texts[path]):
                    given = document if self.go else dict(_flat(document))
                    place = self._place(posixpath.dirname(path), git, posixpath.basename(path))
                    yield Element({**given, **place}, (path,))

    def _place(self, folder: str, git: Mapping[str, Any], filename: str | None) -> Mapping[str, Any]:
        """The parameters that say where a directory or file is."""
        prefix = text_in(git.get("pathParamPrefix"))
        named = {"basename": posixpath.basename(folder), "basenameNormalized": _normalized(posixpath.basename(folder))}
        if filename is not None:
            named |= {"filename": filename, "filenameNormalized": _normalized(filename)}
        segments = folder.split("/")
        if self.go:
            place: dict[str, Any] = {"path": {"path": folder, "segments": segments, **named}}
            return {prefix: place} if prefix else place
        begin = f"{prefix}.path" if prefix else "path"
        numbered = {f"{begin}[{number}]": segment for number, segment in enumerate(segments)}
        return {begin: folder, **{f"{begin}.{key}": value for key, value in named.items()}, **numbered}

    def _with_values(self, element: Element, values: Any) -> Element:
        given = table_in(filled(table_in(values), element, self.go))
        if not given:
            return element
        named = {"values": given} if self.go else {f"values.{key}": value for key, value in given.items()}
        return Element({**element.parameters, **named}, element.files)


def _parents(path: str) -> Iterator[str]:
    parts = path.split("/")
    yield from ("/".join(parts[:end]) for end in range(len(parts) - 1, 0, -1))


def _matches(path: str, pattern: str) -> bool:
    """Whether a path is meant: ``*`` stands for a part of one folder's name, ``**`` for any folders."""
    parts = re.escape(pattern.strip("/")).replace(r"\?", "[^/]").split("/")
    whole = "".join("(?:[^/]+/)*" if part == r"\*\*" else part.replace(r"\*", "[^/]*") + "/" for part in parts)
    return re.fullmatch(whole, f"{path}/") is not None


def _normalized(name: str) -> str:
    return _NOT_IN_NAMES.sub("-", name.lower().replace("_", "-"))


def _content(path: str, text: str) -> Iterator[Mapping[str, Any]]:
    """The tables of a file of parameters: one, or a list of them."""
    try:
        found = (json.loads(text),) if path.endswith(".json") else documents(text)
    except (ValueError, RecursionError):
        return
    for document in found:
        yield from (table_in(inner) for inner in (document if isinstance(document, list) else [document]))


def _flat(value: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(inner, dict | list):
            yield from _flat(inner, f"{prefix}{key}.")
        elif inner is not None:
            yield f"{prefix}{key}", spelled(inner)
