"""Finds the method of the repository that a call means: by name, arity, argument types and inheritance."""

from collections.abc import Sequence
from typing import Final

from checker.extract.java.interpreter import classes_of_values
from checker.extract.java.interpreter.classes_of_values import Fit
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.flink_values import EnvValue, StreamValue
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    Choice,
    Constant,
    ExternalObject,
    Frame,
    Instance,
    Lambda,
    ListValue,
    MethodRef,
    Opaque,
    Value,
    is_null,
)
from checker.extract.java.state.java_types import JavaType, resolved
from checker.extract.java.syntax.class_index import External, Resolved
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, MethodDecl
from checker.extract.java.syntax.nodes import functional_method
from checker.extract.java.syntax.tree import NodeKind, children, field, text
from checker.extract.java.syntax.type_refs import BOXES, Parameter, TypeRef, lambda_parameters
from checker.model.unknowns import Cause, Unknown


def select(run: Run, candidates: list[MethodDecl], call: Call, scope: ClassDecl) -> MethodDecl | None:
    """The method that a call means: as Java resolves overloads, where types are not known the one that fits best.

    The program compiles: a method that alone takes as many arguments is meant, whatever is known of these.
    """
    arguments = call.arguments
    needed = call.used and call.name != "new"
    taking = [m for m in candidates if _takes(m, len(arguments)) and not (needed and str(m.return_type) == "void")]
    if len(taking) == 1 and not _inherits_library(run, scope):
        return taking[0]
    written = _written(run, call)
    scored: list[tuple[int, float, MethodDecl]] = []
    owners: list[ClassDecl] = []
    for method in taking:
        if not any(owner is method.owner for owner in owners):
            owners.append(method.owner)
        found = applicability(run, method, arguments, written)
        if found is None:
            continue
        score = found.score
        if not method.abstract or method.owner.kind is ClassKind.INTERFACE:
            score += 0.01
        if not method.abstract:
            score += 0.05
        scored.append((found.phase, score - FARTHER * min(len(owners) - 1, 2), method))
    if not scored:
        if taking and not _inherits_library(run, scope):  # what is known of the arguments' classes is not enough
            return taking[_which(run, taking)] if len(taking) > 1 else taking[0]
        return None
    phase = min(phase for phase, _, _ in scored)
    first = [(score, method) for found, score, method in scored if found == phase]
    best = max(score for score, _ in first)
    near = [method for score, method in first if score > best - 1e-9]
    close = [method for _, score, method in scored if score > best - DOUBT]
    if len(close) > 1 and _undecidable(close, arguments, written):
        return close[_which(run, close)]
    return _most_specific(run, near) or near[_which(run, near)]


def _takes(method: MethodDecl, count: int) -> bool:
    needed = len(method.parameters)
    return count >= needed - 1 if method.varargs else count == needed


def _inherits_library(run: Run, scope: ClassDecl) -> bool:
    """Whether methods of a superclass outside of the repository may be meant, too."""
    current: Resolved = scope
    while isinstance(current, ClassDecl):
        current = run.index.superclass(current)
    return current is not None


def _written(run: Run, call: Call) -> list[JavaType | None]:
    """The declared types of the arguments, where they are written at the call."""
    nothing: list[JavaType | None] = [None] * len(call.arguments)
    holder = field(call.node, "arguments") if call.node is not None else None
    nodes = children(holder) if holder is not None else []
    if len(nodes) != len(call.arguments):
        return nothing
    return [classes_of_values.type_of(run, node, call.frame) for node in nodes]


def _most_specific(run: Run, near: list[MethodDecl]) -> MethodDecl | None:
    """The method whose parameters all fit those of the others."""
    if len(near) == 1:
        return near[0]
    for method in near:
        if all(_narrower(run, method, rival) for rival in near if rival is not method):
            return method
    return None


def _narrower(run: Run, method: MethodDecl, rival: MethodDecl) -> bool:
    if len(method.parameters) != len(rival.parameters):
        return False
    for parameter, counterpart in zip(method.parameters, rival.parameters, strict=True):
        found = classes_of_values.fit(run, resolved(run.index, parameter.type, method.owner), counterpart.type, rival)
        if found is None or found.score == classes_of_values.MAYBE:
            return False
    return True


