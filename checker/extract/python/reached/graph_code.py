"""The code of a script that its graph can depend on: without log calls and code that only runs with records."""

import ast
import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator

from checker.extract.python.interpreter.run_state import Limits
from checker.extract.python.interpreter.signals import StoppedError
from checker.extract.python.plain_code import logs, parsed
from checker.extract.python.reached.declarations import Function, names_in
from checker.extract.python.reached.detail import STATE_NAMES
from checker.model.sources import SourceFiles

_BUILDING = frozenset({"__init__", "__new__", "__init_subclass__", "open"})


def graph_code(trees: dict[str, ast.Module]) -> dict[str, str]:
    """Texts of files by path that are equal as long as no graph, state or key of a script can differ.

    Methods of PyFlink's functions run with records. Those that register state count, those whose name is mentioned
    elsewhere, and ``KeySelector``, whose keys decide where state lies.
    """
    with_records = {id(method): method for tree in trees.values() for method in _methods(tree)}
    while True:
        mentioned = _names_outside(trees.values(), with_records)
        left = {place: method for place, method in with_records.items() if method.name not in mentioned}
        if len(left) == len(with_records):
            return {path: _text(tree, left) for path, tree in trees.items()}
        with_records = left


def _methods(tree: ast.Module) -> Iterator[Function]:
    """Methods that may run with records only."""
    for node in ast.walk(tree):
        bases = [ast.unparse(base).partition("[")[0] for base in node.bases] if isinstance(node, ast.ClassDef) else []
        if isinstance(node, ast.ClassDef) and any(base.endswith("Function") for base in bases):
            for method in node.body:
                if isinstance(method, Function) and method.name not in _BUILDING and not names_in(method) & STATE_NAMES:
                    yield method


def _names_outside(trees: Iterable[ast.AST], methods: dict[int, Function]) -> frozenset[str]:
    """All that may be an identifier in trees, but for what is inside of some methods."""
    found: set[str] = set()
    pending = list(trees)
    while pending:
        node = pending.pop()
        if id(node) in methods:
            continue
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
        pending.extend(ast.iter_child_nodes(node))
    return frozenset(found)


def _text(part: object, emptied: Collection[int]) -> str:
    """A part of a tree: nothing for a call that logs and for a text as statement, some methods without their bodies."""
    if isinstance(part, list):
        return f"[{','.join(filter(None, [_text(item, emptied) for item in part]))}]"
    if not isinstance(part, ast.AST):
        return repr(part)
    if isinstance(part, ast.Expr) and (isinstance(part.value, ast.Constant) or logs(part)):
        inner = [below for below in ast.walk(part) if isinstance(below, ast.Call | ast.NamedExpr | ast.Await)]
        if len(inner) < 2:
            return ""
    names = [name for name in part._fields if name != "body" or id(part) not in emptied]
    return f"{type(part).__name__}({','.join([_text(getattr(part, name, None), emptied) for name in names])})"


def contents(files: SourceFiles, limits: Limits, read: Iterable[str]) -> Callable[[str], str]:
    """Names, by path, of what files say to a program: of Python files only what its graph can depend on counts."""
    trees: dict[str, ast.Module] = {}
    for path in read:
        try:
            tree = limits.trees.get(path)
            if path.endswith(".py"):
                trees[path] = tree or parsed(files.read(path), path)
        except (StoppedError, KeyError):
            continue
    try:
        texts = graph_code(trees)
    except RecursionError:
        texts = {}

    def content(path: str) -> str:
        if path not in texts:
            return files.content_id(path)
        return hashlib.sha256(texts[path].encode("utf-8", "surrogatepass")).hexdigest()

    return content
