"""Classes of values and static types of expressions: ``instanceof``, what a variable makes of a value, fits."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from checker.extract.datastream import table
from checker.extract.java.flink_api.function_facts import SUPERTYPES
from checker.extract.java.machine import numbers
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.flink_values import EnvValue, Parameters, StreamValue
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    Builder,
    Choice,
    ClassLiteral,
    Constant,
    EntryValue,
    ExternalObject,
    Frame,
    Instance,
    Lambda,
    ListValue,
    MapValue,
    MethodRef,
    Opaque,
    OptionalValue,
    Settings,
    Value,
    is_null,
)
from checker.extract.java.state.expression_types import Typer
from checker.extract.java.state.java_types import JavaType, resolved
from checker.extract.java.syntax.class_index import External, Resolved
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, MethodDecl
from checker.extract.java.syntax.tree import Node, children, field, text, walk
from checker.extract.java.syntax.type_refs import BOXES, NUMERIC, UNBOXED, TypeRef

_LISTS = {
    "List": "ArrayList", "LinkedList": "LinkedList",
    "Set": "LinkedHashSet", "HashSet": "HashSet",
    "RandomSet": "ImmutableSet", "Stream": "Stream",
    "Values": "Values",
}  # fmt: skip
"""The class of a collection by its kind; of arrays there is none."""


def class_of(run: Run, value: Value) -> ClassDecl | External | None:
    """The class of a value, as far as it is known."""
    if isinstance(value, Instance):
        return value.decl
    if isinstance(value, ExternalObject):
        return value.type
    if isinstance(value, Opaque):
        return value.type
    if isinstance(value, Constant):
        return External((f"java.lang.{BOXES.get(value.java, value.java)}",)) if value.value is not None else None
    if isinstance(value, EnvValue):
        return External(("org.apache.flink.streaming.api.environment.StreamExecutionEnvironment",))
    if isinstance(value, StreamValue):
        return External((f"org.apache.flink.streaming.api.datastream.{value.type}",))
    if isinstance(value, ListValue):
        return External((f"java.util.{_LISTS[value.kind]}",)) if value.kind in _LISTS else None
    for kind, name in _LIBRARY_CLASSES:
        if isinstance(value, kind):
            return External((name,))
    return None


_LIBRARY_CLASSES: tuple[tuple[type, str], ...] = (
    (MapValue, "java.util.LinkedHashMap"),
    (OptionalValue, "java.util.Optional"),
    (EntryValue, "java.util.Map.Entry"),
    (Builder, "java.lang.StringBuilder"),
    (Parameters, "org.apache.flink.api.java.utils.ParameterTool"),
    (Settings, "org.apache.flink.configuration.Configuration"),
    (ClassLiteral, "java.lang.Class"),
)

_SUPERTYPES = {simple: above.split() for simple, above in table.table("supertypes_of_values").items()}
_SEALED = table.words("sealed_classes")
_ANY = frozenset({"Object", "Serializable", "Comparable"})


_COLLECTIONS = (ListValue, MapValue)
_JDK_COLLECTIONS = frozenset({"Properties", "ConcurrentHashMap", "EnumMap", "Queue", "Deque", "Vector", "Iterable"})


def instance_of(run: Run, value: Value, ref: TypeRef, scope: ClassDecl) -> bool | None:
    """``value instanceof ref``, None where that is not known; the type's name is understood inside of a class."""
    if isinstance(value, Lambda | MethodRef):
        return None
    found = class_of(run, value)
    if found is None:
        return None
    wanted = run.index.resolve_type(ref, scope)
    if wanted is None:
        return None
    if ref.simple in _ANY:
        return True
    if isinstance(found, ClassDecl):
        known = _declared_instance(run, found, wanted)
        return None if known is False and isinstance(value, Opaque) and _may_extend(run, found, wanted) else known
    if isinstance(wanted, ClassDecl):
        if isinstance(value, Opaque | ExternalObject):
            return None
        return False if wanted.kind is not ClassKind.INTERFACE or found.simple in _SEALED else None
    simple = wanted.simple
    if isinstance(value, EnvValue) and simple != found.simple:
        return value.local if simple == "LocalStreamEnvironment" else None
    if found.simple == simple or simple in _SUPERTYPES.get(found.simple, ()):
        return True
    if isinstance(value, Opaque):
        return None
    if isinstance(value, _COLLECTIONS):
        return None if wanted.name.startswith("java.") or simple in _JDK_COLLECTIONS else False
    return False if found.simple in _SEALED else None


