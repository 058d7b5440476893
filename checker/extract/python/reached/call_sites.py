"""Where the functions of scripts are called, and which arguments their parameters get."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from checker.extract.python.reached.declarations import Declared
from checker.model.program_code import Key

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_CONSTRUCTOR = "__init__"


class CallSites:
    """The calls in the code of one program, by the name that is called."""

    def __init__(self, declared: Mapping[Key, Declared], ancestors: Callable[[str], frozenset[str]]) -> None:
        """``ancestors`` gives the simple names of a class' super types, its own included."""
        self._declared = declared
        self._ancestors = ancestors
        self._calls: dict[str, list[tuple[Key, ast.Call]]] = {}
        for key, found in declared.items():
            for node in (node for statement in found.body for node in ast.walk(statement)):
                if isinstance(node, ast.Call):
                    self._calls.setdefault(called(node), []).append((key, node))

    def of(self, key: Key) -> list[tuple[Key, ast.Call]]:
        """The calls of a function or constructor: the declaration that has the call, and the call."""
        if key[1] != _CONSTRUCTOR:
            return self._calls.get(key[1], [])
        simple = key[0].rpartition(".")[2]
        found: list[tuple[Key, ast.Call]] = []
        for owner in {owner for owner, _ in self._declared}:
            own = (owner, _CONSTRUCTOR)
            if owner == key[0] or (simple in self._ancestors(owner) and own not in self._declared):
                found.extend(self.creations(owner))
            elif simple in self._ancestors(owner):
                found.extend(call for call in self._calls.get(_CONSTRUCTOR, ()) if call[0] == own)
        return found

    def creations(self, owner: str) -> list[tuple[Key, ast.Call]]:
        """The calls that make objects of a class."""
        return self._calls.get(owner.rpartition(".")[2], [])


def called(node: ast.Call) -> str:
    """The simple name of what a call calls."""
    function = node.func
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    return str(name).rpartition(".")[2]


def parameters(function: FunctionNode) -> list[str]:
    """Names of the parameters that a function takes by place or by name."""
    return [argument.arg for argument in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]


def arguments(function: FunctionNode, call: ast.Call | None) -> dict[str, ast.expr]:
    """The parameters that a call gives a value, and those that have a default. Without a call, only the latter."""
    by_place = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    defaults = function.args.defaults
    found = dict(zip(by_place[len(by_place) - len(defaults) :], defaults, strict=True))
    by_name = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    found.update({argument.arg: default for argument, default in by_name if default is not None})
    if call is not None:
        bound = by_place[:1] in (["self"], ["cls"])
        found.update(zip(by_place[1:] if bound else by_place, call.args, strict=False))
        found.update({keyword.arg: keyword.value for keyword in call.keywords if keyword.arg})
    return found
