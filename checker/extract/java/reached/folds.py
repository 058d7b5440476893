"""Which members of objects, and which results of functions, a body makes of what they were before.

``sum += x`` and ``sum = Math.max(sum, x)`` fold the old value into the new one, ``sum = x`` forgets it. Where that is
in doubt, a value counts as made of all that its variables, calls and conditions mention.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from checker.extract.java.reached.bodies import (
    arguments_of,
    in_lambda,
    locals_of,
    member_of,
    own_nodes,
    parameters_of,
    words,
)
from checker.extract.java.reached.called_methods import CalledMethods
from checker.extract.java.reached.members import method_key
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, MethodDecl
from checker.extract.java.syntax.local_variables import find_local
from checker.extract.java.syntax.tree import Node, children, text
from checker.extract.java.syntax.tree import field as part
from checker.extract.java.syntax.type_refs import type_ref
from checker.model.reductions import Fold, Reduction

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
_TAKES_OUT: Final = frozenset({"clear", "remove", "removeAll", "removeIf", "retainAll", "poll", "pop", "reset"})
_PUTS: Final = frozenset({"add", "addAll", "put", "putAll", "putIfAbsent", "offer", "push", "merge", "compute",
                          "computeIfAbsent", "computeIfPresent"})  # fmt: skip
"""Calls that change a collection also where their result is used; others do so as statements of their own."""
_COMBINES: Final = frozenset({"merge", "compute", "computeIfPresent"})
_KNOWN: Final = frozenset(
    {"collect", "output", "update", "add", "addAll", "put", "putAll", "offer", "push", "append", "println", "info",
     "debug", "warn", "trace", "error", "requireNonNull", "equals", "valueOf", "format", "join", "of", "asList", "max",
     "min", "sum", "remove", "contains", "get", "containsKey", "checkNotNull", "checkArgument"}
)  # fmt: skip
"""Calls of libraries that change no member of what they are given."""
_OF_TUPLES: Final = frozenset(f"f{number}" for number in range(25))
"""The members of tuples, in functions that fold values."""
_BRANCHES: Final = frozenset({"if_statement", "while_statement", "for_statement", "ternary_expression", "do_statement",
                              "switch_expression"})  # fmt: skip
_ENDS: Final = frozenset({"method_declaration", "constructor_declaration", "lambda_expression", "class_body"})


class Folds:
    """The bodies of one program."""

    def __init__(self, types: Mapping[str, ClassDecl], index: ClassIndex) -> None:
        self._types = types
        self._index = index
        self._methods = CalledMethods(types.values(), index)
        self._closed: dict[tuple[Node, bool], frozenset[str]] = {}
        self._locals: dict[Node, Mapping[str, tuple[Node, ...]]] = {}

    # -- members -------------------------------------------------------------------------------------------------

    def of_method(self, method: MethodDecl, members: frozenset[str]) -> Fold:
        """Which of some members a method folds, and which it sets; of methods that fold, also the results."""
        body = method.body
        if body is None:
            return Fold()
        folded, may_fold, known, opaque = set[str](), set[str](), set[str](), False
        own = members & method.owner.fields.keys() - {p.name for p in method.parameters} - locals_of(body).keys()
        for node in own_nodes(body):
            accumulators = self._folded_in(node, method)
            wanted = members | _OF_TUPLES if accumulators else members
            for name, value, certain in self._written(node, method.owner, wanted, own):
                known.add(name)
                member = name.removesuffix("[]")
                made = accumulators <= self._mentioned(value, method.owner)
                if made and not self._forgotten(node, body, member):
                    if certain or self._made_of(value, node, member, method.owner):
                        may_fold.add(name)
                    if certain or self._made_of(value, node, member, None):
                        folded.add(name)
            opaque = opaque or self._is_opaque(node, method.owner)
        results = {number for number in self._folding(method) if self._gives(method, number)}
        lambdas = sum(n.type == "lambda_expression" and _reduces(n) for n in own_nodes(body))
        return Fold(frozenset(folded), frozenset(may_fold), frozenset(known), frozenset(results), lambdas, opaque)

    def _written(
        self, node: Node, owner: ClassDecl, members: frozenset[str], own: frozenset[str]
    ) -> Iterator[tuple[str, Node, bool]]:
        """The members that an expression writes: with the value, and whether that is made of the old one anyway."""
        match node.type:
            case "assignment_expression":
                name, value = _member(part(node, "left"), members, own), part(node, "right")
                if name and value is not None:
                    yield (name, value, False) if text(part(node, "operator")) == "=" else (name, node, True)
            case "update_expression":
                name = _member(node.named_children[0], members, own)
                if name:
                    yield name, node, True
            case "method_invocation":
                yield from self._called(node, members, own)
            case "object_creation_expression":
                for name, value in self._given(node, owner):
                    if name in members and _last(value) != name:  # not only taken over
                        yield name, value, False

    def _called(self, node: Node, members: frozenset[str], own: frozenset[str]) -> Iterator[tuple[str, Node, bool]]:
        name, given, receiver = text(part(node, "name")), arguments_of(node), part(node, "object")
        if name == "of" and text(receiver).startswith("Tuple"):
            yield from ((f"f{n}", value, False) for n, value in enumerate(given) if _last(value) != f"f{n}")
            return
        member = member_of(name, "set")
        if member != name and member in members and len(given) == 1:
            yield member, given[0], False
            return
        inside = _member(receiver, members, own)
        alone = node.parent is not None and node.parent.type == "expression_statement"
        if not inside or name in _READS or name in _TAKES_OUT or not (alone or name in _PUTS):
            return
        yield inside, node, True
        if name in _COMBINES:
            yield f"{inside}[]", node, True
        elif name == "put" and given:
            yield f"{inside}[]", given[-1], False

    def _folded_in(self, node: Node, method: MethodDecl) -> frozenset[str]:
        """The parameters, of the function around a node, of which all that is folded must be made."""
        current = node.parent
        while current is not None and current != method.body:
            if current.type == "lambda_expression" and _reduces(current):
                return frozenset(parameters_of(current)[:1])
            current = current.parent
        accumulators = self._folding(method)
        numbers = accumulators[:1] if method.name == "reduce" else accumulators
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
        names = {member, f"get{member[:1].upper()}{member[1:]}"}
        return any(names & self._mentioned(n, owner) for n in (value, *_conditions(node)))

    def _mentioned(self, node: Node, owner: ClassDecl | None) -> frozenset[str]:
        """All names in an expression and in what its variables are set to; with an owner, in methods that it calls."""
        if (node, owner is None) not in self._closed:
            found, seen = set[str](), set[Node]()
            pending: list[tuple[ClassDecl | None, Node]] = [(owner, node)]
            while pending:
                around, current = pending.pop()
                if current in seen:
                    continue
                seen.add(current)
                names = words(current)
                found |= names
                locals_ = self._variables(current)
                pending += [(around, value) for name in names for value in locals_.get(name, ())]
                if around is not None:
                    pending += [(m.owner, body) for m, body in self._methods.named(current, around) if m is not None]
            self._closed[node, owner is None] = frozenset(found)
        return self._closed[node, owner is None]

    def _variables(self, node: Node) -> Mapping[str, tuple[Node, ...]]:
        """What the local variables around a node are set to."""
        current = node
        while current.parent is not None and current.parent.type not in ("class_body", "program"):
            current = current.parent
        if current not in self._locals:
            self._locals[current] = locals_of(current)
        return self._locals[current]

    def _forgotten(self, node: Node, body: Node, member: str) -> bool:
        """Whether a statement that always runs before an expression empties the member."""
        current = node
        while current.parent is not None and current != body:
            around = current.parent
            if around.type == "block":
                for statement in children(around):
                    if statement.start_byte >= current.start_byte:
                        break
                    if self._empties(statement, member):
                        return True
            current = around
        return False

    def _empties(self, statement: Node, member: str) -> bool:
        inner = next(iter(children(statement)), None) if statement.type == "expression_statement" else None
        if inner is None:
            return False
        if inner.type == "method_invocation":
            return text(part(inner, "name")) == "clear" and _last(part(inner, "object")) == member
        value = part(inner, "right") if inner.type == "assignment_expression" else None
        plain = value is not None and text(part(inner, "operator")) == "=" and member not in words(value)
        return plain and _last(part(inner, "left")) == member

    def _is_opaque(self, node: Node, owner: ClassDecl) -> bool:
        """Whether an object is given to code of a library, which may change its members."""
        if node.type != "method_invocation" or text(part(node, "name")) in _KNOWN:
            return False
        given = any(argument.type == "this" or self._is_object(argument, owner) for argument in arguments_of(node))
        return given and not self._methods.callees(node, owner)

    def _is_object(self, argument: Node, owner: ClassDecl) -> bool:
        """Whether a variable is of a class of the program."""
        local = find_local(argument, text(argument)) if argument.type == "identifier" else None
        return local is not None and isinstance(self._index.resolve_type(local[1], owner), ClassDecl)

    # -- results -------------------------------------------------------------------------------------------------

    def _folding(self, method: MethodDecl) -> tuple[int, ...]:
        """The parameters of a method of Flink that hold what was folded before."""
        names = {a.name if isinstance(a, ClassDecl) else a.simple for a in self._index.ancestors(method.owner)}
        kind = next((name for name in _FOLDING if name in names or f"Rich{name}" in names), None)
        return _FOLDING[kind].get(method.name, ()) if kind is not None else ()

    def _gives(self, method: MethodDecl, number: int) -> bool:
        """Whether what a method returns may be made of a parameter."""
        assert method.body is not None
        if number >= len(method.parameters):
            return True
        return self._returns(method.body, method.parameters[number].name, method.owner)

    def _returns(self, body: Node, name: str, owner: ClassDecl) -> bool:
        """Whether what a body returns may be made of one of its parameters."""
        if body.type != "block":
            return name in self._mentioned(body, owner)
        variables = self._variables(body)
        killed = _replaced(body, name)
        for node in own_nodes(body):
            if node.type != "return_statement" or in_lambda(node, body) or not children(node):
                continue
            pending, seen = [*children(node), *_conditions(node)], set[Node]()
            while pending:
                current = pending.pop()
                if current in seen:
                    continue
                seen.add(current)
                names = words(current)
                if name in names and (killed is None or current.start_byte < killed):
                    return True
                pending += [value for word in names for value in (*variables.get(word, ()), *_changes(body, word))]
        return False

    def reductions(self, owner: ClassDecl, key: tuple[str, str], functions: tuple[Node, ...]) -> Iterator[Reduction]:
        """The lambdas and method references in a declaration that reduce values."""
        for node in functions:
            if not _reduces(node):
                continue
            through, folds = {key}, True
            if node.type == "lambda_expression" and (body := part(node, "body")) is not None:
                folds = all(self._returns(body, name, owner) for name in parameters_of(node))
            elif node.type == "method_reference":
                methods = [m for m, _ in self._methods.referred(node, owner) if m.body is not None]
                through |= {method_key(m) for m in methods}
                folds = all(self._gives(m, number) for m in methods for number in range(len(m.parameters)))
            yield Reduction(frozenset(through), forgets=not folds)


def _conditions(node: Node) -> Iterator[Node]:
    """The conditions around a node, and those on which code before it leaves the body."""
    current = node
    while current.parent is not None and current.type not in _ENDS:
        around = current.parent
        condition = part(around, "condition") if around.type in _BRANCHES else None
        if condition is not None and condition != current:
            yield condition
        if around.type == "block":
            for statement in children(around):
                if statement.start_byte >= current.start_byte:
                    break
                left = part(statement, "condition") if statement.type == "if_statement" else None
                if left is not None and "return" in text(statement) and "null" not in text(left):
                    yield left
        current = around


def _changes(body: Node, name: str) -> Iterator[Node]:
    """What is put into an object by its variable: arguments of calls on it, and what its members are set to."""
    for node in own_nodes(body):
        if node.type == "method_invocation" and text(part(node, "object")) == name:
            yield from arguments_of(node)
        elif node.type == "assignment_expression" and text(part(part(node, "left") or node, "object")) == name:
            value = part(node, "right")
            if value is not None:
                yield value


def _replaced(body: Node, name: str) -> int | None:
    """Where a parameter always gets another value that is not made of it."""
    for statement in children(body):
        made = next(iter(children(statement)), None) if statement.type == "expression_statement" else None
        value = part(made, "right") if made is not None and made.type == "assignment_expression" else None
        if made is not None and value is not None and text(part(made, "left")) == name and name not in words(value):
            return made.start_byte
    return None


def _member(node: Node | None, members: frozenset[str], own: frozenset[str]) -> str:
    """The member of an object that an expression names: by its field, its accessor, or in its own class."""
    if node is None:
        return ""
    if node.type == "identifier":
        return text(node) if text(node) in own else ""
    name = _last(node)
    return name if node.type in ("field_access", "method_invocation") and name in members else ""


def _last(node: Node | None) -> str:
    if node is None:
        return ""
    if node.type == "method_invocation":
        return member_of(text(part(node, "name")), "get") if not arguments_of(node) else ""
    return text(part(node, "field") or node)


def _reduces(function: Node) -> bool:
    """Whether a function is given to a call that reduces values of Flink's: no stream of Java's library does."""
    call = function.parent.parent if function.parent is not None else None
    if call is None:
        return False
    if call.type == "object_creation_expression":
        return text(part(call, "type")).startswith("ReducingStateDescriptor")
    target = part(call, "object")
    while target is not None and target.type == "method_invocation":
        if text(part(target, "name")) in ("stream", "parallelStream", "mapToObj", "boxed"):
            return False
        target = part(target, "object")
    return text(part(call, "name")) == "reduce" and text(target) not in ("Stream", "IntStream", "LongStream", "Arrays")
