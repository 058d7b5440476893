"""What a value in the code of a program is computed from, as a text: equal in two revisions only if the values are.

Local variables stand for what they are set to, parameters for the arguments of the call, calls of the repository's
methods for what these return. What this does not follow stands there as it is written: it can only differ too often.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from checker.extract.java.reached import element_calls as calls
from checker.extract.java.reached.bodies import (
    COMMENTS,
    as_written,
    body_around,
    conditions_around,
    locals_of,
    made_tuple,
    member_of,
    parameters_of,
    taken_of,
)
from checker.extract.java.reached.branches import (
    Branch,
    Choice,
    is_whole,
    returned_by,
    set_in,
    settings_before,
    shown,
)
from checker.extract.java.reached.called_methods import CalledMethods
from checker.extract.java.reached.concatenations import concatenated
from checker.extract.java.reached.members import method_key
from checker.extract.java.reached.record_components import component
from checker.extract.java.reached.roles import role_of
from checker.extract.java.reached.scopes import DEPTH, Found, Scope, WrittenBefore
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import ClassDecl, FieldDecl, MethodDecl
from checker.extract.java.syntax.nodes import arguments_of, assigned_values, find_field, positive, returned_field
from checker.extract.java.syntax.tree import Node, children, text
from checker.extract.java.syntax.tree import field as part
from checker.model.program_code import ELEMENT, Key, Role

_PARAMETER = re.compile(r"[$&]\d+")
_STATES = frozenset({"ValueState", "ListState", "MapState"})
_NAME_OF_STATE = re.compile(r'"(?:[^"\\]|\\.)*"')
_WALKED: Final = (
    (re.compile(r"\.iterator\(\)\.next\(\)$"), ""),
    (re.compile(r"(?:\.(?:entries|entrySet)\(\)|(?<!Entries\(\)))\.getValue\(\)$"), ".values()"),
    (re.compile(r"(?:\.(?:entries|entrySet)\(\)|(?<!Entries\(\)))\.getKey\(\)$"), ".keys()"),
    (
        re.compile(
            r"^(?:StreamSupport\.stream\((.+)\.spliterator\(\), \w+\)|(.+?)\.stream\(\))"
            r"\.collect\(Collectors\.partitioningBy\(.*\)\)\.get\((?:true|false)\)$"
        ),
        r"\1\2",
    ),
)
"""Ways to walk over the contents of a collection, and what a loop over these reads like.

