"""The code that a program can reach, with what was followed of it while its graph was built."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property

from checker.extract.interpreting.trace import Trace
from checker.extract.java.reached.bodies import member_of
from checker.extract.java.reached.body_outcomes import BodyOutcomes
from checker.extract.java.reached.classes import ReachedClasses
from checker.extract.java.reached.detail import Followed, detail_of, key_words
from checker.extract.java.reached.element_flow import ElementFlow
from checker.extract.java.reached.folds import Folds
from checker.extract.java.reached.map_keys import MAP_STATES, MapKeyTexts
from checker.extract.java.reached.members import Members, members_of, method_key
from checker.extract.java.reached.roles import KEY_CALLS, MAKES_ELEMENTS, STATE_GETTERS, STATE_NAMES, role_of
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind
from checker.extract.java.syntax.local_variables import find_local
from checker.extract.java.syntax.tree import Node, field, text, walk
from checker.model.program_code import (
    ANONYMOUS,
    Declaration,
    Detail,
    Flags,
    Flow,
    Key,
    Outcome,
    Part,
    ProgramCode,
    Role,
    Statement,
)
from checker.model.reductions import Fold, Reduction
from checker.model.unknowns import Location
from checker.model.used_states import MapKeys, by_method

_REDUCING = frozenset({"reduce", "ReducingStateDescriptor"})
_FOLDING = frozenset({"AggregateFunction", "ReduceFunction"})
_FOLDED = frozenset({"AggregatingState", "ReducingState", "AggregatingStateDescriptor", "ReducingStateDescriptor"})
_LIBRARY = frozenset(
    {"Arrays", "Collection", "Iterable", "List", "ArrayList", "LinkedList", "Set", "HashSet", "TreeSet",
     "LinkedHashSet", "Map", "HashMap", "TreeMap", "LinkedHashMap", "ConcurrentMap", "ConcurrentHashMap", "EnumMap",
     "Deque", "Queue", "Optional", "OptionalInt", "OptionalLong", "Stream", "IntStream", "LongStream"}
)  # fmt: skip
"""Types of Java's library whose methods take functions and are named as calls of Flink's are."""
_OF_STREAMS = frozenset(
    {"stream", "parallelStream", "of", "ofNullable", "asList", "range", "rangeClosed", "entrySet", "keySet", "values",
     "boxed", "filter", "map", "mapToObj", "flatMap", "peek", "sorted", "distinct", "limit", "skip"}
)  # fmt: skip
"""Calls on these whose results are such, too."""


class JavaCode(ProgramCode):
    """``ProgramCode`` of a Java program."""

    def __init__(
        self,
        types: Mapping[str, ClassDecl],
        members: Mapping[str, Members],
        index: ClassIndex,
        trace: Trace,
        shared: ReachedClasses | None = None,
    ) -> None:
        """``shared`` is known of the same revision for all pipelines that start with the main class."""
        super().__init__()
        self._shared = shared
        self._index = index
        self._trace = trace
        self._types = types
        self._members = members
        self._kin: dict[str, frozenset[str]] = {}
        self._roles: dict[str, Role] = {}
        self._above: dict[str, frozenset[str]] = {}
        self._given: dict[tuple[str, frozenset[Location]], tuple[tuple[Key, Node], ...]] = {}
        self._named: dict[str, bool] = {}
        self._body_outcomes = BodyOutcomes(types, index, ())

    # -- what is reached -----------------------------------------------------------------------------------------

    @cached_property
    def declarations(self) -> Mapping[Key, Declaration]:
        """Everything that the program can reach."""
        return {d.key: d for members in self._members.values() for d in members.declarations}

    @cached_property
    def followed(self) -> tuple[Statement, ...]:
        """The statements that were followed."""
        keys = [k for k in self._around(self._trace.executed) if self.declarations[k].part is not Part.HEADER]
        return tuple(s for key in keys for s in self.detail(key).statements if s.executed)

    @cached_property
    def unfollowed(self) -> tuple[Statement, ...]:
        """The statements that call something that was not followed."""
        return tuple(s for key in self._around(self._trace.gaps) for s in self.detail(key).statements if s.gap)

    def _around(self, places: Mapping[str, AbstractSet[int]]) -> Iterator[Key]:
        """The declarations around any of some places, by files."""
        ordered = {path: sorted(found) for path, found in places.items()}
        for key, declaration in self.declarations.items():
            span, found = self._members[key[0]].spans[key], ordered.get(declaration.location.file, [])
            following = bisect_left(found, span.start)
            if following < len(found) and found[following] < span.end:
                yield key

    @cached_property
    def libraries(self) -> frozenset[str]:
        """Qualified names in those statements."""
        return frozenset(word for s in self.unfollowed for word in s.tokens.replace(" . ", ".").split() if "." in word)

    # -- what state and keys rest on -----------------------------------------------------------------------------

    @cached_property
    def state_code(self) -> frozenset[Key]:
        """Declarations that register state, and those that they use."""
        return self._used_by({key for key, d in self.declarations.items() if d.names & STATE_NAMES}, {})

    @cached_property
    def key_code(self) -> frozenset[Key]:
        """Declarations that key selectors use."""
        started = {
            key for key, declaration in self.declarations.items()
            if self.role(key[0]) is Role.KEY_SELECTOR and declaration.part is Part.METHOD
        }  # fmt: skip
        return self._used_by(started, self._names_in_keys)

    @cached_property
    def names_in_keys(self) -> frozenset[str]:
        """Names in the arguments of calls that choose keys, and of the members whose getters these are."""
        names = frozenset[str]().union(*self._names_in_keys.values())
        return names | {member_of(name, "get", "is") for name in names}

    @cached_property
    def _names_in_keys(self) -> dict[str, frozenset[str]]:
        """By class."""
        named: dict[str, frozenset[str]] = {}
        for key, declaration in self.declarations.items():
            if declaration.names & KEY_CALLS:
                words = key_words(self._members[key[0]], key, whole=_is_whole(declaration))
                named[key[0]] = named.get(key[0], frozenset()) | words
        return named

    def _used_by(self, started: set[Key], named: Mapping[str, frozenset[str]]) -> frozenset[Key]:
        """Declarations and what they mention, as far as names of members and their classes show."""
        by_name = by_method(self.declarations)
        found = set(started)
        pending: list[tuple[str, frozenset[str]]] = [(key[0], self.declarations[key].names) for key in started]
        pending.extend(named.items())
        while pending:
            owner, names = pending.pop()
            near = self._near(owner)
            for name in names:
                for key in by_name.get(name, ()):
                    if key not in found and (key[0] in near or key[0].rpartition(".")[2] in names):
                        found.add(key)
                        pending.append((key[0], self.declarations[key].names))
                if name[:1].isupper():
                    for key in by_name.get("<constants>", ()):
                        if key[0].rpartition(".")[2] == name and key not in found:
                            found.add(key)
        return frozenset(found)

    def _near(self, owner: str) -> frozenset[str]:
        """A class, its super classes, the classes around it, and those that its fields and parameters are of."""
        if owner not in self._kin:
            self._kin[owner] = frozenset(self._kin_of(owner))
        return self._kin[owner]

    def _kin_of(self, owner: str) -> set[str]:
        decl = self._types[owner]
        types = [field.type for field in decl.fields.values()]
        types += [parameter.type for method in decl.methods for parameter in method.parameters]
        named = (self._index.resolve_type(type_, decl) for type_ in types)
        kin = [*self._index.lineage(decl), *decl.outward(), *(a for a in named if isinstance(a, ClassDecl))]
        return {owner, *(a.qualified_name for a in kin)}

    def has_class(self, owner: str) -> bool:
        """Whether the revision has a class, though the program may not reach it."""
        return owner in self._types or self._index.find(owner) is not None

    def anonymous_functions(self, key: Key) -> tuple[ProgramCode, ...]:
        """Functions that are written in a declaration as anonymous classes and ask for state."""
        declaration, owner = self.declarations[key], self._types[key[0]]
        if declaration.part is Part.HEADER or declaration.names.isdisjoint(STATE_GETTERS):
            return ()
        found: list[ProgramCode] = []
        for node in walk(self._members[key[0]].spans[key].node):
            if node.type == "object_creation_expression" and node.children[-1].type == "class_body":
                decl = ClassDecl(owner.unit, node, ClassKind.ANONYMOUS, ANONYMOUS, owner.package, owner)
                if role_of(decl, self._index) is Role.FUNCTION:
                    types = {a.qualified_name: a for a in self._index.lineage(decl)}
                    members = {name: members_of(self._index.unit_of(a), a) for name, a in types.items()}
                    found.append(JavaCode(types, members, self._index, self._trace))
        return tuple(found)

    # -- what elements are made of -------------------------------------------------------------------------------

    def flows(self, wanted: frozenset[str], run: frozenset[Location] = frozenset()) -> tuple[Flow, ...]:
        """What each function that runs with records gives to members of such names."""
        found: list[Flow] = []
        for owner, decl in self._types.items():
            role = self.role(owner)
            if role is Role.FUNCTION and owner not in self._inside_states and self._mentioned(owner):
                found.extend(self._of_methods(decl, wanted))
            elif role is Role.DATA:
                found.extend(self._element_flow.of_data(decl, wanted))
            if (owner, run) not in self._given:
                self._given[owner, run] = tuple(self._given_functions(owner, run))
            for key, node in self._given[owner, run]:
                found.append(self._element_flow.of_argument(node, key, decl, wanted))
        words = {word for flow in found for text in flow.texts for word in re.findall(r"\w+", text)}
        for owner, states in self._inside_states.items():
            if not words.isdisjoint(states):
                found.extend(self._of_methods(self._types[owner], wanted))
        if self._shared is not None:
            self._index.add_consulted(self._shared.consulted)
        return tuple(found)

    def _of_methods(self, decl: ClassDecl, wanted: frozenset[str]) -> Iterator[Flow]:
        methods = (m for m in decl.methods if m.name in MAKES_ELEMENTS and not m.static)
        return (self._element_flow.of_method(method, wanted) for method in methods)

    @cached_property
    def _inside_states(self) -> Mapping[str, frozenset[str]]:
        """Functions that only fold what a state keeps: their results are in elements only if that state is read.

        By class: the names of such states in the functions that name it.
        """
        found: dict[str, frozenset[str]] = {}
        for owner in self._types:
            if self.role(owner) is Role.FUNCTION and not self.ancestors(owner).isdisjoint(_FOLDING):
                users = [name for name in self._naming(owner) if not name.startswith(f"{owner}.")]
                fields = [field for name in users for field in self._types[name].fields.values()]
                states = frozenset(f.name for f in fields if f.type is not None and f.type.simple in _FOLDED)
                if states and all(self.role(name) is Role.FUNCTION for name in users):
                    found[owner] = states
        return found

    def _mentioned(self, owner: str) -> bool:
        """Whether a class has no outer one, or another class names it: a nested class that none names is not used."""
        if owner not in self._named:
            self._named[owner] = self._types[owner].outer is None or any(self._naming(owner))
        return self._named[owner]

    def _naming(self, owner: str) -> Iterator[str]:
        """The other classes that name a class."""
        simple = self._types[owner].name
        for name, members in self._members.items():
            if name != owner and (simple in members.types or simple in members.texts):
                yield name

    def map_keys(self, owner: str) -> MapKeys | None:
        """The keys of a function's map states, where it has such states; of data, those of its maps."""
        decl = self._types.get(owner)
        if decl is not None and self.role(owner) is Role.DATA:
            return self._keys_in_objects.of_function(decl)
        lineage = self.ancestors(owner)
        kin = [members for name, members in self._members.items() if name.rpartition(".")[2] in lineage]
        if decl is None or all(MAP_STATES.isdisjoint(d.names) for members in kin for d in members.declarations):
            return None
        return self._map_keys.of_function(decl)

    @cached_property
    def _map_keys(self) -> MapKeyTexts:
        return MapKeyTexts(self._types, self._index)

    @cached_property
    def _keys_in_objects(self) -> MapKeyTexts:
        return MapKeyTexts(self._types, self._index, in_objects=True)

    @cached_property
    def _element_flow(self) -> ElementFlow:
        return ElementFlow(self._types, self._index) if self._shared is None else self._shared.elements

    def _given_functions(self, owner: str, run: frozenset[Location]) -> Iterator[tuple[Key, Node]]:
        """The functions written in a class that operators run, or that calls take which may make elements with them.

        Of the latter the outermost only: lambdas, method references and objects of anonymous classes.
        """
        unit = self._members[owner].unit.source
        making = self.role(owner) is Role.DATA
        lines = {place.line for place in run if place.file == unit.path}
        for key, functions in self._members[owner].functions.items():
            inside = 0
            for node in functions:
                call = node.parent.parent if node.parent is not None else None
                given = making and call is not None and text(field(call, "name")) in MAKES_ELEMENTS
                located = bool(lines) and unit.line(node.start_byte) in lines and unit.location(node) in run
                if given and not located and call is not None:
                    # what a collection's method gives is a part of what the declaration returns
                    emits = "Collector" in self.declarations[key].names and not self.detail(key).executed
                    given = emits or not self._of_library(call, self._types[owner])
                if located or (given and node.start_byte >= inside):
                    inside = max(inside, node.end_byte)
                    yield key, node

    def _of_library(self, call: Node, decl: ClassDecl) -> bool:
        """Whether a method is called on a collection, a stream or an optional of Java's library."""
        target, calls = field(call, "object"), list[str]()
        while target is not None and target.type == "method_invocation":
            calls.append(text(field(target, "name")))
            target = field(target, "object")
        name = text(target).removeprefix("this.")
        local = find_local(target, name) if target is not None else None
        kind = local[1] if local is not None else decl.fields[name].type if name in decl.fields else None
        simple = name if kind is None else kind.simple
        if simple not in _LIBRARY and calls:
            first = calls.pop()
            owners = [owner for owner in self._types.values() if owner.name == simple]
            results = {m.return_type.simple for o in owners for m in o.methods if m.name == first and m.return_type}
            simple = results.pop() if len(results) == 1 else ""
        return simple in _LIBRARY and _OF_STREAMS.issuperset(calls)

    # -- one declaration -----------------------------------------------------------------------------------------

    def looked_at(self, key: Key) -> Detail:
        """A declaration looked at closely."""
        declaration = self.declarations[key]
        members = self._members[key[0]]
        path = declaration.location.file
        return detail_of(members.unit, members.spans[key], Followed.of(self._trace, path), whole=_is_whole(declaration))

    def outcome(self, key: Key, statement: Statement, own: str = "") -> Outcome:
        """What becomes of a statement of a declaration."""
        node = self._members[key[0]].spans[key].node
        return self._body_outcomes.of(key, node, own).get(statement.place, Outcome())

    def fold(self, key: Key, members: frozenset[str]) -> Fold:
        """Which of some members a method makes of what they were."""
        found = next((m for m in self._types[key[0]].methods if method_key(m) == key), None)
        return Fold() if found is None else self._folds.of_method(found, members)

    @cached_property
    def reductions(self) -> tuple[Reduction, ...]:
        """The lambdas and method references that values in state are reduced with."""
        return tuple(
            reduction
            for owner, members in self._members.items()
            for key, functions in members.functions.items()
            if not self.declarations[key].names.isdisjoint(_REDUCING)
            for reduction in self._folds.reductions(self._types[owner], key, functions)
        )

    @cached_property
    def _folds(self) -> Folds:
        return Folds(self._types, self._index)

    def runs_with(self, flags: Flags) -> None:
        """Take note of the functions that operators run, each with the truth values that its object holds."""
        self._body_outcomes = BodyOutcomes(self._types, self._index, flags)

    def role(self, owner: str) -> Role:
        """What a class is to Flink."""
        decl = self._types.get(owner)
        if decl is None:
            return Role.DATA
        if owner not in self._roles:
            self._roles[owner] = role_of(decl, self._index)
        return self._roles[owner]

    def ancestors(self, owner: str) -> frozenset[str]:
        """Simple names of a class' super types, its own name included."""
        if owner not in self._above:
            decl = self._types.get(owner)
            self._above[owner] = frozenset() if decl is None else self._index.names_above(decl) | {decl.name}
        return self._above[owner]


def _is_whole(declaration: Declaration) -> bool:
    """Whether it has no statements of its own."""
    return declaration.part in (Part.HEADER, Part.CONSTANT)
