"""What functions that run with records give to certain members of the elements that they make.

Keys are members of elements. A function before ``keyBy`` that computes such a member in another way gives records other
keys: their state is there, and never found. Expressions are compared as texts in which local variables stand for what
they are set to and calls of the repository's methods for what these return, so that everyday refactorings read alike.
What this does not follow stands in the text as it is written: it can only differ too often.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from checker.extract.effort import EffortError
from checker.extract.java.reached import chosen_elements
from checker.extract.java.reached import element_calls as calls
from checker.extract.java.reached.bodies import (
    as_written,
    conditions_around,
    in_lambda,
    member_of,
    own_nodes,
    parameters_of,
    sets_field,
    taken_of,
    words,
)
from checker.extract.java.reached.function_fields import FunctionFields
from checker.extract.java.reached.made_by_libraries import MadeByLibraries
from checker.extract.java.reached.members import method_key
from checker.extract.java.reached.roles import MAKES_ELEMENTS
from checker.extract.java.reached.scopes import DEPTH, Found, Scope
from checker.extract.java.reached.value_texts import ValueTexts
from checker.extract.java.reached.wanted import Answers, Wanted
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, MethodDecl
from checker.extract.java.syntax.nodes import arguments_of, assigned_member
from checker.extract.java.syntax.tree import Node, children, text, walk
from checker.extract.java.syntax.tree import field as part
from checker.extract.java.syntax.type_refs import type_ref
from checker.model.program_code import ELEMENT, WHOLE, Flow, Key
from checker.model.unknowns import Location


class ElementFlow:
    """The functions of one program."""

    def __init__(self, types: Mapping[str, ClassDecl], index: ClassIndex) -> None:
        self._index = index
        self._types = types
        self._made_by_libraries = MadeByLibraries(types)
        self._values = ValueTexts(types, index)
        self._as_written: dict[Node, Flow] = {}
        """Bodies whose expressions are too large to be written out."""
        self._fields = FunctionFields(types, index, self._values)
        self._answers = Answers[Flow]()
        self._of_data = Answers[list[Flow]]()

    def of_method(self, method: MethodDecl, wanted: frozenset[str]) -> Flow:
        """What a method of a function gives to the wanted members."""
        key = method_key(method)
        if method.body is None:
            return Flow(root=key, texts=frozenset(), names=frozenset(), through=frozenset({key}))
        if method.body in self._as_written:
            return self._as_written[method.body]
        return self._answers.of(key, wanted, partial(self._read_method, method, key, method.body))

    def _read_method(self, method: MethodDecl, key: Key, body: Node, wanted: Wanted) -> Flow:
        found = Found(wanted, through={key})
        try:
            self._body(found, body, self._values.root_scope(method.owner, [p.name for p in method.parameters], body))
            found.leave_out_passed_on(method.name in calls.OF_ONE_ELEMENT, method.name in calls.FOLDING)
            if found.texts:
                self._fields.add_to(found, method.owner)
        except (EffortError, RecursionError):
            return self._by_code(key, None, method.owner, body)
        return self._flow(found, key)

    def of_data(self, decl: ClassDecl, wanted: frozenset[str]) -> list[Flow]:
        """What a class of elements does with wanted members where a library makes its objects.

        That are setters and constructors that no code of the program needs to call.
        """
        return self._of_data.of(decl.qualified_name, wanted, lambda wanted: list(self._read_data(decl, wanted)))

    def _read_data(self, decl: ClassDecl, wanted: Wanted) -> Iterator[Flow]:
        for method in decl.methods:
            if method.body is None or not self._made_by_libraries.call(decl, method, wanted):
                continue
            found = Found(wanted, through={method_key(method)})
            names = [p.name for p in method.parameters]
            scope = replace(
                self._values.root_scope(decl, names, method.body), parameters={name: name for name in names}
            )
            try:
                self._constructed_by(found, method, scope)
            except (EffortError, RecursionError):
                yield self._by_code(method_key(method), None, decl, method.body)
                continue
            found.leave_out_stores(names)
            yield self._flow(found, method_key(method))

    def of_argument(self, node: Node, key: Key, owner: ClassDecl, wanted: frozenset[str]) -> Flow:
        """What a lambda, method reference or anonymous class in a declaration gives to the wanted members."""
        if node in self._as_written:
            return self._as_written[node]
        return self._answers.of((node, key), wanted, partial(self._read_argument, node, key, owner))

    def _read_argument(self, node: Node, key: Key, owner: ClassDecl, wanted: Wanted) -> Flow:
        around = node.parent.parent if node.parent is not None else None
        site = part(around, "name") if around is not None else None
        line = owner.unit.line((site or node).start_byte)
        at = owner.unit.location(node)
        found = Found(wanted, through={key})
        try:
            if node.type == "method_reference":
                self._referred(found, node, self._fields.inside(found, node, owner, [], node))
            elif node.type == "object_creation_expression":
                self._anonymous(found, node, owner)
            elif (body := part(node, "body")) is not None:
                scope = self._fields.inside(found, node, owner, parameters_of(node), body)
                if body.type == "block":
                    self._body(found, body, scope)
                else:
                    self._element(found, body, scope)
        except (EffortError, RecursionError):
            return self._by_code(key, line, owner, node, at)
        found.leave_out_passed_on(len(parameters_of(node)) == 1)
        return self._flow(found, key, line, at)

    def _anonymous(self, found: Found, node: Node, owner: ClassDecl) -> None:
        """The methods of an anonymous class, told apart where it has several that make elements."""
        decl = self._index.anonymous(node, owner)
        making = [m for m in decl.methods if m.name in MAKES_ELEMENTS and not m.static and m.body is not None]
        for method in making:
            own = Found(found.wanted, through=found.through, fields=found.fields, effort=found.effort)
            assert method.body is not None
            scope = self._fields.inside(own, node, decl, [p.name for p in method.parameters], method.body)
            self._body(own, method.body, scope)
            found.texts.update(f"{method.name}: {t}" if len(making) > 1 else t for t in own.texts)
            found.names |= own.names
        if found.texts:
            self._fields.add_to(found, decl)

    def _by_code(self, root: Key, line: int | None, owner: ClassDecl, body: Node, at: Location | None = None) -> Flow:
        """A function whose expressions are too large: all code that it reaches, for whatever members are wanted."""
        found = Found(frozenset(), through={root})
        pending = [(owner, body), *self._fields.code_of(found, owner)]
        seen: set[Node] = set()
        while pending:
            around, node = pending.pop()
            if node in seen:
                continue
            seen.add(node)
            found.texts.add(as_written(node))
            found.names.update(member_of(word, "get", "is") for word in words(node))
            for method, code in self._values.methods.named(node, around):
                if method is not None:
                    found.through.add(method_key(method))
                pending.append((around if method is None else method.owner, code))
        found.names.add(ELEMENT)
        flow = self._as_written[body] = self._flow(found, root, line, at)
        return flow

    def _referred(self, found: Found, node: Node, scope: Scope) -> None:
        """A method reference, as the lambda that calls the method would be read."""
        methods = self._values.methods.referred(node, scope.owner)
        for method, first in methods:
            found.through.add(method_key(method))
            if method.body is not None:
                values = [f"${number + first}" for number in range(len(method.parameters))]
                inside = self._values.entered(method, values, scope.depth + 1)
                if method.name == "<init>":
                    self._constructed_by(found, method, inside)
                else:
                    self._body(found, method.body, inside)
        receiver, _, name = (word.strip() for word in text(node).partition("::"))
        if not methods and name != "new" and (ELEMENT in found.wanted or receiver not in calls.VALUES):
            of_object = receiver == "String" and name not in calls.STATIC_OF_STRING
            found.texts.add(f"$0.{name}()" if of_object else f"{receiver}.{name}($0)")

    def _flow(self, found: Found, key: Key, line: int | None = None, at: Location | None = None) -> Flow:
        return found.flow(self._values.declared, key, line, at)

    # -- where a member gets its value ---------------------------------------------------------------------------

    def _body(self, found: Found, body: Node, scope: Scope, gives: bool = True) -> None:
        returned, emitted = list[tuple[Node, frozenset[str]]](), list[tuple[Node, frozenset[str]]]()
        for node in own_nodes(body):
            if node.type == "return_statement":
                if gives and not in_lambda(node, body) and calls.gives(node):
                    own = replace(found, texts=set())
                    self._elements(own, children(node), scope)
                    returned.append((node, frozenset(own.texts)))
            elif node.type == "assignment_expression":
                if name := self._member_set(found, part(node, "left"), scope):
                    self._give(found, node, f"{name} {text(part(node, 'operator'))}", part(node, "right"), scope)
            elif node.type == "method_invocation":
                own = replace(found, texts=set())
                self._call(own, node, scope)
                emitted.append((node, frozenset(own.texts)))
        found.texts |= chosen_elements.returned(self._values, found, returned, scope)
        found.texts.update(chosen_elements.emitted(self._values, found, emitted, scope))

    def _call(self, found: Found, node: Node, scope: Scope) -> None:
        name, given = text(part(node, "name")), arguments_of(node)
        if calls.emits(node):
            self._elements(found, given[-1:], scope)
        elif name in calls.FOR_EACH and given and text(given[0]).rpartition("::")[2] in calls.EMITTING:
            self._element(found, part(node, "object"), scope)
        elif member := calls.sets(node, found.wanted):
            self._give(found, node, f"{member} =", given[0], scope)
            for method in self._values.callees(node, scope):
                found.through.add(method_key(method))
                if method.body is not None and not sets_field(method):
                    inside = self._values.called(found, method, given, scope)
                    if [s.type for s in children(method.body)] == ["return_statement"] and self._makes_object(method):
                        self._body(found, method.body, inside)
                    else:
                        found.texts.add(self._values.text_of(found, method.body, inside))
        elif name in calls.SETTING and len(given) > 1 and calls.named_by(given[0]) in found.wanted:
            self._give(found, node, text(given[0]), given[-1], scope)
        else:
            self._passed_on(found, node, given, scope)

    def _passed_on(self, found: Found, node: Node, given: list[Node], scope: Scope) -> None:
        """A call of the repository's code that emits elements, or sets members of elements that it is given."""
        alone = node.parent is not None and node.parent.type == "expression_statement"
        for method in self._values.callees(node, scope):
            key = method_key(method)
            emits = any(p.type is not None and p.type.simple in calls.EMITTERS for p in method.parameters)
            if method.body is None or key in found.open or not (alone or emits):
                continue
            inner = Found(found.wanted, fields=found.fields, effort=found.effort, open=found.open | {key})
            inside = self._values.called(inner, method, given, scope, part(node, "object"))
            inside = replace(inside, conditions=self._values.conditions(inner, node, scope))
            self._body(inner, method.body, inside, gives=False)
            if inner.texts:
                found.texts |= inner.texts
                found.names |= inner.names
                found.through |= inner.through | {key}

    def _member_set(self, found: Found, left: Node | None, scope: Scope) -> str:
        """The wanted member that an assignment sets: of an object, or of the one whose method was called."""
        of_object = part(left, "field") if left is not None else None
        name = text(of_object or left)
        own = "this" in scope.parameters and name in scope.owner.fields.keys() - {*scope.parameters, *scope.locals}
        return name if (of_object or own) and name in found.wanted else ""

    def _give(self, found: Found, node: Node, how: str, value: Node | None, scope: Scope) -> None:
        """A member that is set: to what, and under which conditions."""
        target = part(part(node, "left") or node, "object")
        made = scope.locals.get(text(target), ()) if target is not None and target.type == "identifier" else ()
        conditions = self._values.conditions(found, node, scope, made[0] if len(made) == 1 else None)
        self._value(found, f"{how} {conditions}", value, scope)

    def _value(self, found: Found, label: str, value: Node | None, scope: Scope) -> None:
        """What a wanted member is set to: an object with wanted members by these, anything else as a whole."""
        if value is not None and self._has_wanted(found, value, scope):
            self._element(found, value, scope)
        else:
            found.texts.add(f"{label} {self._values.text_of(found, value, scope)}")

    def _has_wanted(self, found: Found, value: Node, scope: Scope) -> bool:
        """Whether a value is made here, as an object of a class of the repository with wanted members."""
        found.effort.spend()
        if value.type == "identifier" and text(value) in scope.locals and text(value) not in scope.open:
            inside = replace(scope, open=scope.open | {text(value)})
            values = scope.locals[text(value)]
            return bool(values) and all(self._has_wanted(found, v, inside) for v in values)
        types: list[object] = []
        if value.type == "object_creation_expression":
            made = part(value, "type")
            types = [self._index.resolve_type(type_ref(made), scope.owner) if made is not None else None]
        elif value.type == "method_invocation":
            types = [
                self._index.resolve_type(m.return_type, m.owner)
                for m in self._values.methods.callees(value, scope.owner)
            ]
        members = [{*t.fields, *(p.name for p in t.record_components)} for t in types if isinstance(t, ClassDecl)]
        return bool(types) and len(members) == len(types) and all(not found.wanted.isdisjoint(m) for m in members)

    def _elements(self, found: Found, nodes: Iterable[Node], scope: Scope) -> None:
        for node in nodes:
            self._element(found, node, scope)

    def _element(self, found: Found, node: Node | None, scope: Scope) -> None:
        """An expression that is an element, or holds one."""
        if node is None:
            return
        found.effort.spend()
        match node.type:
            case "parenthesized_expression":
                self._elements(found, children(node), scope)
            case "cast_expression":
                self._element(found, part(node, "value"), scope)
            case "ternary_expression":
                before = set(found.texts)
                self._elements(found, (part(node, n) for n in ("consequence", "alternative")), scope)  # type: ignore[misc]
                new = found.texts - before
                found.texts |= chosen_elements.either(self._values, found, new, part(node, "condition"), scope)
            case "identifier" | "this":
                self._variable(found, node, scope)
            case "object_creation_expression":
                self._creation(found, node, scope)
            case "method_invocation":
                self._made_by(found, node, scope)
            case "null_literal" | "lambda_expression" | "method_reference":
                return
            case "binary_expression" | "unary_expression" | "string_literal" if ELEMENT not in found.wanted:
                return  # a plain value has no members
            case _:
                found.texts.add(self._values.text_of(found, node, scope))

    def _variable(self, found: Found, node: Node, scope: Scope) -> None:
        name = text(node)
        if name in scope.locals and name not in scope.open:
            self._elements(found, scope.locals[name], replace(scope, open=scope.open | {name}))
        elif name in scope.given:
            self._element(found, *scope.given[name])
        elif name in scope.parameters:
            if ELEMENT in found.wanted:
                found.texts.add(scope.parameters[name])
                found.names |= scope.names.get(name, frozenset())
        elif (given := taken_of(node)) is not None and name not in scope.open:
            self._element(found, given[0], replace(scope, open=scope.open | {name}))

    def _creation(self, found: Found, node: Node, scope: Scope) -> None:
        given = arguments_of(node)
        made = part(node, "type")
        decl = self._index.resolve_type(type_ref(made), scope.owner) if made is not None else None
        simple = text(made).partition("<")[0].rpartition(".")[2]
        if simple.startswith("Tuple") and simple[5:].isdecimal():
            self._positions(found, given, scope)
        elif not isinstance(decl, ClassDecl):
            found.texts.update(self._values.text_of(found, value, scope) for value in given)
        else:
            if decl.kind is ClassKind.RECORD and len(given) == len(decl.record_components):
                for component, value in zip(decl.record_components, given, strict=True):
                    if not found.wanted.isdisjoint((component.name, WHOLE)):
                        self._value(found, f"{component.name} =", value, scope)
            self._constructed(found, decl, given, scope)

    def _constructed(self, found: Found, decl: ClassDecl, given: list[Node], scope: Scope) -> None:
        """A class's constructor: the wanted fields that it sets, of which arguments."""
        for constructor in decl.constructors:
            if len(constructor.parameters) != len(given) or constructor.body is None or scope.depth >= DEPTH:
                continue
            found.through.add(method_key(constructor))
            self._constructed_by(found, constructor, self._values.called(found, constructor, given, scope))

    def _constructed_by(self, found: Found, constructor: MethodDecl, inside: Scope) -> None:
        for node in own_nodes(constructor.body) if constructor.body is not None else ():
            if (name := assigned_member(node)) and not found.wanted.isdisjoint((name, WHOLE)):
                conditions = " ".join(self._values.texts(found, conditions_around(node), inside))
                self._value(found, f"{name} = {conditions}", part(node, "right"), inside)
            elif node.type == "explicit_constructor_invocation":
                found.texts.update(self._values.texts(found, arguments_of(node), inside))
            elif node.type == "method_invocation":
                self._call(found, node, inside)

    def _positions(self, found: Found, given: list[Node], scope: Scope) -> None:
        for number, value in enumerate(given):
            if not found.wanted.isdisjoint((f"f{number}", str(number), WHOLE)):
                self._value(found, f"f{number} =", value, scope)

    def _made_by(self, found: Found, node: Node, scope: Scope) -> None:
        """A call that returns an element."""
        receiver, name, given = part(node, "object"), text(part(node, "name")), arguments_of(node)
        if name == "of" and text(receiver).startswith("Tuple"):
            self._positions(found, given, scope)
            return
        if (contents := calls.contents_of(node, scope, self._values.callees)) is not None:
            self._elements(found, contents, scope)
            return
        building = any(n.type == "method_invocation" and text(part(n, "name")) in calls.BUILDING for n in walk(node))
        for setting in walk(node) if building else ():
            if setting.type == "method_invocation" and setting != node:
                self._call(found, setting, scope)
        methods = self._values.callees(node, scope)
        if methods and not given and ELEMENT in found.wanted and not any(map(self._makes_object, methods)):
            found.texts.add(self._values.text_of(found, node, scope))
            return
        for method in methods:
            found.through.add(method_key(method))
            if method.body is not None:
                own = replace(found, texts=set())
                inside = self._values.called(found, method, given, scope, receiver)
                if receiver is None and not method.static:
                    inside = inside.with_object_of(scope)
                self._body(own, method.body, inside)
                found.texts |= {written for written in own.texts if not (building and calls.is_store(written))}
        if not methods and not building and (ELEMENT in found.wanted or text(receiver) not in calls.VALUES):
            found.texts.add(self._values.text_of(found, node, scope))

    def _makes_object(self, method: MethodDecl) -> bool:
        """Whether what a method returns is of a class of the repository, whose members are looked at one by one."""
        return isinstance(self._index.resolve_type(method.return_type, method.owner), ClassDecl)
