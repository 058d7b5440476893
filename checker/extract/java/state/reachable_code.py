"""All code that some code can reach, read as tokens: without comments and layout, variables by their place."""

import hashlib
import re
from collections.abc import Iterable, Mapping

from checker.extract.java.state import read_by_libraries as libraries
from checker.extract.java.state.code_digest import MAX_DECLARATIONS, CodeDigest
from checker.extract.java.state.code_tokens import RUNNING, declared_inside, may_name, tokens
from checker.extract.java.state.expression_types import Typer, constant_text
from checker.extract.java.state.java_types import JavaType, classes_in_sight, of_class, resolved
from checker.extract.java.state.read_by_libraries import ANY_OBJECT
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, FieldDecl, MethodDecl
from checker.extract.java.syntax.local_variables import find_local
from checker.extract.java.syntax.nodes import (
    arguments_of,
    assigned_values,
    assignments,
    calls_on,
    find_field,
    is_log,
    stands_for_value,
    superclasses,
)
from checker.extract.java.syntax.parse import string_literal
from checker.extract.java.syntax.tree import Node, above, children, field, text, walk
from checker.extract.java.syntax.type_refs import type_ref
from checker.extract.unfollowed.unread_code import NEEDS_CODE
from checker.model.unknowns import Maybe, Unknown

SUBCLASSES = 20
"""As many subclasses as the index looks for: with more, one may override any method."""
_IMPLICIT = {"toString": 0, "hashCode": 0, "equals": 1, "compareTo": 1}
"""Methods that a library's code calls on objects that it is given, with the number of their parameters."""
_OF_ENUMS = frozenset({"values", "ordinal", "compareTo", "name", "toString"})
_BY_ORDER = ("ordinal", "compareTo")
"""Methods of enums that the places of the constants decide."""
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{1,60}")


