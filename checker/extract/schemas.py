"""Schemas of elements and state, from which a build generates classes.

Avro's schemas are read as JSON, as Avro defines them; named types of other files are put in where they are first used,
so that every schema stands alone. Types in Avro's IDL (``.avdl``), in files that can't be parsed, and Protobuf's
messages (``.proto``) are known by their file's text only.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

from checker.extract.texts import without_comments

_NAMED = frozenset({"record", "enum", "fixed", "error"})
_IDL_TYPE = re.compile(r"\b(?:record|enum|fixed|error|message)\s+`?(\w+)`?")
IDL = (".avdl", ".proto")
_IMPORT = re.compile(r'\bimport\b[^";]*"([^"]+)"')
_JSON_TYPE = re.compile(r'"name"\s*:\s*"(?:[\w.]+\.)?(\w+)"')
_NAME = re.compile(r'"(?:[\w.]+\.)?(\w+)"')
_BUILT = re.compile(r"(^|/)(target|build|out|node_modules)/")
_MAX_BYTES = 2_000_000


class AvroSchemas:
    """The schemas of one revision."""

    ENDINGS = (".avsc", ".avpr", *IDL)

    def __init__(self, paths: Iterable[str], read: Callable[[str], bytes]) -> None:
        self._paths = [path for path in paths if path.endswith(self.ENDINGS) and not _BUILT.search(path)]
        self._read = read

    def schema(self, name: str) -> str | None:
        """The schema of a generated class by its full name, with all types inside.

        None where no file defines it, or where a part of it is in a file that is not read (see ``unread``).
        """
        text = self._text(name)
        return text if text is not None and not self._unread_parts(text) else None

    def unread(self, name: str) -> str | None:
        """A digest of the files that define a class, or a part of it, and are not read; None where there are none."""
        text = self._text(name)
        if text is None:
            return self._in_unread.get(name.rpartition(".")[2])
        parts = self._unread_parts(text)
        return _digest("\0".join((text, *parts))) if parts else None

    def _text(self, name: str) -> str | None:
        found = self._definitions.get(name)
        return None if found is None else json.dumps(_complete(found, "", self._definitions, set()), sort_keys=True)

    def _unread_parts(self, text: str) -> list[str]:
        names = set(_NAME.findall(text)) - {name.rpartition(".")[2] for name in self._definitions}
        return sorted(self._in_unread[name] for name in names & self._in_unread.keys())

    @cached_property
    def _parsed(self) -> dict[str, Any]:
        """Path → what its JSON says; None where it is not read."""
        found: dict[str, Any] = {}
        for path in sorted(self._paths):
            data = self._read(path)
            try:
                readable = not path.endswith(IDL) and len(data) <= _MAX_BYTES
                found[path] = json.loads(data) if readable else None
            except (ValueError, RecursionError):
                found[path] = None
        return found

    @cached_property
    def _definitions(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for document in self._parsed.values():
            types = document.get("types", [document]) if isinstance(document, dict) else document
            space = document.get("namespace", "") if isinstance(document, dict) and "types" in document else ""
            _collect(types, str(space), found)
        return found

    @cached_property
    def _in_unread(self) -> dict[str, str]:
        """Simple name of a type → a digest of the file that seems to define it and is not read."""
        found: dict[str, str] = {}
        for path in (path for path, document in self._parsed.items() if document is None):
            texts = with_imports(path, self._paths, self._read)
            for name in set((_IDL_TYPE if path.endswith(IDL) else _JSON_TYPE).findall(texts[path])):
                found[name] = found.get(name, "") + _digest("\0".join(texts.values()))
        return found


def with_imports(path: str, paths: Iterable[str], read: Callable[[str], bytes]) -> dict[str, str]:
    """Path → text without comments, of a schema and of those among ``paths`` that it imports."""
    texts: dict[str, str] = {}
    pending = [path]
    while pending:
        path = pending.pop()
        idl = path.endswith(IDL)
        texts[path] = _without_layout(read(path)) if idl else read(path).decode("utf-8", "replace")
        imported = tuple(_IMPORT.findall(texts[path])) if idl else ()
        pending += [schema for schema in paths if schema.endswith(imported) and schema not in texts]
    return texts


def _without_layout(data: bytes) -> str:
    return " ".join(without_comments(data.decode("utf-8", "replace")).split())


def _digest(text: str) -> str:
    return f"code {hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def standalone(text: str) -> str | None:
    """A schema that a program holds as text, in the form of ``AvroSchemas.schema``; None for anything else."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    found: dict[str, Any] = {}
    _collect(document, "", found)
    return json.dumps(_complete(document, "", found, set()), sort_keys=True) if found else None


def same_schema(path: str, before: bytes, after: bytes) -> bool:
    """Whether a file of schemas says the same in two revisions, layout and documentation left out."""
    if path.endswith(IDL):
        return _without_layout(before) == _without_layout(after)
    if not path.endswith(".avsc") or max(len(before), len(after)) > _MAX_BYTES:
        return False
    try:
        old, new = (standalone(data.decode()) for data in (before, after))
    except (UnicodeDecodeError, RecursionError, TypeError):
        return False
    return old is not None and old == new


def _full_name(definition: dict[str, Any], space: str) -> str:
    name = str(definition.get("name", ""))
    if "." in name:
        return name
    own = str(definition.get("namespace", space) or "")
    return f"{own}.{name}" if own else name


def _collect(schema: Any, space: str, found: dict[str, Any]) -> None:
    """Every named type of a schema, with its namespace written out."""
    if isinstance(schema, list):
        for part in schema:
            _collect(part, space, found)
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
        return [_complete(part, space, known, used) for part in schema]
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
