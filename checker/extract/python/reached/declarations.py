"""The declarations of a Python file as an account compares them: functions, class headers, constants, the script."""

import ast
import contextlib
import copy
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial

from checker.extract.python.plain_code import KEPT, copied, is_text
from checker.model.program_code import Declaration, Key, Part, Pickled
from checker.model.unknowns import Location

Function = ast.FunctionDef | ast.AsyncFunctionDef
_IDENTITY = frozenset({"__hash__", "__eq__", "__lt__"})


@dataclass(frozen=True, eq=False)
class Declared:
    """A declaration with its tree: a function, or statements under one name."""

    declaration: Declaration
    body: tuple[ast.stmt, ...]
    function: Function | None = None


@lru_cache(KEPT)
def declared_in(tree: ast.Module, path: str) -> tuple[Declared, ...]:
    """Every declaration of a file. Imported names count as what they name, docstrings for nothing."""
    tree = _InFull(_imported(tree)).visit(copied(tree))
    return tuple(_body(tree.body, path, path))


def _body(body: list[ast.stmt], owner: str, path: str) -> Iterator[Declared]:
    loose: list[ast.stmt] = []
    counts = Counter(name for node in body for name in _assigned(node))
    for node in body:
        names = _assigned(node)
        if isinstance(node, Function):
            yield _declared(owner, node.name, Part.METHOD, (node,), path, function=node)
        elif isinstance(node, ast.ClassDef):
            header = copy.copy(node)
            header.body = [ast.copy_location(ast.Expr(ast.Constant(_of_class(node).written_as)), node)]
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


def functions_called(texts: Mapping[str, bytes], called: Collection[str]) -> dict[str, str]:
    """What functions of tables do that are called by some names: file and declaration → its code.

    With everything that they name in the given files, whose contents come by path.
    """
    named: dict[str, list[Declared]] = {}
    found: dict[str, str] = {}
    wanted = set(called)
    for path, data in texts.items():
        with contextlib.suppress(SyntaxError, ValueError, RecursionError):
            tree = ast.parse(data)
            for declared in declared_in(tree, path):
                owner, names = declared.declaration.key
                for part in (owner.removeprefix(f"{path}."), *names.split(",")):
                    named.setdefault(part, []).append(declared)
            for node in (node for node in ast.walk(tree) if isinstance(node, ast.Call) and len(node.args) > 1):
                given = node.args[0]
                name = str(given.value) if isinstance(given, ast.Constant) else ""
                if name in called and "function" in ast.unparse(node.func):
                    found[f"{path}:{name}"] = ast.unparse(node.args[1])
                    wanted |= names_in(node.args[1])
    seen: set[str] = set()
    while new := wanted - seen:
        seen |= new
        for declared in (declared for name in new for declared in named.get(name, ())):
            found[f"{declared.declaration.location.file}:{declared.declaration.key[1]}"] = (
                declared.declaration.written()
            )
            wanted |= declared.declaration.names
    return found


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


_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})
_MAKE_CLASSES = frozenset({"namedtuple", "NamedTuple", "make_dataclass", *_ENUMS})
"""Calls that make a class."""
HOOKS = frozenset({"__getstate__", "__setstate__", "__reduce__", "__reduce_ex__", "__getnewargs__", "__new__"})
"""Methods that decide how objects are pickled."""

_COMPARING = frozenset({"eq", "order", "repr", "frozen", "unsafe_hash", "match_args"})
"""Arguments of ``dataclass`` that decide nothing about how an object without slots is pickled."""


def pickled(node: ast.stmt) -> Pickled | None:
    """How objects of the class are pickled that a statement declares, None where it declares none."""
    if isinstance(node, ast.ClassDef):
        return _of_class(node)
    made = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    if not isinstance(made, ast.Call) or _simple(made.func) not in _MAKE_CLASSES:
        return None
    return Pickled(written_as=ast.unparse(made))


def _of_class(node: ast.ClassDef) -> Pickled:
    bases = [ast.unparse(base) for base in node.bases]
    simple = {base.rpartition(".")[2] for base in bases}
    declared = {name: inner for inner in node.body for name in _assigned(inner)}
    methods = [inner for inner in node.body if isinstance(inner, ast.FunctionDef)]
    hooks = [method for method in methods if method.name in HOOKS]
    slots = declared.pop("__slots__", None)
    ordered = tuple(declared) if "NamedTuple" in simple else ()
    set_first = (name for method in methods if method.name == "__init__" for name in _set(method))
    enum = not simple.isdisjoint(_ENUMS)
    kept = [*map(_decorator, node.decorator_list), *hooks, *filter(None, [slots])]
    return Pickled(
        written_as="\n".join([*bases, *ordered, *map(ast.unparse, kept)]),
        attributes=frozenset([ast.unparse(d) if enum else name for name, d in declared.items()]).union(set_first),
        required=frozenset(n for n, d in declared.items() if isinstance(d, ast.AnnAssign) and d.value is None),
    )


def _simple(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


def _set(method: ast.FunctionDef) -> Iterator[str]:
    """The attributes of the object that a method sets."""
    for node in ast.walk(method):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and ast.unparse(node.value) == "self":
            yield node.attr


def _decorator(node: ast.expr) -> ast.expr:
    """A decorator without what only says how objects are compared and shown."""
    if not isinstance(node, ast.Call) or any(keyword.arg == "slots" for keyword in node.keywords):
        return node
    given = [keyword for keyword in node.keywords if keyword.arg not in _COMPARING]
    return ast.Call(node.func, node.args, given) if node.args or given else node.func
