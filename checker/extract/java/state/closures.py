"""Digests of code: equal in two revisions where an expression, and all code that it can reach, reads alike.

What can't be computed from the source is the same value only if it is derived from the same code and resources.
``Closures(index).of(node, scope)`` follows every name in the code to the repository's declarations: methods that a
call can mean with those that override them, fields with what is assigned to them, constructors of created objects,
enum constants, and files that a string names. Comments and layout don't count.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile

from checker.extract.java.state.expression_types import Typer
from checker.extract.java.state.java_types import JavaType, of_class
from checker.extract.java.syntax.class_index import ClassIndex, External
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, FieldDecl, MethodDecl, with_nested
from checker.extract.java.syntax.local_variables import find_local
from checker.extract.java.syntax.nodes import (
    arguments_of,
    assigned_values,
    assignments,
    find_field,
    stands_for_value,
    superclasses,
)
from checker.extract.java.syntax.parse import string_literal
from checker.extract.java.syntax.tree import COMMENTS, Node, above, children, field, text, walk
from checker.extract.java.syntax.type_refs import type_ref
from checker.extract.unfollowed.unread_code import NEEDS_CODE

_MAX_DECLARATIONS = 400
_DECLARING = frozenset({"variable_declarator", "formal_parameter"})
_IMPLICIT = {"toString": 0, "hashCode": 0, "equals": 1, "compareTo": 1}
"""Methods that a library's code calls on objects that it is given, with the number of their parameters."""
_BY_ORDER = ("ordinal", "compareTo")
"""Methods of enums that the places of the constants decide."""
_OF_ANY_CLASS = frozenset({"Object", "Serializable", "Cloneable", "Comparable"})


class Closures:
    """Digests of code of one revision."""

    def __init__(self, index: ClassIndex) -> None:
        self._index = index

    def of(
        self,
        node: Node,
        scope: ClassDecl,
        names: Mapping[str, JavaType] | None = None,
        fields: Mapping[str, str] | None = None,
    ) -> str:
        """The digest of an expression. ``names`` types its parameters; ``fields`` says what an object's fields hold."""
        return self.of_all(((node, scope),), names, fields)

    def of_methods(self, methods: Iterable[MethodDecl]) -> str:
        """The digest of methods."""
        return self.of_all((m.node, m.owner) for m in methods)

    def of_class(self, decl: ClassDecl) -> str:
        """The digest of all code of a class and of its superclasses in the repository."""
        return self.of_all((owner.node, owner) for owner in self._index.lineage(decl))

    def of_all(
        self,
        parts: Iterable[tuple[Node, ClassDecl]],
        names: Mapping[str, JavaType] | None = None,
        fields: Mapping[str, str] | None = None,
    ) -> str:
        """One digest of several pieces of code."""
        walked = _Walk(self._index, fields or {})
        walked.read(parts, names or {})
        digest = hashlib.sha256()
        for key, value in sorted(walked.seen.items()):
            digest.update(f"{key}: {value}".encode("utf-8", "surrogatepass") + b"\0")
        asked = f" with {', '.join(sorted(walked.texts))}" if walked.asks_environment and walked.texts else ""
        constants = "".join(f", enum {name}({names})" for name, names in sorted(walked.enums.items()))
        return NEEDS_CODE if NEEDS_CODE in walked.seen.values() else f"code {digest.hexdigest()[:16]}{asked}{constants}"


_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{1,60}")


def _resource(index: ClassIndex, name: str) -> str | None:
    """The content of a file that a string can name: by its file name, or by its name without an ending."""
    if not 2 < len(name) < 200 or "\n" in name or " " in name:
        return None
    asked = name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    found = [p for p in index.ask("stem", asked) if "." in asked or "/src/test/" not in p]
    return ", ".join(f"{path}={index.content_id(path)}" for path in found) or None


def tokens(node: Node, parameters: Mapping[str, JavaType] | None = None) -> str:
    """The tokens of a piece of code: without comments and layout, parameters and local variables by their place."""
    found: list[str] = []
    locals_: dict[int, int] = {}
    pending = [node]
    while pending:
        current = pending.pop()
        if current.type in COMMENTS:
            continue
        if not current.children or current.type in ("string_literal", "character_literal"):
            spelled = text(current)
            own = parameters and current.type == "identifier" and spelled in parameters
            declared = None if own else _declared_inside(current, node)
            if declared is not None:
                spelled = f"§local {locals_.setdefault(declared.start_byte, len(locals_))}"
            found.append(f"§{list(parameters or ()).index(spelled)}" if own else spelled)
        else:
            pending.extend(reversed(current.children))
    return " ".join(found)


def _declared_inside(node: Node, whole: Node) -> Node | None:
    """The declaration of the local variable that an identifier of a piece of code means; None for other names."""
    parent = node.parent
    if node.type != "identifier" or parent is None or not (stands_for_value(node) or parent.type in _DECLARING):
        return None
    local = find_local(node, text(node))
    inside = local is not None and whole.start_byte <= local[0].start_byte < whole.end_byte
    return local[0] if local is not None and inside else None