FARTHER = 4.0
"""What a method loses for every class that stands between: an inherited one is overridden more likely than meant."""
DOUBT = 3.5
"""How much better one overload must fit than another where the arguments' types are not known."""


def _undecidable(close: list[MethodDecl], arguments: Sequence[Value], written: list[JavaType | None]) -> bool:
    """Whether overloads differ just where the type of the argument is not known."""
    first = close[0]
    for method in close[1:]:
        if method.owner is not first.owner or method.varargs or first.varargs:
            return False
        for parameter, alternative, argument, declared in zip(
            first.parameters, method.parameters, arguments, written, strict=False
        ):
            open_type = declared is None and (
                isinstance(argument, ExternalObject) or (isinstance(argument, Opaque) and argument.type is None)
            )
            if parameter.type != alternative.type and open_type:
                return True
    return False


def _which(run: Run, close: list[MethodDecl]) -> int:
    """One of several overloads that fit equally, as a choice of the path."""
    unknown = Unknown(f"several overloads of '{close[0].name}' fit this call", Cause.OTHER, None, close[0].location)
    options: tuple[tuple[int, Value], ...] = tuple((i, Constant(i, "int")) for i in range(len(close)))
    labels = tuple(f"'{m.name}({', '.join(str(p.type) for p in m.parameters)})' is called" for m in close)
    return run.pick_labeled(Choice(run.fresh(f"overload {close[0].name}"), options, unknown), labels)


def applicability(
    run: Run, method: MethodDecl, arguments: Sequence[Value], written: Sequence[JavaType | None]
) -> Fit | None:
    """How well arguments fit a method's parameters, None where they don't."""
    parameters = list(method.parameters)
    phase = 1
    if method.varargs:
        last, rest = parameters[-1], arguments[len(parameters) - 1 :]
        if not (len(rest) == 1 and isinstance(rest[0], ListValue) and rest[0].kind in ("array", "args")):
            element = Parameter(last.name, TypeRef(last.type.name, last.type.arguments, last.type.dimensions - 1))
            parameters[-1:] = [element] * len(rest)
            phase = 3
    total = 0.0
    for parameter, argument, declared in zip(parameters, arguments, written, strict=True):
        found = _fit_one(run, argument, declared, parameter.type, method)
        if found is None:
            return None
        phase = max(phase, found.phase)
        total += found.score
    return Fit(phase, (total / len(parameters) if parameters else 0.0) * 10)


def _fit_one(run: Run, argument: Value, declared: JavaType | None, wanted: TypeRef, method: MethodDecl) -> Fit | None:
    if declared is not None and not isinstance(argument, Lambda | MethodRef):
        return classes_of_values.fit(run, declared, wanted, method)
    if isinstance(argument, Choice):
        argument = argument.options[0][1]
    if isinstance(argument, Constant) and not is_null(argument):
        return classes_of_values.fit(run, JavaType(argument.java), wanted, method)
    score = _fit_value(run, argument, wanted, method)
    return Fit(1, score) if score is not None else None


def _fit_value(run: Run, argument: Value, ref: TypeRef, method: MethodDecl) -> float | None:
    """How well one value fits a parameter type: 0 (not known) to 3 (exactly), None where it doesn't."""
    name = ref.simple
    if is_null(argument):
        return None if name in BOXES and not ref.dimensions else 1.0
    if ref.name in method.type_variables or ref.name in method.owner.type_variables:
        return 0.8
    if ref.dimensions:
        if isinstance(argument, ListValue):
            return 3.0 if argument.kind in ("array", "args") else None
        return None if isinstance(argument, StreamValue | EnvValue | Instance | Lambda) else 0.5
    if isinstance(argument, Lambda | MethodRef):
        return _fit_function(run, argument, ref, method)
    if name == "Object":
        return 0.3
    if name in BOXES or name == "String":
        return 0.5 if classes_of_values.class_of(run, argument) is None else _boxed(run, argument, name)
    verdict = classes_of_values.instance_of(run, argument, ref, method.owner)
    if verdict is False:
        return None
    if verdict is None:
        return 0.6
    return 3.0 if _exact(run, argument, name) else 2.0


def _boxed(run: Run, argument: Value, name: str) -> float | None:
    found = classes_of_values.class_of(run, argument)
    simple = found.simple if isinstance(found, External) else ""
    boxes = {"Integer": "int", "Long": "long", "Double": "double", "Boolean": "boolean", "String": "String"}
    return 3.0 if boxes.get(simple) == name or simple == name else None


