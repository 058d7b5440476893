"""Constants and types inside of state descriptors: strings, class literals, ``Types.*``, type hints, serializers."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, FieldDecl, MethodDecl, TypeRef, type_ref
from checker.extract.java.syntax.parse import children, field, string_literal, text, walk
from checker.model.topology import Maybe, Unknown

_DEPTH = 12

_BASIC = {
    "STRING": "String", "BOOLEAN": "Boolean", "BYTE": "Byte", "SHORT": "Short", "INT": "Integer", "LONG": "Long",
    "FLOAT": "Float", "DOUBLE": "Double", "CHAR": "Character", "VOID": "Void", "BIG_DEC": "BigDecimal",
    "BIG_INT": "BigInteger", "INSTANT": "Instant", "LOCAL_DATE": "LocalDate", "LOCAL_TIME": "LocalTime",
    "LOCAL_DATE_TIME": "LocalDateTime", "SQL_DATE": "Date", "SQL_TIME": "Time", "SQL_TIMESTAMP": "Timestamp",
}  # fmt: skip
_BOXED = {
    "int": "Integer", "long": "Long", "boolean": "Boolean", "double": "Double", "float": "Float", "byte": "Byte",
    "short": "Short", "char": "Character", "void": "Void",
}  # fmt: skip
_OF_CLASS = frozenset({"of", "POJO", "GENERIC", "ENUM", "createTypeInfo", "getForClass", "forClass"})


def unwrapped(node: Node) -> Node:
    """The expression without parentheses and casts."""
    while True:
        if node.type == "parenthesized_expression" and children(node):
            node = children(node)[0]
        elif node.type == "cast_expression":
            value = field(node, "value")
            if value is None:
                return node
            node = value
        else:
            return node


def find_field(index: ClassIndex, scope: ClassDecl, name: str) -> FieldDecl | None:
    """A field by simple name: of the class, its ancestors, and the classes around it."""
    current: ClassDecl | None = scope
    while current is not None:
        for owner in (current, *index.ancestors(current)):
            if isinstance(owner, ClassDecl) and name in owner.fields:
                return owner.fields[name]
        current = current.outer
    for owner_name in index.unit_of(scope).static_imports.get(name, ()):
        imported = index.find(owner_name, scope.unit.path)
        if imported is not None and name in imported.fields:
            return imported.fields[name]
    return None


def find_local(node: Node, name: str) -> tuple[Node, TypeRef | None] | None:
    """The variable that a name inside of a method means: its declarator or parameter node, and its written type."""
    current = node.parent
    while current is not None and current.type != "class_body":
        if current.type in ("block", "constructor_body", "switch_block_statement_group", "lambda_expression"):
            for child in current.named_children:
                if child.start_byte >= node.start_byte:
                    break
                if child.type == "local_variable_declaration":
                    for declarator in children(child):
                        if declarator.type == "variable_declarator" and text(field(declarator, "name")) == name:
                            return declarator, type_ref(field(child, "type"))
        parameters = field(current, "parameters")
        if parameters is not None:
            for parameter in children(parameters) if parameters.type != "identifier" else [parameters]:
                written = field(parameter, "name")
                if text(written if written is not None else parameter) == name:
                    kind = field(parameter, "type")
                    return parameter, type_ref(kind) if kind is not None else None
        current = current.parent
    return None


def find_class(index: ClassIndex, scope: ClassDecl, node: Node) -> ClassDecl | None:
    """The repository class that an expression names, None for anything else."""
    if node.type not in ("identifier", "field_access", "scoped_identifier", "type_identifier"):
        return None
    name = "".join(text(node).split())
    if not name[:1].isupper() and "." not in name:
        return None
    found = index.resolve(name, scope)
    return found if isinstance(found, ClassDecl) else None


def named_value(index: ClassIndex, scope: ClassDecl, node: Node) -> tuple[Node, ClassDecl, TypeRef | None] | None:
    """What a name stands for: its only initializer or assignment, the class that holds it, and its written type."""
    if node.type == "identifier":
        name = text(node)
        local = find_local(node, name)
        if local is not None:
            declarator, written = local
            value = field(declarator, "value")
            if declarator.type != "variable_declarator":
                return None
            if value is None:
                block = declarator.parent.parent if declarator.parent is not None else None
                value = _only_assignment(block, name)
            return (value, scope, written) if value is not None else None
        return _field_value(index, find_field(index, scope, name))
    if node.type == "field_access":
        target, member = field(node, "object"), text(field(node, "field"))
        if target is None:
            return None
        if target.type == "this" or text(target).endswith(".this"):
            return _field_value(index, find_field(index, scope, member))
        owner = find_class(index, scope, target)
        return _field_value(index, find_field(index, owner, member)) if owner is not None else None
    return None


def _field_value(index: ClassIndex, declared: FieldDecl | None) -> tuple[Node, ClassDecl, TypeRef | None] | None:
    if declared is None:
        return None
    value = declared.value if declared.value is not None else _only_assignment(declared.owner.body, declared.name)
    return (value, declared.owner, declared.type) if value is not None else None


def _only_assignment(block: Node | None, name: str) -> Node | None:
    if block is None:
        return None
    found = [
        field(node, "right")
        for node in walk(block)
        if node.type == "assignment_expression" and text(field(node, "left")) in (name, f"this.{name}")
    ]
    return found[0] if len(found) == 1 else None


def returned(method: MethodDecl) -> Node | None:
    """The expression that a method returns, where it has one return statement."""
    if method.body is None:
        return None
    found = [node for node in walk(method.body, into_classes=False) if node.type == "return_statement"]
    return children(found[0])[0] if len(found) == 1 and children(found[0]) else None


def called_method(index: ClassIndex, scope: ClassDecl, node: Node) -> MethodDecl | None:
    """The repository method that an unqualified or ``Class.method`` call means, by name and number of arguments."""
    name, target, arguments = text(field(node, "name")), field(node, "object"), field(node, "arguments")
    count = len(children(arguments)) if arguments is not None else 0
    owners: Iterator[object]
    if target is None or target.type in ("this", "super"):
        owners = (o for start in _around(scope) for o in (start, *index.ancestors(start)))
    else:
        owner = find_class(index, scope, target)
        owners = iter((owner, *index.ancestors(owner)) if owner is not None else ())
    for candidate in owners:
        if isinstance(candidate, ClassDecl):
            for method in candidate.methods_named(name):
                if len(method.parameters) == count:
                    return method
    return None


def _around(scope: ClassDecl) -> Iterator[ClassDecl]:
    current: ClassDecl | None = scope
    while current is not None:
        yield current
        current = current.outer


def constant(index: ClassIndex, scope: ClassDecl, node: Node | None, depth: int = 0) -> str | None:
    """The text of a constant expression, None where the source does not settle it."""
    if node is None or depth > _DEPTH:
        return None
    node = unwrapped(node)
    match node.type:
        case "string_literal":
            return string_literal(text(node))
        case "decimal_integer_literal":
            return text(node).rstrip("lL").replace("_", "")
        case "character_literal":
            return string_literal(f'"{text(node)[1:-1]}"')
        case "true" | "false":
            return text(node)
        case "binary_expression" if text(field(node, "operator")) == "+":
            left = constant(index, scope, field(node, "left"), depth + 1)
            right = constant(index, scope, field(node, "right"), depth + 1)
            return left + right if left is not None and right is not None else None
        case "identifier" | "field_access":
            named = named_value(index, scope, node)
            if named is not None:
                return constant(index, named[1], named[0], depth + 1)
            return None
        case "method_invocation":
            return _called_constant(index, scope, node, depth)
    return None


def _called_constant(index: ClassIndex, scope: ClassDecl, node: Node, depth: int) -> str | None:
    name, target = text(field(node, "name")), field(node, "object")
    if name in ("getSimpleName", "getName", "getCanonicalName", "getTypeName") and target is not None:
        if target.type == "class_literal":
            written = text(children(target)[0])
            found = index.resolve(written, scope)
            if name == "getSimpleName":
                return written.rpartition(".")[2]
            if isinstance(found, ClassDecl):
                return found.qualified_name if name == "getCanonicalName" else found.binary_name
        return None
    if name in ("name", "toString") and target is not None and target.type == "field_access":
        owner = find_class(index, scope, field(target, "object") or target)
        if owner is not None and owner.kind is ClassKind.ENUM and not owner.methods_named(name):
            return text(field(target, "field"))
        return None
    method = called_method(index, scope, node)
    if method is not None and not method.parameters:
        return constant(index, method.owner, returned(method), depth + 1)
    return None


def written_type(ref: TypeRef) -> str:
    """A type as written, primitives boxed."""
    return _BOXED.get(str(ref), str(ref))


def type_of(index: ClassIndex, scope: ClassDecl, node: Node, depth: int = 0) -> tuple[str | None, str | None]:
    """(type, serializer) that a descriptor's argument describes; (None, None) where the source does not settle it."""
    node = unwrapped(node)
    if depth > _DEPTH:
        return None, None
    if node.type == "class_literal":
        return written_type(type_ref(children(node)[0])), None
    if node.type == "object_creation_expression":
        return _type_of_new(index, scope, node, depth)
    if node.type == "method_invocation":
        return _type_of_call(index, scope, node, depth), None
    if node.type in ("identifier", "field_access"):
        owner, _, member = "".join(text(node).split()).rpartition(".")
        if owner.endswith("Serializer") and member == "INSTANCE":
            return None, owner
        if owner.endswith("Types") and member in _BASIC:
            return _BASIC[member], None
        if member.endswith("_TYPE_INFO") and owner.endswith("TypeInfo"):
            return _BASIC.get(member.removesuffix("_TYPE_INFO")), None
        named = named_value(index, scope, node)
        if named is not None:
            return type_of(index, named[1], named[0], depth + 1)
    return None, None


