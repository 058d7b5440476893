"""Protobuf messages of a revision by the names of the Java classes that are generated from them.

``.proto`` files are parsed wherever they lie (``src/main/proto``, a module of buf). Packages, outer classes and nested
messages are named as protoc's Java generator names them. What a file defines that can't be parsed is known by the
file's text only.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from antlr4.error.ErrorListener import ErrorListener
from proto_schema_parser import ast
from proto_schema_parser.parser import Parser

_BUILT = re.compile(r"(^|/)(target|build|out|node_modules)/")
_MAX_BYTES = 2_000_000
_MAX_FILES = 500
_DEFINED = re.compile(rb"\b(?:message|enum)\s+(\w+)")


@dataclass(frozen=True, slots=True)
class _Defined:
    """A message or enum: its full name in Protobuf, and what the file says of it."""

    name: str
    element: Any


class _Refusal(ErrorListener):  # type: ignore[misc]
    """The parser goes on after errors with what it makes of the rest: a file with errors is not read."""

    def syntaxError(self, recognizer: Any, symbol: Any, line: int, column: int, message: str, error: Any) -> None:  # noqa: N802
        """Raises ValueError."""
        raise ValueError(f"{line}:{column}: {message}")


def _strict(recognizer: Any) -> None:
    recognizer.removeErrorListeners()
    recognizer.addErrorListener(_Refusal())


class ProtobufMessages:
    """The messages of one revision."""

    def __init__(self, paths: Iterable[str], read: Callable[[str], bytes]) -> None:
        self._paths = sorted(path for path in paths if path.endswith(".proto") and not _BUILT.search(path))
        self._read = read

    def schema(self, java_class: str) -> str | None:
        """The message of a generated class (nested classes joined with dots) as JSON.

        None where no file has it, or where a part of it is in a file that is not read (see ``unread``).
        """
        name = self._java_names.get(java_class)
        messages, texts = self._described(name) if name is not None else ({}, set())
        return json.dumps({"message": name, "types": messages}, sort_keys=True) if messages and not texts else None

    def unread(self, java_class: str) -> str | None:
        """A digest of the files that define a class, or a part of it, and are not read; None where there are none."""
        name = self._java_names.get(java_class)
        if name is None:
            return self._in_unread.get(java_class.rpartition(".")[2])
        messages, texts = self._described(name)
        known = json.dumps(messages, sort_keys=True)
        return _digest("\0".join((known, *sorted(texts))).encode()) if texts else None

    @cached_property
    def _parsed(self) -> dict[str, ast.File | None]:
        found: dict[str, ast.File | None] = {}
        for place, path in enumerate(self._paths):
            data = self._read(path)
            found[path] = None
            if place < _MAX_FILES and len(data) <= _MAX_BYTES:
                with suppress(Exception):
                    found[path] = Parser(setup_lexer=_strict, setup_parser=_strict).parse(
                        data.decode("utf-8", "replace")
                    )
        return found

    @cached_property
    def _files(self) -> list[tuple[str, ast.File]]:
        return [(path, file) for path, file in self._parsed.items() if file is not None]

    @cached_property
    def _in_unread(self) -> dict[str, str]:
        """Simple name of a message or enum → a digest of the files that seem to define it and are not read."""
        found: dict[str, str] = {}
        for path, file in self._parsed.items():
            data = self._read(path) if file is None else b""
            for name in {found_name.decode() for found_name in _DEFINED.findall(data)}:
                found[name] = found.get(name, "") + _digest(data)
        return found

    @cached_property
    def _types(self) -> dict[str, Any]:
        return {
            definition.name: definition.element
            for _, file in self._files
            for definition in _defined(file.file_elements, _package(file))
        }

    @cached_property
    def _java_names(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for path, file in self._files:
            package = _package(file)
            options = {o.name: o.value for o in file.file_elements if isinstance(o, ast.Option)}
            java_package = str(options.get("java_package", package))
            outer = str(options.get("java_outer_classname") or _outer_name(path, file))
            several = str(options.get("java_multiple_files", "false")).lower() == "true"
            prefix = java_package if several else f"{java_package}.{outer}" if java_package else outer
            for definition in _defined(file.file_elements, package):
                if isinstance(definition.element, ast.Message):
                    relative = definition.name.removeprefix(f"{package}.") if package else definition.name
                    found.setdefault(f"{prefix}.{relative}" if prefix else relative, definition.name)
        return found

    def _described(self, name: str) -> tuple[dict[str, Any], set[str]]:
        """A message and all that its fields name, and digests of the parts that are not read."""
        messages: dict[str, Any] = {}
        unread: set[str] = set()
        self._describe(name, messages, unread)
        return messages, unread

    def _describe(self, name: str, found: dict[str, Any], unread: set[str]) -> None:
        element = self._types.get(name)
        if element is None:
            unread.update(filter(None, [self._in_unread.get(name.rpartition(".")[2])]))
        if element is None or name in found:
            return
        if isinstance(element, ast.Enum):
            values = (v for v in element.elements if isinstance(v, ast.EnumValue))
            found[name] = {"enum": {str(v.number): v.name for v in values}}
            return
        fields: list[dict[str, Any]] = []
        found[name] = {"fields": fields}
        for field, oneof in _fields(element):
            if isinstance(field, ast.Group):
                unread.add(repr(field))
                continue
            if isinstance(field, ast.MapField):
                key, value = str(field.key_type), self._resolve(str(field.value_type), name)
                kind: dict[str, Any] = {"label": "map", "key": key, "type": value}
            else:
                label = field.cardinality.value.lower() if field.cardinality is not None else "singular"
                value = self._resolve(str(field.type), name)
                kind = {"label": label, "type": value}
            fields.append({"number": int(field.number), "name": field.name, "oneof": oneof, **kind})
            self._describe(value, found, unread)
        fields.sort(key=lambda field: int(field["number"]))

    def _resolve(self, spelled: str, scope: str) -> str:
        """The full name of a type that a message names, a scalar as it is."""
        if spelled.startswith("."):
            return spelled[1:]
        current = scope
        while True:
            name = f"{current}.{spelled}" if current else spelled
            if name in self._types or not current:
                return name if name in self._types else spelled
            current = current.rpartition(".")[0]


def _digest(data: bytes) -> str:
    return f"code {hashlib.sha256(data).hexdigest()[:16]}"


def _package(file: ast.File) -> str:
    return next((str(e.name) for e in file.file_elements if isinstance(e, ast.Package)), "")


def _defined(elements: Iterable[Any], prefix: str) -> Iterator[_Defined]:
    for element in elements:
        if isinstance(element, ast.Message | ast.Enum):
            name = f"{prefix}.{element.name}" if prefix else element.name
            yield _Defined(name, element)
            if isinstance(element, ast.Message):
                yield from _defined(element.elements, name)


def _fields(message: ast.Message) -> Iterator[tuple[Any, str | None]]:
    for element in message.elements:
        if isinstance(element, ast.Field | ast.MapField | ast.Group):
            yield element, None
        elif isinstance(element, ast.OneOf):
            for part in element.elements:
                if isinstance(part, ast.Field | ast.Group):
                    yield part, element.name


def _outer_name(path: str, file: ast.File) -> str:
    """``order_events.proto`` → ``OrderEvents``, with ``OuterClass`` where a type of the file has that name."""
    stem = path.rpartition("/")[2].removesuffix(".proto")
    name = "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", stem))
    names = {definition.name.rpartition(".")[2] for definition in _defined(file.file_elements, "")}
    return f"{name}OuterClass" if name in names else name
