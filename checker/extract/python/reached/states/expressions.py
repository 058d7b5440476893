"""What the expressions of a script's function are made of."""

from __future__ import annotations

import ast
from dataclasses import replace

from checker.extract.python.reached.bindings import base_name, is_property
from checker.extract.python.reached.states.conditions import constant, constant_none, entry, if_
from checker.extract.python.reached.states.program_calls import ProgramCalls, taking_in
from checker.extract.python.reached.states.values import FRESH, NOTHING, Value, Way, is_place, merged


class Expressions(ProgramCalls):
    """The expressions in the code of one function's class, and of all that it calls in the program."""

    def _bound(self, target: ast.expr, value: Value, way: Way) -> Way:
        match target:
            case ast.Name(id=name):
                return way.setting(name, value)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for number, part in enumerate(parts):
                    inside = value.inside() if isinstance(part, ast.Starred) else value.part(f"[{number}]", way)
                    way = self._bound(part, inside, way)
                return way
            case ast.Starred(value=inner):
                return self._bound(inner, value.inside(), way)
            case ast.Attribute(value=inner, attr=name):
                receiver, way = self._value(inner, way)
                way = self.kept.set(receiver, f".{name}", value, self._setting, way)
                for owner in receiver.objects:
                    self._attributes.give(owner, name, value)
                self._used(value.depends_on if receiver.objects else frozenset())
                return self._changed(inner, value, way)
            case ast.Subscript(value=inner, slice=key):
                receiver, way = self._value(inner, way)
                at, way = self._value(key, way)
                if receiver.states:
                    self.walked.on(target, receiver)
                    return self._written_to(receiver, "put", at.joined(value), value, way)
                way = self.kept.set(receiver, entry(key), value, self._setting, way)
                return self._changed(inner, value.joined(at).inside(), way)
        return way

    def _changed(self, node: ast.expr, value: Value, way: Way) -> Way:
        """An object that is given a value: whatever variable or attribute has it."""
        local = base_name(node)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            receiver = self._value(node.value, way)[0]
            for owner in receiver.objects:
                self._may_change(self._attributes.value(owner, node.attr), certainly=True)
                self._attributes.give(owner, node.attr, value.inside())
        if local is None or local not in way.variables:
            return way
        self._may_change(way.variables[local], certainly=True)
        return way if local == "self" else taking_in(local, value, way)

    def _where(self, test: ast.expr, way: Way) -> tuple[Way, Way]:
        """The ways after a test: a state that holds nothing on one of them has nothing to lose there."""
        turned = False
        while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test, turned = test.operand, not turned
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and constant_none(test.comparators[0]):
            turned ^= isinstance(test.ops[0], ast.Is | ast.Eq)
            test = test.left
        state = self._value(test, way)[0].read_of if isinstance(test, ast.Name | ast.Call | ast.NamedExpr) else None
        if state is None or way.content(state) != frozenset({state}):
            return way, way
        nothing = way.holding(state, frozenset())
        return (nothing, way) if turned else (way, nothing)

    def _value(self, node: ast.expr, way: Way) -> tuple[Value, Way]:
        """What an expression gives, and the point behind it."""
        self._effort.spend()
        match node:
            case ast.Constant():
                return FRESH, way
            case ast.Name(id=name):
                return way.variables.get(name, NOTHING), way
            case ast.Attribute(value=inner, attr=name):
                return self._attribute(inner, name, way)
            case ast.Call():
                return self._call(node, way)
            case ast.Lambda():
                inside = self._value(node.body, way)[0]
                return Value(
                    depends_on=inside.depends_on, states=inside.states, several=inside.several, function=node
                ), way
            case ast.IfExp():
                test = constant(node.test)
                if test is not None:
                    return self._value(node.body if test else node.orelse, way)
                found, way = self._value(node.test, way)
                self.kept.goes(found, "if")
                there, missing = self._where(node.test, way)
                first, chosen = self._value(node.body, there.deciding(found.told_by, if_(node.test)))
                second, another = self._value(node.orelse, missing.deciding(found.told_by, if_(node.test, holds=False)))
                after = merged(chosen, another) or way
                return first.joined(second).and_of(found.told_by), after.decided_as(way)
            case ast.BoolOp(values=[first, *rest]):
                found, way = self._value(first, way)
                values = [found]
                for part in rest:
                    value, after = self._value(part, way.deciding(found.told_by))
                    values.append(value)
                    way = (merged(way, after) or way).decided_as(way)
                return values[0].joined(*values[1:]), way
            case ast.NamedExpr():
                found, way = self._value(node.value, way)
                return found, self._bound(node.target, found.and_of(way.under), way)
            case ast.Yield() | ast.YieldFrom():
                found, way = self._value(node.value, way) if node.value is not None else (NOTHING, way)
                if found.states:
                    found = found.joined(*(self._read(state, way) for state in found.states))
                self.kept.goes(found, "yield")
                self._result(found.and_of(way.under), way)
                return NOTHING, way
            case ast.Subscript():
                receiver, way = self._value(node.value, way)
                key, way = self._value(node.slice, way)
                self.walked.on(node, receiver)
                reads = [self._read(state, way) for state in receiver.states]
                self.kept.goes(key, "[]")
                found = receiver.part(entry(node.slice), way).joined(*reads).and_of(key.depends_on)
                return replace(found, read_of=None), way
            case ast.Compare(left=key, ops=[ast.In() | ast.NotIn()], comparators=[collection]):
                found, way = self._value(key, way)
                receiver, way = self._value(collection, way)
                self.walked.on(node, receiver)
                reads = [self._read(state, way) for state in receiver.states]
                return Value(depends_on=found.joined(receiver, *reads).depends_on), way
            case ast.Compare():
                made: frozenset[str] = frozenset()
                absent = any(map(constant_none, node.comparators))
                for number, part in enumerate((node.left, *node.comparators)):
                    found, way = self._value(part, way)
                    self.kept.goes(found, "Compare", number)
                    made |= found.told_by if absent else found.depends_on
                return Value(depends_on=made), way
            case ast.FormattedValue(value=inner):
                return self._value(inner, way)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self._comprehension(node, way)
        parts: list[Value] = []
        for number, child in enumerate(ast.iter_child_nodes(node)):
            if isinstance(child, ast.expr):
                found, way = self._value(child, way)
                self.kept.goes(found, type(node).__name__, number)
                parts.append(found)
        fresh = isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict) and all(part.fresh for part in parts)
        return replace(NOTHING.joined(*parts).inside(), function=None, fresh=fresh), way

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, way: Way
    ) -> tuple[Value, Way]:
        inner, parts = way, list[Value]()
        for generator in node.generators:
            found, inner = self._value(generator.iter, inner)
            reads = [self._read(state, inner) for state in found.states]
            found = found.joined(*reads).part("[]", inner)
            inner = self._bound(generator.target, found, inner)
            parts.append(Value(depends_on=found.told_by))
            for test in generator.ifs:
                parts.append(Value(depends_on=self._value(test, inner)[0].depends_on))
        for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
            found, inner = self._value(part, inner)
            self.kept.goes(found, type(node).__name__)
            parts.append(found.inside())
        contents = {s: way.content(s) | inner.content(s) for s in inner.contents}
        return NOTHING.joined(*parts), replace(way, contents=contents)

    def _attribute(self, inner: ast.expr, name: str, way: Way) -> tuple[Value, Way]:
        receiver, way = self._value(inner, way)
        found = Value(depends_on=receiver.depends_on, places=receiver.places).part(f".{name}", way)
        for owner in sorted(receiver.objects):
            method = self._classes.get(owner, {}).get(name)
            if method is not None and is_property(method) and self._may_enter(method):
                frame, end = self._enter(method, owner, {"self": receiver}, way)
                found = found.joined(*frame.returned)
                way = replace(way, contents=end.contents) if end is not None else way
            given = self._attributes.value(owner, name)
            if receiver.places:  # what other objects have is none of it
                plain = frozenset(part for part in given.depends_on if not is_place(part))
                given = replace(given, places=frozenset(), depends_on=plain)
            found = found.joined(given)
        return found, way
