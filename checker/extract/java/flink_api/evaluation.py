"""Expressions in a function's code, evaluated as the object that the program made would: its fields are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from checker.extract.java.machine.descriptions import expression_of
from checker.extract.java.machine.durations import nanoseconds
from checker.extract.java.machine.signals import LimitSignal, Signal
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    Bindings,
    ClassLiteral,
    Constant,
    ExternalObject,
    Frame,
    Instance,
    ListValue,
    Opaque,
    Scope,
    TypeName,
    Value,
)
from checker.extract.java.state.java_types import JavaType, lineage, named, of_class, resolved
from checker.extract.java.state.type_information import BASIC, COMPOSITE
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.local_variables import find_local
from checker.extract.java.syntax.nodes import assigned_values
from checker.extract.java.syntax.tree import Node, text, walk
from checker.extract.java.syntax.tree import field as part
from checker.extract.unread_code import NEEDS_CODE
from checker.model.unknowns import Cause, Maybe

_MAX_ALTERNATIVES = 60
_ROW = "ROW_NAMED"
_DEPTH = 6


@dataclass(frozen=True)
class ObjectEvaluation:
    """Evaluates expressions for one object, or for static code.

    ``bound`` are values of a method's parameters and a loop's variables.
    """

    run: Run
    instance: Instance | None
    bound: Mapping[str, Value] = field(default_factory=dict)

    @property
    def fields(self) -> Mapping[str, str]:
        """What the object's fields and the bound variables hold."""
        fields = {**(self.instance.fields if self.instance is not None else {}), **self.bound}
        return {name: expression_of(value, Cause.EXTERNAL) for name, value in fields.items()}

    def given(self, arguments: Mapping[str, tuple[Node, ClassDecl]]) -> ObjectEvaluation:
        """The same inside of a method that is called with these arguments."""
        values = {name: self._value(node, scope) for name, (node, scope) in arguments.items()}
        return ObjectEvaluation(self.run, self.instance, {n: v for n, v in values.items() if v is not None})

    def constants(self, node: Node, scope: ClassDecl) -> tuple[str, ...] | None:
        """All texts that an expression stands for, one for each round of the loops around it."""
        found: list[str] = []
        for evaluation in self._rounds(node, scope):
            value = evaluation._value(node, scope)
            if not isinstance(value, Constant) or value.value is None:
                return None
            found.append(value.text)
        return tuple(dict.fromkeys(found)) or None

    def changing(self, node: Node, scope: ClassDecl) -> str | None:
        """Why a text is different in every run: by what it is joined of, or a final field of a helper object."""
        if node.type == "binary_expression" and text(part(node, "operator")) == "+":
            sides = [side for side in (part(node, "left"), part(node, "right")) if side is not None]
            return next(filter(None, (self.changing(side, scope) for side in sides)), None)
        declared = scope.fields.get(text(node)) if node.type == "identifier" and not self._runs(scope) else None
        if declared is not None and declared.final and declared.value is not None:
            return self.changing(declared.value, scope)
        value = self._value(node, scope)
        random = isinstance(value, Opaque) and value.unknown.cause is Cause.NON_DETERMINISTIC
        return value.unknown.reason if random and isinstance(value, Opaque) else None

    def truth(self, node: Node, scope: ClassDecl) -> bool | None:
        """Whether a condition holds."""
        value = self._value(node, scope)
        return value.value if isinstance(value, Constant) and isinstance(value.value, bool) else None

    def milliseconds(self, node: Node, scope: ClassDecl) -> Maybe[int] | None:
        """How long a duration is."""
        value = self._value(node, scope)
        if isinstance(value, ExternalObject) and value.type.simple == "StateTtlConfig":
            lengths = [given[0] for name, given in value.calls if name in ("newBuilder", "setTtl") and len(given) == 1]
            value = lengths[-1] if lengths else None
        nanos = nanoseconds(value) if value is not None else None
        if nanos is not None or value is None:
            return nanos // 1_000_000 if nanos is not None else None
        unknown = list(_unknown_parts(value))
        made = expression_of(value, Cause.ARGUMENT)
        outside = bool(unknown) and all(value.unknown.cause is Cause.ARGUMENT for value in unknown)
        return replace(unknown[0].unknown, derived_from=made) if outside and made != NEEDS_CODE else None

    def calls(self, node: Node, scope: ClassDecl) -> tuple[tuple[str, str], ...]:
        """The calls that made an object of a library."""
        value = self._value(node, scope)
        calls = value.calls if isinstance(value, ExternalObject) else ()
        first = [(name, given[0] if len(given) == 1 else None) for name, given in calls]
        return tuple((name, given.type.name if isinstance(given, TypeName) else "") for name, given in first)

    def type(self, node: Node, scope: ClassDecl) -> JavaType | str | None:
        """The class that a ``Class`` or ``TypeInformation`` stands for."""
        value = self._value(node, scope)
        return type_of_value(self.run, value) if value is not None else None

    def _rounds(self, node: Node, scope: ClassDecl) -> tuple[ObjectEvaluation, ...]:
        """This evaluation with the variables of the loops around an expression bound, once for each element."""
        for inner in walk(node):
            if inner.type != "identifier" or text(inner) in self.bound:
                continue
            local = find_local(inner, text(inner))
            if local is None or local[0].type != "enhanced_for_statement":
                continue
            over = part(local[0], "value")
            value = self._value(over, scope) if over is not None else None
            if not isinstance(value, ListValue) or value.elements is None or len(value.elements) > _MAX_ALTERNATIVES:
                return ()
            return tuple(ObjectEvaluation(self.run, self.instance, {**self.bound, text(inner): v})
                         for v in value.elements)  # fmt: skip
        return (self,)

    def _value(self, node: Node, scope: ClassDecl, depth: int = 0) -> Value | None:
        """The value of an expression; None where it can't be evaluated, or has an effect."""
        variables = Bindings(self.bound)
        for inner in walk(node):
            name = text(inner)
            if inner.type != "identifier" or name in variables:
                continue
            local = find_local(inner, name)
            if local is None or node.start_byte <= local[0].start_byte < node.end_byte:
                continue
            value = self._local(local[0], name, scope, depth)
            if value is None:
                return None
            variables[name] = value
        frame = Frame(scope, self.instance if self._runs(scope) else None, Scope(None, variables))
        found: list[Value] = []

        def step() -> None:
            found.append(self.run.soften(self.run.interpreter.evaluate(node, frame)))

        try:
            touched = self.run.speculate(step)
        except (Signal, LimitSignal, RecursionError):
            return None
        return found[0] if found and not touched else None

    def _runs(self, scope: ClassDecl) -> bool:
        """Whether the object may run the code of a class: its own, inherited, or around it."""
        around = self.instance.decl.outward() if self.instance is not None else ()
        return any(decl is scope or scope in self.run.index.ancestors(decl) for decl in around)

    def _local(self, declarator: Node, name: str, scope: ClassDecl, depth: int) -> Value | None:
        """The value of a local variable that is set once."""
        value = part(declarator, "value")
        if declarator.type != "variable_declarator" or value is None or depth > _DEPTH:
            return None
        block = declarator.parent.parent if declarator.parent is not None else None
        return None if assigned_values(block, name) else self._value(value, scope, depth + 1)


