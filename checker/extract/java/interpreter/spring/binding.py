"""``@ConfigurationProperties``: what Spring's binder puts into objects, by setters or by the one constructor.

A value that is not a plain one (a duration, a map, a list of objects) is unknown, and so is nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from checker.extract.java.interpreter import assignments, names
from checker.extract.java.interpreter.spring.properties import Properties
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import UnreadError
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Frame, Instance, ListValue, Opaque, Scope, Value, string
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, FieldDecl, MethodDecl
from checker.extract.java.syntax.tree import annotations_of, text
from checker.extract.java.syntax.type_refs import TypeRef
from checker.model.unknowns import Cause, Unknown

_SETTERS: Final = frozenset({"Data", "Setter"})
_MOST_NESTED: Final = 8
Invoke = Callable[[MethodDecl, Value, list[Value]], Value]


class Binder:
    """Binds the properties of one container, for one call."""

    def __init__(self, run: Run, properties: Properties, call: Call, invoke: Invoke) -> None:
        self._run, self._properties, self._call, self._invoke = run, properties, call, invoke

    def made(self, decl: ClassDecl, prefix: str, depth: int = 0) -> Value:
        """A new object with what is set below a prefix. Raises UnreadError."""
        parameters = self._parameters(decl)
        given = [
            self._value(name, ref, decl, f"{prefix}.{name}", depth) or default for name, ref, default in parameters
        ]
        made = self._run.interpreter.instantiate(decl, self._call.having(name="new", arguments=given))
        if not isinstance(made, Instance):
            raise UnreadError
        if not parameters:  # a bean
            self.fill(made, prefix, depth)
        return made

    def _parameters(self, decl: ClassDecl) -> list[tuple[str, TypeRef, Value]]:
        """Names, types and values without properties of the constructor that is bound by; none: by setters."""
        constructors = list(decl.constructors)
        if any("DefaultValue" in text(c.node) for c in constructors) or "DefaultValue" in text(decl.node):
            raise UnreadError(f"@DefaultValue of {decl.name} is not followed")
        if decl.record_components and not constructors:
            return [(c.name, c.type, assignments.default_value(c.type)) for c in decl.record_components]
        if len(constructors) == 1:
            return [(p.name, p.type, assignments.default_value(p.type)) for p in constructors[0].parameters]
        if not constructors:
            return [(f.name, f.type, assignments.default_value(f.type)) for f in constructed_fields(decl)]
        if any(not c.parameters for c in constructors):
            return []
        raise UnreadError(f"several constructors of {decl.name} fit")

    def fill(self, made: Instance, prefix: str, depth: int = 0) -> None:
        """Call the setters of an object for what is set below a prefix. Raises UnreadError."""
        for owner in reversed(self._run.index.lineage(made.decl)):
            for declared in owner.fields.values():
                if declared.static:
                    continue
                setter = _setter(owner, declared.name)
                marks = owner.annotation_names | dict(annotations_of(declared.node)).keys()
                key = f"{prefix}.{declared.name}"
                nested = self._nested(declared.type, owner)
                frame = Frame(owner, made, Scope())
                if nested is not None:
                    present = names.instance_field(self._run, made, declared.name, owner)
                    if isinstance(present, Instance):
                        self.fill(present, key, depth + 1)
                        continue
                settable = setter is not None or (bool(marks & _SETTERS) and not declared.final)
                if not settable and not (declared.type.arguments and self._properties.has_below(key)):
                    continue  # a collection is filled although nothing sets it
                value = self._value(declared.name, declared.type, owner, key, depth)
                if value is None:
                    continue
                if setter is not None:
                    self._invoke(setter, made, [value])
                else:
                    names.store_field(self._run, made, declared.name, value, frame, owner)

    def _nested(self, ref: TypeRef, scope: ClassDecl) -> ClassDecl | None:
        found = self._run.index.resolve_type(ref, scope)
        plain = isinstance(found, ClassDecl) and found.kind is not ClassKind.ENUM and not ref.dimensions
        return found if plain and isinstance(found, ClassDecl) else None

    def _value(self, name: str, ref: TypeRef, scope: ClassDecl, key: str, depth: int) -> Value | None:
        """What is set for a key, as a type; None where nothing is."""
        nested = self._nested(ref, scope)
        if nested is not None:
            if depth > _MOST_NESTED:
                raise UnreadError
            return self.made(nested, key, depth + 1) if self._properties.has_below(key) else None
        found = self._properties.value(key)
        if found is None:
            return None
        if isinstance(found, str):
            try:
                return self._properties.converted(found, ref)
            except UnreadError:
                pass
        elif ref.simple in ("List", "Collection") and [a.simple for a in ref.arguments] == ["String"]:
            listed = self._properties.listed(key)
            if listed is not None:
                return ListValue(tuple(string(element) for element in listed))
        elif ref.simple == "String":
            return found
        why = Unknown(f"cannot tell what Spring makes of '{key}' for {scope.name}.{name}", Cause.EXTERNAL, None)
        return Opaque(found.unknown if isinstance(found, Opaque) else why, f"spring:{key}:{ref}")


def constructed_fields(decl: ClassDecl) -> list[FieldDecl]:
    """The fields that the constructor takes which Lombok generates for a class that has none; none where it takes none.

    Raises UnreadError where there are several, or where arguments are not those of fields as the interpreter sets them.
    """
    marks = decl.annotation_names
    own = [member for member in decl.fields.values() if not member.static]
    if "NoArgsConstructor" in marks:
        return []
    if "RequiredArgsConstructor" in marks or marks & {"AllArgsConstructor", "Value", "Builder", "Data"} == {"Data"}:
        taken = [f for f in own if f.value is None and (f.final or "NonNull" in dict(annotations_of(f.node)))]
    elif marks & {"AllArgsConstructor", "Value", "Builder"}:
        taken = [f for f in own if f.value is None or not (f.final or "Value" in marks)]
    else:
        return []
    if {"RequiredArgsConstructor", "AllArgsConstructor"} <= marks:
        raise UnreadError(f"several constructors of {decl.name} fit")
    if len(taken) not in (0, len(own)) and any(not f.final or f.value is not None for f in taken):
        raise UnreadError(f"the constructor of {decl.name} is not followed")
    return taken


def _setter(owner: ClassDecl, name: str) -> MethodDecl | None:
    called = f"set{name[:1].upper()}{name[1:]}"
    found = [m for m in owner.methods if m.name == called and len(m.parameters) == 1 and not m.static]
    return found[0] if len(found) == 1 else None
