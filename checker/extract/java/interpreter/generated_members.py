"""Members of the repository's classes without source: those of Object, enums, records, Lombok and library bases."""

from checker.extract.java.interpreter import names, objects, texts
from checker.extract.java.library import contents
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.descriptions import choose
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    BASE,
    NULL,
    ClassLiteral,
    Constant,
    Instance,
    ListValue,
    Opaque,
    TypeName,
    Value,
    boolean,
    integer,
    string,
    unknown_of,
)
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind
from checker.extract.java.syntax.nodes import declared_field, library_ancestor
from checker.extract.java.syntax.type_refs import TypeRef
from checker.model.unknowns import Cause, Unknown


def extended_stream(run: Run, receiver: Instance, call: Call) -> Value | None:
    """A call on an object that extends a stream or environment."""
    stream = receiver.fields.get(BASE)
    return run.interpreter.invoke(stream, call) if stream is not None and call.node is not None else None


def all_constants(run: Run, decl: ClassDecl) -> ListValue | None:
    """All constants of an enum in order, as the array that ``values()`` copies."""
    run.interpreter.ensure_initialized(decl)
    found = run.statics.get(run.static_key(decl, "$VALUES"))
    return found if isinstance(found, ListValue) else None


def _enum_value(run: Run, decl: ClassDecl, wanted: Value) -> Value:
    """``valueOf(text)``."""
    values = all_constants(run, decl)
    if isinstance(wanted, Constant) and isinstance(wanted.value, str):
        found = run.statics.get(run.static_key(decl, wanted.value)) if wanted.value in decl.constant_names else None
        return found or throw("IllegalArgumentException")
    run.may_throw("IllegalArgumentException", wanted)
    unknown = unknown_of(wanted) or Unknown("cannot tell which constant of an enum it is", Cause.OTHER)
    symbol = wanted.symbol if isinstance(wanted, Opaque) else run.fresh("enum")
    if values is not None and values.elements and len(values.elements) <= 8:
        return choose(f"{decl.name}.valueOf({symbol})", tuple(enumerate(values.elements)), unknown)
    return Opaque(unknown, f"{decl.name}.valueOf({symbol})", decl)


def enum_member(run: Run, receiver: Instance, call: Call) -> Value | None:
    """What every enum constant has."""
    name, given = call.name, call.arguments
    if receiver.name is None:
        return None
    if name in ("name", "toString") and not given:
        return string(receiver.name)
    if name == "ordinal":
        return integer(receiver.ordinal)
    if name == "compareTo" and given and isinstance(given[0], Instance):
        return integer(receiver.ordinal - given[0].ordinal)
    return None


def object_member(run: Run, receiver: Instance, call: Call) -> Value | None:
    """What every object has, where its class does not write it."""
    if call.name in ("toString", "hashCode") and not call.arguments:
        return texts.identity(run, receiver, call.name, call.site)
    if call.name == "equals" and len(call.arguments) == 1:
        verdict = contents.equal(run, receiver, call.arguments[0], call)
        if verdict is not None:
            return boolean(verdict)
        return run.opaque("cannot tell whether two objects are equal", Cause.BRANCH, call.site)
    if call.name == "getClass" and not call.arguments:
        return ClassLiteral(TypeRef(receiver.decl.name), receiver.decl)
    return None


def accessor(run: Run, receiver: Instance, call: Call) -> Value | None:
    """Accessors of records, and those that Lombok generates: getters, setters, withers, fluent builders."""
    name, given = call.name, call.arguments
    if not given:
        for prefix in ("get", "is", ""):
            if name.startswith(prefix) and len(name) > len(prefix):
                bare = name[len(prefix) :]
                for candidate in (bare[:1].lower() + bare[1:], bare, f"is{bare}"):
                    if candidate in receiver.fields:
                        return receiver.fields[candidate]
        if name in ("build", "toBuilder"):
            return receiver if receiver.decl.annotation_names & _BUILDERS else None
        return None
    if len(given) == 1:
        lombok = receiver.decl.annotation_names & (_BUILDERS | {"Data", "Setter", "Accessors", "With", "Value"})
        bare = name[3:4].lower() + name[4:] if name.startswith("set") else name
        bare = name[4:5].lower() + name[5:] if name.startswith("with") and name not in receiver.fields else bare
        declared = declared_field(run.index, receiver.decl, bare)
        if declared is not None and (lombok or name.startswith("set")):
            names.store_field(run, receiver, bare, given[0])
            return receiver
    return None


_BUILDERS = frozenset({"Builder", "SuperBuilder"})


def library_base(run: Run, receiver: Instance, call: Call) -> Value | None:
    """What a class inherits of a library: settings that matter are kept, all else is the base's own."""
    above = receiver.decl.superclass
    if call.name == "getTypeInfo" and above is not None and above.simple == "TypeHint":
        return receiver  # whoever takes the information reads it of the hint
    if call.name in ("setFilePath", "setFilePaths") and call.arguments and receiver.base is not None:
        run.memory.put(receiver.fields, "filePath", call.arguments[0])
        return NULL
    if (
        call.name == "setChainingStrategy"
        and len(call.arguments) == 1
        and library_ancestor(run.index, receiver.decl) is not None
    ):
        run.memory.put(receiver.fields, "chainingStrategy", call.arguments[0])
        return NULL
    if receiver.base is not None and call.node is not None:
        return run.interpreter.invoke(receiver.base, call)
    return None


def static_member(run: Run, receiver: TypeName, call: Call) -> Value | None:
    """Static members without source: an enum's ``values`` and ``valueOf``, Lombok's ``builder`` and ``of``."""
    decl = receiver.type
    if not isinstance(decl, ClassDecl):
        return None
    if decl.kind is ClassKind.ENUM:
        values = all_constants(run, decl)
        if call.name == "values" and values is not None:
            return ListValue(values.elements, "array")
        if call.name == "valueOf" and call.arguments:
            return _enum_value(run, decl, call.arguments[-1])
    marks = decl.annotation_names
    if call.name == "builder" and marks & _BUILDERS:
        return objects.instantiate_bare(run, decl, call.frame)
    if call.name == "of" and any(mark.endswith("Constructor") or mark == "Value" for mark in marks):
        return objects.instantiate(run, decl, call)
    base = library_ancestor(run.index, decl)
    if base is None or base.simple.endswith("Function"):  # of which nothing static is inherited: it is generated
        return None
    return run.interpreter.invoke(TypeName(base), call)