def _exact(run: Run, argument: Value, name: str) -> bool:
    found = classes_of_values.class_of(run, argument)
    if isinstance(found, ClassDecl):
        return found.name == name
    return found is not None and found.simple == name


def _fit_function(run: Run, argument: Lambda | MethodRef, ref: TypeRef, method: MethodDecl) -> float | None:
    if ref.name in BOXES or ref.simple in ("String", "StreamExecutionEnvironment", "List", "Map", "Set"):
        return None
    resolved = run.index.resolve_type(ref, method.owner)
    if isinstance(resolved, ClassDecl):
        if resolved.kind is not ClassKind.INTERFACE:
            return None
        wanted = functional_method(run.index, resolved)
        if isinstance(argument, Lambda) and wanted is not None:
            return _fit_lambda(run, argument, len(wanted.parameters), str(wanted.return_type) != "void")
        return 1.5
    if isinstance(argument, Lambda):
        arity = _LIBRARY_ARITY.get(ref.simple)
        if arity is not None:
            return _fit_lambda(run, argument, arity, ref.simple not in _RETURNING_NOTHING)
    return 1.0


def _fit_lambda(run: Run, argument: Lambda, arity: int, returns: bool) -> float | None:
    """How well a lambda fits a function, which is the more specific one where it returns a value (JLS 15.12.2.5)."""
    if arity != len(lambda_parameters(argument.node)):
        return None
    nothing, value = _results(run, argument)
    if (value if returns else nothing) is False:
        return None
    return 2.1 if returns and value else 2.0


_EXPRESSION_STATEMENTS: Final[frozenset[NodeKind]] = frozenset(
    {"method_invocation", "assignment_expression", "update_expression", "object_creation_expression"}
)


def _results(run: Run, argument: Lambda) -> tuple[bool, bool | None]:
    """Whether a lambda may be a function that returns nothing, and one that returns a value, if known (JLS 15.27.2)."""
    body = field(argument.node, "body")
    if body is None or body.type != "block":
        if body is None or body.type not in _EXPRESSION_STATEMENTS:
            return False, True
        if body.type != "method_invocation":
            return True, True
        own = run.index.lineage(argument.frame.decl) if field(body, "object") is None else ()
        called = [method for owner in own for method in owner.methods_named(text(field(body, "name")))]
        known = {str(method.return_type) == "void" for method in called}
        return True, not known.pop() if len(known) == 1 else None
    returned, pending = [], list(children(body))
    while pending:
        node = pending.pop()
        if node.type == "return_statement":
            returned.append(bool(children(node)))
        elif node.type not in ("lambda_expression", "class_body"):
            pending.extend(children(node))
    if returned:
        return not any(returned), all(returned)
    last = ["", *(node.type for node in children(body))][-1]
    ends = last.endswith("statement") and last != "expression_statement"
    return True, (last == "throw_statement" or None) if ends else False


_RETURNING_NOTHING = frozenset({"Runnable", "Consumer", "BiConsumer", "FlatMapFunction"})
_LIBRARY_ARITY = {
    "Supplier": 0, "Runnable": 0, "Callable": 0, "Function": 1, "Consumer": 1, "Predicate": 1, "UnaryOperator": 1,
    "MapFunction": 1, "FilterFunction": 1, "KeySelector": 1, "BiFunction": 2, "BiConsumer": 2, "BinaryOperator": 2,
    "BiPredicate": 2, "FlatMapFunction": 2, "ReduceFunction": 2, "SerializableFunction": 1, "SerializableSupplier": 0,
}  # fmt: skip


def bind(run: Run, method: MethodDecl, arguments: Sequence[Value], frame: Frame) -> None:
    """Put arguments into the parameters of a call."""
    parameters = method.parameters
    given = list(arguments)
    if method.varargs:
        last = len(parameters) - 1
        rest = given[last:]
        spread = len(rest) == 1 and isinstance(rest[0], ListValue) and rest[0].kind in ("array", "args")
        if not spread:
            given = [*given[:last], ListValue(tuple(rest), "array")]
    for parameter, value in zip(parameters, given, strict=False):
        bound = classes_of_values.coerce(run, value, parameter.type, method.owner)
        frame.scope.variables[parameter.name] = bound
        frame.scope.types[parameter.name] = parameter.type