def _declared_instance(run: Run, found: ClassDecl, wanted: ClassDecl | External) -> bool | None:
    if found is wanted:
        return True
    library = False
    for ancestor in run.index.ancestors(found):
        if ancestor is wanted:
            return True
        if isinstance(ancestor, External):
            if isinstance(wanted, External):
                if ancestor.simple == wanted.simple:
                    return True
                if wanted.simple in SUPERTYPES.get(ancestor.simple, frozenset()):
                    return True
            library = library or ancestor.simple not in _ANY
    if isinstance(wanted, External) and library:
        return None
    return False


def _may_extend(run: Run, declared: ClassDecl, wanted: ClassDecl | External) -> bool:
    """Whether an object that is known by the class it is declared with may be of a subclass that is a wanted one."""
    if "final" in declared.modifiers or declared.kind in (ClassKind.ENUM, ClassKind.RECORD, ClassKind.ANONYMOUS):
        return False
    interfaces = ClassKind.INTERFACE in (declared.kind, wanted.kind if isinstance(wanted, ClassDecl) else None)
    return interfaces or isinstance(wanted, External) or declared in run.index.ancestors(wanted)


def coerce(run: Run, value: Value, ref: TypeRef, scope: ClassDecl) -> Value:
    """The value as a variable of a type holds it that is declared inside of a class."""
    if isinstance(value, Constant):
        return _coerce_constant(value, ref)
    if isinstance(value, Choice):
        unknown = (Opaque, ExternalObject, Choice)
        options = tuple((o, coerce(run, v, ref, scope) if isinstance(v, unknown) else v) for o, v in value.options)
        return replace(value, options=options)
    if isinstance(value, ListValue) and ref.dimensions:
        _typed_array(value, ref)
    if isinstance(value, Opaque) and value.type is None and ref.name not in ("var", "void", "Object"):
        resolved = run.index.resolve_type(ref, scope) if not ref.dimensions else None
        if value.origin is not None and isinstance(resolved, External) and table.is_stream_type(resolved.simple):
            env = run.env_of(value.origin)
            return StreamValue(resolved.simple, env, value.origin) if env is not None else value
        return replace(value, type=resolved)
    if isinstance(value, ExternalObject) and not ref.dimensions and ref.name not in ("var", "void", "Object"):
        resolved = run.index.resolve_type(ref, scope)
        made_by_library = isinstance(resolved, External) and table.builds(resolved.simple)
        if isinstance(resolved, ClassDecl) or made_by_library:  # an object that a library hands out
            return Opaque(value.unknown, value.symbol or run.fresh(ref.name), resolved)
    if isinstance(value, Lambda | MethodRef) and value.interface is None:
        value.interface = run.index.resolve_type(ref, scope)
    return value


def _coerce_constant(value: Constant, ref: TypeRef) -> Value:
    if value.value is None and ref.name in BOXES and not ref.dimensions:
        throw("NullPointerException")
    if ref.dimensions or value.value is None or ref.name == "var":
        return value
    if ref.name in BOXES:
        return numbers.convert(value, ref.name)
    if ref.simple in UNBOXED:
        return numbers.boxed(numbers.convert(value, UNBOXED[ref.simple]))
    return numbers.boxed(value)


def _typed_array(array: ListValue, ref: TypeRef) -> None:
    """Give a new array the element type that it is declared with."""
    element = ref.name if ref.dimensions == 1 else f"{ref.name}[]"
    if array.element or array.kind != "array":
        return
    array.element = element
    if ref.dimensions == 1 and array.elements is not None:
        single = TypeRef(ref.name)
        array.elements = tuple(_coerce_constant(e, single) if isinstance(e, Constant) else e for e in array.elements)


def cast_fails(value: Value, ref: TypeRef) -> bool:
    """Whether a cast of a known value certainly throws ClassCastException."""
    if is_null(value) or ref.dimensions or ref.name in BOXES:
        return False
    wanted = ref.simple
    if isinstance(value, Constant) and wanted in (*UNBOXED, "String"):
        return BOXES.get(value.java, value.java) != wanted and value.java not in BOXES
    if wanted == "String" and isinstance(value, Opaque) and isinstance(value.type, External):
        return value.type.simple in UNBOXED
    if wanted in (*UNBOXED, "String"):
        return isinstance(value, ListValue | MapValue | OptionalValue | EntryValue | Instance)
    return False


