"""The type of a stream's elements, which Flink's own operators keep: what functions, hints and lambdas say of it.

Where the source does not settle it, the element is an Unknown derived from the code that produces it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from checker.extract.datastream.records import Draft
from checker.extract.datastream.table import table
from checker.extract.java.flink_api import jobs
from checker.extract.java.flink_api.function_facts import texts_of
from checker.extract.java.flink_api.states.held import closed_over
from checker.extract.java.flink_api.states.types import TypeReader, row_names, shapes_of
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.descriptions import expression_of
from checker.extract.java.machine.flink_values import StreamValue
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    ClassLiteral,
    Constant,
    ExternalObject,
    Frame,
    Instance,
    Lambda,
    MethodRef,
    Opaque,
    Scope,
    TypeName,
    Value,
)
from checker.extract.java.state.expression_types import Typer
from checker.extract.java.state.java_types import JavaType, lineage, of_class, resolved
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.local_variables import target_of
from checker.extract.java.syntax.nodes import declared_type
from checker.extract.java.syntax.tree import Node, NodeKind, children, field, text, walk
from checker.extract.java.syntax.type_refs import TypeRef, type_ref
from checker.extract.unfollowed.unread_code import NEEDS_CODE
from checker.model.declared_state import ClassShape, StateDescriptor
from checker.model.topology import Kind
from checker.model.unknowns import Cause, Maybe, Unknown

_OUTPUT = table("type_argument_of_output")
"""Base classes of functions and sources → which type argument is that of the elements they give."""
_LATER: frozenset[NodeKind] = frozenset({"lambda_expression", "class_body"})
_DECLARED = frozenset({"local_variable_declaration", "field_declaration", "method_declaration"})
_KEEP = frozenset({"filter", "assignTimestampsAndWatermarks", "reduce", "sum", "min", "max", "minBy", "maxBy", "union",
                   "cache", "assignTimestamps"})  # fmt: skip
_PASS_ON = _KEEP | {"keyBy", "rebalance", "rescale", "shuffle", "forward", "global"}
"""Calls on a stream whose result holds the same type, which a variable that is assigned it wants of the stream, too."""
_STREAMS = frozenset({"DataStream", "SingleOutputStreamOperator", "DataStreamSource", "KeyedStream",
                      "SideOutputDataStream"})  # fmt: skip


_OF_ONE_INPUT = frozenset({
    "MapFunction", "FlatMapFunction", "ProcessFunction", "KeyedProcessFunction", "ProcessWindowFunction",
    "WindowFunction", "ProcessAllWindowFunction", "AllWindowFunction",
})  # fmt: skip
"""Base classes whose argument before that of the output is that of the input."""
_OF_INPUT_FIRST = frozenset({
    "AssignerWithPeriodicWatermarks", "AssignerWithPunctuatedWatermarks", "BoundedOutOfOrdernessTimestampExtractor",
    "FilterFunction", "ReduceFunction", "AggregateFunction", "KeySelector",
})  # fmt: skip
"""Base classes whose first argument is that of the input."""


@dataclass(frozen=True, slots=True)
class Element:
    """The type of a stream's elements: as Java has it, or as a text that the program's type information gives.

    Flink writes elements by the text where there is one, with the program's own ``classes`` in it. ``derived_from`` is
    a digest of the code that decides where neither is known. ``names`` are those of a row's fields, which a table has
    as columns.
    """

    type: JavaType | None = None
    text: str | None = None
    derived_from: str | None = None
    names: tuple[str, ...] = ()
    classes: tuple[ClassShape, ...] = ()
    by_lambda: bool = False
    """Whether lambdas make them, which give no type information of their own: Flink has the type from Java alone."""


def written(run: Run, element: Element, what: str = "the elements") -> tuple[Maybe[str] | None, tuple[ClassShape, ...]]:
    """How Flink writes elements, and the program's own classes among them."""
    shapes = shapes_of(run)
    if element.text is not None:
        return element.text, element.classes
    if element.type is not None and element.type.known:
        boxed = element.type.boxed
        return shapes.text(boxed), shapes.shapes_of((boxed,))
    return Unknown(f"cannot tell the type of {what}", Cause.EXTERNAL, derived_from=element.derived_from), ()


