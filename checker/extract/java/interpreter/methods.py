"""Finds the method of the repository that a call means: by name, arity, argument types and inheritance."""

from collections.abc import Sequence

from checker.extract.java.interpreter import classes_of_values
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.flink_values import EnvValue, StreamValue
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    Choice,
    Constant,
    Frame,
    Instance,
    Lambda,
    ListValue,
    MethodRef,
    Value,
    is_null,
)
from checker.extract.java.state.java_types import JavaType
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, MethodDecl
from checker.extract.java.syntax.nodes import functional_method, superclasses
from checker.extract.java.syntax.tree import children, field
from checker.extract.java.syntax.type_refs import BOXES, UNBOXED, TypeRef, lambda_parameters
from checker.model.unknowns import Cause, Unknown


def select(run: Run, candidates: list[MethodDecl], call: Call, scope: ClassDecl) -> MethodDecl | None:
    """The method that a call means: the one whose parameters are of the arguments' types, or the only one that fits.

    Which of several others Java prefers is not found out: any of them may be meant. The program compiles: a method that
    alone takes as many arguments is meant, whatever is known of these.
    """
    arguments = call.arguments
    needed = call.used and call.name != "new"
    taking = [m for m in candidates if _takes(m, len(arguments)) and not (needed and str(m.return_type) == "void")]
    elsewhere = _inherits_library(run, scope)
    if len(taking) < 2 and not (taking and elsewhere):
        return taking[0] if taking else None
    written = _written(run, call)
    found: list[MethodDecl] = []
    for spread in (False, True):
        found = found or [m for m in taking if _fits(run, m, _parameters(m, arguments, spread), arguments, written)]
    if not found and not elsewhere:  # what is known of the arguments' classes is not enough
        found = taking
    found = [m for place, m in enumerate(found) if not any(_overrides(nearer, m) for nearer in found[:place])]
    left = [m for m in found if _is_exact(run, m, arguments, written)] or found
    return left[_which(run, left)] if len(left) > 1 else left[0] if left else None


def _overrides(nearer: MethodDecl, method: MethodDecl) -> bool:
    """Whether a method of a nearer class is a farther one with types in place of its variables."""
    if nearer.owner is method.owner or len(nearer.parameters) != len(method.parameters):
        return False
    variables = (*method.type_variables, *method.owner.type_variables)
    pairs = [(own.type, farther.type) for own, farther in zip(nearer.parameters, method.parameters, strict=True)]
    return all(
        farther.name in variables or (own.simple, own.dimensions) == (farther.simple, farther.dimensions)
        for own, farther in pairs
    )


def _takes(method: MethodDecl, count: int) -> bool:
    needed = len(method.parameters)
    return count >= needed - 1 if method.varargs else count == needed


def _inherits_library(run: Run, scope: ClassDecl) -> bool:
    """Whether methods of a superclass outside of the repository may be meant, too."""
    *_, last = superclasses(run.index, scope)
    return isinstance(run.index.superclass(last), External)


def _written(run: Run, call: Call) -> list[JavaType | None]:
    """The declared types of the arguments, where they are written at the call."""
    nothing: list[JavaType | None] = [None] * len(call.arguments)
    holder = field(call.node, "arguments") if call.node is not None else None
    nodes = children(holder) if holder is not None else []
    if len(nodes) != len(call.arguments):
        return nothing
    return [classes_of_values.type_of(run, node, call.frame) for node in nodes]


def _which(run: Run, close: list[MethodDecl]) -> int:
    """One of several overloads that fit equally, as a choice of the path."""
    unknown = Unknown(f"several overloads of '{close[0].name}' fit this call", Cause.OTHER, None, close[0].location)
    options: tuple[tuple[int, Value], ...] = tuple((i, Constant(i, "int")) for i in range(len(close)))
    labels = tuple(f"'{m.name}({', '.join(str(p.type) for p in m.parameters)})' is called" for m in close)
    return run.pick_labeled(Choice(run.fresh(f"overload {close[0].name}"), options, unknown), labels)


