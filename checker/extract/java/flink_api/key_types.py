"""The type of a stream's keys, from what ``keyBy`` is given: a selector class, a method reference, a lambda.

What an expression returns is followed through members of the repository's own classes; where that ends, the type is
not known, and nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from checker.extract.java.flink_api import function_facts
from checker.extract.java.interpreter.frames import Frame
from checker.extract.java.interpreter.speculation import Run
from checker.extract.java.interpreter.values import Lambda, MethodRef, TypeName, Value
from checker.extract.java.state.class_shapes import shapes_of
from checker.extract.java.state.descriptor_types import find_field, find_local, written_type
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import ClassDecl, TypeRef, type_ref
from checker.extract.java.syntax.parse import children, field, text
from checker.model.topology import ClassShape

Typed = tuple[TypeRef, ClassDecl]
"""A type as written, and the class in which it is."""

_STREAMS = frozenset({"DataStream", "SingleOutputStreamOperator", "DataStreamSource", "KeyedStream"})
_KEEP_ELEMENTS = frozenset(
    {
        "filter", "uid", "name", "setParallelism", "setMaxParallelism", "setUidHash", "slotSharingGroup", "rebalance",
        "shuffle", "rescale", "forward", "global", "broadcast", "disableChaining", "startNewChain", "union",
        "assignTimestampsAndWatermarks", "setDescription",
    }
)  # fmt: skip
"""Methods of a stream whose result has elements of the same type."""


Key = tuple[str | None, tuple[ClassShape, ...], str | None]
"""The key's type as the program spells it, the program's own classes in it, and which part of an element it is."""


def key_of(run: Run, value: Value, call: Node, frame: Frame) -> Key:
    """What is known of the key."""
    part = _part(value)
    found = _typed(run, value, call, frame)
    if found is None:
        return None, (), part
    ref, scope = found
    if ref.name in scope.type_parameters or ref.name == "var":
        return None, (), part
    spelled = written_type(ref)
    return spelled, shapes_of(run.index, scope, (spelled,), f"{run.flink[0]}.{run.flink[1]}"), part


def _part(value: Value) -> str | None:
    """A method reference and a lambda that calls the same getter are one key; longer code is not compared."""
    if isinstance(value, MethodRef):
        return f".{value.name}()"
    if not isinstance(value, Lambda):
        return None
    parameters, body = field(value.node, "parameters"), field(value.node, "body")
    if parameters is None or body is None or body.type == "block":
        return None
    one = next(iter(children(parameters)), parameters)
    name = text(field(one, "name") or one)
    return re.sub(rf"\b{re.escape(name)}\b", "", " ".join(text(body).split())) or "element"


def _typed(run: Run, value: Value, call: Node, frame: Frame) -> Typed | None:
    index = run.index
    given = function_facts.type_arguments(run, value, "KeySelector")
    if given is not None and len(given[0]) == 2:
        return given[0][1], given[1]
    if isinstance(value, MethodRef) and isinstance(value.target, TypeName) and isinstance(value.target.type, ClassDecl):
        return _member(index, value.target.type, value.name)
    if isinstance(value, Lambda):
        return _of_lambda(index, value, call, frame)
    return None


def _of_lambda(index: ClassIndex, value: Lambda, call: Node, frame: Frame) -> Typed | None:
    parameters, body = field(value.node, "parameters"), field(value.node, "body")
    if parameters is None or body is None or body.type == "block":
        return None
    if parameters.type == "formal_parameters":
        one = children(parameters)[0]
        name, written = text(field(one, "name")), (type_ref(field(one, "type")), value.frame.decl)
    else:
        bare = parameters if parameters.type == "identifier" else next(iter(children(parameters)), parameters)
        element = _element(index, field(call, "object"), frame.decl)
        if element is None:
            return None
        name, written = text(bare), element
    return _expression(index, body, name, written)


def _expression(index: ClassIndex, node: Node, parameter: str, element: Typed) -> Typed | None:
    if node.type == "identifier":
        return element if text(node) == parameter else None
    if node.type == "method_invocation" and not children(field(node, "arguments") or node):
        target, member = field(node, "object"), text(field(node, "name"))
    elif node.type == "field_access":
        target, member = field(node, "object"), text(field(node, "field"))
    else:
        return None
    found = _expression(index, target, parameter, element) if target is not None else None
    if found is None:
        return None
    owner = index.resolve_type(found[0], found[1])
    return _member(index, owner, member) if isinstance(owner, ClassDecl) else None


def _element(index: ClassIndex, stream: Node | None, scope: ClassDecl | None) -> Typed | None:
    """The element type of the stream that an expression gives, where a variable's or method's declaration says it."""
    while stream is not None and stream.type == "method_invocation" and text(field(stream, "name")) in _KEEP_ELEMENTS:
        stream = field(stream, "object")
    if stream is None or scope is None:
        return None
    declared: TypeRef | None = None
    if stream.type == "identifier":
        local = find_local(stream, text(stream))
        if local is not None:
            declared = local[1]
        else:
            known = find_field(index, scope, text(stream))
            declared, scope = (known.type, known.owner) if known is not None else (None, scope)
    if declared is None or declared.simple not in _STREAMS or not declared.arguments:
        return None
    return declared.arguments[0], scope


def _member(index: ClassIndex, decl: ClassDecl, name: str) -> Typed | None:
    """The type of a getter, a record's component or a field; Lombok's getters are those of their fields."""
    for owner in _owners(index, decl):
        for method in owner.methods_named(name):
            if not method.parameters:
                return method.return_type, owner
        for component in owner.record_components:
            if component.name == name:
                return component.type, owner
        bare = name.removeprefix("get").removeprefix("is")
        for candidate in (name, bare[:1].lower() + bare[1:]):
            if candidate in owner.fields:
                return owner.fields[candidate].type, owner
    return None


def _owners(index: ClassIndex, decl: ClassDecl) -> Iterator[ClassDecl]:
    yield decl
    yield from (a for a in index.ancestors(decl) if isinstance(a, ClassDecl))
