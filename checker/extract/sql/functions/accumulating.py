"""The code of SQL's aggregate functions: their accumulators lie in state, and only it knows what these mean.

Types of accumulators are part of what Flink plans; what ``accumulate``, ``retract`` and ``merge`` make of them is not.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator, Mapping

from checker.extract.consulted import content_or_none, plain
from checker.extract.java.syntax.parse import SourceUnit
from checker.extract.java.syntax.tokens import same_tokens
from checker.extract.java.syntax.tree import Node, children, field, text, walk
from checker.model.sources import SourceFiles

_ACCUMULATES = "accumulate"
_OTHER_LANGUAGES = (".kt", ".scala", ".groovy")


def edited_accumulation(base: SourceFiles, head: SourceFiles, paths: Iterable[str]) -> frozenset[str]:
    """Those of some edited files that have an aggregate function of both revisions whose code differs.

    Functions go by their class: one that moved to another of the files is the same.
    """
    sides = [_functions(plain(files), sorted(paths)) for files in (base, head)]
    return frozenset(
        path
        for name in sides[0].keys() & sides[1].keys()
        if not _same(sides[0][name][1], sides[1][name][1])
        for path in (sides[0][name][0], sides[1][name][0])
    )


def _same(before: str, after: str) -> bool:
    return before == after or same_tokens(before.encode(), after.encode())


def _functions(files: SourceFiles, paths: Iterable[str]) -> Mapping[str, tuple[str, str]]:
    """Simple name of a class that accumulates → the file that it is in, and its code."""
    found: dict[str, tuple[str, str]] = {}
    for path in paths:
        if content_or_none(files, path) is not None:
            data = files.read(path)
            if _ACCUMULATES.encode() in data:
                found.update((name, (path, code)) for name, code in _in_file(path, data))
    return found


def _in_file(path: str, data: bytes) -> Iterator[tuple[str, str]]:
    if path.endswith(".java"):
        for node in walk(SourceUnit(path, data).root):
            if node.type == "class_declaration" and _ACCUMULATES in map(_method, children(field(node, "body") or node)):
                yield text(field(node, "name")), text(node)
    elif path.endswith(".py"):
        for declared in _classes(data):
            if any(isinstance(part, ast.FunctionDef) and part.name == _ACCUMULATES for part in declared.body):
                yield declared.name, ast.unparse(_without_texts(declared))
    elif path.endswith(_OTHER_LANGUAGES):
        yield path.rpartition("/")[2], data.decode("utf-8", "replace")


def _method(node: Node) -> str:
    return text(field(node, "name")) if node.type == "method_declaration" else ""


def _classes(data: bytes) -> Iterator[ast.ClassDef]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError):
        return
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def _without_texts(declared: ast.ClassDef) -> ast.ClassDef:
    """The class without its texts for readers."""
    for part in ast.walk(declared):
        if isinstance(part, ast.ClassDef | ast.FunctionDef) and ast.get_docstring(part) is not None:
            part.body = part.body[1:] or [ast.Pass()]
    return declared
