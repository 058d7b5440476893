"""What ``equals`` and ``hashCode`` of a key compute, as texts: equal in two revisions where written in another way.

``a == o.a && Objects.equals(b, o.b)`` and a chain of ``if (…) return false;`` compare the same fields. A hash code is
a formula, since it decides in which key group a key lies: ``Objects.hash(a, b)`` is ``31 * (31 * 1 + a) + b``. Code of
any other form has no text: it is compared by its tokens. Where one form throws for null and the other does not makes no
difference to keys that were kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from checker.extract.java.state.java_types import JavaType, resolved
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, MethodDecl
from checker.extract.java.syntax.nodes import arguments_of, find_field, positive, returned_field, unwrapped
from checker.extract.java.syntax.tree import Node, children, text
from checker.extract.java.syntax.tree import field as part

_WHOLE = frozenset({"int", "long", "short", "byte", "char", "boolean"})
"""Primitive types whose ``==`` is the ``equals`` of their objects: of the others, NaN and -0.0 differ."""
_OWN_HASH = frozenset({"int", "short", "byte", "char"})
"""Primitive types whose values are the hash codes of their objects."""
_BOXES = frozenset({"Integer", "Long", "Short", "Byte", "Character", "Boolean", "Double", "Float"})
_ITSELF = frozenset({"the same object"})
_THERE = frozenset({"not null"})
_Facts = frozenset[str] | None
"""What holds of equal objects, all together; None where it is not known."""


@dataclass(frozen=True)
class _Body:
    """The code of a method: its class, the names of the object that it gets, and what its variables stand for."""

    index: ClassIndex
    owner: ClassDecl
    given: frozenset[str] = frozenset()
    locals: Mapping[str, str] = field(default_factory=dict)

    def type_of(self, name: str) -> JavaType | None:
        """The type of a field of the object."""
        declared = find_field(self.index, self.owner, name)
        known = declared is not None and not declared.static
        return resolved(self.index, declared.type, declared.owner) if declared is not None and known else None


def identity_text(index: ClassIndex, method: MethodDecl) -> str | None:
    """What an ``equals`` or ``hashCode`` computes, None where it is of another form."""
    if method.body is None or (method.name, len(method.parameters)) not in (("equals", 1), ("hashCode", 0)):
        return None
    body = _Body(index, method.owner, frozenset(parameter.name for parameter in method.parameters))
    if method.name == "hashCode":
        return _hashed(body, children(method.body))
    found = _returned(body, children(method.body))
    return None if found is None else " and ".join(sorted(found - _ITSELF - _THERE))


# -- equals ------------------------------------------------------------------------------------------------------


def _returned(body: _Body, statements: Sequence[Node]) -> _Facts:
    """What holds where statements return true."""
    if not statements:
        return None
    first, rest = statements[0], statements[1:]
    if first.type == "block":
        return _returned(body, [*children(first), *rest])
    if first.type == "return_statement":
        return _holds(body, next(iter(children(first)), None))
    if first.type == "local_variable_declaration":  # Place that = (Place) o;
        declared = [d for d in children(first) if d.type == "variable_declarator"]
        values = [part(d, "value") for d in declared]
        if any(value is None or text(unwrapped(value)) not in body.given for value in values):
            return None
        return _returned(replace(body, given=body.given.union(text(part(d, "name")) for d in declared)), rest)
    if first.type != "if_statement":
        return None
    condition, yes, no = (part(first, name) for name in ("condition", "consequence", "alternative"))
    after = [*([no] if no is not None else []), *rest]
    if _only(yes) == "false":
        return _both(_holds(body, condition, False), _returned(_matched(body, condition, False), after))
    if _only(yes) == "true" and _holds(body, condition) == _ITSELF:
        return _returned(body, after)
    if yes is None or not after or _only(after[0]) != "false":
        return None
    return _both(_holds(body, condition), _returned(_matched(body, condition, True), [yes]))


def _only(node: Node | None) -> str:
    """What a statement returns, where it does nothing else."""
    if node is not None and node.type == "block" and len(children(node)) == 1:
        return _only(children(node)[0])
    return text(next(iter(children(node)), None)) if node is not None and node.type == "return_statement" else ""


def _matched(body: _Body, condition: Node | None, holds: bool) -> _Body:
    """With the variables that ``o instanceof Place that`` declares where a condition holds, or does not."""
    if condition is None:
        return body
    node, negated = positive(condition)
    holds = holds is not negated
    if node.type == "binary_expression" and text(part(node, "operator")) == ("&&" if holds else "||"):
        return _matched(_matched(body, part(node, "left"), holds), part(node, "right"), holds)
    name = text(part(node, "name")) if node.type == "instanceof_expression" and holds else ""
    return replace(body, given=body.given | {name}) if name else body


def _both(left: _Facts, right: _Facts) -> _Facts:
    return None if left is None or right is None else left | right


def _holds(body: _Body, node: Node | None, holds: bool = True) -> _Facts:
    """What is so where an expression is true, or false."""
    if node is None:
        return None
    node, negated = positive(node)
    holds = holds is not negated
    if node.type in ("true", "false"):
        return frozenset() if (node.type == "true") is holds else None
    if node.type == "ternary_expression":
        return _null_safe(body, node, holds)
    if node.type == "binary_expression":
        return _compared(body, node, holds)
    if not holds:
        return None
    if node.type == "instanceof_expression" and text(part(node, "left")) in body.given:
        return frozenset({f"instanceof {text(part(node, 'right'))}"})
    return _called(body, node)


def _compared(body: _Body, node: Node, holds: bool) -> _Facts:
    left, right, operator = part(node, "left"), part(node, "right"), text(part(node, "operator"))
    if left is None or right is None:
        return None
    if operator == ("&&" if holds else "||"):
        return _both(_holds(body, left, holds), _holds(_matched(body, left, holds), right, holds))
    if operator == "||":
        return _holds(body, right) if _holds(body, left) == _ITSELF else None
    sides = {text(positive(left)[0]), text(positive(right)[0])}
    if operator not in ("==", "!=") or (operator == "==") is not holds:
        return _THERE if "null" in sides and sides & body.given and operator in ("==", "!=") else None
    if "this" in sides and sides & body.given:
        return _ITSELF
    if sides & {"getClass()", "this.getClass()"} and sides & {f"{name}.getClass()" for name in body.given}:
        return frozenset({"the same class"})
    if "0" in sides:  # Integer.compare(a, o.a) == 0
        return _called(body, left if text(right) == "0" else right, compares=True)
    name = _of_both(body, left, right)
    kind = body.type_of(name) if name is not None else None
    if kind is None or (kind.name in ("double", "float") and not kind.dimensions):
        return None
    enum = kind.decl is not None and kind.decl.kind is ClassKind.ENUM
    by_value = not kind.dimensions and (enum or kind.name in _WHOLE)
    return frozenset({f"{name} equals" if by_value else f"{name} is the same object"})


def _called(body: _Body, node: Node, *, compares: bool = False) -> _Facts:
    """``Objects.equals(a, o.a)`` or ``a.equals(o.a)``; with ``compares``, ``Double.compare(a, o.a)`` that gives 0."""
    target, name = part(node, "object"), text(part(node, "name"))
    if node.type != "method_invocation" or target is None:
        return None
    given, owner = arguments_of(node), text(target).rpartition(".")[2]
    if len(given) == 2:
        comparing = owner in _BOXES and name == "compare" if compares else (owner, name) == ("Objects", "equals")
        by_elements = not compares and (owner, name) == ("Arrays", "equals")
        found = _of_both(body, *given) if comparing or by_elements else None
        return None if found is None else frozenset({f"{found} {'has equal elements' if by_elements else 'equals'}"})
    if compares or name != "equals" or len(given) != 1:
        return None
    if target.type == "super":
        return frozenset({"equal to the super class"}) if text(given[0]) in body.given else None
    found = _of_both(body, target, given[0])
    return None if found is None else frozenset({f"{found} equals"})


def _null_safe(body: _Body, node: Node, holds: bool) -> _Facts:
    """``a == null ? o.a == null : a.equals(o.a)``, or the other way round."""
    condition, yes, no = (part(node, name) for name in ("condition", "consequence", "alternative"))
    null, there = (yes, no) if _tests_null(condition) == "==" else (no, yes)
    if condition is None or null is None or _tests_null(condition) == "":
        return None
    name = _of_both(body, *(_left(test) for test in (condition, null)))
    if name is None or _tests_null(null) != ("==" if holds else "!="):
        return None
    found = _holds(body, there, holds)
    return found if found == frozenset({f"{name} equals"}) else None


def _tests_null(node: Node | None) -> str:
    """The operator of a comparison with null, which stands on the right."""
    node = positive(node)[0] if node is not None else None
    compares = node is not None and node.type == "binary_expression" and text(part(node, "right")) == "null"
    return text(part(node, "operator")) if node is not None and compares else ""


def _left(node: Node) -> Node:
    return part(positive(node)[0], "left") or node


def _of_both(body: _Body, left: Node, right: Node) -> str | None:
    """The field of both objects that is compared with itself."""
    sides = {_read(body, left), _read(body, right)}
    names = {read[1] for read in sides if read is not None}
    return names.pop() if len(sides) == 2 and len(names) == 1 and None not in sides else None


def _read(body: _Body, node: Node) -> tuple[bool, str] | None:
    """The field that an expression reads, also by its getter, and whether of the object that the method was given."""
    node = positive(node)[0]
    target = part(node, "object")
    theirs = target is not None and text(unwrapped(target)) in body.given
    if target is not None and not theirs and text(target) != "this":
        return None
    name = ""
    if node.type == "identifier" and text(node) not in body.given | body.locals.keys():
        name = text(node)
    elif node.type == "field_access":
        name = text(part(node, "field"))
    elif node.type == "method_invocation" and not arguments_of(node):
        returned = {returned_field(m) for m in body.owner.methods_named(text(part(node, "name"))) if not m.parameters}
        name = returned.pop() if len(returned) == 1 else ""
    return (theirs, name) if name and body.type_of(name) is not None else None


# -- hashCode ----------------------------------------------------------------------------------------------------


def _hashed(body: _Body, statements: Sequence[Node]) -> str | None:
    """What statements return: variables that are set one after the other, and the expression at the end."""
    for statement in statements:
        inner = next(iter(children(statement)), None)
        if statement.type == "return_statement":
            return _formula(body, inner)
        settings: list[tuple[str, Node | None]] = []
        if statement.type == "local_variable_declaration" and text(part(statement, "type")) == "int":
            declared = [d for d in children(statement) if d.type == "variable_declarator"]
            settings = [(text(part(d, "name")), part(d, "value")) for d in declared]
        elif inner is not None and inner.type == "assignment_expression" and text(part(inner, "operator")) == "=":
            settings = [(text(part(inner, "left")), part(inner, "right"))]
        values = {name: _formula(body, value) for name, value in settings}
        known = {name: value for name, value in values.items() if value is not None and "." not in name}
        if not settings or len(known) < len(settings) or body.type_of(settings[0][0]) is not None:
            return None
        body = replace(body, locals={**body.locals, **known})
    return None


def _formula(body: _Body, node: Node | None) -> str | None:
    """An int that is computed of the fields; neither the order of sums and products nor an overflow matters."""
    if node is None:
        return None
    node = positive(node)[0] if node.type == "parenthesized_expression" else node
    if node.type == "decimal_integer_literal":
        return text(node)
    if text(node) in body.locals:
        return body.locals[text(node)]
    operator = text(part(node, "operator"))
    if node.type == "binary_expression":
        left, right = (_formula(body, part(node, side)) for side in ("left", "right"))
        return None if left is None or right is None or operator not in ("+", "*") else _joined(operator, left, right)
    if node.type == "method_invocation" and text(part(node, "name")) == "hash":
        total: str | None = "1" if text(part(node, "object")) == "Objects" else None
        for given in arguments_of(node):
            read = _read(body, given)
            kind = body.type_of(read[1]) if read is not None else None
            if total is None or read is None or kind is None or kind.dimensions:
                return None
            total = _joined("+", _joined("*", "31", total), f"hash of {read[1]}")
        return total
    name = _hash_of(body, node)
    return None if name is None else f"hash of {name}"


def _joined(operator: str, *sides: str) -> str:
    return f"({f' {operator} '.join(sorted(sides))})"


def _hash_of(body: _Body, node: Node) -> str | None:
    """The field whose own hash code an expression is, 0 for null."""
    own = _read(body, node)
    if own is not None:
        kind = body.type_of(own[1])
        return own[1] if kind is not None and kind.name in _OWN_HASH and not kind.dimensions else None
    if node.type == "ternary_expression":
        condition, yes, no = (part(node, name) for name in ("condition", "consequence", "alternative"))
        null, there = (yes, no) if _tests_null(condition) == "==" else (no, yes)
        found = _hash_of(body, positive(there)[0]) if there is not None else None
        tested = _read(body, _left(condition)) if condition is not None and _tests_null(condition) else None
        return found if text(null) == "0" and tested is not None and tested[1] == found else None
    if node.type != "method_invocation" or text(part(node, "name")) != "hashCode":
        return None
    given, target = arguments_of(node), part(node, "object")
    boxed = len(given) == 1 and text(target).rpartition(".")[2] in _BOXES | {"Objects"}
    read = _read(body, given[0]) if boxed else _read(body, target) if target is not None and not given else None
    return None if read is None else read[1]
