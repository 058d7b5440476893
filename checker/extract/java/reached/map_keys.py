"""By which keys a function reads and writes the entries of its map and broadcast states.

A key is written out as ``value_texts`` does it: extracted methods, inlined variables and other names read alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from checker.extract.effort import EffortError
from checker.extract.java.reached.bodies import as_written, own_nodes
from checker.extract.java.reached.function_fields import FunctionFields
from checker.extract.java.reached.members import method_key
from checker.extract.java.reached.scopes import DEPTH, Found, Scope
from checker.extract.java.reached.value_texts import ValueTexts
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import ClassDecl, MethodDecl
from checker.extract.java.syntax.local_variables import find_local
from checker.extract.java.syntax.nodes import arguments_of, find_field
from checker.extract.java.syntax.tree import Node, text
from checker.extract.java.syntax.tree import field as part
from checker.model.used_states import MAP_KEY_USES, READ, TAKES_ELEMENTS, WRITE, MapKeys

_TYPES: Final = frozenset({"MapState", "BroadcastState", "ReadOnlyBroadcastState"})
_GETTERS: Final = frozenset({"getMapState", "getBroadcastState"})
_MAPS: Final = frozenset(
    {"Map", "HashMap", "LinkedHashMap", "TreeMap", "SortedMap", "NavigableMap", "ConcurrentHashMap"}
)
MAP_STATES: Final = _TYPES | _GETTERS | _MAPS
"""Names that code with map states mentions, or with maps that may lie in a state as a whole."""
_STATE: Final = re.compile(r'state "[^"]*"(?=\.value\(\))')
_MEMBER: Final = re.compile(r"\$0(?:\.\w+)+")
_WALKS: Final = ("keys", "entries", "iterator", "immutableEntries")
"""Calls that give the entries of a state: keys from there are found whatever they are made of."""


_MAP_USES: Final = {
    **dict.fromkeys(("get", "getOrDefault", "containsKey"), READ),
    **dict.fromkeys(("put", "putIfAbsent", "merge", "compute", "computeIfAbsent", "computeIfPresent"), WRITE),
}
"""Methods of Java's maps that look an entry up or set it."""


class MapKeyTexts:
    """The map states of the functions of one program; or the maps in objects that lie in state (``in_objects``)."""

    def __init__(self, types: Mapping[str, ClassDecl], index: ClassIndex, *, in_objects: bool = False) -> None:
        self._index, self._in_objects = index, in_objects
        self._kinds, self._uses = (_MAPS, _MAP_USES) if in_objects else (_TYPES, MAP_KEY_USES)
        self._values = ValueTexts(types, index)
        self._fields = FunctionFields(types, index, self._values)

    def of_function(self, owner: ClassDecl) -> MapKeys:
        """The keys of a function's map states."""
        found = Found(frozenset())
        keys: dict[tuple[str, str], set[str]] = {}
        of_elements: set[str] = set()
        bodies: dict[tuple[str, int], MethodDecl] = {}
        for method in (m for decl in self._index.lineage(owner) for m in decl.methods if m.body is not None):
            bodies.setdefault((method.name, len(method.parameters)), method)
        called = {
            called
            for place, method in bodies.items()
            if method.body is not None
            for n in own_nodes(method.body)
            if n.type == "method_invocation" and _own(n)
            if (called := (text(part(n, "name")), len(arguments_of(n)))) != place
        }
        for method in (m for place, m in bodies.items() if place not in called and m.name != "<init>"):
            assert method.body is not None
            scope = self._values.root_scope(owner, [p.name for p in method.parameters], method.body)
            read: dict[tuple[str, str], set[str]] = {}
            self._body(found, read, method, scope, bodies)
            for place, texts in read.items():
                keys.setdefault(place, set()).update(texts)
                if self._in_objects:  # elements are given to methods of any name
                    of_elements |= {text for text in texts if _MEMBER.fullmatch(text)}
                elif place[1] == READ and method.name in TAKES_ELEMENTS:
                    of_elements |= texts
        if keys:
            texts = set[str]().union(*keys.values())
            found.texts |= texts
            try:
                self._fields.add_to(found, owner)
            except (EffortError, RecursionError):
                found.texts.clear()
            found.texts -= texts
        return MapKeys(
            by_use={place: frozenset(texts) for place, texts in keys.items()},
            fields=frozenset(found.texts),
            through=frozenset(found.through) if keys else frozenset(),
            of_elements=frozenset(of_elements),
        )

    def _body(
        self,
        found: Found,
        keys: dict[tuple[str, str], set[str]],
        method: MethodDecl,
        scope: Scope,
        bodies: Mapping[tuple[str, int], MethodDecl],
    ) -> None:
        assert method.body is not None
        for node in own_nodes(method.body):
            if node.type != "method_invocation":
                continue
            name, given, receiver = text(part(node, "name")), arguments_of(node), part(node, "object")
            use = self._uses.get(name) or _MAP_USES.get(name)
            if use is not None and given and receiver is not None and (handle := self._map(found, receiver, scope)):
                found.through.add(method_key(method))
                key = self._written(found, given[:1], scope)[0]
                if not any(f"{handle}.{walk}" in key for walk in _WALKS):
                    keys.setdefault((handle.lstrip("$0123456789."), use), set()).add(key)
            elif _own(node) and scope.depth < DEPTH:
                callee = bodies.get((name, len(given)))
                if callee is not None and callee is not method and callee.body is not None:
                    inner = Found(found.wanted, through=set(found.through), fields=found.fields, effort=found.effort)
                    values = self._written(inner, given, scope)
                    count = {place: len(texts) for place, texts in keys.items()}
                    self._body(found, keys, callee, self._values.entered(callee, values, scope.depth + 1), bodies)
                    if count != {place: len(texts) for place, texts in keys.items()}:
                        found.through |= inner.through | {method_key(method)}

    def _written(self, found: Found, nodes: Iterable[Node], scope: Scope) -> list[str]:
        try:
            return self._values.texts(found, nodes, scope)
        except (EffortError, RecursionError):
            return [as_written(node) for node in nodes]

    def _map(self, found: Found, receiver: Node, scope: Scope) -> str:
        """The text of a map state; of a variable with a map that lies in a state as a whole, that state's."""
        if self._is_map(receiver, scope):
            return self._written(Found(found.wanted, effort=found.effort), [receiver], scope)[0]
        local = find_local(receiver, text(receiver)) if receiver.type == "identifier" else None
        if local is None or local[1] is None or local[1].simple not in _MAPS or self._in_objects:
            return ""
        state = _STATE.search(self._written(Found(found.wanted, effort=found.effort), [receiver], scope)[0])
        return state[0] if state is not None else ""

    def _is_map(self, receiver: Node, scope: Scope) -> bool:
        """Whether a call is made on a map state."""
        if receiver.type == "method_invocation":
            return text(part(receiver, "name")) in _GETTERS
        name = text(receiver).removeprefix("this.")
        local = find_local(receiver, name) if receiver.type == "identifier" else None
        if local is not None:
            if local[1] is not None and local[1].simple in self._kinds:
                return True
            return any(
                n.type == "method_invocation" and text(part(n, "name")) in _GETTERS for n in scope.locals.get(name, ())
            )
        declared = find_field(self._index, scope.owner, name)
        return declared is not None and declared.type is not None and declared.type.simple in self._kinds


def _own(node: Node) -> bool:
    """Whether a call is made on the object itself."""
    receiver = part(node, "object")
    return receiver is None or receiver.type in ("this", "super")