Not of ``immutableEntries``, since broadcast state for reading has neither ``values`` nor ``keys``.
"""
_LOGS = re.compile(r"(?:this\.)?(?:LOG|LOGGER|log|logger|System\.(?:out|err))\.\w+\(")


class ValueTexts:
    """The values in the code of one program."""

    def __init__(self, types: Mapping[str, ClassDecl], index: ClassIndex) -> None:
        self._index = index
        self.methods = CalledMethods(types.values(), index)
        self._functions: dict[str, bool] = {}
        self._statics: dict[Key, list[Node]] = {}
        self._locals: dict[Node, Mapping[str, tuple[Node, ...]]] = {}
        self._written_before = WrittenBefore()
        self.declared = set(self.methods.names)
        """Names of all fields, record components and methods."""
        for decl in types.values():
            self.declared.update(decl.fields, (p.name for p in decl.record_components))

    def locals_of(self, body: Node) -> Mapping[str, tuple[Node, ...]]:
        """What each local variable of a body is set to, wherever that is."""
        if body not in self._locals:
            self._locals[body] = locals_of(body)
        return self._locals[body]

    def root_scope(self, owner: ClassDecl, names: list[str], body: Node) -> Scope:
        """The scope of a body that Flink calls: parameters are known by their numbers."""
        return Scope(owner, {name: f"${number}" for number, name in enumerate(names)}, self.locals_of(body))

    def texts(self, found: Found, nodes: Iterable[Node], scope: Scope) -> list[str]:
        """The texts of some values."""
        return [self.text_of(found, node, scope) for node in nodes]

    def text_of(self, found: Found, node: Node | None, scope: Scope) -> str:
        """The text of a value; ``found`` notes what it depends on. Raises EffortError where it gets too large."""
        if node is None or node.type in COMMENTS:
            return ""
        if node.type == "method_invocation" or (node.type == "identifier" and text(node) in scope.locals):
            return self._written_before.text_of(found, node, scope, self._newly_written)
        return self._newly_written(found, node, scope)

    def _newly_written(self, found: Found, node: Node, scope: Scope) -> str:
        found.effort.spend()
        written = self._written(found, node, scope)
        found.effort.spend(written)
        return written

    def _written(self, found: Found, node: Node, scope: Scope) -> str:
        match node.type:
            case "parenthesized_expression":
                return " ".join(self.texts(found, children(node), scope))
            case "identifier":
                return self._name(found, node, scope)
            case "this":
                found.names |= scope.names.get("this", frozenset())
                return scope.parameters.get("this", "this")
            case "field_access":
                return self._access(found, part(node, "object"), text(part(node, "field")), scope)
            case "binary_expression" | "method_invocation" if (parts := concatenated(node)) is not None:
                return f"({' + '.join(p if isinstance(p, str) else self.text_of(found, p, scope) for p in parts)})"
            case "method_invocation":
                return self._invoked(found, node, scope)
            case "object_creation_expression" if made_tuple(node) is not None:
                return f"{made_tuple(node)}.of({', '.join(self.texts(found, arguments_of(node), scope))})"
            case "lambda_expression":
                return self._lambda(found, node, scope)
            case "method_reference":
                return self._reference(found, node, scope)
            case "ternary_expression":
                condition, holds = self.condition(found, part(node, "condition"), scope)
                values = [self.text_of(found, part(node, n), scope) for n in ("consequence", "alternative")]
                return f"({condition} ? {' : '.join(values if holds else reversed(values))})"
            case "binary_expression" | "unary_expression" | "cast_expression":
                return f"({' '.join(self.texts(found, node.children, scope))})"
            case "array_access":
                return calls.part_of(" ".join(self.texts(found, node.children, scope)))
        if not node.children or node.type == "string_literal":
            return text(node)
        return " ".join(self.texts(found, node.children, scope))

    def _name(self, found: Found, node: Node, scope: Scope) -> str:
        name = text(node)
        if name in scope.known:
            return scope.known[name]
        if name in scope.locals and name not in scope.open:
            return self._local(found, node, replace(scope, open=scope.open | {name}))
        if name in scope.parameters:
            found.names |= scope.names.get(name, frozenset())
            if not self._read_below(node):
                found.names.add(ELEMENT)
            return scope.parameters[name]
        given = taken_of(node)
        if given is not None:
            if name in scope.open:
                return name
            return self.text_of(found, given[0], replace(scope, open=scope.open | {name})) + given[1]
        if not self._of_function(scope.owner):
            found.names.add(name)
        return self._field(found, find_field(self._index, scope.owner, name), name, scope)

    def _local(self, found: Found, node: Node, scope: Scope) -> str:
        """A local variable by what it is set to before it is read, and under which conditions."""
        name = text(node)
        values = scope.locals[name]
        settings = settings_before(node, values) if len(values) > 1 else None
        if settings is None:
            texts = sorted({" if ".join(self._with_conditions(found, value, scope)) for value in values})
            if len(values) == 1:
                texts = [self.text_of(found, values[0], scope)]
            return texts[0] if len(texts) == 1 else f"one of {{{' | '.join(texts)}}}"
        tree: Choice | str | None = None
        for value, branches in settings:
            before = scope if tree is None else replace(scope, known={**scope.known, name: shown(tree)})
            conditions = [self.branch(found, branch, before) for branch in branches]
            tree = set_in(tree, conditions, self.text_of(found, value, before))
        return shown(tree)

    def _with_conditions(self, found: Found, value: Node, scope: Scope) -> list[str]:
        return [self.text_of(found, value, scope), *self.texts(found, conditions_around(value), scope)]

    def branch(self, found: Found, branch: Branch, scope: Scope) -> tuple[str, bool]:
        """A branch by the text of its condition, and whether that holds."""
        condition, holds = self.condition(found, part(branch[0], "condition"), scope)
        return condition, holds is branch[1]

    def condition(self, found: Found, node: Node | None, scope: Scope) -> tuple[str, bool]:
        """A condition in its positive form, and whether it is to hold."""
        if node is None:
            return "", True
        node, negated = positive(node)
        operator = text(part(node, "operator")) if node.type == "binary_expression" else ""
        if operator in ("==", "!="):
            sides = self.texts(found, (n for n in (part(node, "left"), part(node, "right")) if n), scope)
            sides.sort(key=lambda side: (side == "null", side))
            return f"({' == '.join(sides)})", negated is (operator == "!=")
        return self.text_of(found, node, scope), not negated

    def _field(self, found: Found, declared: FieldDecl | None, name: str, scope: Scope) -> str:
        """A field by what it is set to: a static one wherever that is, an object's by its initializer."""
        if declared is None:
            return name
        if declared.type is not None and declared.type.simple in _STATES:
            return self._state(declared)
        owner = declared.owner
        values = [declared.value] if declared.value is not None else []
        if declared.static:
            values += self._assigned(declared)
            blocks = [m.type for m in owner.members if m.type in ("static_initializer", "block")]
            found.through.update((owner.qualified_name, f"<{block}>#{place}") for place, block in enumerate(blocks))
        else:
            found.fields.add(name)
        if not values or scope.depth >= DEPTH:
            return name
        found.through.add((owner.qualified_name, name))
        inside = Scope(owner, {}, {}, scope.depth + 1)
        texts = sorted({self.text_of(found, value, inside) for value in values})
        value = texts[0] if len(texts) == 1 else f"one of {{{' | '.join(texts)}}}"
        return value if declared.static else f"{name} = {value}"

    def _state(self, declared: FieldDecl) -> str:
        """A state by the name that it is registered with, or its field's where that is not written in its class."""
        found = Found(frozenset())
        names: set[str] = set()
        for value in self._assigned(declared):
            scope = Scope(declared.owner, {}, self.locals_of(body_around(value)), DEPTH - 1)
            names.update(_NAME_OF_STATE.findall(self.text_of(found, value, scope))[:1])
        return f"state {names.pop()}" if len(names) == 1 else declared.name

    def _assigned(self, declared: FieldDecl) -> list[Node]:
        """What code of its class sets a field to."""
        key = (declared.owner.qualified_name, declared.name)
        if key not in self._statics:
            targets = (declared.name, f"this.{declared.name}", f"{declared.owner.name}.{declared.name}")
            self._statics[key] = assigned_values(declared.owner.body, *targets)
        return self._statics[key]

    def _of_function(self, owner: ClassDecl) -> bool:
        """Whether fields of a class are a function's own, and no members of elements."""
        if owner.qualified_name not in self._functions:
            self._functions[owner.qualified_name] = role_of(owner, self._index) is Role.FUNCTION
        return self._functions[owner.qualified_name]

    def _read_below(self, node: Node) -> bool:
        """Whether a member of the repository's classes is taken of a name, and not the whole."""
        around = node.parent
        if around is None or part(around, "object") != node:
            return False
        name = text(part(around, "field") or part(around, "name"))
        return not self.declared.isdisjoint((name, member_of(name, "get", "is")))

    def _access(self, found: Found, receiver: Node | None, name: str, scope: Scope) -> str:
        found.names.add(name)
        if receiver is not None and receiver.type == "this":
            return self._field(found, find_field(self._index, scope.owner, name), name, scope)
        written = text(receiver)
        if written[:1].isupper() or written.rpartition(".")[2][:1].isupper():
            named = self._index.resolve(written, scope.owner)
            if isinstance(named, ClassDecl):
                return self._static(found, named, name, scope)
        made = component(self, self._index, found, receiver, name, scope) if receiver is not None else None
        return made if made is not None else f"{self.text_of(found, receiver, scope)}.{name}"

    def _static(self, found: Found, owner: ClassDecl, name: str, scope: Scope) -> str:
        """A static field, or a constant of an enum with what it is made with."""
        for constant in owner.enum_constants:
            if constant.name == name:
                found.through.add((owner.qualified_name, "<constants>"))
                return f"{owner.name}.{as_written(constant.node)}"
        declared = find_field(self._index, owner, name)
        value = self._field(found, declared, name, scope) if declared is not None and declared.static else name
        return f"{owner.name}.{name}" if value == name else value

    def _invoked(self, found: Found, node: Node, scope: Scope) -> str:
        receiver, name, given = part(node, "object"), text(part(node, "name")), arguments_of(node)
        if receiver is not None and not given:
            member = member_of(name, "get", "is")
            if not self.declared.isdisjoint((member, name)) and not self.methods.is_computing(name):
                returned = {returned_field(m) for m in self.methods.called(name) if m.body is not None} - {""}
                found.through.update(method_key(m) for m in self.methods.called(name))
                return self._access(found, receiver, returned.pop() if len(returned) == 1 else member, scope)
        methods = self.callees(node, scope)
        default = calls.default_of(node) if not methods else None
        if default is not None:
            asked, instead = (self.text_of(found, value, scope) for value in default)
            if name == "getOrDefault":
                asked = f"{self.text_of(found, receiver, scope)}.get({asked})"
            return f"(({asked} == null) ? {instead} : {asked})"
        texts: list[str] = []
        for method in methods:
            found.through.add(method_key(method))
            if method.body is not None:
                texts.append(self._returned(found, method.body, self.called(found, method, given, scope)))
        if texts:
            by_name = "" if receiver is None or receiver.type == "this" else text(receiver)
            found.names |= scope.names.get(by_name, frozenset())
            given_function = scope.parameters.get(by_name, "$0")
            by = "" if _PARAMETER.fullmatch(given_function) else f" by {given_function}"
            return (texts[0] if len(texts) == 1 else f"one of {{{' | '.join(sorted(texts))}}}") + by
        found.names.add(member_of(name, "get", "is"))
        before = f"{self.text_of(found, receiver, scope)}." if receiver is not None else ""
        written = f"{before}{name}({', '.join(self.texts(found, given, scope))})"
        for pattern, plain in _WALKED if name in ("next", "getValue", "getKey", "get") else ():
            written = pattern.sub(plain, written)
        return written + calls.order_of(node)

    def _returned(self, found: Found, body: Node, inside: Scope) -> str:
        """What a body returns, or all of it where it does more than that."""
        statements = [s for s in children(body) if not _LOGS.match(text(s))]
        if statements and all(s.type in ("return_statement", "local_variable_declaration") for s in statements):
            return " ".join(self.texts(found, children(statements[-1]), inside))
        return self._by_branches(found, statements, inside) or self.text_of(found, body, inside)

    def _by_branches(self, found: Found, statements: list[Node], scope: Scope) -> str:
        """What a body returns that does nothing but that, depending on conditions; empty for any other."""
        returning = returned_by(statements)
        tree: Choice | str | None = None
        for value, around in reversed(returning):
            conditions = [self.branch(found, branch, scope) for branch in around]
            tree = set_in(tree, conditions, self.text_of(found, value, scope))
        return shown(tree) if is_whole(tree) else ""

    def _lambda(self, found: Found, node: Node, scope: Scope) -> str:
        """A function by what it returns, however its parameters are called."""
        names = parameters_of(node)
        given = {name: f"&{number}" for number, name in enumerate(names)}
        inside = replace(scope, parameters={**scope.parameters, **given})
        body = part(node, "body")
        return f"&{len(names)} -> {self._returned(found, body, inside) if body is not None else ''}"

    def _reference(self, found: Found, node: Node, scope: Scope) -> str:
        """A function by what the methods return that a reference may mean."""
        returned: list[str] = []
        for method, first in self.methods.referred(node, scope.owner) if scope.depth < DEPTH else ():
            found.through.add(method_key(method))
            if method.body is not None:
                inside = self.entered(method, [f"&{n + first}" for n in range(len(method.parameters))], scope.depth + 1)
                count = len(method.parameters) + first
                returned.append(f"&{count} -> {self._returned(found, method.body, inside)}")
        return " | ".join(sorted(returned)) or "".join(self.texts(found, node.children, scope))

    def conditions(self, found: Found, node: Node, scope: Scope, made: Node | None = None) -> str:
        """The conditions around a node, and around the call of its body; without those around an object ``made``."""
        alike = set(conditions_around(made)) if made is not None else set()
        own = self.texts(found, (c for c in conditions_around(node) if c not in alike), scope)
        return " ".join(filter(None, [*own, scope.conditions if made is None else ""]))

    def callees(self, node: Node, scope: Scope) -> list[MethodDecl]:
        """The methods of the repository that a call may mean, none where calls are not followed any deeper."""
        return self.methods.callees(node, scope.owner) if scope.depth < DEPTH else []

    def called(
        self, found: Found, method: MethodDecl, given: list[Node], scope: Scope, receiver: Node | None = None
    ) -> Scope:
        """The scope of a method's body: its parameters stand for the arguments of the call."""
        values = dict(zip((p.name for p in method.parameters), given, strict=False))
        if receiver is not None and not method.static:
            values["this"] = receiver
        inside = self.entered(method, [], scope.depth + 1)
        parameters: dict[str, str] = {}
        names: dict[str, frozenset[str]] = {}
        for name, value in values.items():
            own = replace(found, names=set())
            parameters[name] = self.text_of(own, value, scope)
            names[name] = frozenset(own.names)
        return replace(
            inside, parameters=parameters, names=names, given={name: (value, scope) for name, value in values.items()}
        )

    def entered(self, method: MethodDecl, values: list[str], depth: int) -> Scope:
        """The scope of a method's body whose parameters stand for such texts."""
        parameters = dict(zip((p.name for p in method.parameters), values, strict=False))
        assert method.body is not None
        return Scope(method.owner, parameters, self.locals_of(method.body), depth)
