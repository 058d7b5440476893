"""By which keys a function of a script reads and writes the entries of its map and broadcast states.

The same question as ``checker.extract.java.reached.map_keys`` answers.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Final

from checker.extract.effort import EffortError
from checker.extract.python.reached.bindings import FunctionNode, attribute_of_self, parameters
from checker.extract.python.reached.declarations import Function, names_in
from checker.extract.python.reached.decorators import by_place, wrappers_of
from checker.extract.python.reached.named_code import DEPTH
from checker.extract.python.reached.scopes import Found, Scope, either
from checker.extract.python.reached.states.calls import Walked
from checker.extract.python.reached.states.handles import CALLED_BY_FLINK
from checker.extract.python.reached.value_texts import ValueTexts
from checker.model.program_code import Key
from checker.model.used_states import MAP_KEY_USES, READ, TAKES_ELEMENTS, WRITE, MapKeys

_WALKS: Final = ("keys", "items")
"""Methods that give the entries of a state: keys from there are found whatever they are made of."""


def map_keys(
    values: ValueTexts, methods: Mapping[str, Function], places: Mapping[FunctionNode, Key], walked: Walked
) -> MapKeys | None:
    """The keys of a function's map states, where it has such: ``methods`` are those of its class and super classes.

    ``places`` are the declarations of all functions, ``walked`` is what was met when the function was followed.
    """
    if not walked.entries:
        return None
    reader = _Reader(values, places, walked)
    found = Found(frozenset(), set())
    for name in sorted(CALLED_BY_FLINK & methods.keys()):
        reader.takes_elements = name in TAKES_ELEMENTS
        reader.read(found, methods[name], _of_flink(values, found, places[methods[name]], methods[name]))
    found.through.clear()
    found.through.update(reader.through)
    try:
        values.add_attributes(found)
    except (EffortError, RecursionError):
        found.texts.clear()
    by_use = {place: frozenset(texts) for place, texts in reader.keys.items()}
    return MapKeys(by_use, frozenset(found.texts), frozenset(found.through), frozenset(reader.of_elements))


def _of_flink(values: ValueTexts, found: Found, key: Key, method: Function) -> Scope:
    """The scope of a method that Flink calls; what decorators of the program give it in the place of the arguments."""
    texts = [name if name == "self" else f"${number}" for number, name in enumerate(parameters(method))]
    places = values.code.functions
    decorators: dict[str, list[Function]] = {
        name: [f for _, f in places[name] if isinstance(f, Function)] for name in names_in(*method.decorator_list)
        if name in places
    }  # fmt: skip
    for wrapper in wrappers_of(method, lambda name: decorators.get(name, ())):
        place = next(k for k, function in places[wrapper.decorator.name] if function is wrapper.decorator)
        names, rest = by_place(wrapper.function)
        given = dict(zip(names, texts, strict=False)) | ({rest: ", ".join(texts[len(names) :])} if rest else {})
        scope = values.scope(found, place, wrapper.function, given, 1)
        calls = [c.args[: next((n for n, a in enumerate(c.args) if isinstance(a, ast.Starred)), len(c.args))]
                 for c in wrapper.calls()]  # fmt: skip
        for number, text in enumerate(texts):
            arguments = (values.text(found, c[number], scope, frozenset()) if number < len(c) else text for c in calls)
            texts[number] = either(set(arguments) or {text})
        found.through.add(place)
    numbered = dict(zip(parameters(method), texts, strict=True))
    numbered.pop("self", None)
    return values.scope(found, key, method, numbered)


class _Reader:
    def __init__(self, values: ValueTexts, places: Mapping[FunctionNode, Key], walked: Walked) -> None:
        self.values = values
        self.places = places
        self.walked = walked
        self.keys: dict[tuple[str, str], set[str]] = {}
        self.of_elements: set[str] = set()
        self.through: set[Key] = set()
        self.takes_elements = False
        """Whether Flink gives elements to what is read."""

    def read(self, found: Found, method: FunctionNode, scope: Scope) -> bool:
        """Note the keys in a method and what it calls; whether there are any."""
        noted = False
        for node in ast.walk(method):
            access = _access(node) if node in self.walked.entries else None
            if access is not None:
                self._note(found, *access, scope)
                noted = True
            elif isinstance(node, ast.Call) and scope.depth < DEPTH:
                for callee in self.walked.calls.get(node, set()) & self.places.keys() - {method}:
                    noted |= self._called(found, callee, node, scope)
        if noted:
            self.through |= found.through | ({self.places[method]} if method in self.places else set())
        return noted

    def _called(self, found: Found, callee: FunctionNode, call: ast.Call, scope: Scope) -> bool:
        key = self.places[callee]
        inner = Found(frozenset(), set(), effort=found.effort)
        try:
            given = self.values.passed(inner, callee, call, scope)
            inside = self.values.scope(inner, key, callee, given, scope.depth + 1)
        except (EffortError, RecursionError):
            inside = self.values.scope(inner, key, callee, {}, DEPTH)
        noted = self.read(inner, callee, inside)
        if noted:
            self.through |= inner.through | {key}
            found.attributes |= inner.attributes
        return noted

    def _note(self, found: Found, receiver: ast.expr, key: ast.expr, use: str, scope: Scope) -> None:
        handle = attribute_of_self(receiver)
        aside = Found(frozenset(), set(), effort=found.effort)
        try:
            state_text = self.values.text(aside, receiver, scope, frozenset())
            written = self.values.text(found, key, scope, frozenset())
        except (EffortError, RecursionError):
            state_text, written = ast.unparse(receiver), ast.unparse(key)
        if not any(f"{state_text}.{walk}" in written for walk in _WALKS):
            self.keys.setdefault((handle or state_text.lstrip("$0123456789."), use), set()).add(written)
            if self.takes_elements and use == READ:
                self.of_elements.add(re.sub(r"\$1\b", "$0", written))  # ``self`` is the first argument


def _access(node: ast.AST) -> tuple[ast.expr, ast.expr, str] | None:
    """A state that is asked for an entry, or given one: the state, the key, and which of both."""
    match node:
        case ast.Call(func=ast.Attribute(value=receiver, attr=name), args=[key, *_]) if name in MAP_KEY_USES:
            return receiver, key, MAP_KEY_USES[name]
        case ast.Subscript(value=receiver, slice=key, ctx=ast.Load()):
            return receiver, key, READ
        case ast.Subscript(value=receiver, slice=key, ctx=ast.Store()):
            return receiver, key, WRITE
        case ast.Compare(left=key, ops=[ast.In() | ast.NotIn()], comparators=[receiver]):
            return receiver, key, READ
    return None
