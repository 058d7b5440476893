"""What names mean in a syntax tree: the declaration of a field, and what sets it.

Members of a class as inheritance gives them: methods, fields, the nearest superclass that the repository lacks.

The type that a ``TypeInfoFactory`` of the program gives, where one expression of ``Types`` says it.
"""

from collections.abc import Iterable, Iterator

from checker.errors import ExtractionError, PipelineMissingError
from checker.extract.datastream.table import BASIC_TYPES, table
from checker.extract.java.syntax.class_index import ClassIndex, External, Resolved
from checker.extract.java.syntax.declarations import ClassDecl, FieldDecl, MethodDecl
from checker.extract.java.syntax.local_variables import find_local
from checker.extract.java.syntax.tree import Node, children, field, text, walk
from checker.extract.java.syntax.type_refs import TypeRef, type_ref
from checker.extract.java_logs import logs, shows
from checker.model.pipelines import PipelineEntry


def arguments_of(node: Node) -> list[Node]:
    """The arguments of a call, of ``new`` or of an annotation."""
    arguments = field(node, "arguments")
    return list(children(arguments)) if arguments is not None else []


def assignments(node: Node | None, *targets: str) -> Iterator[Node]:
    """The assignments in some code to variables or fields that are written so."""
    for inner in walk(node) if node is not None else ():
        if inner.type == "assignment_expression" and text(field(inner, "left")) in targets:
            yield inner


def assigned_values(node: Node | None, *targets: str) -> list[Node]:
    """What code sets variables or fields to that are written so."""
    return [value for found in assignments(node, *targets) if (value := field(found, "right")) is not None]


def calls_on(node: Node | None, *targets: str) -> list[Node]:
    """The calls on variables or fields, written so, of which nothing is used and which do not log."""
    statements = walk(node) if node is not None else ()
    of_these = (n for n in statements if (c := _first_call(n)) is not None and text(field(c, "object")) in targets)
    return [children(statement)[0] for statement in of_these if not is_log(statement)]


def is_log(node: Node) -> bool:
    """Whether it is a statement that logs and changes nothing, under a condition or not.

    It sets nothing, and calls only what shows something.
    """
    if node.type == "if_statement":
        guarded, condition = field(node, "consequence"), field(node, "condition")
        inside = children(guarded) if guarded is not None and guarded.type == "block" else [guarded]
        only_logs = bool(inside) and all(n is not None and is_log(n) for n in inside)
        return only_logs and field(node, "alternative") is None and condition is not None and _shows([condition])
    called = _first_call(node)
    if called is None or not logs(f"{text(field(called, 'object'))}.{text(field(called, 'name'))}"):
        return False
    return _shows([given for given in walk(node) if given.type == "argument_list"])


def _shows(parts: list[Node]) -> bool:
    inside = [n for part in parts for n in walk(part)]
    sets = any(n.type in ("assignment_expression", "update_expression") for n in inside)
    calls = (text(field(n, "name")) for n in inside if n.type == "method_invocation")
    return not sets and all(shows(call) for call in calls)


def _first_call(statement: Node) -> Node | None:
    """The call that a chain of calls begins with, which is a statement of its own; None for all other code."""
    call = children(statement)[0] if statement.type == "expression_statement" and children(statement) else None
    if call is None or call.type != "method_invocation":
        return None
    while (inner := field(call, "object")) is not None and inner.type == "method_invocation":
        call = inner
    return call


def names_read(node: Node) -> frozenset[str]:
    """The variables and members that some code names without setting or declaring them."""
    return frozenset(text(n) for n in walk(node) if n.type == "identifier" and not _is_set(n))


def _is_set(name: Node) -> bool:
    around = name.parent
    if around is not None and around.type == "field_access" and text(field(around, "object")) == "this":
        name, around = around, around.parent
    if around is None or around.type not in ("assignment_expression", "variable_declarator"):
        return False
    return name in (field(around, "left"), field(around, "name"))


def stands_for_value(node: Node) -> bool:
    """Whether an identifier stands for a value: not the name of a call, of a member or of a declaration."""
    parent = node.parent
    if parent is None:
        return True
    if parent.type == "method_invocation":
        return field(parent, "name") != node
    if parent.type == "field_access":
        return field(parent, "field") != node
    if parent.type in ("variable_declarator", "formal_parameter", "method_declaration", "labeled_statement"):
        return field(parent, "name") != node
    return parent.type != "method_reference" or children(parent)[:1] == (node,)