def of_elements(run: Run, states: tuple[StateDescriptor, ...], element: Element) -> tuple[StateDescriptor, ...]:
    """States of Flink's own operators that keep elements of a stream."""
    if not states:
        return states
    value, classes = written(run, element)
    return tuple(replace(state, value_type=value, classes=classes) for state in states)


def element_of(run: Run, stream: StreamValue, call: Call | None = None, *, argument: bool = False) -> Element:
    """What a stream holds; ``call`` is one on it, or with it as first argument.

    It may be declared with a type, or what lambdas make be handed to a function that takes one: a ``MapFunction<A, R>``
    takes elements of a ``DataStream<A>`` alone.
    """
    found = _of_drafts(stream.inputs)
    if found is not None and found.type is not None:
        return found
    if call is not None and call.node is not None and call.node.type == "method_invocation":
        given = children(field(call.node, "arguments") or call.node) if argument else [field(call.node, "object")]
        declared = _declared(run, given[0], call.frame.decl) if given else None
        declared = declared or (_taken(run, call) if found is not None and found.by_lambda else None)
        if declared is not None:
            return Element(declared) if found is None else replace(found, type=declared)
    return found if found is not None and (found.derived_from or found.text) else Element(derived_from=NEEDS_CODE)


def _of_drafts(given: tuple[Draft, ...]) -> Element | None:
    for draft in given:
        current: Draft | None = draft
        while current is not None:
            if isinstance(current.element, Element):
                return current.element
            if current.unknown is not None:
                return Element(derived_from=current.unknown.derived_from or NEEDS_CODE)
            current = current.inputs[0] if current.kind.virtual and current.inputs else None
    return None


def remember(run: Run, stream: StreamValue, call: Call, made: Value) -> None:
    """Note what a call of the DataStream API gives elements of."""
    draft = made.draft if isinstance(made, StreamValue) else None
    if draft is None:
        return
    if call.name == "returns" and call.arguments:
        run.memory.assign(draft, "element", of_information(run, call.arguments[0]))
    elif draft.element is None and (not draft.kind.virtual or draft.kind is Kind.SIDE_OUTPUT):
        run.memory.assign(draft, "element", _given_by(run, stream, call))


def information(stream: StreamValue, left: Opaque) -> ExternalObject:
    """What ``getType`` of a stream gives: what it says is looked at where an operator is given it."""
    kind = External(("org.apache.flink.api.common.typeinfo.TypeInformation",))
    return ExternalObject(kind, (stream,), (), left.symbol, left.unknown)


def of_information(run: Run, value: Value) -> Element:
    """What a ``TypeInformation``, ``TypeHint`` or class says, that of another stream's elements included."""
    if isinstance(value, ExternalObject) and value.arguments and isinstance(value.arguments[0], StreamValue):
        return element_of(run, value.arguments[0])
    return known_information(run, value) or Element(derived_from=expression_of(value, Cause.EXTERNAL))


def known_information(run: Run, value: Value) -> Element | None:
    """The same; None where that is not known, and for any other value."""
    found = TypeReader(run, {}).of(value)
    if found.java is not None:
        return Element(found.java)
    known = found.type is not None and found.serializer is None
    return Element(text=found.type, names=row_names(value), classes=found.classes) if known else None


def produced(run: Run, value: Instance) -> Element | None:
    """What an object of the program says in ``getProducedType``; None where its class has no such method."""
    for ancestor in lineage(run.index, of_class(value.decl)):
        for method in ancestor.decl.methods if ancestor.decl is not None else ():
            if method.name == "getProducedType" and not method.parameters and method.body is not None:
                asked = Call(method.name, [], Site(None, Frame(value.decl, value, Scope())))
                made = run.without_effects(partial(run.interpreter.call_method, method, value, asked))
                found = known_information(run, made) if made is not None else None
                return Element(derived_from=NEEDS_CODE) if found is None else found
    return None


