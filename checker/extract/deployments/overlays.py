"""Kustomize: what an overlay makes of its bases, as far as it concerns Flink's custom resources.

Custom resources have no merge keys, so kustomize patches them by JSON merge patch (RFC 7386), or by JSON patch
(RFC 6902). What a replacement fills in is not known.
"""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from checker.errors import RevisionError
from checker.extract.texts import MOST_LEVELS, json_documents, yaml_documents

KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
MAX_DEPTH = 10
MOST_WORK = 500_000
"""What the kustomizations of a revision may take: a resource that one reads or patches, with each 1,000 characters."""
LATER = "${later}"
"""Stands for a value that is not known."""


@dataclass(frozen=True, slots=True)
class Resource:
    """A document with the file that it comes from, patches applied."""

    path: str
    document: Any


class Overlays:
    """The kustomizations of a revision. ``texts`` are the YAML files by path."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._folders = {posixpath.dirname(p): p for p in texts if posixpath.basename(p) in KUSTOMIZATIONS}
        self._read: dict[str, tuple[Any, ...]] = {}
        self._left = MOST_WORK

    def leaves(self) -> tuple[str, ...]:
        """Folders of kustomizations that no other one builds on: what is applied to a cluster."""
        used = {f for folder in self._folders for f in self._references(folder) if f in self._folders}
        return tuple(sorted(f for f in self._folders if f not in used))

    def files_below(self, folder: str) -> frozenset[str]:
        """Every file that a kustomization names, bases included."""
        found, folders = set[str](), [folder]
        for at in folders:  # which grows
            found.add(self._folders[at])
            for name in dict.fromkeys(self._references(at)):
                if name not in self._folders:
                    found.add(name)
                elif self._folders[name] not in found and name not in folders:
                    folders.append(name)
        return frozenset(found)

    def resources(self, folder: str) -> tuple[Resource, ...]:
        """The documents that the kustomization of a folder builds. Raises RevisionError for too many."""
        table = self._table(folder)
        built = self._applied(folder, self._accumulated(folder, 0), table)
        affixes = (str(table.get("namePrefix") or ""), str(table.get("nameSuffix") or ""))
        return tuple(Resource(r.path, _named(r.document, *affixes)) for r in built)

    def _accumulated(self, folder: str, depth: int) -> list[Resource]:
        """What a kustomization starts from: its resources, then what each of its components makes of all of them."""
        table = self._table(folder)
        built: list[Resource] = []
        for name in _texts(table, "resources", "bases"):
            path = _joined(folder, name)
            if path in self._folders and depth < MAX_DEPTH:
                built.extend(self._applied(path, self._accumulated(path, depth + 1), self._table(path)))
            elif path in self._texts:
                built.extend(Resource(path, d) for d in self._documents(self._texts[path]))
            self._take(len(built), folder)
        for name in _texts(table, "components"):
            path = _joined(folder, name)
            if path in self._folders and depth < MAX_DEPTH:
                built = [*self._applied(path, [*built, *self._accumulated(path, depth + 1)], self._table(path))]
        return built

    def _applied(self, folder: str, built: Sequence[Resource], table: Mapping[str, Any]) -> tuple[Resource, ...]:
        """Resources with what one kustomization, whose paths are relative to a folder, does to all of them."""
        namespace = table.get("namespace")
        left = self._left
        patches = list(self._patches(folder, table))
        self._take((left - self._left) * len(built), folder)
        patched = tuple(Resource(r.path, _patched(r.document, patches, namespace)) for r in built)
        for replacement in self._replacements(folder, table):
            targets = _tables(replacement, "targets")
            self._take(len(built) * (1 + len(targets)), folder)
            patched = tuple(Resource(r.path, _replaced(r.document, targets)) for r in patched)
        return patched

    def _replacements(self, folder: str, table: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        for entry in _tables(table, "replacements"):
            path = entry.get("path")
            named = self._documents(self._texts.get(_joined(folder, path), "")) if isinstance(path, str) else (entry,)
            for document in named:
                yield from (d for d in (document if isinstance(document, list) else [document]) if isinstance(d, dict))

    def _table(self, folder: str) -> Mapping[str, Any]:
        found = next(iter(self._documents(self._texts[self._folders[folder]])), None)
        return found if isinstance(found, dict) else {}

    def _references(self, folder: str) -> Iterator[str]:
        table = self._table(folder)
        patches = [p.get("path") for p in _tables(table, "patches", "patchesJson6902", "replacements")]
        names = (*_texts(table, "resources", "bases", "components", "patchesStrategicMerge"), *patches)
        yield from (_joined(folder, n) for n in names if isinstance(n, str) and "\n" not in n)

    def _patches(self, folder: str, table: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Any]]:
        """Target selector and patch."""
        for named in _texts(table, "patchesStrategicMerge"):
            strategic = named if "\n" in named else self._texts.get(_joined(folder, named), "")
            yield from (({}, d) for d in self._documents(strategic))
        for entry in _tables(table, "patches", "patchesJson6902"):
            path, inline, target = entry.get("path"), entry.get("patch"), entry.get("target")
            text = self._texts.get(_joined(folder, path)) if isinstance(path, str) else inline
            for document in self._documents(text if isinstance(text, str) else ""):
                yield target if isinstance(target, dict) else {}, document

    def _documents(self, text: str) -> tuple[Any, ...]:
        if text not in self._read:
            self._read[text] = documents(text)
        self._take(1 + len(text) // 1_000, "kustomization")
        return self._read[text]

    def _take(self, work: int, what: str) -> None:
        self._left -= work
        if self._left < 0:
            raise RevisionError(f"{what or '.'}: kustomize makes too many resources and patches of it to be read here")


def documents(text: str) -> tuple[Any, ...]:
    """The documents of a text in YAML or JSON; none where it is neither."""
    try:
        return yaml_documents(text)
    except yaml.YAMLError:
        return json_documents(text)


def merged(document: Any, patch: Any) -> Any:
    """JSON merge patch."""
    if not isinstance(document, dict) or not isinstance(patch, dict):
        return patch
    result = dict(document)
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result[key], value) if key in result else value
    return result


def _patched(document: Any, patches: list[tuple[Mapping[str, Any], Any]], namespace: Any) -> Any:
    for target, patch in patches:
        if isinstance(patch, list):
            if _selected(document, target):
                for step in patch:
                    document = _operated(document, step)
        elif isinstance(patch, dict) and _selected(document, target or _identity(patch)):
            document = merged(document, patch)
    if isinstance(namespace, str) and isinstance(document, dict):
        document = merged(document, {"metadata": {"namespace": namespace}})
    return document


def _named(document: Any, prefix: str, suffix: str) -> Any:
    """A resource of Flink under the name that it gets; what refers to other resources by their names is left alone."""
    metadata = document.get("metadata") if isinstance(document, dict) else None
    name = metadata.get("name") if isinstance(metadata, dict) else None
    if not isinstance(name, str) or not str(document.get("kind", "")).startswith("Flink"):
        return document
    return merged(document, {"metadata": {"name": f"{prefix}{name}{suffix}"}})


def _replaced(document: Any, targets: Sequence[Mapping[str, Any]]) -> Any:
    for target in targets:
        select = target.get("select")
        if isinstance(document, dict) and isinstance(select, dict) and _selected(document, select):
            for path in _texts(target, "fieldPaths"):
                keys = _keys(path)
                plain = next((n for n, key in enumerate(keys) if "[" in key or "*" in key), None)
                if 0 < len(keys[:plain]) <= MOST_LEVELS:
                    document = _placed(document, keys[:plain], "replace", LATER)
    return document


def _keys(path: str) -> list[str]:
    """The keys of a field path; a dot inside of a key is written with a backslash."""
    return [key.replace("\0", ".") for key in path.replace("\\.", "\0").split(".")]


def _identity(patch: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = patch.get("metadata")
    return {"kind": patch.get("kind"), "name": metadata.get("name") if isinstance(metadata, dict) else None}


def _selected(document: Any, target: Mapping[str, Any]) -> bool:
    if not isinstance(document, dict):
        return False
    own = _identity(document)
    return all(target.get(key) in (None, own[key]) for key in ("kind", "name"))


def _operated(document: Any, step: Any) -> Any:
    """One operation of a JSON patch on tables; what concerns a list element replaces or removes it."""
    if not isinstance(step, dict) or not isinstance(step.get("path"), str):
        return document
    keys = [k.replace("~1", "/").replace("~0", "~") for k in step["path"].lstrip("/").split("/")]
    return _placed(document, keys, step.get("op"), step.get("value")) if len(keys) <= MOST_LEVELS else document


def _placed(document: Any, keys: list[str], operation: Any, value: Any) -> Any:
    key, *rest = keys
    if isinstance(document, list):
        items = list(document)
        place = len(items) if key == "-" else int(key) if key.isdecimal() else -1
        if rest and 0 <= place < len(items):
            items[place] = _placed(items[place], rest, operation, value)
        elif operation == "add" and 0 <= place <= len(items):
            items.insert(place, value)
        elif 0 <= place < len(items):
            items[place : place + 1] = [] if operation == "remove" else [value]
        return items
    table = dict(document) if isinstance(document, dict) else {}
    if rest:
        table[key] = _placed(table.get(key, {}), rest, operation, value)
    elif operation == "remove":
        table.pop(key, None)
    else:
        table[key] = value
    return table


def _joined(folder: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(folder, name)).removeprefix("./")


def _texts(table: Mapping[str, Any], *keys: str) -> list[str]:
    return [v for v in _listed(table, keys) if isinstance(v, str)]


def _tables(table: Mapping[str, Any], *keys: str) -> list[Mapping[str, Any]]:
    return [v for v in _listed(table, keys) if isinstance(v, dict)]


def _listed(table: Mapping[str, Any], keys: Sequence[str]) -> list[Any]:
    return [v for key in keys if isinstance(listed := table.get(key), list) for v in listed]