def find_field(index: ClassIndex, scope: ClassDecl, name: str) -> FieldDecl | None:
    """A field by simple name: of the class, its ancestors, and the classes around it."""
    for owner in (owner for around in scope.outward() for owner in index.lineage(around)):
        if name in owner.fields:
            return owner.fields[name]
    for owner_name in index.unit_of(scope).static_imports.get(name, ()):
        imported = index.find(owner_name, scope.unit.path)
        if imported is not None and name in imported.fields:
            return imported.fields[name]
    return None


def declared_type(index: ClassIndex, scope: ClassDecl, name: Node) -> tuple[TypeRef | None, ClassDecl]:
    """The written type of the variable or field that a name stands for, and the class that spells it."""
    spelled = text(name).removeprefix("this.")
    local = find_local(name, spelled)
    declared = find_field(index, scope, spelled) if local is None else None
    return (local[1] if local else None, scope) if declared is None else (declared.type, declared.owner)


def in_hierarchy(index: ClassIndex, decl: ClassDecl, name: str) -> Iterator[MethodDecl]:
    """Methods of that name in a class and its ancestors of the repository, nearest first, overridden ones left out."""
    seen: set[tuple[str, ...]] = set()
    for owner in index.lineage(decl):
        for method in owner.methods_named(name):
            variables = (*owner.type_variables, *method.type_variables)
            signature = tuple(
                "?" if p.type.name in variables else f"{p.type.simple}{p.type.dimensions}" for p in method.parameters
            )
            if signature not in seen:
                seen.add(signature)
                yield method


def functional_method(index: ClassIndex, decl: ClassDecl) -> MethodDecl | None:
    """The one abstract method of a functional interface of the repository."""
    methods = (method for owner in index.lineage(decl) for method in owner.methods)
    return next((method for method in methods if method.abstract and not method.static), None)


def declared_field(index: ClassIndex, decl: ClassDecl, name: str) -> FieldDecl | None:
    """The declaration of a field in the class or its ancestors."""
    return next((owner.fields[name] for owner in index.lineage(decl) if name in owner.fields), None)


def field_owner(index: ClassIndex, decl: ClassDecl, name: str) -> tuple[ClassDecl, FieldDecl | None] | None:
    """The class that declares a static field or enum constant of that name: the class itself or an ancestor."""
    for owner in index.lineage(decl):
        declared = owner.fields.get(name)
        if declared is not None:
            return (owner, declared) if declared.static else None
        if name in owner.constant_names:
            return owner, None
    return None


def superclasses(index: ClassIndex, decl: ClassDecl) -> Iterator[ClassDecl]:
    """The class and its superclasses in the repository, nearest first."""
    found: list[Resolved] = [decl]
    while isinstance(owner := found[-1], ClassDecl) and owner not in found[:-1]:
        yield owner
        found.append(index.superclass(owner) if owner.superclass is not None else None)


def library_ancestor(index: ClassIndex, decl: ClassDecl) -> External | None:
    """The nearest superclass outside of the repository, Object left out."""
    current: Resolved = decl
    while isinstance(current, ClassDecl):
        current = index.superclass(current)
    return current


_COMPOSITE = table("composite_types")
_OF_CLASS = frozenset({"of", "POJO", "ENUM"})
_TWICE = frozenset({"Date", "Time", "Timestamp"})
"""Simple names of two types each, whose serializers differ."""
_INNER = frozenset({"cast_expression", "parenthesized_expression"})


def factory_type(index: ClassIndex, factory: ClassDecl) -> str | None:
    """The type as Flink takes it, ``GenericType<…>`` for what Kryo writes; None where that is not said so plainly."""
    return _made(index, factory, "createTypeInfo", 0)


def _made(index: ClassIndex, factory: ClassDecl, name: str, depth: int) -> str | None:
    """What a method of a factory or of its superclasses returns after declaring variables."""
    owner, methods = next(((o, m) for o in superclasses(index, factory) if (m := o.methods_named(name))), (factory, []))
    statements = children(methods[0].body) if len(methods) == 1 and methods[0].body is not None else ()
    if not statements or statements[-1].type != "return_statement":
        return None
    variables: dict[str, Node] = {}
    for statement in statements[:-1]:
        if statement.type == "expression_statement" and children(statement)[0].type == "method_invocation":
            continue
        declared = [part for part in children(statement) if part.type == "variable_declarator"]
        value = field(declared[0], "value") if len(declared) == 1 else None
        if statement.type != "local_variable_declaration" or value is None:
            return None
        variables[text(field(declared[0], "name"))] = value
    given = children(statements[-1])
    return _Reader(index, factory, owner, variables).text_of(given[0], depth) if given else None


