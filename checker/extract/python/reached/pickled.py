"""What decides whether Python unpickles an old object of a class: bases, attributes, and own methods that pickle."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from checker.model.program_code import Pickled

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
    if _simple(made.func) != "namedtuple":
        return Pickled(written_as=ast.unparse(made))
    texts = [n.value for n in ast.walk(made) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return Pickled(written_as="", ordered=tuple(" ".join(texts).replace(",", " ").split()))


def _of_class(node: ast.ClassDef) -> Pickled:
    bases = [ast.unparse(base) for base in node.bases]
    simple = {base.rpartition(".")[2] for base in bases}
    declared = {name: inner for inner in node.body for name in _declared(inner)}
    methods = [inner for inner in node.body if isinstance(inner, ast.FunctionDef)]
    hooks = [ast.unparse(method) for method in methods if method.name in HOOKS]
    slots = declared.pop("__slots__", None)
    set_first = (name for method in methods if method.name == "__init__" for name in _set(method))
    enum = not simple.isdisjoint(_ENUMS)
    return Pickled(
        written_as="\n".join([*bases, *filter(None, map(_decorator, node.decorator_list)), *hooks]),
        ordered=tuple(declared) if "NamedTuple" in simple else (),
        attributes=frozenset([ast.unparse(d) if enum else name for name, d in declared.items()]).union(set_first),
        required=frozenset(n for n, d in declared.items() if isinstance(d, ast.AnnAssign) and d.value is None),
        slots=None if slots is None else _names(slots),
    )


def _simple(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


def _declared(node: ast.stmt) -> Iterator[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return (target.id for target in targets if isinstance(target, ast.Name))


def _set(method: ast.FunctionDef) -> Iterator[str]:
    """The attributes of the object that a method sets."""
    for node in ast.walk(method):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and ast.unparse(node.value) == "self":
            yield node.attr


def _decorator(node: ast.expr) -> str:
    """A decorator without what only says how objects are compared and shown."""
    if not isinstance(node, ast.Call) or any(keyword.arg == "slots" for keyword in node.keywords):
        return ast.unparse(node)
    given = [ast.unparse(part) for part in (*node.args, *(k for k in node.keywords if k.arg not in _COMPARING))]
    return f"{ast.unparse(node.func)}({', '.join(given)})" if given else ast.unparse(node.func)


def _names(slots: ast.stmt) -> frozenset[str]:
    """The attributes in ``__slots__``; the expression itself where it is computed."""
    value = slots.value if isinstance(slots, ast.Assign | ast.AnnAssign) else None
    try:
        found = ast.literal_eval(value) if value is not None else ()
    except ValueError:
        return frozenset({ast.unparse(slots)})
    return frozenset({found} if isinstance(found, str) else found)
