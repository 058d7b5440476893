"""What a value that is not known is made of, as a text: equal in two revisions that make it alike.

An empty text says that nobody can tell, because code that was not followed has a part in it.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from typing import Any

from checker.extract.python.repository_files import any_code, any_data, contents
from checker.extract.python.run_state import Run
from checker.extract.python.values import (
    Arguments,
    Bound,
    Class,
    Decorated,
    External,
    FilePath,
    Function,
    Instance,
    Opaque,
    Partial,
    Scope,
    Value,
)
from checker.model.topology import Cause

_MAX_PARTS = 2_000
_MAX_DEPTH = 60
_MAX_SHOWN = 400
_PLAIN_TEXT = re.compile(r"[\w.]+|'[^'\\]*'")
_PASSED_ON = (ast.Name, ast.Attribute, ast.Subscript, ast.IfExp, ast.BoolOp, ast.NamedExpr, ast.Await, ast.Call)
"""Expressions that may give a value which something else made."""


_LOOKS_AT_CODE = (
    "builtins.globals", "builtins.locals", "builtins.vars", "builtins.dir", "builtins.compile", "builtins.__import__",
    "importlib.", "pkgutil.", "inspect.", "runpy.", "sys.modules", "sys._getframe", "operator.attrgetter",
    "operator.methodcaller", "pickle.", "subprocess.", "os.popen", "os.system",
)  # fmt: skip
"""What finds, loads or runs code of the repository by a name."""
_LOOKS_AT_FILES = ("glob.", "os.listdir", "os.walk", "os.scandir")
_READS = re.compile(r"(load|read|open|parse|file|config)[^.]*$", re.IGNORECASE)
"""Names of functions that may open a file whose name they are given."""
_PARSERS = ("builtins", "json", "yaml", "toml", "tomllib", "tomli", "pyflink", "argparse")
"""Packages whose functions of such names take no names of files."""


class _OpenError(Exception):
    """A part can't be described."""


def described(run: Run, *values: Value) -> str:
    """Values with all that they hold; empty where a part of them is code, or not known to be made of anything."""
    try:
        return _within(run, ", ".join(_Text(run).of(one) for one in values))
    except (_OpenError, RecursionError):
        return ""


def described_call(run: Run, target: Value, arguments: Arguments, changed: int) -> str:
    """A call by what is called and what it is told; of ``run.changed`` only the first ones were so before it."""
    try:
        text = _Text(run, changed)
        if opens_any_file(run, target, arguments):
            return ""
        return _within(run, f"{text.of(target)}({text.arguments(arguments.positional, arguments.keywords.items())})")
    except (_OpenError, RecursionError):
        return ""


def described_arguments(run: Run, arguments: Arguments) -> str:
    """The arguments of a call; empty where one can't be described."""
    try:
        return _within(run, f"({_Text(run).arguments(arguments.positional, arguments.keywords.items())})")
    except (_OpenError, RecursionError):
        return ""


def with_expression(run: Run, node: ast.expr, found: Opaque, scope: Scope) -> Opaque:
    """The value of an expression, described by the expression where nothing else has made it."""
    if found.made_of is not None and isinstance(node, _PASSED_ON):
        return found
    text = "" if isinstance(node, ast.Name) else _rendered(run, [node], run.parts, scope)
    return replace(found, made_of=text)


def with_statements(run: Run, found: Opaque, name: str, whole: ast.stmt, scope: Scope) -> Opaque:
    """A variable that a statement may have given another value, described by it and by the values before it."""
    imports = any(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(whole))
    text = "" if imports else _rendered(run, [whole], {}, scope)
    held = scope.find(name)
    before = "nothing" if held is None else described(run, held.names[name])
    return replace(found, made_of=_within(run, f"{name} of {before} after {text}") if text and before else "")


def described_node(run: Run, node: ast.AST, scope: Scope) -> str:
    """The text of an expression that was not evaluated, with the values of its variables."""
    return _rendered(run, [node], {}, scope)


def joined(*texts: str | None) -> str:
    """Several descriptions as one; empty where one of them is."""
    return _shortened(" and ".join(text for text in texts if text)) if all(texts) else ""


def part(whole: str | None, name: str) -> str:
    """A part of a value by the description of the whole."""
    return _shortened(f"{whole}[{name}]") if whole else ""


def opens_any_file(run: Run, target: Value, arguments: Arguments) -> bool:
    """Whether a library is told to read a file whose name an argument gives: all that may be it count as read."""
    path = target.path if isinstance(target, External) else target.name if isinstance(target, Bound) else ""
    if path.partition(".")[0] in _PARSERS or not _READS.search(path):
        return False
    told = any(isinstance(one, Opaque) and one.unknown.cause is Cause.ARGUMENT for one in arguments.all())
    if told:
        any_data(run)
    return told


def _within(run: Run, text: str) -> str:
    run.limits.described -= len(text)
    return _shortened(text) if run.limits.described > 0 else ""