class Walk(CodeDigest):
    """All code that some code can reach."""

    def __init__(
        self,
        index: ClassIndex,
        bound: Mapping[str, Maybe[str]] | None = None,
        around: Iterable[ClassDecl] | None = None,
        this: ClassDecl | None = None,
    ) -> None:
        """``around``: the classes that a selector stands in, of which ``bound`` says what fields and variables hold.

        ``this``: the class of the object that the code is called on, where it is known. No other subclass of its
        superclasses overrides what it calls on itself, unless the code comes to such an object.
        """
        super().__init__()
        self._index = index
        self._this = () if this is None else index.lineage(this)
        self._on_this: list[tuple[JavaType, str, int]] = []
        self._bound = bound or {}
        self._own = None if around is None else {a.qualified_name for s in around for a in index.lineage(s)}
        self._pending: list[tuple[Node, ClassDecl, Mapping[str, JavaType]]] = []

    def add(self, key: str, node: Node, scope: ClassDecl, names: Mapping[str, JavaType] | None = None) -> None:
        """Read a piece of code, whose parameters have these types, and all that it reaches."""
        if key in self.seen or len(self.seen) > MAX_DECLARATIONS:
            return
        given = names or {}
        self.seen[key] = tokens(node, lambda part: self._known(part, node, scope, given))
        self._pending.append((node, scope, given))

    def _known(self, node: Node, whole: Node, scope: ClassDecl, names: Mapping[str, JavaType]) -> str | None:
        """How a value is spelled that is a parameter, a constant or known where a selector is made; else None."""
        declared: FieldDecl | None = None
        if node.type == "field_access":
            owner = Typer(self._index, scope, names).class_named(field(node, "object") or node)
            if owner is not None and owner.decl is not None:
                declared = find_field(self._index, owner.decl, text(field(node, "field")))
        elif node.type == "identifier" and stands_for_value(node) and declared_inside(node, whole) is None:
            name = text(node)
            if name in names:
                return f"${list(names).index(name)}"
            if name in self._bound and self._of_selector(scope):
                return self._value_held(name)
            declared = None if find_local(node, name) else find_field(self._index, scope, name)
        return constant_text(self._index, declared) if declared is not None else None

    def _of_selector(self, owner: ClassDecl) -> bool:
        return self._own is not None and owner.qualified_name in self._own

    def _value_held(self, name: str) -> str:
        value = self._bound[name]
        if isinstance(value, Unknown):
            self._complete = False
            if value.derived_from == NEEDS_CODE:
                self.seen[f"{name} holds"] = NEEDS_CODE
        return value if isinstance(value, str) else f"‹{value.derived_from}›"

    def digest(self) -> str:
        """What stands for all of it, once it was followed to its end."""
        while self._pending:
            node, scope, given = self._pending.pop()
            self._follow(node, scope, given)
        return super().digest()

    def _follow(self, whole: Node, scope: ClassDecl, names: Mapping[str, JavaType]) -> None:
        typer = Typer(self._index, scope, names)
        pending = [whole]
        while pending:
            current = pending.pop()
            if is_log(current) or current.type == "throw_statement":
                continue
            names_class = current.type == "field_access" and typer.class_named(current) is not None
            if names_class or self._known(current, whole, scope, names) is not None:
                continue
            pending += current.named_children
            match current.type:
                case "method_invocation":
                    called = text(field(current, "name"))
                    self._asks_environment |= called == "getenv"
                    self._call(current, typer, called)
                case "binary_expression" | "assignment_expression" if "+" in text(field(current, "operator")):
                    self._given(children(current), typer, ["toString"], shown=True)
                case "method_reference":
                    self._reference(current, typer)
                case "object_creation_expression":
                    made = self._index.resolve_type(type_ref(field(current, "type")), scope)
                    self._complete &= made is not None and children(current)[-1].type != "class_body"
                    if isinstance(made, ClassDecl):
                        self._construction(made)
                case "field_access":
                    self._member(current, typer)
                case "identifier":
                    self._name(current, whole, typer)
                case "string_literal":
                    name = string_literal(text(current))
                    self._texts.update([text(current)] if _VARIABLE.fullmatch(name) else [])
                    if (found := libraries.resource(self._index, name)) is not None:
                        self.seen.setdefault(f"file {name}", found)

    def _call(self, node: Node, typer: Typer, name: str) -> None:
        target, count = field(node, "object"), len(arguments_of(node))
        if target is None or target.type in ("this", "super"):
            self._handed_on(node, typer, typer.scope.outward(), name)
            self._unqualified(typer, name, count)
            return
        static = typer.class_named(target)
        receiver = typer.of(target) or static
        self._handed_on(node, typer, () if receiver is None or receiver.decl is None else [receiver.decl], name)
        if receiver is None or receiver.decl is None:
            values = [*([] if receiver is static else [target]), *arguments_of(node)]
            self._given(values, typer, _IMPLICIT, shown=libraries.shows(receiver, name))
        if receiver is not None:
            self.call(typer, receiver, name, count)
            return
        self._complete = False
        for decl in classes_in_sight(self._index, typer.scope):
            self._methods(of_class(decl), name, count)

    def _unqualified(self, typer: Typer, name: str, count: int) -> None:
        own = [a for a in typer.scope.outward() if a in self._this]
        owners = [of_class(around) for around in typer.scope.outward() if around not in own]
        for owner in self._index.unit_of(typer.scope).static_imports.get(name, ()):
            found = self._index.find(owner, typer.scope.unit.path)
            owners += [] if found is None else [of_class(found)]
        found_any = [self._methods(owner, name, count) for owner in owners]
        if own:
            self._on_this += [(of_class(around), name, count) for around in own]
            found_any.append(self._found_in(self._this, name, count, exact=True))
        self._complete &= any(found_any)

    def _comes_to(self, decl: ClassDecl) -> None:
        """Another object, whose class may override what was called on the one that is known."""
        if decl in self._this[1:] or (decl not in self._this and set(self._this) & {*self._index.lineage(decl)}):
            self._this = ()
            for call in self._on_this:
                self._methods(*call)

    def call(self, typer: Typer, receiver: JavaType, name: str, count: int) -> None:
        """A call on a value of a type, or of a class."""
        known = receiver.decl is None and receiver.simple not in ANY_OBJECT
        found = self._methods(receiver, name, count)
        if not found and receiver.decl is not None and name in _IMPLICIT:
            self.seen.update(libraries.written_fields(self._index, receiver.decl))
        self._complete &= found or known

    def _given(self, values: Iterable[Node], typer: Typer, names: Iterable[str], *, shown: bool) -> None:
        """Methods of objects that are called without being named: by a concatenation of strings, or by a library.

        ``shown``: what is made of them goes on, and is made of their fields where the class has no such method.
        """
        types = [typer.of(value) for value in values if value.type != "null_literal"]
        for type_ in types:
            self._complete &= type_ is not None and type_.simple not in ANY_OBJECT
            for decl in () if type_ is None else type_.classes():
                self._complete &= decl.kind is ClassKind.ENUM
                found = [self._methods(of_class(decl), name, _IMPLICIT[name]) for name in names]
                if shown and not all(found[:2]):
                    self.seen.update(libraries.written_fields(self._index, decl))

    def _handed_on(self, node: Node, typer: Typer, owners: Iterable[ClassDecl], name: str) -> None:
        """Objects of which a method makes a text or number, and knows no class of theirs: a library may, by fields."""
        methods = [m for owner in owners for m in owner.methods_named(name) if m.return_type.name in libraries.WRITTEN]
        if any(not ANY_OBJECT.union(m.type_variables).isdisjoint(p.type.name for p in m.parameters) for m in methods):
            self._given(arguments_of(node), typer, _IMPLICIT, shown=True)

    def _methods(self, owner: JavaType, name: str, count: int | None) -> bool:
        """The methods that a call can mean. Returns whether the repository has any."""
        if owner.decl is None:
            return False
        if name == "getClass":
            possible = (owner.decl, *self._index.implementations(owner.decl))
            self.seen[f"{owner}.getClass"] = ", ".join(decl.binary_name for decl in possible)
        self._comes_to(owner.decl)
        below, enum = self._index.implementations(owner.decl), owner.decl.kind is ClassKind.ENUM
        self._complete &= len(below) < SUBCLASSES
        if enum:
            self._constants(owner.decl.qualified_name, [constant.name for constant in owner.decl.enum_constants], name)
            self._code_of_constants(owner.decl, name)
        holders = (owner.decl, *below, *self._index.lineage(owner.decl)[1:])
        return self._found_in(holders, name, count) or (enum and name in _OF_ENUMS)

    def _found_in(self, holders: Iterable[ClassDecl], name: str, count: int | None, *, exact: bool = False) -> bool:
        found = False
        for holder in holders:
            methods = [m for m in holder.methods_named(name) if count in (None, len(m.parameters)) or m.varargs]
            for method in methods:
                self._complete &= exact or not method.abstract
                self._method(method)
            found |= bool(methods) or self._accessor(holder, name)
        return found

    def _accessor(self, holder: ClassDecl, name: str) -> bool:
        """Whether a record, or Lombok, gives a class a method of that name."""
        if holder.methods_named(name):
            return False
        bare = name.removeprefix("get").removeprefix("is")
        declared = holder.fields.get(bare[:1].lower() + bare[1:])
        if declared is not None and holder.annotation_names:
            self._field(declared)
            return True
        return self._component(holder, name)

    def _component(self, holder: ClassDecl, name: str) -> bool:
        """Whether a record has a component of that name."""
        found = next((c for c in holder.record_components if c.name == name), None)
        if found is not None:
            self.seen[f"{holder.qualified_name}.{name}"] = str(found.type)
        return found is not None

    def _constants(self, enum: str, names: list[str], called: str) -> None:
        """What a method of every enum makes of its constants."""
        if called == "values":
            self.seen[f"{enum} in order"] = ", ".join(names)
        elif called in _BY_ORDER:
            self._enums[f"{enum}.ordinal"] = ", ".join(f"{place} {name}" for place, name in enumerate(names))
        elif called in ("name", "toString"):
            self._enums[enum] = ", ".join(sorted(names))

    def _code_of_constants(self, enum: ClassDecl, method: str | None = None) -> None:
        """Constants that are made with functions or calls, or only those with a body that has a method of that name."""
        for constant in enum.enum_constants:
            inside = [node for node in walk(constant.node) if node.type in RUNNING]
            methods = (field(node, "name") for node in inside if node.type == "method_declaration")
            if inside if method is None else method in map(text, methods):
                self.add(f"{enum.qualified_name}.{constant.name}", constant.node, enum)

    def _method(self, method: MethodDecl) -> None:
        signature = ",".join(str(p.type) for p in method.parameters)
        key = f"{method.return_type} {method.owner.qualified_name}.{method.name}({signature})"
        if method.body is None:
            self.seen.setdefault(key, "")
            return
        names = {p.name: resolved(self._index, p.type, method.owner) for p in method.parameters}
        self.add(key, method.body, method.owner, names)

    def _reference(self, node: Node, typer: Typer) -> None:
        parts = children(node)
        if not parts:
            return
        name = text(node).rpartition("::")[2].strip()
        owner = typer.class_named(parts[0]) or typer.of(parts[0])
        if owner is None and parts[0].type in ("this", "super"):
            owner = of_class(typer.scope)
        if owner is None:
            found = self._index.resolve_type(type_ref(parts[0]), typer.scope)
            owner = of_class(found) if isinstance(found, ClassDecl) else None
        self._complete &= owner is not None
        if owner is not None and owner.decl is not None:
            self._methods(owner, "<init>" if name == "new" else name, None)
            if name == "new":
                self._construction(owner.decl)

    def _construction(self, decl: ClassDecl) -> None:
        """Constructors and initializers of a class and its superclasses."""
        self._comes_to(decl)
        for current in superclasses(self._index, decl):
            for constructor in current.constructors:
                self._method(constructor)
            for declared in current.fields.values():
                if not declared.static:
                    self._field(declared)
            for place, member in enumerate(current.members):
                if member.type in ("block", "static_initializer", "compact_constructor_declaration"):
                    self.add(f"{current.qualified_name}.{{{place}}}", member, current)

    def _name(self, node: Node, whole: Node, typer: Typer) -> None:
        name = text(node)
        if not stands_for_value(node):
            return
        local = find_local(node, name)
        if local is not None:
            if not whole.start_byte <= local[0].start_byte < whole.end_byte:
                self._outside(local[0], name, typer.scope)
            return
        declared = find_field(self._index, typer.scope, name)
        if declared is not None:
            self._field(declared)
        elif typer.class_named(node) is None:
            self._complete = False

    def _outside(self, declared: Node, name: str, scope: ClassDecl) -> None:
        """A variable that code around the code declares: what it is set to; all of the method may set another one."""
        around = next((n for n in above(declared, "class_body") if n.type.endswith("_declaration")), declared)
        plain = declared.type == "variable_declarator"
        for place, node in enumerate([declared, *assignments(around, name)] if plain else [around]):
            self.add(f"{scope.qualified_name} {name}@{scope.unit.path} {place}", node, scope)

    def _member(self, node: Node, typer: Typer) -> None:
        target, name = field(node, "object"), text(field(node, "field"))
        owner = None if target is None else typer.class_named(target) or typer.of(target)
        if owner is None or owner.decl is None:
            self._complete &= owner is not None
            return
        for holder in self._index.lineage(owner.decl):
            if name in holder.fields:
                self._field(holder.fields[name])
                return
            for constant in holder.enum_constants:
                if constant.name == name:
                    self.add(f"{holder.qualified_name}.{name}", constant.node, holder)
                    self._construction(holder)
                    return
            if self._component(holder, name):
                return
        self._complete = False

    def _field(self, declared: FieldDecl) -> None:
        """A field: its declaration, what the class assigns to it, and how it configures what is there.

        What elements of a stream hold is given to a selector: it is none of its code.
        """
        owner, of_selector = declared.owner, self._of_selector(declared.owner)
        key = f"{owner.qualified_name}.{declared.name}"
        if key in self.seen or constant_text(self._index, declared) is not None:
            return
        if not declared.static and declared.name in self._bound and of_selector:
            self.seen[key] = self._value_held(declared.name)
            return
        self.seen[key] = str(declared.type)
        if declared.value is not None:
            self.add(f"{key} =", declared.value, owner)
        if owner.kind is ClassKind.ENUM and not declared.static:
            self._construction(owner)
            self._code_of_constants(owner)
            made = ((constant.name, tokens(constant.node)) for constant in owner.enum_constants)
            self._enums[key] = ", ".join(
                f"{name} {hashlib.sha256(code.encode()).hexdigest()[:32]}" for name, code in made
            )
            return
        if self._own is not None and not (declared.static or of_selector):
            return
        filling = "static_initializer" if declared.static else "block"
        for place, member in enumerate(owner.members):
            if member.type == filling and any(may_name(n, declared.name) for n in walk(member)):
                self.add(f"{owner.qualified_name}.{{{place}}}", member, owner)
        written = (declared.name, f"this.{declared.name}", f"{owner.name}.{declared.name}")
        for place, call in enumerate(calls_on(owner.body, *written)):
            self.add(f"{key} . {place}", call, owner)
        if declared.value is not None and declared.final:
            return
        self._complete = False  # any code may set it
        for place, value in enumerate(assigned_values(owner.body, *written)):
            self.add(f"{key} = {place}", value, owner)
