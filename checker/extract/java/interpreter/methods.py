"""Finds the method of the repository that a call means: by name, arity, argument types and inheritance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from checker.extract.java.flink_api.flink_values import EnvValue, StreamValue
from checker.extract.java.interpreter import classes_of_values
from checker.extract.java.interpreter.frames import Frame
from checker.extract.java.interpreter.speculation import Run
from checker.extract.java.interpreter.values import (
    Choice,
    Constant,
    ExternalObject,
    Instance,
    Lambda,
    ListValue,
    MethodRef,
    Opaque,
    Value,
    is_null,
)
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind, MethodDecl, Parameter, TypeRef
from checker.extract.java.syntax.parse import children, field
from checker.model.topology import Cause, Unknown

_CONSTANT_TYPES = {
    "String": ("String", "CharSequence", "Comparable", "Serializable"),
    "int": ("int", "Integer", "long", "double", "float", "Number", "short", "byte"),
    "long": ("long", "Long", "double", "float", "Number"),
    "double": ("double", "Double", "Number"),
    "float": ("float", "Float", "double", "Number"),
    "boolean": ("boolean", "Boolean"),
    "char": ("char", "Character", "int", "long"),
    "short": ("short", "Short", "int", "long", "Number"),
    "byte": ("byte", "Byte", "int", "long", "Number"),
    "Integer": ("Integer", "Number", "int", "long", "double", "float"),
    "Long": ("Long", "Number", "long", "double", "float"),
    "Double": ("Double", "Number", "double"),
    "Float": ("Float", "Number", "float", "double"),
    "Boolean": ("Boolean", "boolean"),
    "Character": ("Character", "char", "int", "long"),
    "Short": ("Short", "Number", "short", "int", "long"),
    "Byte": ("Byte", "Number", "byte", "int", "long"),
}
_PRIMITIVES = frozenset({"int", "long", "double", "float", "boolean", "char", "short", "byte"})
_LIST_TYPES = {
    "List": frozenset({"List", "Collection", "Iterable", "ArrayList", "LinkedList", "Queue", "Deque"}),
    "Set": frozenset({"Set", "Collection", "Iterable", "HashSet", "LinkedHashSet", "TreeSet"}),
    "Stream": frozenset({"Stream", "IntStream"}),
}


def in_hierarchy(run: Run, decl: ClassDecl, name: str) -> Iterator[MethodDecl]:
    """Methods of that name in a class and its ancestors of the repository, nearest first, overridden ones left out."""
    seen: set[tuple[str, ...]] = set()
    for owner in (decl, *(a for a in run.index.ancestors(decl) if isinstance(a, ClassDecl))):
        for method in owner.methods_named(name):
            signature = tuple(f"{p.type.simple}{p.type.dimensions}" for p in method.parameters)
            if owner.type_parameters or method.type_parameters:
                variables = owner.type_parameters | method.type_parameters
                signature = tuple(
                    "?" if p.type.name in variables else f"{p.type.simple}{p.type.dimensions}"
                    for p in method.parameters
                )
            if signature not in seen:
                seen.add(signature)
                yield method


def select(run: Run, candidates: list[MethodDecl], arguments: Sequence[Value], scope: ClassDecl) -> MethodDecl | None:
    """The best applicable method: fitting arity, best fitting types, the nearest class first."""
    scored: list[tuple[float, MethodDecl]] = []
    owners: list[ClassDecl] = []
    for method in candidates:
        if not any(owner is method.owner for owner in owners):
            owners.append(method.owner)
        score = applicability(run, method, arguments)
        if score is None:
            continue
        if not method.abstract or method.owner.kind is ClassKind.INTERFACE:
            score += 0.01
        if not method.abstract:
            score += 0.05
        scored.append((score - FARTHER * min(len(owners) - 1, 2), method))
    if not scored:
        return None
    best = max(score for score, _ in scored)
    near = [method for score, method in scored if score > best - 1e-9]
    close = [method for score, method in scored if score > best - DOUBT]
    if len(close) > 1 and _undecidable(run, close, arguments):
        return close[_which(run, close)]
    return near[0]


FARTHER = 4.0
"""What a method loses for every class that stands between: an inherited one is overridden more likely than meant."""
DOUBT = 3.5
"""How much better one overload must fit than another where the arguments' types are not known."""


def _undecidable(run: Run, close: list[MethodDecl], arguments: Sequence[Value]) -> bool:
    """Whether overloads differ just where the type of the argument is not known."""
    first = close[0]
    for method in close[1:]:
        if method.owner is not first.owner or method.varargs or first.varargs:
            return False
        for one, other, argument in zip(first.parameters, method.parameters, arguments, strict=False):
            open_type = isinstance(argument, ExternalObject) or (isinstance(argument, Opaque) and argument.type is None)
            if one.type != other.type and open_type:
                return True
    return False


def _which(run: Run, close: list[MethodDecl]) -> int:
    """One of several overloads that fit equally, as a choice of the path."""
    unknown = Unknown(
        f"which overload of '{close[0].name}' is called is not known", Cause.OTHER, None, close[0].location
    )
    options: tuple[tuple[int, Value], ...] = tuple((i, Constant(i, "int")) for i in range(len(close)))
    labels = tuple(f"'{m.name}({', '.join(str(p.type) for p in m.parameters)})' is called" for m in close)
    return run.pick_labeled(Choice(run.fresh(f"overload {close[0].name}"), options, unknown), labels)


