"""The static type of an expression, as far as declarations in the repository and a few library calls give it.

Contract: ``Typer(index, scope, names).of(node)`` gives a type, or None where the source does not settle it. ``names``
are types of names that no declaration gives: a lambda's parameters. ``Typer.members(type, name)`` gives the
repository's methods that a call on a value of that type can mean.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from checker.extract.datastream.table import table
from checker.extract.java.state.java_types import (
    STRING,
    Bindings,
    JavaType,
    bindings_of,
    lineage,
    named,
    of_class,
    resolved,
)
from checker.extract.java.syntax.class_index import PRIMITIVES, ClassIndex
from checker.extract.java.syntax.declarations import ClassDecl, FieldDecl, MethodDecl
from checker.extract.java.syntax.local_variables import find_local
from checker.extract.java.syntax.nodes import arguments_of, find_field
from checker.extract.java.syntax.tree import Node, NodeKind, children, text
from checker.extract.java.syntax.tree import field as part
from checker.extract.java.syntax.type_refs import NUMERIC, UNBOXED, type_ref

_DEPTH = 16
_LITERALS: Final[dict[NodeKind, JavaType | None]] = {
    "string_literal": STRING, "true": JavaType("boolean"), "false": JavaType("boolean"),
    "character_literal": JavaType("char"), "null_literal": None,
}  # fmt: skip


def _library_type(written: str) -> JavaType:
    package, _, name = written.rpartition(".")
    if name in PRIMITIVES:
        return JavaType(name)
    if name.endswith("[]"):
        return JavaType(name.removesuffix("[]"), None, (), 1)
    return named(name, package=package or "java.lang")


_STRING_METHODS = {name: _library_type(type_) for name, type_ in table("results").items()}
"""Methods of the library whose result does not depend on the class that has them, as far as it is a library's."""
_OF_EVERY_OBJECT = {"toString": STRING, "hashCode": JavaType("int")}
"""Methods without arguments that return the same type whatever they are called on."""
_STATIC = {name: _library_type(type_) for name, type_ in table("results_of_static_methods").items()}


