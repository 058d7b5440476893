"""The code of SQL's functions whose results lie in state, which only this code knows the meaning of.

Aggregate functions keep accumulators: their types are part of what Flink plans, what ``accumulate``, ``retract`` and
``merge`` make of them is not. Any function may make a key, or what is aggregated or kept as a row: then what an
operator means names it. Names of local variables and lines of a log make no difference.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from checker.extract.consulted import content_or_none
from checker.extract.containers import JVM
from checker.extract.java.reached.detail import LOGS, locals_of, numbered
from checker.extract.java.syntax.parse import SourceUnit
from checker.extract.java.syntax.tokens import Token, tokens
from checker.extract.java.syntax.tree import Node, above, text, walk
from checker.extract.java.syntax.tree import field as part
from checker.extract.program_files import used_files
from checker.extract.python.plain_code import Function, without_logs
from checker.extract.python.reached.detail import numbered_locals, renamed_locals
from checker.extract.same_code import without_comments
from checker.extract.sql.functions.skeletons import CALLED_BY_FLINK
from checker.model.reaching import reached
from checker.model.sources import SourceFiles
from checker.model.topology import Topology

_ACCUMULATES, _EVALUATES = "accumulate", "eval"
_CALLED_BY_PYFLINK = frozenset({"create_accumulator", "get_value", "emit_value"})
_CALLED = re.compile(r"(\w+)\(")
_MAKES = re.compile(r"^(?:\w+\.)*ud(?:f|tf|af|taf)\(")
_REGISTERED = (
    r"(?i)function(?:\s+(?:if\s+not\s+exists\s+)?(?:[\w`]+\.)*`?(?:%(names)s)`?\s+as\s+'"
    r"""|\(\s*(?:['"](?:%(names)s)['"]|(?P<constant>[A-Za-z_][\w.]*))\s*,\s*['"]?)(?:new\s+)?(?P<what>[\w.$]+)"""
)
"""``CREATE FUNCTION name AS 'class'`` and ``createTemporaryFunction("name", what)``."""
_TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\w+|[^\w\s]')
_WORD = re.compile(r"\w+")
_METHODS = frozenset({"method_declaration", "constructor_declaration"})
_CHANGING = frozenset({"assignment_expression", "update_expression"})
_JAVA = frozenset({"class_declaration", "record_declaration", "enum_declaration", "interface_declaration"})


@dataclass(frozen=True)
class _Code:
    """The classes, methods and functions of one revision, each name with all code that is called so."""

    named: dict[str, set[tuple[str, str]]] = field(default_factory=dict)
    """Name → files and normal texts."""
    accumulating: set[str] = field(default_factory=set)
    """The classes and functions whose results lie in state."""

    evaluating: set[str] = field(default_factory=set)
    """The classes of functions that make a value of values."""

    def add(self, name: str, path: str, code: str) -> None:
        """Note some code. What Flink calls is no name that leads anywhere: every function has it, in its class."""
        if name in CALLED_BY_FLINK or name in _CALLED_BY_PYFLINK:
            return
        self.named.setdefault(name, set()).add((path, code))

    def texts(self, name: str) -> set[str]:
        return {code for _, code in self.named.get(name, ())}

    def files(self, name: str) -> set[str]:
        return {path for path, _ in self.named.get(name, ())}

    def reached(self) -> frozenset[str]:
        """All names that code of accumulating classes leads to, as far as words show."""

        def mentioned(name: str) -> Iterator[str]:
            for code in self.texts(name):
                yield from self.named.keys() & set(_WORD.findall(code))

        return frozenset(reached(sorted(self.accumulating), mentioned))


def edited_accumulation(
    base: SourceFiles, head: SourceFiles, paths: Iterable[str], topologies: Iterable[Topology] = ()
) -> frozenset[str]:
    """Files with code of functions whose results lie in state, or of what these may use, that differs.

    ``paths`` are files of the program, ``topologies`` what it was planned as. A class or method that moves to another
    file is the same. A function that only the head has left no state behind, unless it may be one of the base under
    another name.
    """
    paths = sorted(paths)
    called = {name for t in topologies for o in t.operators() for name in _CALLED.findall(o.meaning or "")}
    before, after = (_code(files, paths, called) for files in (base, head))
    found: set[str] = set()
    for name in before.reached() | after.reached():
        if name in before.named and name in after.named and before.texts(name) != after.texts(name):
            found |= before.files(name) | after.files(name)
    new = after.accumulating - before.accumulating
    if before.accumulating - after.accumulating:
        found.update(*(after.files(name) for name in new))
    return frozenset(found)


def look_at_accumulation(files: SourceFiles, paths: Iterable[str]) -> None:
    """Ask for all files with code of such functions, or of what these may use."""
    _code(files, sorted(paths), {_EVALUATES})


def _code(files: SourceFiles, paths: Iterable[str], called: Collection[str]) -> _Code:
    """The code of a revision; ``called`` are functions by their names in SQL, whose results may lie in state."""
    there = [path for path in paths if content_or_none(files, path) is not None]
    marks = [mark.encode() for mark in (_ACCUMULATES, *([_EVALUATES] if called else ()))]
    starts = [path for path in there if path.endswith(JVM) and any(mark in files.read(path) for mark in marks)]
    scripts = [path for path in there if path.endswith(".py")]
    code = _Code()
    for path in (*(used_files(files, *starts) if starts else ()), *scripts):
        _add(code, path, files.read(path))
    if called:
        code.accumulating.update(code.named.keys() & set(called))
        names = re.compile(_REGISTERED % {"names": "|".join(sorted(called))})
        for path in there:
            for targets, by_name in _registered(files.read(path).decode("utf-8", "replace"), names):
                known = code.named.keys() & targets
                code.accumulating.update(known or (code.evaluating if by_name else ()))
    return code


def _registered(text: str, names: re.Pattern[str]) -> Iterator[tuple[set[str], bool]]:
    """What functions are registered as in a text: a class, or a variable and what that is set to.

    And whether that is by one of the names; a constant may be any name.
    """
    for match in names.finditer(text):
        what = match["what"]
        set_to = re.findall(rf"\b{re.escape(what)}\s*=\s*(?:new\s+)?([\w.$]+)", text)
        found = {re.split(r"[.$]", name.removesuffix(".class"))[-1] for name in (what, *set_to)}
        yield found, match["constant"] is None


def _add(code: _Code, path: str, data: bytes) -> None:
    if path.endswith(".py"):
        for name, declared, plain in _declared(data):
            code.add(name, path, ast.unparse(plain))
            if any(
                isinstance(inner, ast.FunctionDef) and inner.name == _ACCUMULATES
                for inner in ast.iter_child_nodes(declared)
            ):
                code.accumulating.add(name)
        return
    if not path.endswith(".java"):
        name = path.rpartition("/")[2].partition(".")[0]
        code.add(name, path, _normal(data.decode("utf-8", "replace")))
        if _ACCUMULATES.encode() in data:
            code.accumulating.add(name)
        return
    unit = SourceUnit(path, data)
    for node in walk(unit.root):
        if node.type in _JAVA or node.type == "method_declaration":
            code.add(text(part(node, "name")), path, _java(unit, node))
            if node.type != "class_declaration":
                continue
            methods = {text(part(n, "name")) for n in walk(node) if n.type == "method_declaration"}
            for name, classes in ((_ACCUMULATES, code.accumulating), (_EVALUATES, code.evaluating)):
                if name in methods:
                    classes.add(text(part(node, "name")))


def _normal(code: str) -> str:
    return " ".join(_TOKEN.findall(without_comments(code)))


def _java(unit: SourceUnit, declared: Node) -> str:
    """A declaration without lines of a log, the local variables of each method numbered."""
    left_out = [(n.start_byte, n.end_byte) for n in walk(declared) if _only_logs(n)]
    found = [
        token
        for token in tokens(unit.data, declared.start_byte, declared.end_byte)
        if not any(start <= token.place < end for start, end in left_out)
    ]
    texts = [token.text for token in found]
    for method in walk(declared):
        if method.type in _METHODS and not any(around.type in _METHODS for around in above(method)):
            inside = [n for n, token in enumerate(found) if method.start_byte <= token.place < method.end_byte]
            own: list[Token] = [found[n] for n in inside]
            texts[inside[0] : inside[-1] + 1] = numbered(own, [token.text for token in own], locals_of(method))
    return " ".join(texts)


def _only_logs(node: Node) -> bool:
    """Whether a node is a line of a log that changes nothing, or the field of a logger."""
    if node.type == "field_declaration":
        return text(part(node, "type")) in ("Logger", "Log")
    written = " ".join(_TOKEN.findall(text(node))) if node.type == "expression_statement" else ""
    return LOGS.match(written) is not None and all(n.type not in _CHANGING for n in walk(node))


def _declared(data: bytes) -> Iterator[tuple[str, ast.AST, ast.AST]]:
    """The classes and functions of a file by name, and each without lines of a log, its local variables numbered."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError):
        return  # a script that does not parse is no pipeline that was planned
    named = frozenset(node.arg for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield node.name, node, _Plain(named).visit(without_logs(node))
        elif isinstance(node, ast.Assign) and _makes(node.value):
            yield from ((target.id, node, node.value) for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.Call) and len(node.args) > 1 and _makes(node.args[1]):
            named_so = node.args[0]
            if isinstance(named_so, ast.Constant) and isinstance(named_so.value, str):
                yield named_so.value, node, node


def _makes(value: ast.expr) -> bool:
    """Whether an expression makes a function."""
    return isinstance(value, ast.Call) and _MAKES.match(ast.unparse(value)) is not None


class _Plain(ast.NodeTransformer):
    """Numbers the local variables of functions, but for names by which arguments are given."""

    def __init__(self, named: frozenset[str]) -> None:
        self._named = named

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._plain(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._plain(node)

    def _plain(self, function: Function) -> ast.AST:
        numbers = numbered_locals(function)
        made = renamed_locals(function, {name: to for name, to in numbers.items() if name not in self._named})
        assert isinstance(made, Function)
        made.body = made.body or [ast.Pass()]
        return made
