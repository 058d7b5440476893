"""Which charts a Helm chart has parts: those below its ``charts`` folder, and those that it names by ``file://``.

A part gets the values that the whole has under its name, or alias, and the ``global`` ones. It is left out where its
``condition``, or else all of its ``tags``, are false (``processDependencyEnabled`` of Helm 3).
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from checker.extract.deployments.overlays import documents, merged
from checker.model.foreign_documents import list_in, spelled, table_in, text_in

CHART = "Chart.yaml"
_FILE = "file://"
_GLOBAL = "global"


@dataclass(frozen=True, slots=True)
class Part:
    """A chart in another one: its folder, and the key of its values there."""

    folder: str
    name: str
    conditions: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    def enabled(self, values: Mapping[str, Any]) -> bool:
        """Whether the chart with these values has the part."""
        for path in self.conditions:
            value: Any = values
            for key in path.split("."):
                value = table_in(value).get(key)
            if isinstance(value, bool):
                return value
        given = [table_in(values.get("tags")).get(tag) for tag in self.tags]
        return True in given or False not in given

    def of(self, values: Mapping[str, Any], common: Mapping[str, Any]) -> Mapping[str, Any]:
        """The values of the part, whose own are ``common``, in a chart with these values."""
        own = merged(common, table_in(values.get(self.name)))
        return table_in(merged(own, {_GLOBAL: values[_GLOBAL]}) if table_in(values.get(_GLOBAL)) else own)


Dependencies: TypeAlias = tuple[Part, ...]


def charts_of(texts: Mapping[str, str]) -> Mapping[str, Dependencies]:
    """Every chart by its folder, with its parts."""
    folders = {posixpath.dirname(path) for path in texts if posixpath.basename(path) == CHART}
    return {folder: tuple(_parts(folder, folders, texts)) for folder in sorted(folders)}


def family(chart: str, texts: Mapping[str, str]) -> tuple[str, ...]:
    """The folders of all charts that are rendered together with one, which is the last: they share named templates."""
    every = charts_of(texts)
    wholes = {folder: {w for w, parts in every.items() if any(p.folder == folder for p in parts)} for folder in every}
    found = _reached(chart, {f: {*wholes[f], *(p.folder for p in parts)} for f, parts in every.items()})
    return (*sorted(found - {chart}), chart)


def with_parts(chart: str, texts: Mapping[str, str]) -> frozenset[str]:
    """The folders of a chart and of all charts that it gives values to."""
    return _reached(chart, {folder: {p.folder for p in parts} for folder, parts in charts_of(texts).items()})


def _reached(folder: str, near: Mapping[str, Collection[str]]) -> frozenset[str]:
    found, pending = {folder}, [folder]
    while pending:
        new = set(near.get(pending.pop(), ())) - found
        found |= new
        pending.extend(new)
    return frozenset(found)


def values_in(text: str) -> Mapping[str, Any]:
    """The table that a file of values is; empty where it is none."""
    found = next(iter(documents(text)), None)
    return found if isinstance(found, dict) else {}


def _parts(folder: str, folders: set[str], texts: Mapping[str, str]) -> Iterator[Part]:
    """What ``Chart.yaml``, or ``requirements.yaml`` of older charts, names; and what lies there without being named."""
    below = posixpath.join(folder, "charts")
    unnamed = {inner for inner in folders if posixpath.dirname(inner) == below}
    for file in (CHART, "requirements.yaml"):
        described = values_in(texts.get(posixpath.join(folder, file), ""))
        for given in map(table_in, list_in(described.get("dependencies"))):
            name, repository = text_in(given.get("name")) or "", text_in(given.get("repository")) or ""
            places = [posixpath.join(below, name)]
            if repository.startswith(_FILE):
                places.append(posixpath.normpath(posixpath.join(folder, repository.removeprefix(_FILE))))
            found = next((place for place in places if place in folders), None)
            if found is not None:
                unnamed.discard(found)
                conditions = tuple(path.strip() for path in (text_in(given.get("condition")) or "").split(",") if path)
                tags = tuple(map(spelled, list_in(given.get("tags"))))
                yield Part(found, text_in(given.get("alias")) or name, conditions, tags)
    for inner in sorted(unnamed):
        described = values_in(texts.get(posixpath.join(inner, CHART), ""))
        yield Part(inner, text_in(described.get("name")) or posixpath.basename(inner))