WIDENING: Final = {
    **{name: NUMERIC[place:] for place, name in enumerate(NUMERIC)},
    "byte": ("byte", "short", *NUMERIC[3:]), "short": ("short", *NUMERIC[3:]), "boolean": ("boolean",),
}  # fmt: skip
"""Primitive type → those that it widens to."""
_ABOVE: Final = {
    **dict.fromkeys(("Integer", "Long", "Short", "Byte", "Double", "Float"), ("Number", "Comparable", "Serializable")),
    "String": ("CharSequence", "Comparable", "Serializable"),
    "Character": ("Comparable", "Serializable"),
    "Boolean": ("Comparable", "Serializable"),
}


def _written(frame: Frame, name: str) -> TypeRef | None:
    """The type that the declaration of a local variable writes."""
    holder = frame.scope.holder(name)
    ref = holder.types.get(name) if holder is not None else None
    return ref if ref is not None and ref.name != "var" else None


def _typer(run: Run, node: Node, frame: Frame) -> Typer:
    """Types inside of a frame, which knows the declarations of all variables that an expression names."""
    names = {text(inner) for inner in walk(node) if inner.type == "identifier"}
    written = {name: ref for name in names if (ref := _written(frame, name)) is not None}
    return Typer(run.index, frame.decl, {name: resolved(run.index, ref, frame.decl) for name, ref in written.items()})


def type_of(run: Run, node: Node, frame: Frame) -> JavaType | None:
    """The declared type of an expression; None where it is not declared, or its value says the same."""
    while node.type == "parenthesized_expression" and children(node):
        node = children(node)[0]
    if node.type == "identifier":
        declared = frame.scope.holder(text(node)) is None or _written(frame, text(node)) is not None
    elif node.type == "method_invocation" and field(node, "object") is None:
        methods = frame.decl.methods_named(text(field(node, "name")))
        declared = len({str(method.return_type) for method in methods}) == 1
    else:
        declared = node.type in ("cast_expression", "object_creation_expression", "this")
    return _typer(run, node, frame).erased(node) if declared else None


def declared_class(run: Run, node: Node, frame: Frame) -> ClassDecl | None:
    """The class of the repository that an expression is declared to be of."""
    found = type_of(run, node, frame)
    return found.decl if found is not None and not found.dimensions else None


def converts(run: Run, nodes: Sequence[Node | None], frame: Frame, *, null: bool) -> bool:
    """Whether a conditional expression may give another number than the side that it takes, or unbox its null."""
    first, second = (str(_typer(run, node, frame).of(node) or "") if node is not None else "" for node in nodes)
    numbers = UNBOXED.get(first, first), UNBOXED.get(second, second)
    if numbers[0] != numbers[1] and all(name in NUMERIC for name in numbers):
        return True
    if not null or any(node is None or node.type == "null_literal" for node in nodes):
        return False
    either = ((first, second), (second, first))
    return any(name in BOXES and (not counterpart or counterpart in UNBOXED) for name, counterpart in either)


def refuses(run: Run, written: JavaType, wanted: TypeRef, method: MethodDecl) -> bool:
    """Whether a parameter certainly takes nothing of a declared type."""
    if wanted.name in method.type_variables or wanted.name in method.owner.type_variables:
        return False
    given, target = written.simple, wanted.simple
    if target == "Object" and not wanted.dimensions:
        return False
    if written.dimensions or wanted.dimensions:
        return (given, written.dimensions) != (target, wanted.dimensions)
    if given == target:
        return False
    if given in WIDENING:
        return target not in (*WIDENING[given], BOXES[given], *_ABOVE.get(BOXES[given], ()))
    if target in WIDENING:
        return target not in WIDENING.get(UNBOXED.get(given, ""), ())
    if given in _ABOVE or given == "Object":
        return target not in _ABOVE.get(given, ())
    if target == "String" or target in UNBOXED:
        return True  # final classes: no other type is one of them
    return _not_below(run, written.target, run.index.resolve_type(wanted, method.owner))


_WITHOUT_SUPERTYPES = frozenset(
    {"Comparable", "Serializable", "Cloneable", "Runnable", "Comparator", "Record", "Object"}
)
"""Types of the JDK that are no other type of a library."""


def _not_below(run: Run, given: Resolved, target: Resolved) -> bool:
    """Whether a class is certainly not below another one."""
    if not isinstance(given, ClassDecl):
        return isinstance(given, External) and isinstance(target, ClassDecl)
    above = (given, *run.index.ancestors(given))
    if any(ancestor is target for ancestor in above):
        return False
    library = [a.simple for a in above if isinstance(a, External)]
    known = isinstance(target, External) and any(
        target.simple == name or target.simple in SUPERTYPES.get(name, frozenset()) for name in library
    )
    return not known and not (isinstance(target, External) and set(library) - _WITHOUT_SUPERTYPES)