def _parameters(method: MethodDecl, arguments: Sequence[Value], spread: bool) -> list[TypeRef]:
    """The types of the parameters, one for each argument; ``spread``: of a method of variable arity, its elements'."""
    types = [parameter.type for parameter in method.parameters]
    if spread and method.varargs:
        last = types.pop()
        types += [TypeRef(last.name, last.arguments, last.dimensions - 1)] * (len(arguments) - len(types))
    return types


def _fits(
    run: Run,
    method: MethodDecl,
    parameters: Sequence[TypeRef],
    arguments: Sequence[Value],
    written: Sequence[JavaType | None],
) -> bool:
    """Whether a method may take the arguments."""
    if len(parameters) != len(arguments):
        return False
    for wanted, argument, declared in zip(parameters, arguments, written, strict=True):
        known = _type_of(argument, declared)
        if known is not None:
            if classes_of_values.refuses(run, known, wanted, method):
                return False
        elif _refuses(run, argument, wanted, method):
            return False
    return True


def _type_of(argument: Value, declared: JavaType | None) -> JavaType | None:
    """The declared type of an argument; of a constant its own."""
    if isinstance(argument, Lambda | MethodRef):
        return None
    if isinstance(argument, Choice):
        argument = argument.options[0][1]
    if declared is None and isinstance(argument, Constant) and not is_null(argument):
        return JavaType(argument.java)
    return declared


def _is_exact(run: Run, method: MethodDecl, arguments: Sequence[Value], written: Sequence[JavaType | None]) -> bool:
    """Whether all parameters are of the types that the arguments are declared with, functions aside."""
    if len(method.parameters) != len(arguments):
        return False
    for parameter, argument, declared in zip(method.parameters, arguments, written, strict=True):
        wanted, known = parameter.type, _type_of(argument, declared)
        if known is not None:
            if (known.simple, known.dimensions) != (wanted.simple, wanted.dimensions):
                return False
        elif isinstance(argument, ListValue) and argument.kind in ("array", "args"):
            if not wanted.dimensions:
                return False
        elif not isinstance(argument, Lambda | MethodRef):
            found = classes_of_values.class_of(run, argument)
            simple = found.name if isinstance(found, ClassDecl) else found.simple if found is not None else ""
            if wanted.dimensions or wanted.simple != simple:
                return False
    return True


def _refuses(run: Run, argument: Value, ref: TypeRef, method: MethodDecl) -> bool:
    """Whether a value whose type is not declared is certainly none of a parameter's."""
    name = ref.simple
    if isinstance(argument, Choice):
        argument = argument.options[0][1]
    if is_null(argument):
        return name in BOXES and not ref.dimensions
    if ref.name in method.type_variables or ref.name in method.owner.type_variables:
        return False
    if ref.dimensions:
        if isinstance(argument, ListValue):
            return argument.kind not in ("array", "args")
        return isinstance(argument, StreamValue | EnvValue | Instance | Lambda)
    if isinstance(argument, Lambda | MethodRef):
        return _refuses_function(run, argument, ref, method)
    if name == "Object":
        return False
    if name in BOXES or name == "String":
        found = classes_of_values.class_of(run, argument)
        simple = found.simple if isinstance(found, External) else ""
        taking = classes_of_values.WIDENING.get(UNBOXED.get(simple, ""), ())
        return found is not None and name != simple and name not in taking
    return classes_of_values.instance_of(run, argument, ref, method.owner) is False


def _refuses_function(run: Run, argument: Lambda | MethodRef, ref: TypeRef, method: MethodDecl) -> bool:
    if ref.name in BOXES or ref.simple in ("Object", "String", "StreamExecutionEnvironment", "List", "Map", "Set"):
        return True
    resolved = run.index.resolve_type(ref, method.owner)
    arity = _LIBRARY_ARITY.get(ref.simple)
    if isinstance(resolved, ClassDecl):
        if resolved.kind is not ClassKind.INTERFACE:
            return True
        wanted = functional_method(run.index, resolved)
        arity = len(wanted.parameters) if wanted is not None else None
    return isinstance(argument, Lambda) and arity not in (None, len(lambda_parameters(argument.node)))


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
