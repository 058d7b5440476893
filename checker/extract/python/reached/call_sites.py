"""Where the functions of scripts are called, and which arguments their parameters get."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from checker.extract.python.reached.bindings import called
from checker.extract.python.reached.declarations import Declared
from checker.model.program_code import Key

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