def _type_of_new(index: ClassIndex, scope: ClassDecl, node: Node, depth: int) -> tuple[str | None, str | None]:
    ref = type_ref(field(node, "type"))
    if ref.simple == "TypeHint" and ref.arguments:
        return str(ref.arguments[0]), None
    if ref.simple.endswith("Serializer"):
        return None, str(ref)
    if ref.simple in ("ListTypeInfo", "MapTypeInfo", "TupleTypeInfo"):
        return _applied(index, scope, node, ref.simple.removesuffix("TypeInfo"), depth), None
    return None, None


def _type_of_call(index: ClassIndex, scope: ClassDecl, node: Node, depth: int) -> str | None:
    name, target = text(field(node, "name")), field(node, "object")
    arguments = field(node, "arguments")
    given = children(arguments) if arguments is not None else []
    if name == "getTypeInfo" and target is not None:
        return type_of(index, scope, target, depth + 1)[0]
    if name in _OF_CLASS and given:
        return type_of(index, scope, given[0], depth + 1)[0]
    if name in ("LIST", "MAP", "TUPLE"):
        return _applied(index, scope, node, {"LIST": "List", "MAP": "Map", "TUPLE": "Tuple"}[name], depth)
    if name in ("ROW", "ROW_NAMED"):
        return "Row"
    method = called_method(index, scope, node)
    result = returned(method) if method is not None else None
    return type_of(index, method.owner, result, depth + 1)[0] if method is not None and result is not None else None


def _applied(index: ClassIndex, scope: ClassDecl, node: Node, name: str, depth: int) -> str | None:
    arguments = field(node, "arguments")
    parts = [type_of(index, scope, part, depth + 1)[0] for part in (children(arguments) if arguments else [])]
    if not parts or any(part is None for part in parts):
        return None
    return f"{name}{len(parts) if name == 'Tuple' else ''}<{', '.join(part or '' for part in parts)}>"


def unknown_type(node: Node, scope: ClassDecl) -> Maybe[str]:
    """The Unknown for a type that nobody can read."""
    return Unknown(
        f"the state's type '{text(node)[:60]}' can't be read from the source", location=scope.unit.location(node)
    )
