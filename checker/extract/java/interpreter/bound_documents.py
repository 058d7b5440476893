"""Documents that a library binds to classes of the program: Jackson, Gson and SnakeYAML.

One mechanism fills objects; a ``Style`` says what a library takes for a property. What a library may do otherwise
leaves the whole call unknown, or the one property that it is about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from checker.extract.java.interpreter import objects
from checker.extract.java.interpreter.filled_objects import annotation_texts, set_member
from checker.extract.java.library import enums, resources
from checker.extract.java.library.configuration_files.documents import (
    NodeValue,
    Scalar,
    Tree,
    as_object,
    json_tree,
    yaml_tree,
)
from checker.extract.java.machine import numbers
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.descriptions import described_as, short
from checker.extract.java.machine.exceptions import UnreadError
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    ClassLiteral,
    Constant,
    ExternalObject,
    Instance,
    ListValue,
    MapValue,
    Opaque,
    Value,
    string,
)
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, FieldDecl, MethodDecl
from checker.extract.java.syntax.java_lang import BOXES
from checker.extract.java.syntax.members import in_hierarchy
from checker.extract.java.syntax.tree import Node, annotations_of, children, elements, field
from checker.extract.java.syntax.type_refs import TypeRef
from checker.model.unknowns import Cause, Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """What a library treats as a property, and what it does with unknown ones."""

    rename: str | None = None
    """The annotation that gives a property another name."""
    fields: bool = False
    """Whether every field is a property, whoever can see it."""
    getters: bool = False
    """Whether a field with a getter is one."""
    records: bool = True
    ignores_unknown: bool = False
    numbers_as_objects: bool = True
    """Whether a plain Object that is a whole number is an Integer."""


JACKSON: Final = Style(rename="JsonProperty", getters=True)
LENIENT_JACKSON: Final = Style(rename="JsonProperty", getters=True, ignores_unknown=True)
GSON: Final = Style(rename="SerializedName", fields=True, ignores_unknown=True, numbers_as_objects=False)
SNAKEYAML: Final = Style(records=False)
_MAPPERS: Final = ("ObjectMapper", "JsonMapper", "YAMLMapper")
_SETTINGS: Final = frozenset({"configure", "enable", "disable", "registerModule", "registerModules",
                              "findAndRegisterModules", "setSerializationInclusion"})  # fmt: skip
_READS: Final = frozenset({"readValue", "readTree", "writeValueAsString", "writeValueAsBytes"})
_HARMLESS: Final = ("WRITE_", "INDENT_OUTPUT", "FAIL_ON_EMPTY_BEANS", "FAIL_ON_NULL_FOR_PRIMITIVES", "true", "false")
_LENIENT: Final = "FAIL_ON_UNKNOWN_PROPERTIES"
_ON_CLASSES: Final = frozenset({"JsonIgnoreProperties", "JsonInclude", "JsonPropertyOrder"})
_ON_FIELDS: Final = frozenset({"JsonProperty", "JsonAlias", "JsonInclude", "SerializedName"})
_ACCESSORS: Final = frozenset({"Data", "Setter"})


def call(run: Run, receiver: ExternalObject, call: Call) -> Value | None:
    """``readValue``, ``readTree``, ``fromJson``, ``load``, ``loadAs``; None for everything else."""
    simple = receiver.type.simple
    try:
        if simple in _MAPPERS and call.name in ("readValue", "readTree") and call.arguments:
            return _jackson(run, receiver, call)
        plain = not receiver.arguments and not receiver.calls and not receiver.side_calls
        if simple == "Gson" and call.name == "fromJson" and len(call.arguments) == 2 and plain:
            return _bound(run, json_tree(_text(run, call.arguments[0])), call.arguments[1], GSON, call)
        if simple == "Yaml" and call.name in ("load", "loadAs") and call.arguments:
            kind = call.arguments[1] if call.name == "loadAs" and len(call.arguments) == 2 else _root(receiver)
            if kind is not None and not receiver.side_calls and not receiver.calls:
                return _bound(run, yaml_tree(_text(run, call.arguments[0])), kind, SNAKEYAML, call)
    except UnreadError:
        pass
    return None


def _root(receiver: ExternalObject) -> Value | None:
    """The class that ``new Yaml(new Constructor(C.class, ...))`` loads."""
    made = receiver.arguments[0] if receiver.arguments else None
    if not isinstance(made, ExternalObject) or made.type.simple != "Constructor" or made.side_calls:
        return None
    return made.arguments[0] if made.arguments and isinstance(made.arguments[0], ClassLiteral) else None


def _text(run: Run, source: Value) -> str:
    if isinstance(source, Constant) and source.java == "String":
        return source.text
    path = resources.path_of(run, source)
    if path is None:
        raise UnreadError
    return run.index.read(path).decode("utf-8", "replace")


def _jackson(run: Run, receiver: ExternalObject, call: Call) -> Value | None:
    asked = [c for c in (*receiver.calls, *receiver.side_calls) if c[0] not in _READS]
    features = [
        described_as(a).lower() for name, given in asked if name in ("configure", "enable", "disable") for a in given
    ]
    if any(name not in _SETTINGS for name, _ in asked) or any(
        _LENIENT.lower() not in f and not any(h.lower() in f for h in _HARMLESS) for f in features
    ):
        return None
    factory = receiver.arguments[0] if receiver.arguments else None
    if factory is not None and not (isinstance(factory, ExternalObject) and factory.type.simple == "YAMLFactory"):
        return None
    text = _text(run, call.arguments[0])
    tree = yaml_tree(text) if factory is not None or receiver.type.simple == "YAMLMapper" else json_tree(text)
    if call.name == "readTree":
        return NodeValue(tree) if len(call.arguments) == 1 else None
    lenient = any(_LENIENT in described_as(given[0]) for _, given in asked if given)
    return _bound(run, tree, call.arguments[1], LENIENT_JACKSON if lenient else JACKSON, call)


def _bound(run: Run, tree: Tree, kind: Value, style: Style, call: Call) -> Value | None:
    if isinstance(kind, ClassLiteral):
        return _Binding(run, style, call).value(tree, kind.ref, call.frame.decl)
    written = kind.decl.superclass if isinstance(kind, Instance) else None  # new TypeReference<T>() {}
    if isinstance(kind, Instance) and written is not None and written.simple == "TypeReference" and written.arguments:
        return _Binding(run, style, call).value(tree, written.arguments[0], kind.decl)
    return None


@dataclass(frozen=True, slots=True)
class _Property:
    """Where a property of a document goes: a setter, a field, or both where the setter is generated."""

    names: tuple[str, ...]
    type: TypeRef
    owner: ClassDecl
    field: str | None
    setter: MethodDecl | None


@dataclass(frozen=True, slots=True)
class _Binding:
    run: Run
    style: Style
    call: Call

    def value(self, tree: Tree, ref: TypeRef, scope: ClassDecl) -> Value:
        """A part of a document as a type. Raises UnreadError."""
        if isinstance(tree, Scalar) and tree.null and ref.name not in BOXES:
            return NULL
        if ref.dimensions:
            raise UnreadError
        resolved = self.run.index.resolve_type(ref, scope)
        if isinstance(resolved, ClassDecl):
            return self._of_class(tree, resolved)
        simple = ref.simple
        if isinstance(tree, list) and simple in ("List", "Collection", "Iterable", "ArrayList"):
            element = ref.arguments[0] if ref.arguments else TypeRef("Object")
            return ListValue(tuple(self.value(item, element, scope) for item in tree))
        if isinstance(tree, dict) and simple in ("Map", "LinkedHashMap", "HashMap"):
            key, element = ref.arguments if len(ref.arguments) == 2 else (TypeRef("String"), TypeRef("Object"))
            if key.simple not in ("String", "Object"):
                raise UnreadError
            order = "hash" if simple == "HashMap" else "insertion"
            return MapValue(tuple((string(k), self.value(v, element, scope)) for k, v in tree.items()), order)
        if simple == "Object" and (self.style.numbers_as_objects or not isinstance(tree, Scalar)):
            return as_object(tree)
        if not isinstance(tree, Scalar):
            raise UnreadError
        return _scalar(tree, simple)

    def _of_class(self, tree: Tree, decl: ClassDecl) -> Value:
        if decl.kind is ClassKind.ENUM:
            constant = enums.constant(self.run, decl, tree.text) if isinstance(tree, Scalar) else None
            own = [*decl.members, *(enum_constant.node for enum_constant in decl.enum_constants)]
            if constant is None or any(_annotated(node) for node in own):
                raise UnreadError
            return constant
        marks = {name for name, _ in annotations_of(decl.node)}
        if not isinstance(tree, dict) or decl.abstract or not decl.static or decl.type_parameters:
            raise UnreadError
        if any(mark.startswith("Json") for mark in marks - _ON_CLASSES):
            raise UnreadError
        if decl.kind is ClassKind.RECORD:
            return self._record(tree, decl)
        if (decl.constructors and all(m.parameters for m in decl.constructors)) or (
            not decl.constructors and marks & {"Value", "Builder", "AllArgsConstructor", "RequiredArgsConstructor"}
            and "NoArgsConstructor" not in marks
        ):  # fmt: skip
            raise UnreadError
        made = objects.instantiate(self.run, decl, self.call.having(name="new", arguments=[]))
        if not isinstance(made, Instance):
            raise UnreadError
        properties = {name: property_ for property_ in self._properties(decl) for name in property_.names}
        ignores = self.style.ignores_unknown or self._ignores(decl)
        for name, inner in tree.items():
            target = properties.get(name)
            if target is None and not ignores:
                raise UnreadError  # the library throws, or finds another property than we do
            if target is not None:
                value = self._inner(inner, target.type, target.owner, name)
                set_member(self.run, made, target.owner, target.field, target.setter, value, self.call)
        return made

    def _inner(self, tree: Tree, ref: TypeRef, scope: ClassDecl, name: str) -> Value:
        """The value of one property; an unknown of its own where its type is not one that is read."""
        try:
            return self.value(tree, ref, scope)
        except UnreadError:
            reason = f"what '{name}' of a document is as {ref} is not known"
            why = Unknown(reason, Cause.EXTERNAL, None, self.run.location(self.call.site))
            symbol = f"document:{name}:{ref}:{tree.text}" if isinstance(tree, Scalar) else self.run.fresh(name)
            return Opaque(why, short(symbol))

    def _record(self, tree: dict[str, Tree], decl: ClassDecl) -> Value:
        if not self.style.records or decl.constructors:
            raise UnreadError
        components = field(decl.node, "parameters")
        if any(_annotated(node) for node in (children(components) if components is not None else ())):
            raise UnreadError
        by_name = {component.name: component.type for component in decl.record_components}
        if tree.keys() - by_name.keys() and not (self.style.ignores_unknown or self._ignores(decl)):
            raise UnreadError
        given = [
            self._inner(tree[name], ref, decl, name) if name in tree else _absent(ref) for name, ref in by_name.items()
        ]
        return objects.instantiate(self.run, decl, self.call.having(name="new", arguments=given))

    def _ignores(self, decl: ClassDecl) -> bool:
        return any(
            name == "JsonIgnoreProperties" and getattr(elements(a).get("ignoreUnknown"), "text", "") == "true"
            for name, a in annotations_of(decl.node)
        )

    def _properties(self, decl: ClassDecl) -> Iterator[_Property]:
        """The properties of a class that a document can set. Raises UnreadError for annotations that say more."""
        above = self.run.index.lineage(decl)[1:]
        for owner in (*reversed(above), decl):
            marks = {name for name, _ in annotations_of(owner.node)}
            for declared in owner.fields.values():
                if not declared.static:
                    yield from self._of_field(owner, declared, marks)
            for method in owner.methods:
                if any(name.startswith("Json") for name, _ in annotations_of(method.node)):
                    raise UnreadError
                bare = method.name[3:4].lower() + method.name[4:]
                setter = method.name.startswith("set") and len(method.parameters) == 1 and not method.static
                if setter and bare and bare not in owner.fields and not self.style.fields:
                    yield _Property((bare,), method.parameters[0].type, owner, None, method)

    def _of_field(self, owner: ClassDecl, declared: FieldDecl, marks: set[str]) -> Iterator[_Property]:
        own = dict(annotations_of(declared.node))
        if any(name.startswith("Json") or name == "Expose" for name in own.keys() - _ON_FIELDS):
            raise UnreadError
        spelled = [*self._strings(own.get(self.style.rename or ""), owner)] or [declared.name]
        spelled += self._strings(own.get("JsonAlias"), owner) if self.style.rename == "JsonProperty" else []
        capital = declared.name[:1].upper() + declared.name[1:]
        prefixed = declared.name.startswith("is") and declared.type.simple.lower() == "boolean"
        if not self.style.fields and (declared.name[1:2].isupper() or prefixed):
            raise UnreadError  # accessors may be called otherwise
        setter = self._method(owner, f"set{capital}", 1)
        written = setter is not None or bool((marks | own.keys()) & _ACCESSORS)
        public = any(part.type == "public" for child in declared.node.children for part in child.children)
        read = self.style.getters and (
            "JsonProperty" in own
            or bool((marks | own.keys()) & {"Getter", "Value"})
            or any(self._method(owner, f"{prefix}{capital}", 0) for prefix in ("get", "is"))
        )
        if self.style.fields or written or public or read:
            kept = None if self.style.fields else setter
            yield _Property(tuple(spelled), declared.type, owner, declared.name, kept)

    def _method(self, owner: ClassDecl, name: str, count: int) -> MethodDecl | None:
        found = [m for m in in_hierarchy(self.run.index, owner, name) if len(m.parameters) == count and not m.static]
        return found[0] if len(found) == 1 else None

    def _strings(self, annotation: Node | None, owner: ClassDecl) -> Iterable[str]:
        return annotation_texts(self.run, elements(annotation).get("value") if annotation is not None else None, owner)


def _annotated(node: Node) -> bool:
    return next(annotations_of(node), None) is not None


def _absent(ref: TypeRef) -> Value:
    if ref.name in BOXES and not ref.dimensions:
        return Constant(False, "boolean") if ref.name == "boolean" else numbers.convert(Constant(0, "int"), ref.name)
    return NULL


def _scalar(scalar: Scalar, simple: str) -> Value:
    """A leaf as a primitive, a box or a String, where no library converts. Raises UnreadError."""
    value, java = scalar.value, numbers.primitive(simple)
    if simple == "String" and not scalar.null:
        return string(scalar.text)
    if value is None:
        raise UnreadError
    if value.java == java == "boolean":
        return value
    if value.java in ("int", "long") and java in ("int", "long", "short", "byte", "double", "float"):
        found = numbers.convert(value, java)
        if found.value == value.value:
            return found
    if value.java == "double" and java in ("double", "float"):
        return numbers.convert(value, java)
    raise UnreadError
