"""The declarations of a Python file as an account compares them: functions, class headers, constants, the script."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from checker.extract.python.plain_code import is_text
from checker.extract.python.reached.pickled import pickled
from checker.model.program_code import Declaration, Key, Part
from checker.model.unknowns import Location

Function = ast.FunctionDef | ast.AsyncFunctionDef
_IDENTITY = frozenset({"__hash__", "__eq__", "__lt__"})


@dataclass(frozen=True, eq=False)
class Declared:
    """A declaration with its tree: a function, or statements under one name."""

    declaration: Declaration
    body: tuple[ast.stmt, ...]
    function: Function | None = None


def declared_in(tree: ast.Module, path: str) -> Iterator[Declared]:
    """Every declaration of a file. Imported names count as what they name, docstrings for nothing."""
    tree = _InFull(_imported(tree)).visit(copy.deepcopy(tree))
    yield from _body(tree.body, path, path)


def _body(body: list[ast.stmt], owner: str, path: str) -> Iterator[Declared]:
    loose: list[ast.stmt] = []
    counts: dict[str, int] = {}
    for node in body:
        for name in _assigned(node):
            counts[name] = counts.get(name, 0) + 1
    for node in body:
        names = _assigned(node)
        if isinstance(node, Function):
            yield _declared(owner, node.name, Part.METHOD, (node,), path, function=node)
        elif isinstance(node, ast.ClassDef):
            header = copy.copy(node)
            ordered = pickled(node)
            fields = ", ".join(ordered.ordered if ordered is not None else ())
            header.body = [ast.copy_location(ast.Expr(ast.Constant(fields)), node)] if fields else []
            inner = f"{owner}.{node.name}"
            yield _declared(inner, "<header>", Part.HEADER, (header,), path, whole=node)
            yield from _body(node.body, inner, path)
        elif isinstance(node, ast.Import | ast.ImportFrom) or is_text(node):
            continue
        elif names and all(counts[name] == 1 for name in names):
            yield _declared(owner, ",".join(names), Part.FIELD, (node,), path)
        else:
            loose.append(node)
    if loose:
        yield _declared(owner, "<module>", Part.MODULE, tuple(loose), path)


def _declared(
    owner: str,
    name: str,
    part: Part,
    body: tuple[ast.stmt, ...],
    path: str,
    function: Function | None = None,
    whole: ast.ClassDef | None = None,
) -> Declared:
    """``whole``: the class whose header it is."""
    key: Key = (owner, name)
    return Declared(
        Declaration(
            key=key,
            part=part,
            location=Location(path, body[0].lineno, body[0].col_offset + 1),
            written=partial(_text, body),
            names=names_in(*body),
            strings=frozenset(
                node.value
                for top in body
                for node in ast.walk(top)
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
            ),
            static=part is Part.FIELD,
            identity=name in _IDENTITY,
            pickled=pickled(whole or body[0]),
        ),
        body,
        function,
    )


def _text(body: tuple[ast.stmt, ...]) -> str:
    return "\n".join(ast.unparse(node) for node in body)


def names_in(*nodes: ast.AST) -> frozenset[str]:
    """Identifiers below some nodes, qualified ones part by part."""
    found: set[str] = set()
    for top in nodes:
        for node in ast.walk(top):
            if isinstance(node, ast.Name):
                found.update(node.id.split("."))
            elif isinstance(node, ast.Attribute):
                found.add(node.attr)
            elif isinstance(node, ast.keyword) and node.arg:
                found.add(node.arg)
    return frozenset(found)


def _assigned(node: ast.stmt) -> tuple[str, ...]:
    """The names that a plain assignment gives a value."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return tuple(target.id for target in targets if isinstance(target, ast.Name))


def _imported(tree: ast.Module) -> dict[str, str]:
    """Name → what it is imported from."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            found.update({alias.asname or alias.name: f"{module}.{alias.name}" for alias in node.names})
        elif isinstance(node, ast.Import):
            found.update({alias.asname: alias.name for alias in node.names if alias.asname})
    return found


class _InFull(ast.NodeTransformer):
    """Names as what they import; functions without docstrings."""

    def __init__(self, imported: dict[str, str]) -> None:
        self.imported = imported

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if isinstance(node.ctx, ast.Load) and node.id in self.imported:
            return ast.copy_location(ast.Name(self.imported[node.id], node.ctx), node)
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if isinstance(node, Function) and node.body and is_text(node.body[0]):
            node.body = node.body[1:] or [ast.copy_location(ast.Pass(), node.body[0])]
        return node