def _unknown_parts(value: Value) -> Iterator[Opaque]:
    """What is not known of a value that calls of a library make."""
    if isinstance(value, Opaque):
        yield value
    elif isinstance(value, ExternalObject):
        for given in (*value.arguments, *(argument for _, arguments in value.calls for argument in arguments)):
            yield from _unknown_parts(given)


def type_of_value(run: Run, value: Value) -> JavaType | str | None:
    """The type that a ``Class``, ``TypeInformation`` or ``TypeHint`` stands for."""
    if isinstance(value, ClassLiteral):
        return JavaType(value.ref.name, value.type, (), value.ref.dimensions).boxed
    if isinstance(value, Instance):
        hint = next(
            (ancestor for ancestor in lineage(run.index, of_class(value.decl)) if ancestor.simple == "TypeHint"), None
        )
        if hint is not None and hint.arguments and hint.arguments[0].known:
            return hint.arguments[0]
        if value.decl.superclass is not None and value.decl.superclass.simple == "TypeHint":
            scope = value.decl.outer or value.decl
            written = value.decl.superclass.arguments
            return resolved(run.index, written[0], scope) if written else None
    if isinstance(value, ExternalObject) and len(value.calls) == 1:
        name, given = value.calls[0]
        if value.type.simple == "Types" or value.type.simple.endswith("TypeInfo"):
            constant = BASIC.get(name.removesuffix("_TYPE_INFO"))
            if constant is not None and not given:
                return constant if "[" in constant else named(constant)
        if name in ("of", "POJO", "ENUM", "getForClass") and len(given) == 1:
            return type_of_value(run, given[0])
        if value.type.simple == "Types" and (name in COMPOSITE or name == _ROW) and given:
            parts = [type_of_value(run, part) for part in _parts(given if name != _ROW else given[1:])]
            types = tuple(part for part in parts if isinstance(part, JavaType))
            if len(types) == len(parts) and name == "TUPLE":
                return named(f"Tuple{len(parts)}", *types, package="org.apache.flink.api.java.tuple")
            if len(types) == len(parts) and all(type_.decl is None for type_ in types):
                names = row_names(value)
                fields = [f"{n}:{t}" for n, t in zip(names, types, strict=True)] if len(names) == len(types) else types
                return f"{COMPOSITE.get(name, 'Row')}<{', '.join(map(str, fields))}>"
    return None


def row_names(value: Value) -> tuple[str, ...]:
    """The names of a row's fields, where its type information gives them."""
    if not isinstance(value, ExternalObject) or len(value.calls) != 1:
        return ()
    name, given = value.calls[0]
    if name != _ROW or not given or not isinstance(given[0], ListValue):
        return ()
    names = given[0].elements or ()
    return tuple(name.text for name in names if isinstance(name, Constant))


def _parts(given: Sequence[Value]) -> Sequence[Value]:
    """Arguments of a method of any number of them, which may come as an array."""
    first = given[0] if len(given) == 1 else None
    return first.elements or () if isinstance(first, ListValue) else given