@dataclass(frozen=True)
class Typer:
    """Types of expressions inside of one class."""

    index: ClassIndex
    scope: ClassDecl
    names: Mapping[str, JavaType] = field(default_factory=dict)
    bindings: Bindings = field(default_factory=dict)

    def of(self, node: Node | None, depth: int = 0) -> JavaType | None:
        """The type of an expression."""
        if node is None or depth > _DEPTH:
            return None
        found = self._of(node, depth + 1)
        return found if found is not None and found.known else None

    def erased(self, node: Node) -> JavaType | None:
        """The type of an expression, whose type arguments may not be known."""
        found = self._of(node, 0)
        return found if found is not None and not found.variable and found.name != "var" else None

    def _of(self, node: Node, depth: int) -> JavaType | None:
        if node.type in _LITERALS:
            return _LITERALS[node.type]
        match node.type:
            case "decimal_integer_literal" | "hex_integer_literal" | "octal_integer_literal" | "binary_integer_literal":
                return JavaType("long" if text(node)[-1:] in "lL" else "int")
            case "decimal_floating_point_literal" | "hex_floating_point_literal":
                return JavaType("float" if text(node)[-1:] in "fF" else "double")
            case "parenthesized_expression":
                return self.of(next(iter(children(node)), None), depth)
            case "cast_expression":
                return self._written(part(node, "type"))
            case "object_creation_expression":
                return self._created(node, depth)
            case "array_access":
                array = self.of(part(node, "array"), depth)
                return array.element if array is not None and array.dimensions else None
            case "ternary_expression":
                yes = self.of(part(node, "consequence"), depth)
                no = self.of(part(node, "alternative"), depth)
                return yes if yes == no or no is None else no if yes is None else None
            case "binary_expression":
                return self._binary(node, depth)
            case "unary_expression":
                operand = self.of(part(node, "operand"), depth)
                return JavaType("boolean") if text(node).startswith("!") else _promoted(operand)
            case "this":
                return of_class(self.scope)
            case "identifier":
                return self._name(node, depth)
            case "field_access":
                return self._field(node, depth)
            case "method_invocation":
                return self._called(node, depth)
        return None

    def _written(self, node: Node | None) -> JavaType | None:
        return resolved(self.index, type_ref(node), self.scope, self.bindings) if node is not None else None

    def _created(self, node: Node, depth: int) -> JavaType | None:
        written = self._written(part(node, "type"))
        if written is None or not text(part(node, "type")).endswith("<>"):
            return written
        given = [self.of(child, depth) for child in arguments_of(node)]
        if written.name.startswith("Tuple") and given and all(given):
            return JavaType(
                written.name, written.target, tuple(argument.boxed for argument in given if argument is not None)
            )
        return replace(written, arguments=(JavaType("var"),))  # left to inference

    def _binary(self, node: Node, depth: int) -> JavaType | None:
        operator = text(part(node, "operator"))
        if operator in ("==", "!=", "<", ">", "<=", ">=", "&&", "||"):
            return JavaType("boolean")
        left, right = self.of(part(node, "left"), depth), self.of(part(node, "right"), depth)
        if operator == "+" and STRING in (left, right):
            return STRING
        if operator in ("<<", ">>", ">>>"):
            return _promoted(left)
        return _promoted(left, right)

    def _name(self, node: Node, depth: int) -> JavaType | None:
        name = text(node)
        if name in self.names:
            return self.names[name]
        local = find_local(node, name)
        if local is not None:
            declarator, written = local
            if written is not None and written.name != "var":
                return resolved(self.index, written, self.scope, self.bindings)
            value = self.of(part(declarator, "value"), depth)
            if declarator.type != "enhanced_for_statement" or value is None:
                return value
            return value.element if value.dimensions else next(iter(value.arguments), None)
        declared = find_field(self.index, self.scope, name)
        return self._of_field(declared, self.bindings) if declared is not None else None

    def _of_field(self, declared: FieldDecl, bindings: Bindings) -> JavaType:
        return resolved(self.index, declared.type, declared.owner, bindings)

    def _field(self, node: Node, depth: int) -> JavaType | None:
        target, name = part(node, "object"), text(part(node, "field"))
        if target is None:
            return None
        owner = self.of(target, depth) or self.class_named(target)
        if owner is None:
            return None
        if owner.dimensions:
            return JavaType("int") if name == "length" else None
        return self.member(owner, name)

    def class_named(self, node: Node) -> JavaType | None:
        """The class that an expression names, for static members."""
        spelled = "".join(text(node).split())
        if node.type not in ("identifier", "field_access", "scoped_identifier") or not spelled:
            return None
        holder, _, name = spelled.rpartition(".")
        if not name[:1].isupper():
            return None
        above = self.index.resolve(holder, self.scope) if holder else None
        if isinstance(above, ClassDecl) and self.member(of_class(above), name) is not None:
            return None  # a constant
        found = self.index.resolve(spelled, self.scope)
        return JavaType(name, found) if found is not None else None

    def member(self, owner: JavaType, name: str) -> JavaType | None:
        """The type of a field, record component or field of a Flink tuple."""
        if owner.name.startswith("Tuple") and name[:1] == "f" and name[1:].isdigit():
            place = int(name[1:])
            return owner.arguments[place] if place < len(owner.arguments) else None
        bindings = bindings_of(self.index, owner)
        for ancestor in lineage(self.index, owner):
            if ancestor.decl is not None:
                if name in ancestor.decl.fields:
                    return self._of_field(ancestor.decl.fields[name], bindings)
                for component in ancestor.decl.record_components:
                    if component.name == name:
                        return resolved(self.index, component.type, ancestor.decl, bindings)
                if any(constant.name == name for constant in ancestor.decl.enum_constants):
                    return of_class(ancestor.decl)
        return None

    def methods(self, owner: JavaType, name: str, count: int) -> Iterator[MethodDecl]:
        """The repository's methods that a call can mean, by name and number of arguments."""
        for ancestor in lineage(self.index, owner):
            if ancestor.decl is not None:
                for method in ancestor.decl.methods_named(name):
                    if len(method.parameters) == count or method.varargs:
                        yield method

    def _called(self, node: Node, depth: int) -> JavaType | None:
        target, name = part(node, "object"), text(part(node, "name"))
        given = arguments_of(node)
        if target is None:
            return self._unqualified(node, name, given, depth)
        owner = self.of(target, depth)
        if owner is None:
            static = self.class_named(target)
            if static is not None:
                return self._static(static, name, given, depth)
            return _OF_EVERY_OBJECT.get(name) if not given else None
        return self.result(owner, name, len(given))

    def result(self, owner: JavaType, name: str, count: int = 0) -> JavaType | None:
        """What a method called on a value of that type returns."""
        bindings = bindings_of(self.index, owner)
        if found := list(self.methods(owner, name, count)):
            return self._result_of_one(found, bindings)
        if count == 0:
            accessor = self._accessor(owner, name, bindings)
            if accessor is not None:
                return accessor
        if owner.decl is not None and name not in ("toString", "hashCode", "equals", "name", "ordinal", "compareTo"):
            return None
        if name in ("get", "orElse", "getOrDefault", "getValue", "getField") and owner.arguments:
            return owner.arguments[-1] if owner.simple != "Row" else None
        if name == "getKey" and owner.arguments:
            return owner.arguments[0]
        return _STRING_METHODS.get(name)

    def _accessor(self, owner: JavaType, name: str, bindings: Bindings) -> JavaType | None:
        """A record's accessor, or the getter that Lombok makes of a field."""
        for ancestor in lineage(self.index, owner):
            decl = ancestor.decl
            if decl is None:
                continue
            for component in decl.record_components:
                if component.name == name:
                    return resolved(self.index, component.type, decl, bindings)
            bare = name.removeprefix("get").removeprefix("is")
            for candidate in (name, bare[:1].lower() + bare[1:]):
                if candidate in decl.fields and decl.annotation_names:
                    return self._of_field(decl.fields[candidate], bindings)
        return None

    def _unqualified(self, node: Node, name: str, given: Sequence[Node], depth: int) -> JavaType | None:
        for around in self.scope.outward():
            if found := list(self.methods(of_class(around), name, len(given))):
                return self._result_of_one(found, self.bindings)
        for owner in self.index.unit_of(self.scope).static_imports.get(name, ()):
            holder = self.index.find(owner, self.scope.unit.path)
            if holder is not None:
                return self._static(of_class(holder), name, given, depth)
        return None

    def _result_of_one(self, found: list[MethodDecl], bindings: Bindings) -> JavaType | None:
        """What one of several methods of a name returns; None where that depends on which of them is meant."""
        nearest = [method for method in found if method.owner is found[0].owner]
        results = [resolved(self.index, method.return_type, method.owner, bindings) for method in nearest]
        return results[0] if len(set(map(str, results))) == 1 else None

    def _static(self, owner: JavaType, name: str, given: Sequence[Node], depth: int) -> JavaType | None:
        if owner.decl is not None:
            return self._result_of_one(list(self.methods(owner, name, len(given))), {})
        if name == "of" and owner.name.startswith("Tuple"):
            types = [self.of(argument, depth) for argument in given]
            if all(type_ is not None for type_ in types):
                parts = tuple(type_.boxed for type_ in types if type_ is not None)
                return JavaType(f"Tuple{len(parts)}", owner.target, parts)
            return None
        if owner.simple == "Math" and name in ("abs", "max", "min") and given:
            return self.of(given[0], depth)
        return _STATIC.get(f"{owner.simple}.{name}")


def _promoted(*operands: JavaType | None) -> JavaType | None:
    """The type of arithmetic with numbers (JLS 5.6); None where one is none."""
    ranks = [UNBOXED.get(str(operand), str(operand)) for operand in operands]
    if any(rank not in NUMERIC for rank in ranks):
        return None
    return JavaType(max(*ranks, "int", key=NUMERIC.index))


_SPELLED = frozenset({"string_literal", "decimal_integer_literal", "character_literal", "true", "false"})


def constant_text(index: ClassIndex, declared: FieldDecl) -> str | None:
    """The value of a constant, where it is spelled and of the type of the constant."""
    value = declared.value
    if value is None or not (declared.static and declared.final) or value.type not in _SPELLED:
        return None
    type_ = resolved(index, declared.type, declared.owner)
    return text(value) if Typer(index, declared.owner).of(value) == type_ else None
