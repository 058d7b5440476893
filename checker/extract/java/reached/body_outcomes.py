"""How statements run, with what is known outside of their bodies: flags of functions, and methods of no effect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from checker.extract.java.reached.bodies import locals_of
from checker.extract.java.reached.called_methods import CalledMethods
from checker.extract.java.reached.known_values import KnownValues
from checker.extract.java.reached.members import method_key
from checker.extract.java.reached.outcomes import Around, outcomes_of
from checker.extract.java.reached.roles import MAKES_ELEMENTS, role_of
from checker.extract.java.reached.truths import truth
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import ClassDecl, MethodDecl
from checker.extract.java.syntax.nodes import arguments_of, assigned_member
from checker.extract.java.syntax.tree import Node, field, text, walk
from checker.model.program_code import Flags, Goes, Key, Outcome, Role
from checker.model.used_states import method_name


class BodyOutcomes:
    """The bodies of one program; ``flags`` are the functions that operators run."""

    def __init__(self, types: Mapping[str, ClassDecl], index: ClassIndex, flags: Flags) -> None:
        self._index = index
        self._types = types
        self._flags = flags
        self._methods = CalledMethods(types.values(), index)
        self._found: dict[tuple[Key, str], Mapping[int, Outcome]] = {}
        self._settled: dict[str, Mapping[str, bool]] = {}
        self._idle: dict[Key, bool] = {}

    def of(self, key: Key, node: Node, own: str = "") -> Mapping[int, Outcome]:
        """What becomes of each statement of a declaration, by where it begins; ``own`` is a state's name."""
        if (key, own) not in self._found:
            owner = self._types[key[0]]
            function = role_of(owner, self._index) is Role.FUNCTION
            around = Around(
                by_flink=function and method_name(key) in MAKES_ELEMENTS,
                values=self._values(owner, self._flags_of(owner) if function else {}, node),
                idle=partial(self._does_nothing, owner),
                own=own,
            )
            self._found[key, own] = outcomes_of(node, around)
        return self._found[key, own]

    def _values(self, owner: ClassDecl, flags: Mapping[str, bool], node: Node) -> KnownValues:
        """What names in a body stand for: a private method's parameter for what all calls of the method give it."""
        method = next((m for m in owner.methods if m.node == node), None)
        body = method.body if method is not None else None
        if method is None or body is None:
            return KnownValues(owner, self._index, flags, {})
        inside: dict[str, bool | None] = dict.fromkeys((*(p.name for p in method.parameters), *locals_of(body)))
        truths = [n for n, p in enumerate(method.parameters) if p.type.simple == "boolean"]
        for number in truths if "private" in method.modifiers else ():
            given = {truth(found, values, frozenset()) for found, values in self._given(method, number, flags)}
            inside[method.parameters[number].name] = given.pop() if len(given) == 1 else None
        return KnownValues(owner, self._index, flags, inside)

    def _given(self, method: MethodDecl, number: int, flags: Mapping[str, bool]) -> Iterator[tuple[Node, KnownValues]]:
        """The arguments that a class gives to a method of its own, with what names mean there."""
        for caller in method.owner.methods:
            for call in walk(caller.body) if caller.body is not None else ():
                given = arguments_of(call) if text(field(call, "name")) == method.name else ()
                if len(given) == len(method.parameters) and caller.body is not None:
                    names = dict.fromkeys((*(p.name for p in caller.parameters), *locals_of(caller.body)))
                    yield given[number], KnownValues(method.owner, self._index, flags, names)

    def _flags_of(self, owner: ClassDecl) -> Mapping[str, bool]:
        """The fields of a function that only constructors set, and that are one truth value wherever it runs."""
        if owner.qualified_name not in self._settled:
            running = [flags for name, flags in self._flags if self._is_kind_of(name, owner)]
            same = {
                name: value
                for name, value in (running[0].items() if running else ())
                if all(flags.get(name) is value for flags in running)
            }
            later = [m.body for m in owner.methods if m.name != "<init>" and m.body is not None] if same else []
            changed = {assigned_member(n) for body in later for n in walk(body)}
            calls = {text(field(n, "name")) for body in later for n in walk(body) if n.type == "method_invocation"}
            self._settled[owner.qualified_name] = {
                name: value
                for name, value in same.items()
                if name.partition(".")[0] not in changed and calls.isdisjoint(self._setters(owner, name))
            }
        return self._settled[owner.qualified_name]

    def _setters(self, owner: ClassDecl, name: str) -> Iterator[str]:
        """The methods by which an object in a field changes a field of its own."""
        holder, _, member = name.rpartition(".")
        declared = owner.fields.get(holder)
        made = self._index.resolve_type(declared.type, owner) if declared is not None else None
        for method in made.methods if isinstance(made, ClassDecl) else ():
            sets = method.body is not None and any(assigned_member(n) == member for n in walk(method.body))
            if sets and method.name != "<init>":
                yield method.name

    def _is_kind_of(self, name: str, owner: ClassDecl) -> bool:
        """Whether objects of a class are objects of ``owner``."""
        decl = self._types.get(name.replace("$", "."))
        return decl is not None and (decl is owner or owner in self._index.ancestors(decl))

    def _does_nothing(self, owner: ClassDecl, call: Node) -> bool:
        """Whether all code of the program that a call may mean is known and has no effect."""
        methods = self._methods.callees(call, owner)
        return bool(methods) and all(self._is_idle(method) for method in methods)

    def _is_idle(self, method: MethodDecl) -> bool:
        key = method_key(method)
        if key not in self._idle:
            self._idle[key] = False  # of methods that call themselves
            if method.body is not None and key[0] in self._types:
                found = self.of(key, method.node).values()
                self._idle[key] = all(outcome.goes is not Goes.SOMEWHERE for outcome in found)
        return self._idle[key]
