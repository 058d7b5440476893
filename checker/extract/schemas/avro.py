"""Avro schemas of a revision by the full names of the records that they define.

Schemas are read as JSON, as Avro defines them; named types of other files are put in where they are first used, so
that every schema stands alone. Schemas in Avro's IDL (``.avdl``) are known by their text only.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

from checker.extract.unread_code import NEEDS_CODE

_NAMED = frozenset({"record", "enum", "fixed", "error"})
_IDL_TYPE = re.compile(r"\b(?:record|enum|fixed|error)\s+`?(\w+)`?")
_BUILT = re.compile(r"(^|/)(target|build|out|node_modules)/")
_MAX_BYTES = 2_000_000


class AvroSchemas:
    """The schemas of one revision."""

    def __init__(self, paths: Iterable[str], read: Callable[[str], bytes]) -> None:
        self._paths = [path for path in paths if path.endswith((".avsc", ".avpr", ".avdl")) and not _BUILT.search(path)]
        self._read = read

    def schema(self, name: str) -> str | None:
        """The schema of a generated class by its full name, with all types inside; None where no file defines it."""
        found = self._definitions.get(name)
        return None if found is None else json.dumps(_complete(found, "", self._definitions, set()), sort_keys=True)

    def unread(self, name: str) -> str | None:
        """A digest of the IDL file that seems to define a class, which is not read; None where there is none."""
        return self._in_idl.get(name.rpartition(".")[2])

    @cached_property
    def _definitions(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for path in sorted(self._paths):
            if path.endswith(".avdl"):
                continue
            data = self._read(path)
            try:
                document = json.loads(data) if len(data) <= _MAX_BYTES else None
            except (ValueError, RecursionError):
                continue
            types = document.get("types", [document]) if isinstance(document, dict) else document
            space = document.get("namespace", "") if isinstance(document, dict) and "types" in document else ""
            _collect(types, str(space), found)
        return found

    @cached_property
    def _in_idl(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for path in sorted(self._paths):
            if path.endswith(".avdl"):
                data = self._read(path)
                digest = f"code {hashlib.sha256(data).hexdigest()[:16]}" if len(data) <= _MAX_BYTES else NEEDS_CODE
                for name in _IDL_TYPE.findall(data.decode("utf-8", "replace")):
                    found.setdefault(name, digest)
        return found


def standalone(text: str) -> str | None:
    """A schema that a program holds as text, in the form of ``AvroSchemas.schema``; None for anything else."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    found: dict[str, Any] = {}
    _collect(document, "", found)
    return json.dumps(_complete(document, "", found, set()), sort_keys=True) if found else None


def _full_name(definition: dict[str, Any], space: str) -> str:
    name = str(definition.get("name", ""))
    if "." in name:
        return name
    own = str(definition.get("namespace", space) or "")
    return f"{own}.{name}" if own else name


def _collect(schema: Any, space: str, found: dict[str, Any]) -> None:
    """Every named type of a schema, with its namespace written out."""
    if isinstance(schema, list):
        for one in schema:
            _collect(one, space, found)
    elif isinstance(schema, dict):
        kind = schema.get("type")
        if isinstance(kind, str) and kind in _NAMED and "name" in schema:
            name = _full_name(schema, space)
            space = name.rpartition(".")[0]
            found.setdefault(name, {**schema, "name": name.rpartition(".")[2], "namespace": space})
        elif isinstance(kind, dict | list):
            _collect(kind, space, found)
        for key in ("items", "values"):
            _collect(schema.get(key), space, found)
        for field in schema.get("fields", ()):
            _collect(field.get("type") if isinstance(field, dict) else None, space, found)


def _complete(schema: Any, space: str, known: dict[str, Any], used: set[str]) -> Any:
    """A schema with the definition of every type that it names at its first use, documentation left out."""
    if isinstance(schema, list):
        return [_complete(one, space, known, used) for one in schema]
    if isinstance(schema, str):
        name = schema if schema in known else f"{space}.{schema}"
        if name not in known or name in used:
            return name if name in known else schema
        return _complete(known[name], space, known, used)
    if not isinstance(schema, dict):
        return schema
    kind = schema.get("type")
    if isinstance(kind, str) and kind in _NAMED:
        name = _full_name(schema, space)
        used.add(name)
        space = name.rpartition(".")[0]
        schema = {**schema, "name": name.rpartition(".")[2], "namespace": space}
    made = {key: value for key, value in schema.items() if key not in ("doc", "java-class")}
    for key in ("items", "values"):
        if key in made:
            made[key] = _complete(made[key], space, known, used)
    if "fields" in made and isinstance(made["fields"], list):
        made["fields"] = [
            {k: _complete(v, space, known, used) if k == "type" else v for k, v in field.items() if k != "doc"}
            for field in made["fields"]
            if isinstance(field, dict)
        ]
    if isinstance(kind, dict | list) or (isinstance(kind, str) and kind not in _NAMED and f"{space}.{kind}" in known):
        made["type"] = _complete(kind, space, known, used)
    return made
