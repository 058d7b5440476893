"""What files give to expressions: ``json.load(open("a.json"))["key"]`` is the value that lies in the file."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

import yaml

from checker.extract.python.interpreter.imports import parsed
from checker.extract.python.plain_code import without_logs
from checker.extract.python.reached.scopes import WHERE, as_part, written
from checker.model.gathered import gathered
from checker.model.sources import SourceFiles

_LOADS = frozenset({"load", "loads", "safe_load", "full_load", "read_text", "read", "open", "read_bytes"})
_PARSERS: dict[str, Callable[[str], Any]] = {
    "json": json.loads, "yaml": yaml.safe_load, "yml": yaml.safe_load, "toml": tomllib.loads
}  # fmt: skip
_PREFIX = re.compile(r"(\w+) = (.*)", re.DOTALL)
_LITERAL = re.compile(r"'([^'\s]{1,200})'")
_UNPICKLES = re.compile(r"\b(?:\w*pickle|dill|joblib)\.(?:loads?|Unpickler)\b")
_METHOD = re.compile(r"\.(\w+)\(")
_MOST = 200_000


class FileValues:
    """The files of one revision, as expressions of its script name them."""

    def __init__(self, files: SourceFiles) -> None:
        self._files = files
        self._read: set[str] = set()

    def resolved(self, texts: Iterable[str]) -> tuple[set[str], frozenset[str]]:
        """Texts of ``ValueTexts`` with what files give in its place, and these files.

        Of an attribute that holds the content of a file only what is read of it counts.
        """
        self._read.clear()
        found: set[str] = set()
        all_texts = list(texts)
        for text in all_texts:
            named = _PREFIX.fullmatch(text)
            first, *code = text.split(WHERE)
            if not any(f"{name}(" in text for name in _LOADS):
                found.add(text)
            elif named is not None and (parts := _members_read(named[1], all_texts)):
                for part in parts:
                    found.add(f"{named[1]}{part} = {self._in(named[2].split(WHERE)[0] + part)}")
                found.update(map(self._in, code))
            else:
                found.add(WHERE.join(map(self._in, (first, *code))))
        if any(_UNPICKLES.search(text) for text in all_texts):
            for name in sorted({name for text in all_texts for name in _METHOD.findall(text)}):
                found.update(self._methods(name))
        return found, frozenset(self._read)

    def _methods(self, name: str) -> Iterator[str]:
        """The methods of a name that an unpickled object may have, with those that they call of the same object."""
        for path in (path for path in self._files.paths() if path.endswith(".py")):
            data = self._files.read(path)
            if f"def {name}(".encode() not in data:
                continue
            for owner in (node for node in ast.walk(parsed(data, path)) if isinstance(node, ast.ClassDef)):
                methods = {node.name: node for node in owner.body if isinstance(node, ast.FunctionDef)}
                pending, used = [name], set[str]()
                while pending:
                    method = methods.get(pending.pop())
                    if method is not None and method.name not in used:
                        used.add(method.name)
                        pending += [node.attr for node in ast.walk(method) if isinstance(node, ast.Attribute)]
                if used:
                    self._read.add(path)
                    code = (ast.unparse(without_logs(methods[method_name])) for method_name in sorted(used))
                    yield f"{path} {owner.name}.{name} = {' '.join(code)}"

    def _in(self, text: str) -> str:
        prefix = _PREFIX.fullmatch(text)
        tree = as_part(text if prefix is None else prefix[2])
        if isinstance(tree, ast.Name):  # no expression of Python
            files = {file for literal in _LITERAL.findall(text) for file in self._named(literal)}
            return " ".join((text, *(f"{file} {self._digest(file)}" for file in sorted(files))))
        value = written(_Resolved(self._value).visit(tree))
        return value if prefix is None else f"{prefix[1]} = {value}"

    def _value(self, node: ast.expr) -> str | None:
        """What an expression takes from a file; None where it takes nothing from one."""
        path: list[object] = []
        base = node
        while (entry := _entry(base)) is not None:
            base, key = entry
            path.insert(0, key)
        if not isinstance(base, ast.Call) or _called(base) not in _LOADS:
            return None
        named = {
            file
            for part in ast.walk(base)
            if isinstance(part, ast.Constant) and isinstance(part.value, str)
            for file in self._named(part.value)
        }
        if len(named) != 1:
            return None if not named else " ".join(f"{file} {self._digest(file)}" for file in sorted(named))
        (file,) = named
        self._read.add(file)
        try:
            value = self._parsed(file)
            for key in path:
                value = value[key]
        except (KeyError, IndexError, TypeError, ValueError, yaml.YAMLError, RecursionError):
            return f"{file} {self._digest(file)} {path}"
        return f"{file}: {json.dumps(value, sort_keys=True, default=str)}"

    def _parsed(self, file: str) -> Any:
        data = self._files.read(file)
        if len(data) > _MOST:
            raise ValueError
        return _PARSERS[file.rpartition(".")[2]](data.decode("utf-8-sig"))

    def _digest(self, file: str) -> str:
        self._read.add(file)
        return self._files.content_id(file)

    def _named(self, text: str) -> list[str]:
        """The files that a text names by the end of their paths."""
        ending = text.lstrip("./")
        if "." not in ending or len(ending) > 200:
            return []
        return [path for path in self._by_name.get(ending.rpartition("/")[2], ()) if f"/{path}".endswith(f"/{ending}")]

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        return gathered((path.rpartition("/")[2], path) for path in self._files.paths() if not path.endswith(".py"))


class _Resolved(ast.NodeTransformer):
    def __init__(self, value: Callable[[ast.expr], str | None]) -> None:
        self._value = value

    def visit(self, node: ast.AST) -> ast.AST:
        """The whole of what is read from a file before its parts."""
        text = self._value(node) if isinstance(node, ast.Subscript | ast.Call) else None
        return self.generic_visit(node) if text is None else ast.Constant(text)


def _entry(node: ast.expr) -> tuple[ast.expr, object] | None:
    """What an entry is taken from, and its key: ``x["key"]``, ``x.get("key", 1)``."""
    match node:
        case ast.Subscript(value=base, slice=ast.Constant(value=key)):
            return base, key
        case ast.Call(func=ast.Attribute(value=base, attr="get"), args=[ast.Constant(value=key), *_]):
            return base, key
    return None


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "").rpartition(".")[2]


def _members_read(name: str, texts: Iterable[str]) -> set[str]:
    """What other texts read of an attribute, as far as these are entries by name; nothing where any is not."""
    found: set[str] = set()
    for text in texts:
        for use in re.finditer(rf"\.{name}\b((?:\['[^']*'\]|\[\d+\])*)", text):
            if not use[1]:
                return set()
            found.add(use[1])
    return found