class _Reader:
    def __init__(self, index: ClassIndex, factory: ClassDecl, owner: ClassDecl, variables: dict[str, Node]) -> None:
        self.index, self.factory, self.owner, self.variables = index, factory, owner, variables

    def text_of(self, node: Node, depth: int = 0) -> str | None:
        if depth > len(self.variables) + 12:
            return None
        if node.type in _INNER:
            return self.text_of(children(node)[-1], depth + 1)
        if node.type == "identifier" and text(node) in self.variables:
            return self.text_of(self.variables[text(node)], depth + 1)
        if node.type == "class_literal":
            return self._class(node)
        if node.type == "field_access" and self._is_flinks(field(node, "object"), "Types"):
            found = BASIC_TYPES.get(text(field(node, "field")))
            return None if found in _TWICE else found
        arguments = field(node, "arguments")
        given = children(arguments) if arguments is not None else ()
        if node.type == "object_creation_expression":
            named = type_ref(field(node, "type") or node).simple
            return self._composed(named, given, depth) if self._is_flinks(field(node, "type"), named) else None
        if node.type == "method_invocation" and text(field(node, "object")) in ("", "this") and not given:
            return _made(self.index, self.factory, text(field(node, "name")), depth + 1)
        if node.type != "method_invocation" or not self._is_flinks(field(node, "object"), "Types", "TypeInformation"):
            return None
        name = text(field(node, "name"))
        if name in _OF_CLASS or name == "GENERIC":
            found = self._class(given[0]) if len(given) == 1 and given[0].type == "class_literal" else None
            generic = name == "GENERIC" and found is not None and not found.startswith("GenericType<")
            return f"GenericType<{found}>" if generic else found
        return self._composed(name, given, depth)

    def _is_flinks(self, node: Node | None, *names: str) -> bool:
        written = type_ref(node).name if node is not None else ""
        named = self.index.resolve(written, self.owner)
        candidates = named.candidates if isinstance(named, External) and named.simple in names else ()
        return any(candidate.startswith("org.apache.flink.") for candidate in candidates)

    def _composed(self, name: str, given: Iterable[Node], depth: int) -> str | None:
        parts = [self.text_of(part, depth + 1) for part in given]
        known = [part for part in parts if part is not None]
        if name not in _COMPOSITE or not parts or len(known) < len(parts):
            return None
        count = len(parts) if _COMPOSITE[name] == "Tuple" else ""
        return f"{_COMPOSITE[name]}{count}<{', '.join(known)}>"

    def _class(self, literal: Node) -> str | None:
        ref = type_ref(children(literal)[0])
        named = self.index.resolve_type(ref, self.owner)
        if ref.dimensions or named is None:
            return None
        if isinstance(named, ClassDecl):
            return named.name
        if ref.simple not in BASIC_TYPES.values():
            return f"GenericType<{ref.simple}>"
        return ref.simple if named.name.startswith("java.") and ref.simple not in _TWICE else None


def main_class(index: ClassIndex, entry: PipelineEntry) -> ClassDecl:
    """The class that an entry names. Raises PipelineMissingError, and ExtractionError where it can't be read."""
    decl: ClassDecl | None = None
    if entry.main is not None:
        decl = index.find(entry.main, entry.file or "")
        if decl is not None and entry.file is not None and decl.unit.path != entry.file:
            decl = _in_file(index, entry.file, entry.main) or decl
    if decl is None and entry.file is not None:
        decl = _in_file(index, entry.file, entry.main)
    if decl is None:
        wanted = entry.main or entry.file or entry.name
        raise PipelineMissingError(
            f"{entry.name}: no class '{wanted}' among the {len(index.ask('java'))} Java files of this revision; "
            "check 'main' in the configuration"
        )
    if decl.unit.refused is not None:
        raise ExtractionError(f"{entry.name}: {decl.unit.refused}")
    return decl


def _in_file(index: ClassIndex, path: str, main: str | None) -> ClassDecl | None:
    try:
        unit = index.unit(path)
    except KeyError:
        return None
    if unit.source.refused is not None:
        raise ExtractionError(unit.source.refused)
    for decl in unit.types.values():
        if main is None or main in (decl.qualified_name, decl.name):
            return decl
    return next(iter(unit.types.values()), None) if main is None else None


def main_method(index: ClassIndex, decl: ClassDecl) -> MethodDecl | None:
    """The main method of a class: ``static void main(String[])``, inherited, or the forms of Java 21."""
    candidates = [
        method for owner in index.lineage(decl) for method in owner.methods_named("main") if not method.abstract
    ]
    for method in candidates:
        if method.static and len(method.parameters) == 1 and method.parameters[0].type.dimensions == 1:
            return method
    return next((method for method in candidates if len(method.parameters) <= 1), None)
