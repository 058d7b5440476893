"""The functions, constants and options of a script by their names, and which functions Flink is given."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from checker.extract.python.plain_code import replaced
from checker.extract.python.reached.bindings import (
    FunctionNode,
    arguments,
    attribute_of_self,
    called,
    locals_of,
    option_name,
    parameters,
    set_in,
    targets,
)
from checker.extract.python.reached.call_sites import CallSites
from checker.extract.python.reached.declarations import Declared, names_in
from checker.model.program_code import Key, Part

METHODS = frozenset(
    {"map", "flat_map", "process_element", "process_element1", "process_element2", "process_broadcast_element",
     "on_timer", "map1", "map2", "flat_map1", "flat_map2", "reduce", "add", "merge", "get_result", "create_accumulator",
     "apply", "process"}
)  # fmt: skip
"""Methods of functions that make elements."""
_OF_PYTHON = frozenset({"operator", "math", "builtins"})
"""Modules of Python whose functions reduce values."""
_CONSTRUCTORS = frozenset({"__init__", "__post_init__", "__new__"})
"""Methods that give a new object its members."""
DEPTH = 3
"""How many calls deep functions are followed."""


@dataclass(frozen=True)
class Given:
    """A function that Flink is given, in a declaration."""

    key: Key
    function: FunctionNode
    bound: Mapping[str, tuple[Key, ast.expr]] = field(default_factory=dict)
    """Parameters that have a value already, with the declaration that gives it."""


class NamedCode:
    """The code of one script."""

    def __init__(self, declared: Mapping[Key, Declared], sites: CallSites) -> None:
        self._declared = declared
        self.sites = sites
        self.functions: dict[str, list[tuple[Key, FunctionNode]]] = {}
        self._inner_classes: dict[str, list[tuple[Key, ast.ClassDef]]] = {}
        """Classes inside of functions."""
        self.constants: dict[str, list[tuple[Key, ast.expr]]] = {}
        self.options: dict[str, list[tuple[Key, ast.Call]]] = {}
        """What declares an option of the command line, by the name that its value gets."""
        self._row_types: list[ast.expr] = []
        """The names of fields, as types of rows are given them."""
        self.constructors: dict[str, dict[str, frozenset[str]]] = {}
        """The parameters of each class' constructor in their order, with the members that are computed from each."""
        for key, found in declared.items():
            if found.declaration.part is Part.HEADER:
                self.constructors.update(self._constructor(key[0], found))
            if found.function is not None:
                for inner in ast.walk(found.function):
                    if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
                        self.functions.setdefault(inner.name, []).append((key, inner))
                    elif isinstance(inner, ast.ClassDef):
                        self._inner_classes.setdefault(inner.name, []).append((key, inner))
            elif found.declaration.part in (Part.FIELD, Part.MODULE):
                for name, value in (pair for statement in found.body for pair in _set_below(statement, {})):
                    self.constants.setdefault(name, []).append((key, value))
            for call in (node for statement in found.body for node in ast.walk(statement)):
                if isinstance(call, ast.Call) and called(call) == "add_argument":
                    self.options.setdefault(option_name(call), []).append((key, call))
                elif isinstance(call, ast.Call) and called(call) == "ROW_NAMED":
                    self._row_types += arguments_of(call, "field_names")

    def _constructor(self, owner: str, header: Declared) -> dict[str, dict[str, frozenset[str]]]:
        """What is known of a class' constructor: it is written, or made of the class' fields."""
        own = self._declared.get((owner, "__init__"))
        members: dict[str, frozenset[str]] = {}
        if own is not None and own.function is not None:
            for parameter in parameters(own.function)[1:]:
                values = (
                    (attribute_of_self(target), node.value)
                    for node in ast.walk(own.function)
                    if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
                    for target in targets(node)
                )
                members[parameter] = frozenset(name for name, v in values if name and parameter in names_in(v))
        elif not header.declaration.names.isdisjoint(("dataclass", "NamedTuple")):
            for (class_name, name), found in self._declared.items():
                if class_name == owner and isinstance(found.body[0], ast.AnnAssign):
                    members[name] = frozenset({name})
        return {owner.rpartition(".")[2]: members} if members else {}

    def fields_of_rows(self, count: int) -> list[list[str]] | None:
        """The names of the fields of each type of rows of a length; None where those of some type are not known."""
        found: list[list[str]] = []
        for names in self._row_types:
            values = [v for _, v in self.constants.get(names.id, ())] if isinstance(names, ast.Name) else [names]
            for value in values or [names]:
                parts = value.elts if isinstance(value, ast.List | ast.Tuple) else []
                fields = [part.value for part in parts if isinstance(part, ast.Constant)]
                if not parts or len(fields) < len(parts):
                    return None
                found += [list(map(str, fields))] if len(fields) == count else []
        return found

    def gives_members(self, key: Key, function: FunctionNode, wanted: frozenset[str]) -> bool:
        """Whether a method of a class of elements gives what is wanted by its name, or sets a wanted member."""
        if (key[0], "<header>") not in self._declared or isinstance(function, ast.Lambda):
            return False
        if function.name in wanted:
            return True
        return function.name in _CONSTRUCTORS and any(
            attribute_of_self(target) in wanted for node in ast.walk(function) for target in targets(node)
        )

    def given(self, key: Key, node: ast.expr, depth: int = 0) -> list[Given]:
        """The functions that an expression stands for, where it is given to a call of Flink's."""
        if isinstance(node, ast.Lambda):
            return [Given(key, node)]
        if depth > DEPTH:
            return []
        if isinstance(node, ast.Call) and called(node) == "partial" and node.args:
            return [self._bound(given, key, node) for given in self.given(key, node.args[0], depth + 1)]
        if isinstance(node, ast.Call):  # an object of a class inside of a function, or a function that returns one
            classes = self._inner_classes.get(called(node), ())
            methods = (
                Given(k, inner)
                for k, made in classes
                for inner in made.body
                if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef) and inner.name in METHODS
            )
            makers = self.functions.get(called(node), ())
            returned = ((k, n.value) for k, made in makers for n in ast.walk(made) if isinstance(n, ast.Return))
            inner = (given for k, value in returned if value for given in self.given(k, value, depth + 1))
            return [*methods, *inner]
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        if ast.unparse(node).partition(".")[0] in _OF_PYTHON:
            return []
        found = self.functions.get(name.rpartition(".")[2], [])
        if not found and isinstance(node, ast.Name) and self._declared[key].function is not None:
            values = locals_of(self._declared[key].function).get(name, ())  # type: ignore[arg-type]
            places = [*((key, value) for value in values), *self._passed(key, name)]
            return [given for place, value in places for given in self.given(place, value, depth + 1)]
        return [Given(*place) for place in found if place[0] == key] or [Given(*place) for place in found]

    def _passed(self, key: Key, name: str) -> Iterator[tuple[Key, ast.expr]]:
        """What the calls of a function give to one of its parameters, and where they stand."""
        function = self._declared[key].function
        for site, call in self.sites.of(key) if function is not None and name in parameters(function) else ():
            value = arguments(function, call).get(name) if function is not None else None
            if value is not None:
                yield site, value

    def _bound(self, given: Given, key: Key, call: ast.Call) -> Given:
        """A function with what ``functools.partial`` gives its parameters."""
        free = [name for name in parameters(given.function) if name not in given.bound]
        bound = dict(zip(free, call.args[1:], strict=False))
        bound.update({keyword.arg: keyword.value for keyword in call.keywords if keyword.arg})
        return replace(given, bound={**given.bound, **{name: (key, value) for name, value in bound.items()}})


def arguments_of(call: ast.Call, first: str) -> list[ast.expr]:
    """The first argument of a call, which may be given by name."""
    return [*call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg == first)]


def _set_below(node: ast.AST, opened: Mapping[str, ast.expr]) -> Iterator[tuple[str, ast.expr]]:
    """What a node and all in it sets; in ``with open(…) as file`` what the file is stands for its name."""
    for name, value in set_in(node):
        yield name, replaced(value, opened) or value
    if isinstance(node, ast.With):
        named = ((item.optional_vars, item.context_expr) for item in node.items)
        opened = {**opened, **{target.id: value for target, value in named if isinstance(target, ast.Name)}}
    for inner in ast.iter_child_nodes(node):
        yield from _set_below(inner, opened)