class _Walk:
    """All code that some code can reach."""

    def __init__(self, index: ClassIndex, fields: Mapping[str, str]) -> None:
        self._index = index
        self._fields = fields
        self.asks_environment = False
        self.texts: set[str] = set()
        self.enums: dict[str, str] = {}
        """Constants by their enum: with further ones, what was made of those before stays as it is."""
        """Short words in quotes: among them are the variables of the environment that the code asks for."""
        self.seen: dict[str, str] = {}
        self._pending: list[tuple[Node, ClassDecl, Mapping[str, JavaType]]] = []

    def read(self, parts: Iterable[tuple[Node, ClassDecl]], names: Mapping[str, JavaType]) -> None:
        """Read code and all that it reaches."""
        for place, (node, scope) in enumerate(parts):
            self._add(f"#{place:03}", node, scope, names)
        while self._pending:
            node, scope, given = self._pending.pop()
            self._follow(node, scope, given)

    def _add(self, key: str, node: Node, scope: ClassDecl, names: Mapping[str, JavaType] | None = None) -> None:
        if key in self.seen or len(self.seen) > _MAX_DECLARATIONS:
            return
        self.seen[key] = tokens(node, names)
        self._pending.append((node, scope, names or {}))

    def _follow(self, node: Node, scope: ClassDecl, names: Mapping[str, JavaType]) -> None:
        typer = Typer(self._index, scope, names)
        for current in walk(node):
            match current.type:
                case "method_invocation":
                    called = text(field(current, "name"))
                    self.asks_environment |= called == "getenv"
                    self._call(current, typer, called)
                case "binary_expression" if text(field(current, "operator")) == "+":
                    self._given(children(current), typer, ["toString"])
                case "method_reference":
                    self._reference(current, typer)
                case "object_creation_expression":
                    made = self._index.resolve_type(type_ref(field(current, "type")), scope)
                    if isinstance(made, ClassDecl):
                        self._construction(made)
                case "field_access":
                    self._member(current, typer)
                case "identifier":
                    self._name(current, node, scope, names)
                case "string_literal":
                    name = string_literal(text(current))
                    self.texts.update([text(current)] if _VARIABLE.fullmatch(name) else [])
                    if (found := _resource(self._index, name)) is not None:
                        self.seen.setdefault(f"file {name}", found)

    def _call(self, node: Node, typer: Typer, name: str) -> None:
        target, count = field(node, "object"), len(arguments_of(node))
        if target is None or target.type in ("this", "super"):
            for around in typer.scope.outward():
                self._methods(typer, of_class(around), name, count)
            for owner in self._index.unit_of(typer.scope).static_imports.get(name, ()):
                found = self._index.find(owner, typer.scope.unit.path)
                if found is not None:
                    self._methods(typer, of_class(found), name, count)
            return
        receiver = typer.of(target) or typer.class_named(target)
        if receiver is None or receiver.decl is None:
            self._given([target, *arguments_of(node)], typer, _IMPLICIT)
        if receiver is not None:
            self._methods(typer, receiver, name, count)
            return
        of_library = self._of_library(target, typer)
        for decl in self._in_sight(typer.scope):
            if not of_library or self._extends_library(decl):
                self._methods(typer, of_class(decl), name, count)

    def _given(self, values: Iterable[Node], typer: Typer, names: Iterable[str]) -> None:
        """Methods of objects that are called without being named: by a concatenation of strings, or by a library."""
        types = [type_ for value in values if (type_ := typer.of(value)) is not None]
        for decl in (decl for type_ in types for decl in type_.classes()):
            for name in names:
                self._methods(typer, of_class(decl), name, _IMPLICIT[name])

    def _of_library(self, node: Node, typer: Typer) -> bool:
        """Whether a value comes out of an object of a library that is not generic: its class is of a library, too."""
        target = field(node, "object") if node.type in ("method_invocation", "field_access") else None
        if target is None:
            return False
        owner = typer.of(target)
        if owner is None:
            return self._of_library(target, typer)
        return isinstance(owner.target, External) and not owner.arguments and owner.target.name != "java.lang.Object"

    def _extends_library(self, decl: ClassDecl) -> bool:
        """Whether a class can stand where a library names one of its own."""
        return any(isinstance(a, External) and a.simple not in _OF_ANY_CLASS for a in self._index.ancestors(decl))

    def _in_sight(self, scope: ClassDecl) -> Iterator[ClassDecl]:
        """The classes that code of ``scope`` names without a package, for receivers of unknown type."""
        unit = self._index.unit_of(scope)
        imported = (self._index.find(name, unit.path) for name in unit.single_imports.values())
        return with_nested([*unit.types.values(), *(decl for decl in imported if decl is not None)])

    def _methods(self, typer: Typer, owner: JavaType, name: str, count: int | None) -> None:
        if owner.decl is None:
            return
        below = self._index.implementations(owner.decl)
        if owner.decl.kind is ClassKind.ENUM:
            self._constants(owner.decl.qualified_name, [constant.name for constant in owner.decl.enum_constants], name)
        for holder in (owner.decl, *below, *self._index.lineage(owner.decl)[1:]):
            for method in holder.methods_named(name):
                if count is None or len(method.parameters) == count or method.varargs:
                    self._method(method)
            if not holder.methods_named(name):
                bare = name.removeprefix("get").removeprefix("is")
                declared = holder.fields.get(bare[:1].lower() + bare[1:])
                if declared is not None and holder.annotation_names:
                    self._field(declared)

    def _constants(self, enum: str, names: list[str], called: str) -> None:
        """What a method of every enum makes of its constants."""
        if called == "values":
            self.seen[f"{enum} in order"] = ", ".join(names)
        elif called in _BY_ORDER:
            self.enums[f"{enum}.ordinal"] = ", ".join(f"{place} {name}" for place, name in enumerate(names))
        elif called in ("name", "toString"):
            self.enums[enum] = ", ".join(sorted(names))

    def _method(self, method: MethodDecl) -> None:
        signature = ",".join(str(p.type) for p in method.parameters)
        self._add(f"{method.owner.qualified_name}.{method.name}({signature})", method.node, method.owner)

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
        if owner is not None and owner.decl is not None:
            self._methods(typer, owner, "<init>" if name == "new" else name, None)
            if name == "new":
                self._construction(owner.decl)

    def _construction(self, decl: ClassDecl) -> None:
        """Constructors and initializers of a class and its superclasses."""
        for current in superclasses(self._index, decl):
            for constructor in current.constructors:
                self._method(constructor)
            for declared in current.fields.values():
                if not declared.static:
                    self._field(declared)
            for place, member in enumerate(current.members):
                if member.type in ("block", "static_initializer"):
                    self._add(f"{current.qualified_name}.{{{place}}}", member, current)

    def _name(self, node: Node, whole: Node, scope: ClassDecl, names: Mapping[str, JavaType]) -> None:
        name = text(node)
        if name in names or not stands_for_value(node):
            return
        local = find_local(node, name)
        if local is not None:
            if name in self._fields:
                self.seen.setdefault(f"{name} holds", self._fields[name])
            elif not whole.start_byte <= local[0].start_byte < whole.end_byte:
                self._outside(local[0], name, scope)
            return
        declared = find_field(self._index, scope, name)
        if declared is not None:
            self._field(declared)

    def _outside(self, declarator: Node, name: str, scope: ClassDecl) -> None:
        """A variable that code around the code declares: what it is set to, and the arguments it stands for."""
        key = f"{scope.qualified_name} {name}@{scope.unit.path}"
        method = _around(declarator, ("method_declaration", "constructor_declaration"))
        if declarator.type == "enhanced_for_statement":
            self._add(f"{key} in", field(declarator, "value") or declarator, scope)
        elif declarator.type == "variable_declarator":
            self._add(key, declarator, scope)
            for place, node in enumerate(assignments(method, name)):
                self._add(f"{key} = {place}", node, scope)
        elif (call := _around(declarator, ("lambda_expression",), before=method)) is not None:
            around = call.parent.parent if call.parent is not None else None
            if around is not None:
                self._add(f"{key} ->", around, scope)
        elif method is not None and scope.body is not None:
            called = text(field(method, "name"))
            calls = (n for n in walk(scope.body) if n.type == "method_invocation")
            for place, node in enumerate(n for n in calls if text(field(n, "name")) == called):
                self._add(f"{key} ({place})", node, scope)

    def _member(self, node: Node, typer: Typer) -> None:
        target, name = field(node, "object"), text(field(node, "field"))
        if target is None:
            return
        owner = typer.class_named(target) or typer.of(target)
        if owner is None or owner.decl is None:
            return
        for holder in self._index.lineage(owner.decl):
            if name in holder.fields:
                self._field(holder.fields[name])
                return
            for constant in holder.enum_constants:
                if constant.name == name:
                    self._add(f"{holder.qualified_name}.{name}", constant.node, holder)
                    self._construction(holder)
                    return

    def _field(self, declared: FieldDecl) -> None:
        """A field: its declaration, and what the class assigns to it."""
        owner = declared.owner
        key = f"{owner.qualified_name}.{declared.name}"
        if key in self.seen:
            return
        if not declared.static and declared.name in self._fields:
            self.seen[key] = self._fields[declared.name]
            return
        self._add(key, declared.node, owner)
        if declared.value is not None and declared.final:
            return
        for place, value in enumerate(assigned_values(owner.body, declared.name, f"this.{declared.name}")):
            self._add(f"{key} = {place}", value, owner)


def _around(node: Node, kinds: tuple[str, ...], before: Node | None = None) -> Node | None:
    """The nearest node of some kinds around a node, as long as it comes before another one."""
    nearer = takewhile(lambda around: around != before, above(node))
    return next((around for around in nearer if around.type in kinds), None)