def queried(run: Run, function: Value) -> Element | None:
    """The same of a function that Flink asks (``ResultTypeQueryable``, in ``TypeExtractor``); None for others."""
    if not isinstance(function, Instance):
        return None
    above = lineage(run.index, of_class(function.decl))
    return produced(run, function) if any(a.simple == "ResultTypeQueryable" for a in above) else None


def _given_by(run: Run, stream: StreamValue, call: Call) -> Element:
    if call.name in _KEEP:
        return element_of(run, stream, call)
    if call.name == "getSideOutput" and call.arguments:
        return _of_tag(run, call.arguments[0])
    for value in reversed(call.arguments):
        informed = known_information(run, value) if isinstance(value, ExternalObject | ClassLiteral) else None
        if informed is not None:
            return informed
    functions = [run.soften(value) for value in call.arguments]
    for function in reversed(functions):
        if isinstance(function, Instance | Lambda | MethodRef | ExternalObject):
            asked = queried(run, function)
            if asked is not None:
                return asked
            if isinstance(function, Instance) and _hands_on(run, function.decl):
                return element_of(run, stream, call)
            found = _result(run, stream, call, function)
            if found is not None:
                return Element(found)
    by_lambda = bool(functions) and all(isinstance(function, Lambda | MethodRef) for function in functions)
    return Element(derived_from=_digest(run, functions, element_of(run, stream, call)), by_lambda=by_lambda)


def _digest(run: Run, functions: list[Value], before: Element) -> str:
    """What code decides the elements: the functions that make them, and what they are handed."""
    closures = shapes_of(run).closures
    found = [str(before.type or before.text or before.derived_from)]
    for function in functions:
        if isinstance(function, Lambda):
            bound = texts_of(dict(closed_over(function.node, function.frame)))
            found.append(closures.of(function.node, function.frame.decl, bound))
        elif isinstance(function, Instance):
            found.append(" ".join(str(ancestor) for ancestor in lineage(run.index, of_class(function.decl))))
        elif not isinstance(function, Constant):
            found.append(expression_of(function, Cause.EXTERNAL))
    return "; ".join(found)


def _result(run: Run, stream: StreamValue, call: Call, function: Value) -> JavaType | None:
    if isinstance(function, Instance):
        return output_type(run, lineage(run.index, of_class(function.decl)))
    if isinstance(function, MethodRef) and call.name == "map":
        if isinstance(function.target, TypeName) and isinstance(function.target.type, ClassDecl):
            owner = function.target.type
            if function.name == "new":
                return None if owner.type_variables else of_class(owner)
            typer = Typer(run.index, owner)
            return typer.result(of_class(owner), function.name) or typer.result(of_class(owner), function.name, 1)
        return None
    if isinstance(function, Lambda):
        found = _wanted(run, call) or _as_written(run, function)
        if found is None and call.name == "map":
            found = lambda_result(run, function, element_of(run, stream, call))
        return found
    return None


def _wanted(run: Run, call: Call) -> JavaType | None:
    """The type of elements that the variable wants which a stream is assigned to.

    It decides on what a lambda returns (JLS 18.5.2). Settings of the operator that follow leave the type alone, and so
    do filters and partitions: a ``DataStream<A>`` is no ``DataStream<B>``, whatever A and B are.
    """
    target = target_of(call.node, _keeps_type) if call.node is not None else None
    if target is None or target.parent is None or "?" in text(target):
        return None
    if target.parent.type == "assignment_expression":
        return _declared(run, target, call.frame.decl)
    return _of_stream(run, type_ref(target), call.frame.decl) if target.parent.type in _DECLARED else None


def _keeps_type(around: Node) -> bool:
    return around.type == "method_invocation" and text(field(around, "name")) in jobs.SETTERS | _PASS_ON


