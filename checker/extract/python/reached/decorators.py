"""What runs in the place of a decorated function: the function that its decorator returns, which may call it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from checker.extract.python.reached.bindings import FunctionNode, called
from checker.extract.python.reached.declarations import Function

_Functions = Callable[[str], Iterable[Function]]


@dataclass(frozen=True, eq=False)
class Wrapper:
    """The function that one decorator of the program returns."""

    decorator: Function
    """The function of a module that has it inside."""
    function: FunctionNode
    parameter: str
    """As what it sees the function that is decorated."""

    def calls(self) -> Iterator[ast.Call]:
        """Its calls of the function that is decorated."""
        for node in ast.walk(self.function):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == self.parameter:
                yield node


def wrappers_of(function: FunctionNode, functions: _Functions) -> list[Wrapper]:
    """What the decorators of a function put around it, the outermost first; only those of the program count."""
    found: list[Wrapper] = []
    for decorator in () if isinstance(function, ast.Lambda) else function.decorator_list:
        name = called(decorator) if isinstance(decorator, ast.Call) else ast.unparse(decorator).rpartition(".")[2]
        for outer in functions(name):
            inner = _returned(outer) if isinstance(decorator, ast.Call) else outer
            wrapper = None if inner is None or isinstance(inner, ast.Lambda) else _returned(inner)
            if inner is not None and wrapper is not None and inner.args.args:
                found.append(Wrapper(outer, wrapper, inner.args.args[0].arg))
    return found


def _returned(function: Function) -> FunctionNode | None:
    """The function inside of another one that this returns."""
    inside = {node.name: node for node in function.body if isinstance(node, Function)}
    for node in function.body:
        if isinstance(node, ast.Return):
            value = node.value.args[0] if isinstance(node.value, ast.Call) and node.value.args else node.value
            if isinstance(value, ast.Lambda):
                return value
            return inside.get(value.id) if isinstance(value, ast.Name) else None
    return None


def by_place(function: FunctionNode) -> tuple[list[str], str]:
    """The parameters that a function takes by their place, and what takes the rest of them."""
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    return names, function.args.vararg.arg if function.args.vararg is not None else ""
