"""Which members of objects, and which results of functions, a body makes of what they were before.

``sum += x`` and ``sum = Math.max(sum, x)`` fold the old value into the new one, ``sum = x`` forgets it. Where that is
in doubt, a value counts as made of all that its variables, calls and conditions mention.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Final

from checker.extract.java.reached.bodies import (
    in_lambda,
    locals_of,
    member_of,
    own_nodes,
    parameters_of,
    words,
)
from checker.extract.java.reached.called_methods import CalledMethods
from checker.extract.java.reached.folding_syntax import (
    PUTS,
    TAKES_OUT,
    changes,
    conditions_of,
    emptied_by,
    forgotten,
    gives_back,
    gives_only,
    is_alone,
    is_literal,
    is_reducing,
    keeps_tuples,
    last_name,
    named_member,
    puts_into,
    replaced,
    taken_from,
    taken_of_another,
)
from checker.extract.java.reached.members import method_key
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, MethodDecl
from checker.extract.java.syntax.java_lang import UNBOXED
from checker.extract.java.syntax.local_variables import find_local
from checker.extract.java.syntax.nodes import arguments_of, is_of_object
from checker.extract.java.syntax.tree import Node, above, children, text, walk
from checker.extract.java.syntax.tree import field as part
from checker.extract.java.syntax.type_refs import type_ref
from checker.model.reductions import OF_STATE, Fold, Reduction
from checker.model.used_states import RESTORING

_FOLDING: Final[Mapping[str, Mapping[str, tuple[int, ...]]]] = {
    "ReduceFunction": {"reduce": (0, 1)},
    "AggregateFunction": {"add": (1,), "merge": (0, 1), "getResult": (0,)},
}
"""By class of Flink: the methods that fold, and by their number the parameters that hold what was folded before."""
_READS: Final = frozenset(
    {"get", "getOrDefault", "size", "isEmpty", "contains", "containsKey", "containsValue", "iterator", "stream",
     "keySet", "values", "entrySet", "forEach", "toString", "equals", "hashCode", "indexOf", "length", "first", "last",
     "peek", "compareTo"}
)  # fmt: skip
_COMBINES: Final = frozenset({"merge", "compute", "computeIfPresent"})
_KNOWN: Final = frozenset(
    {"collect", "output", "update", "add", "addAll", "put", "putAll", "offer", "push", "append", "println", "info",
     "debug", "warn", "trace", "error", "requireNonNull", "equals", "valueOf", "format", "join", "of", "asList", "max",
     "min", "sum", "remove", "contains", "get", "containsKey", "checkNotNull", "checkArgument"}
)  # fmt: skip
"""Calls of libraries that change no member of what they are given."""
_PLAIN: Final = frozenset({*UNBOXED, *UNBOXED.values(), "String"})
_OF_TUPLES: Final = frozenset(f"f{number}" for number in range(25))
"""The members of tuples, in functions that fold values or keep tuples."""
_SETS: Final = frozenset({"variable_declarator", "assignment_expression"})
_CHANGES: Final = frozenset(
    {"assignment_expression", "update_expression", "method_invocation", "object_creation_expression",
     "method_reference"}
)  # fmt: skip
"""The expressions that may change a member."""


class Folds:
    """The bodies of one program."""

    def __init__(self, types: Mapping[str, ClassDecl], index: ClassIndex) -> None:
        self._types = types
        self._index = index
        self._methods = CalledMethods(types.values(), index)
        self._closed: dict[tuple[Node, bool, frozenset[str], ClassDecl | None], frozenset[str]] = {}
        self._locals: dict[Node, Mapping[str, tuple[Node, ...]]] = {}

    # -- members -------------------------------------------------------------------------------------------------

    def of_method(self, method: MethodDecl, members: frozenset[str]) -> Fold:
        """Which of some members a method folds, and which it sets; of methods that fold, also the results."""
        body = method.body
        if body is None:
            return Fold()
        folded, may_fold, known, opaque = set[str](), set[str](), set[str](), set[str]()
        given = {p.name for p in method.parameters}
        taken, emptied = set[str](), set[str]()
        own = members & self._kept(method.owner) - given - locals_of(body).keys()
        written: list[tuple[Node, str, Node, bool, frozenset[str]]] = []
        folding, of_tuples = self._folding(method), keeps_tuples(method.owner)
        for node in own_nodes(body):
            if node.type not in _CHANGES:
                continue
            accumulators = self._folded_in(node, method, folding)
            wanted = members | _OF_TUPLES if accumulators or of_tuples else members
            written += [(node, *found, accumulators) for found in self._written(node, method.owner, wanted, own)]
            for name in self._touched(node, method.owner, wanted, own, accumulators):
                may_fold |= {name, f"{name}[]"}
            opaque.update(self._given_away(node, method.owner))
            emptied.add(self._meant(emptied_by(node), members, own))
            taken.add(self._meant(taken_from(node), members, own))
        for node, name, value, certain, accumulators in written:
            known.add(name)
            member = name.removesuffix("[]")
            values = [v for _, n, v, _, _ in written if n == name] if certain else [value, *conditions_of(node)]
            made = accumulators <= frozenset[str]().union(*(self._mentioned(v, method.owner) for v in values))
            if made and not forgotten(node, body, member) and not taken_of_another(node, given):
                if not certain and not self._made_of(value, node, member, method.owner):
                    continue
                may_fold.add(name)
                if certain or (not is_literal(value) and self._made_of(value, node, member, None)):
                    folded.add(name)
        carried = {n for n in folded if all(last_name(v) == n for _, name, v, _, _ in written if name == n)}
        results = {number for number in folding if self._gives(method, number)}
        lambdas = sum(n.type == "lambda_expression" and is_reducing(n) for n in own_nodes(body))
        if method.name == "<init>":  # a new object has no values of its own yet
            folded.clear()
        return Fold(
            frozenset(folded), frozenset(may_fold), frozenset(known), frozenset(results), lambdas, frozenset(opaque),
            frozenset(taken - {""}), frozenset(emptied - {""}), frozenset(carried), gives_back(body, given),
        )  # fmt: skip

    def _written(
        self, node: Node, owner: ClassDecl, members: frozenset[str], own: frozenset[str]
    ) -> Iterator[tuple[str, Node, bool]]:
        """The members that an expression writes: with the value, and whether that is made of the old one anyway."""
        match node.type:
            case "assignment_expression":
                name, value = named_member(part(node, "left"), members, own), part(node, "right")
                if name and value is not None:
                    yield (name, value, False) if text(part(node, "operator")) == "=" else (name, node, True)
            case "update_expression":
                name = named_member(node.named_children[0], members, own)
                if name:
                    yield name, node, True
            case "method_invocation":
                yield from self._called(node, members, own)
            case "object_creation_expression":
                for name, given in self._given(node, owner):
                    for value in self._variables(node).get(text(given), (given,)):
                        if name in members and last_name(value) != name:  # not only taken over
                            yield name, value, False

    def _called(self, node: Node, members: frozenset[str], own: frozenset[str]) -> Iterator[tuple[str, Node, bool]]:
        name, given, receiver = text(part(node, "name")), arguments_of(node), part(node, "object")
        if name == "of" and text(receiver).startswith("Tuple"):
            values = {f"f{number}": value for number, value in enumerate(given)}
            yield from ((n, value, False) for n, value in values.items() if n in members and last_name(value) != n)
            return
        member = member_of(name, "set")
        if member != name and member in members and len(given) == 1:
            yield member, given[0], False
            return
        inside = self._meant(receiver, members, own)
        if not inside or name in _READS or name in TAKES_OUT or not (is_alone(node) or name in PUTS):
            return
        yield inside, node, True
        if name in _COMBINES:
            yield f"{inside}[]", *((node, True) if (only := gives_only(node)) is None else (only, False))
        elif name in ("put", "replace") and given:
            yield f"{inside}[]", given[-1], False

    def _meant(self, node: Node | None, members: frozenset[str], own: frozenset[str]) -> str:
        """The member that an expression names, or that the local variable holds which it is."""
        if node is None or node.type != "identifier" or text(node) in own:
            return named_member(node, members, own)
        values = (v for v in self._variables(node).get(text(node), ()) if v.parent and v.parent.type in _SETS)
        taken = (
            v for v in values if v.type != "method_invocation" or text(part(v, "name")).startswith(("get", "value"))
        )
        return next(filter(None, (named_member(v, members, own) for v in taken)), "")

    def _touched(
        self, node: Node, owner: ClassDecl, members: frozenset[str], own: frozenset[str], accumulators: frozenset[str]
    ) -> Iterator[str]:
        """The members that code elsewhere may fold: what holds a member, what calls are given, what builders make."""
        target = part(node, "object")
        if node.type in ("assignment_expression", "update_expression") or is_alone(node):
            holder = target if node.type == "method_invocation" else node.named_children[0]
            while holder is not None and (holder := part(holder, "object")) is not None:
                yield self._meant(holder, members, own)
        if node.type == "method_reference" and text(node.children[-1]) in PUTS:
            yield self._meant(node.children[0], members, own)
        if node.type != "method_invocation":
            return
        name, given, called = text(part(node, "name")), arguments_of(node), self._methods.callees(node, owner)
        for number, argument in enumerate(given):
            bodies = [(m.body, m.parameters[number].name) for m in called if m.body and number < len(m.parameters)]
            library = not called and is_alone(node) and (name not in _KNOWN or text(target) == "Collections")
            library = library and not self._is_plain(argument, owner)
            if library or any(puts_into(body, parameter) for body, parameter in bodies):
                yield self._meant(argument, members, own)
        member = member_of(name, "with")
        if len(given) == 1 and member in members and accumulators <= self._mentioned(given[0], owner):
            yield member if self._made_of(given[0], node, member, owner) else ""

    def _folded_in(self, node: Node, method: MethodDecl, folding: tuple[int, ...]) -> frozenset[str]:
        """The parameters, of the function around a node, of which all that is folded must be made."""
        for around in takewhile(lambda around: around != method.body, above(node)):
            if around.type == "lambda_expression" and is_reducing(around):
                return frozenset(parameters_of(around)[:1])
        numbers = folding[:1] if method.name == "reduce" else folding
        return frozenset(method.parameters[n].name for n in numbers if n < len(method.parameters))

    def _given(self, node: Node, owner: ClassDecl) -> Iterator[tuple[str, Node]]:
        """The fields that a constructor of the program sets to its arguments."""
        given, made = arguments_of(node), part(node, "type")
        if text(made).rpartition(".")[2].startswith("Tuple"):
            yield from ((f"f{number}", value) for number, value in enumerate(given))
            return
        decl = self._index.resolve_type(type_ref(made), owner) if made is not None else None
        if not isinstance(decl, ClassDecl):
            return
        if decl.kind is ClassKind.RECORD and len(given) == len(decl.record_components):
            yield from zip((p.name for p in decl.record_components), given, strict=True)
        for constructor in decl.constructors:
            if constructor.body is not None and len(constructor.parameters) == len(given):
                values = dict(zip((p.name for p in constructor.parameters), given, strict=True))
                for inner in own_nodes(constructor.body):
                    name = text(part(inner, "right")) if inner.type == "assignment_expression" else ""
                    if name in values:
                        yield text(part(inner, "left")).removeprefix("this."), values[name]

    def _made_of(self, value: Node, node: Node, member: str, owner: ClassDecl | None) -> bool:
        """Whether a value, or a condition on which it is set, mentions what a member was; or a method called there."""
        member = member.removesuffix(OF_STATE)
        names = {member, f"get{member[:1].upper()}{member[1:]}"}
        of = self._holder(node, owner) if owner is not None else None
        return any(names & self._mentioned(n, owner, of=of) for n in (value, *conditions_of(node)))

    def _holder(self, node: Node, owner: ClassDecl) -> ClassDecl | None:
        """The class whose member an expression sets, as far as that is known."""
        if node.type == "object_creation_expression":
            decl = self._index.resolve_type(type_ref(part(node, "type")), owner)
            return decl if isinstance(decl, ClassDecl) else None
        target = part(node, "left") if node.type == "assignment_expression" else node
        return self._methods.class_with(part(target, "field") or target, owner) if target is not None else None

    def _names_in(self, node: Node, owner: ClassDecl, of: ClassDecl | None) -> frozenset[str]:
        """All names in the code of a class but those of members that are known to be none of a class's objects."""
        if of is None:
            return words(node)
        locals_ = self._variables(node)

        def may_be(name: Node) -> bool:
            if is_of_object(name) and name.parent is not None and arguments_of(name.parent):
                return False  # a method that is called, and looked at
            if not is_of_object(name) and text(name) in locals_:
                return not locals_[text(name)]  # what it is set to is looked at
            found = self._methods.class_with(name, owner)
            return found is None or self._methods.kin(found, of)

        return frozenset(text(n) for n in walk(node) if n.type == "identifier" and may_be(n))

    def _mentioned(
        self,
        node: Node,
        owner: ClassDecl | None,
        given: frozenset[str] = frozenset(),
        of: ClassDecl | None = None,
    ) -> frozenset[str]:
        """All names in an expression and in what its variables are set to; with an owner, in methods that it calls.

        Without one, the names of variables are left out: ``rule.name`` is no member that is called ``rule``. What
        variables are set to that are ``given`` to the expression does not matter. Of members, only those are looked
        for that objects ``of`` a class may have.
        """
        place = (node, owner is None, given, of)
        if place not in self._closed:
            found, seen = set[str](), set[Node]()
            pending: list[tuple[ClassDecl | None, Node]] = [(owner, node)]
            while pending:
                around, current = pending.pop()
                if current in seen:
                    continue
                seen.add(current)
                names = words(current)
                locals_ = self._variables(current)
                found |= self._names_in(current, around, of) if around else self._members_in(current, locals_)
                pending += [(around, value) for name in names - given for value in locals_.get(name, ())]
                if around is not None:
                    pending += [(m.owner, body) for m, body in self._methods.named(current, around) if m is not None]
            self._closed[place] = frozenset(found)
        return self._closed[place]

    def _members_in(self, node: Node, variables: Mapping[str, tuple[Node, ...]]) -> frozenset[str]:
        named = (n for n in walk(node) if n.type == "identifier")
        return frozenset(text(n) for n in named if text(n) not in variables or is_of_object(n))

    def _variables(self, node: Node) -> Mapping[str, tuple[Node, ...]]:
        """What the local variables around a node are set to; parameters of lambdas, to what these are called on."""
        *_, outermost = (node, *above(node, "class_body", "program"))
        if outermost not in self._locals:
            found = dict.fromkeys(parameters_of(outermost), tuple[Node, ...]())
            for inner in walk(outermost):
                call = inner.parent.parent if inner.type == "lambda_expression" and inner.parent is not None else None
                on = part(call, "object") if call is not None else None
                for name in parameters_of(inner) if inner.type == "lambda_expression" else ():
                    found[name] = (*found.get(name, ()), *([on] if on is not None else []))
            self._locals[outermost] = {**found, **locals_of(outermost)}
        return self._locals[outermost]

    def _given_away(self, node: Node, owner: ClassDecl) -> Iterator[str]:
        """The name of a call that gives an object to code of a library, which may change its members."""
        name = text(part(node, "name")) if node.type == "method_invocation" else ""
        if not name or name in _KNOWN:
            return
        given = any(argument.type == "this" or self._is_object(argument, owner) for argument in arguments_of(node))
        if given and not self._methods.callees(node, owner):
            yield name

    def _is_plain(self, argument: Node, owner: ClassDecl) -> bool:
        """Whether an argument is a member that no call can change, or what its accessor gives."""
        name = part(argument, "field") or part(argument, "name") or argument
        of = self._methods.class_with(name, owner)
        declared = of.fields.get(member_of(text(name), "get", "is")) if of is not None else None
        return declared is not None and declared.type.simple in _PLAIN

    def _is_object(self, argument: Node, owner: ClassDecl) -> bool:
        """Whether a variable is of a class of the program."""
        local = find_local(argument, text(argument)) if argument.type == "identifier" else None
        return local is not None and isinstance(self._index.resolve_type(local[1], owner), ClassDecl)

    # -- results -------------------------------------------------------------------------------------------------

    def _folding(self, method: MethodDecl) -> tuple[int, ...]:
        """The parameters of a method of Flink that hold what was folded before."""
        names = self._index.names_above(method.owner)
        kind = next((name for name in _FOLDING if name in names or f"Rich{name}" in names), None)
        return _FOLDING[kind].get(method.name, ()) if kind is not None else ()

    def _kept(self, owner: ClassDecl) -> frozenset[str]:
        """The fields that may lie in state: of a function of Flink's, those that it restores or snapshots itself."""
        if not any(name.endswith("Function") for name in self._index.names_above(owner)):
            return frozenset(owner.fields)
        bodies = (m.body for m in owner.methods if m.name in RESTORING and m.body is not None)
        return frozenset().union(*map(words, bodies)) & owner.fields.keys()

    def _gives(self, method: MethodDecl, number: int) -> bool:
        """Whether what a method returns may be made of a parameter."""
        assert method.body is not None
        if number >= len(method.parameters):
            return True
        return self._returns(method.body, method.parameters[number].name, method.owner)

    def _returns(self, body: Node, name: str, owner: ClassDecl) -> bool:
        """Whether what a body returns may be made of one of its parameters."""
        around = body.parent
        own = parameters_of(around) if around is not None and around.type == "lambda_expression" else ()
        if body.type != "block":
            return name in self._mentioned(body, owner, frozenset(own))
        variables = {n: values for n, values in self._variables(body).items() if n not in own}
        killed = replaced(body, name)
        for node in own_nodes(body):
            if node.type != "return_statement" or in_lambda(node, body) or not children(node):
                continue
            pending, seen = [*children(node), *conditions_of(node)], set[Node]()
            while pending:
                current = pending.pop()
                if current in seen:
                    continue
                seen.add(current)
                names = words(current)
                if name in names and (killed is None or current.start_byte < killed):
                    return True
                pending += [value for word in names for value in (*variables.get(word, ()), *changes(body, word))]
        return False

    def reductions(self, owner: ClassDecl, key: tuple[str, str], functions: tuple[Node, ...]) -> Iterator[Reduction]:
        """The lambdas and method references in a declaration that reduce values."""
        for node in functions:
            if not is_reducing(node):
                continue
            through, folds = {key}, True
            if node.type == "lambda_expression" and (body := part(node, "body")) is not None:
                folds = all(self._returns(body, name, owner) for name in parameters_of(node))
            elif node.type == "method_reference":
                methods = [m for m, _ in self._methods.referred(node, owner) if m.body is not None]
                through |= {method_key(m) for m in methods}
                folds = all(self._gives(m, number) for m in methods for number in range(len(m.parameters)))
            yield Reduction(frozenset(through), forgets=not folds)