def _as_written(run: Run, function: Lambda) -> JavaType | None:
    """What a lambda gives by the interface that it is cast to, or that its variable or method is declared with."""
    target = target_of(function.node)
    if target is None or target.parent is None or "?" in text(target) or target.parent.type == "assignment_expression":
        return None
    return output_type(run, iter((resolved(run.index, type_ref(target), function.frame.decl),)))


def output_type(run: Run, supertypes: Iterator[JavaType]) -> JavaType | None:
    """The type of what a function or source gives, by the type argument of its base class."""
    for supertype in supertypes:
        place = _OUTPUT.get(supertype.simple.removeprefix("Rich").removeprefix("Parallel"))
        if place is not None and len(supertype.arguments) > place:
            found = supertype.arguments[place]
            return found if found.known else None
    return None


def _taken(run: Run, call: Call) -> JavaType | None:
    """The program's class that the function takes which a call is given first: one of a library may hold anything."""
    function = run.soften(call.arguments[0]) if call.arguments else None
    for supertype in lineage(run.index, of_class(function.decl)) if isinstance(function, Instance) else ():
        simple = supertype.simple.removeprefix("Rich")
        place = _OUTPUT[simple] - 1 if simple in _OF_ONE_INPUT else 0 if simple in _OF_INPUT_FIRST else None
        if place is not None and len(supertype.arguments) > place:
            found = supertype.arguments[place]
            return found if found.decl is not None and found.known else None
    return None


def _hands_on(run: Run, function: ClassDecl) -> bool:
    """Whether a function of one input has one type variable for what it takes and gives.

    ``TypeExtractor`` takes the type of the input then.
    """
    for supertype in lineage(run.index, of_class(function)):
        simple = supertype.simple.removeprefix("Rich")
        place = _OUTPUT.get(simple)
        if place is not None and len(supertype.arguments) > place and simple in _OF_ONE_INPUT:
            taken, given = supertype.arguments[place - 1 : place + 1]
            return taken == given and str(given) in function.type_variables
    return False


def lambda_result(run: Run, function: Lambda, element: Element) -> JavaType | None:
    """The type of what a lambda of one parameter returns."""
    parameters, body = field(function.node, "parameters"), field(function.node, "body")
    if parameters is None or body is None:
        return None
    names: dict[str, JavaType] = {}
    written_first = next(iter(children(parameters)), parameters)
    name = text(field(written_first, "name") or written_first)
    kind = field(written_first, "type")
    if kind is not None:
        names[name] = resolved(run.index, type_ref(kind), function.frame.decl)
    elif element.type is not None:
        names[name] = element.type
    typer = Typer(run.index, function.frame.decl, names)
    if body.type != "block":
        return typer.of(body)
    returning = (node for node in walk(body, _LATER) if node.type == "return_statement")
    types = {typer.of(returned) for node in returning for returned in children(node)}
    return types.pop() if len(types) == 1 else None


def _of_tag(run: Run, value: Value) -> Element:
    value = run.soften(value)
    if isinstance(value, Instance) and value.decl.superclass is not None and value.decl.superclass.arguments:
        return Element(resolved(run.index, value.decl.superclass.arguments[0], value.decl.outer or value.decl))
    base = value.base if isinstance(value, Instance) else value
    if isinstance(base, ExternalObject) and len(base.arguments) > 1:
        return of_information(run, base.arguments[1])
    return Element(derived_from=expression_of(value, Cause.EXTERNAL))


def _declared(run: Run, stream: Node | None, scope: ClassDecl | None) -> JavaType | None:
    """The element type that the declaration of a stream's variable says."""
    if stream is None or scope is None or stream.type != "identifier":
        return None
    ref, owner = declared_type(run.index, scope, stream)
    return _of_stream(run, ref, owner)


def _of_stream(run: Run, ref: TypeRef | None, scope: ClassDecl) -> JavaType | None:
    """The element type of a stream's written type."""
    if ref is None or ref.simple not in _STREAMS or not ref.arguments:
        return None
    found = resolved(run.index, ref.arguments[0], scope)
    return found if found.known else None