def _shortened(text: str) -> str:
    if len(text) <= _MAX_SHOWN:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{text[: _MAX_SHOWN // 2]}… {digest}"


def _bracketed(text: str) -> str:
    return text if _PLAIN_TEXT.fullmatch(text) else f"({text})"


class _Text:
    """The description of one value. Raises _OpenError where there is none."""

    def __init__(self, run: Run, changed: int | None = None) -> None:
        self.run = run
        self.changed = frozenset(islice(run.changed, changed))
        self.left = _MAX_PARTS
        self.depth = 0

    def of(self, held: Value) -> str:
        self.left -= 1
        if self.left < 0 or self.depth > _MAX_DEPTH or self.run.limits.described < 0:
            raise _OpenError
        self.depth += 1
        text = self._of(held)
        self.depth -= 1
        return _shortened(text)

    def _of(self, held: Value) -> str:
        if isinstance(held, Opaque):
            if not held.made_of:
                raise _OpenError
            return held.made_of + self._told(held)
        if isinstance(held, str):
            return self.text(held)
        if isinstance(held, bytes | int | float | bool | range | type(None)):
            return repr(held)
        if isinstance(held, FilePath):
            if held.path in ("", "."):
                any_data(self.run)
                raise _OpenError
            return f"file {held.path!r} {contents(self.run, held.path)}"
        if id(held) in self.changed:
            raise _OpenError
        if isinstance(held, list | tuple | set):
            parts = [self.of(one) for one in held]
            return f"{type(held).__name__}({', '.join(sorted(parts) if isinstance(held, set) else parts)})"
        if isinstance(held, dict):
            return f"{{{', '.join(f'{key!r}: {self.of(one)}' for key, one in held.items())}}}"
        if isinstance(held, External):
            return self._external(held)
        if isinstance(held, Bound):
            return f"{_bracketed(self.of(held.owner))}.{held.name}"
        if isinstance(held, Instance):
            return self._instance(held)
        raise _OpenError

    def text(self, held: str) -> str:
        self.run.limits.described -= len(held)
        files = contents(self.run, held)
        return f"{held!r} {files}" if files else repr(held)

    def arguments(self, positional: Iterable[Value], keywords: Iterable[tuple[str, Value]]) -> str:
        return ", ".join([*(self.of(one) for one in positional), *(f"{key}={self.of(one)}" for key, one in keywords)])

    def _external(self, held: External) -> str:
        path = held.path
        if path.startswith(_LOOKS_AT_CODE):
            any_code(self.run)
            raise _OpenError
        if path.startswith(_LOOKS_AT_FILES):
            any_data(self.run)
            raise _OpenError
        if held.before is not None:
            path = f"{self.of(held.before)}.{held.path.removeprefix(held.before.path + '.')}"
        if held.called:
            path = f"{path}({self.arguments(held.arguments, held.keywords)})"
        return path + self._told(held) + self._told(held.path.partition(".")[0])

    def _told(self, held: Value) -> str:
        """What an object or package was told before."""
        told = self.run.packages.get(held) if isinstance(held, str) else self.run.told.get(id(held), (None, None))[1]
        if not told:
            return ""
        if not all(told):
            raise _OpenError
        return f" told {_shortened('; '.join(told))}"

    def _instance(self, held: Instance) -> str:
        members = [one for of in held.of.ancestors() for one in of.members.values()]
        if any(isinstance(one, Function | Class | Decorated | Partial) for one in members):
            raise _OpenError
        return f"{held.of.name}({self.arguments((), held.attributes.items())})"


Parts = dict[int, tuple[ast.AST, list[Value]]]


def _rendered(run: Run, nodes: list[ast.AST], parts: Parts, scope: Scope) -> str:
    """The text of nodes with variables and evaluated parts described by their values."""
    try:
        return _within(run, "; ".join(ast.unparse(_Substituted(run, node, parts, scope).of(node)) for node in nodes))
    except (_OpenError, RecursionError, ValueError):
        return ""


class _Substituted:
    """A tree with descriptions in it."""

    def __init__(self, run: Run, whole: ast.AST, parts: Parts, scope: Scope) -> None:
        self.run = run
        self.parts = parts
        self.scope = scope
        self.text = _Text(run)
        self.bound = _bound_in(whole)

    def of(self, node: Any) -> Any:
        if not isinstance(node, ast.AST):
            return [self.of(one) for one in node] if isinstance(node, list) else node
        values = self.parts.get(id(node))
        if values is not None:
            return ast.Name(id=_bracketed(" | ".join(self.text.of(one) for one in values[1])), ctx=ast.Load())
        if isinstance(node, ast.Name):
            return self._variable(node)
        if isinstance(node, ast.JoinedStr):
            return ast.Name(id=self._joined(node), ctx=ast.Load())
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return ast.Name(id=self.text.text(node.value), ctx=ast.Load())
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            return ast.Subscript(value=self.of(node.value), slice=node.slice, ctx=ast.Load())
        self.text.left -= 1
        made = type(node)(**{name: self.of(getattr(node, name, None)) for name in node._fields})
        return ast.copy_location(made, node)

    def _variable(self, node: ast.Name) -> ast.Name:
        held = self.scope.find(node.id)
        if held is not None and isinstance(node.ctx, ast.Load):
            before = _bracketed(self.text.of(held.names[node.id]))
            return ast.Name(id=f"{node.id}≔{before}" if node.id in self.bound else before, ctx=node.ctx)
        if node.id in self.bound or hasattr(builtins, node.id):
            return node
        raise _OpenError

    def _joined(self, node: ast.JoinedStr) -> str:
        shown: list[str] = []
        for one in node.values:
            if isinstance(one, ast.FormattedValue):
                text = ast.unparse(self.of(one.value))
                conversion = f"!{chr(one.conversion)}" if one.conversion > 0 else ""
                template = f":{self._joined(one.format_spec)}" if isinstance(one.format_spec, ast.JoinedStr) else ""
                shown.append(f"{text}{conversion}{template}")
            else:
                shown.append(ast.unparse(self.of(one)))
        return f"text({', '.join(shown)})"


def _bound_in(whole: ast.AST) -> frozenset[str]:
    """Names that a node gives values itself."""
    found: set[str] = set()
    for node in ast.walk(whole):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
    return frozenset(found)