def applicability(run: Run, method: MethodDecl, arguments: Sequence[Value]) -> float | None:
    """How well arguments fit a method's parameters, None where they don't."""
    parameters = method.parameters
    if not method.varargs:
        if len(parameters) != len(arguments):
            return None
        pairs = list(zip(parameters, arguments, strict=True))
        bonus = 1.0
    else:
        if len(arguments) < len(parameters) - 1:
            return None
        pairs = list(zip(parameters[:-1], arguments, strict=False))
        last = parameters[-1]
        rest = arguments[len(parameters) - 1 :]
        if len(rest) == 1 and isinstance(rest[0], ListValue) and rest[0].kind in ("array", "args"):
            pairs.append((last, rest[0]))
        else:
            element = Parameter(last.name, TypeRef(last.type.name, last.type.arguments, last.type.dimensions - 1))
            pairs.extend((element, argument) for argument in rest)
        bonus = 0.0
    total = 0.0
    for parameter, argument in pairs:
        score = fit(run, argument, parameter.type, method)
        if score is None:
            return None
        total += score
    return (total / len(pairs) if pairs else 0.0) * 10 + bonus


def fit(run: Run, argument: Value, ref: TypeRef, method: MethodDecl) -> float | None:
    """How well one value fits a parameter type: 0 (can't tell) to 3 (exactly), None where it doesn't."""
    name = ref.simple
    if isinstance(argument, Choice):
        argument = argument.options[0][1]
    if is_null(argument):
        return None if name in _PRIMITIVES and not ref.dimensions else 1.0
    if ref.name in method.type_parameters or ref.name in method.owner.type_parameters:
        return 0.8
    if ref.dimensions:
        if isinstance(argument, ListValue):
            return 3.0 if argument.kind in ("array", "args") else None
        return None if isinstance(argument, Constant | StreamValue | EnvValue | Instance | Lambda) else 0.5
    if isinstance(argument, Constant):
        return _fit_constant(argument, name)
    if isinstance(argument, Lambda | MethodRef):
        return _fit_function(run, argument, ref, method)
    if name == "Object":
        return 0.3
    if name in _PRIMITIVES or name == "String":
        return 0.5 if classes_of_values.class_of(run, argument) is None else _boxed(run, argument, name)
    verdict = classes_of_values.instance_of_in(run, argument, ref, method.owner)
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


def _fit_constant(argument: Constant, name: str) -> float | None:
    accepted = _CONSTANT_TYPES.get(argument.java, ())
    if name in accepted:
        return 3.0 - accepted.index(name) * 0.2
    if name in ("Object", "Comparable", "Serializable"):
        return 0.5
    return None


def _fit_function(run: Run, argument: Lambda | MethodRef, ref: TypeRef, method: MethodDecl) -> float | None:
    if ref.name in _PRIMITIVES or ref.simple in ("String", "StreamExecutionEnvironment", "List", "Map", "Set"):
        return None
    resolved = run.index.resolve_type(ref, method.owner)
    if isinstance(resolved, ClassDecl):
        if resolved.kind is not ClassKind.INTERFACE:
            return None
        wanted = functional_method(run, resolved)
        if isinstance(argument, Lambda) and wanted is not None:
            return 2.0 if len(wanted.parameters) == lambda_arity(argument) else None
        return 1.5
    if isinstance(argument, Lambda):
        arity = _LIBRARY_ARITY.get(ref.simple)
        if arity is not None:
            return 2.0 if arity == lambda_arity(argument) else None
    return 1.0


_LIBRARY_ARITY = {
    "Supplier": 0, "Runnable": 0, "Callable": 0, "Function": 1, "Consumer": 1, "Predicate": 1, "UnaryOperator": 1,
    "MapFunction": 1, "FilterFunction": 1, "KeySelector": 1, "BiFunction": 2, "BiConsumer": 2, "BinaryOperator": 2,
    "BiPredicate": 2, "FlatMapFunction": 2, "ReduceFunction": 2, "SerializableFunction": 1, "SerializableSupplier": 0,
}  # fmt: skip


def lambda_arity(value: Lambda) -> int:
    """How many parameters a lambda has."""
    return len(lambda_parameters(value))


def lambda_parameters(value: Lambda) -> list[str]:
    """The names of a lambda's parameters."""
    from checker.extract.java.syntax.declarations import parameters_of
    from checker.extract.java.syntax.parse import text

    node = field(value.node, "parameters")
    if node is None:
        return []
    if node.type == "identifier":
        return [text(node)]
    if node.type == "inferred_parameters":
        return [text(child) for child in children(node)]
    return [parameter.name for parameter in parameters_of(node)]


def functional_method(run: Run, decl: ClassDecl) -> MethodDecl | None:
    """The one abstract method of a functional interface of the repository."""
    for owner in (decl, *(a for a in run.index.ancestors(decl) if isinstance(a, ClassDecl))):
        for method in owner.methods:
            if method.abstract and not method.static:
                return method
    return None


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
        bound = classes_of_values.coerce_in(run, value, parameter.type, method.owner)
        frame.scope.variables[parameter.name] = bound
        frame.scope.types[parameter.name] = parameter.type
