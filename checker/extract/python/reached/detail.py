"""A declaration of a script statement by statement: which were followed, which call something unknown."""

import ast
import copy
from collections.abc import Iterator

from checker.extract.datastream.table import words
from checker.extract.interpreting.memory import Trace, place_of
from checker.extract.python.plain_code import copied, logs
from checker.extract.python.reached.declarations import Declared, Function, names_in
from checker.model.declared_state import DESCRIPTORS
from checker.model.program_code import Detail, Statement
from checker.model.unknowns import Location

STATE_NAMES = words("state_names_of_pyflink") | DESCRIPTORS.keys()
"""Names of PyFlink's API that code mentions where it registers state."""
KEY_CALLS = words("key_calls_of_pyflink")
GRAPH_NAMES = words("graph_names_of_pyflink")
_SERIALIZER_CALLS = words("serializer_calls_of_pyflink")
DECIDING_NAMES = STATE_NAMES | KEY_CALLS | GRAPH_NAMES | _SERIALIZER_CALLS | words("deciding_names_of_pyflink")
"""Names that code mentions which may decide the graph, a state, a key or how state is written."""
FINDING = words("finding_in_python")
"""Calls that bring in modules which no import names."""
_LOOK_UPS = words("look_ups_in_python")


def detail_of(declared: Declared, path: str, trace: Trace) -> Detail:
    """Look at a declaration in a file, of whose reading ``trace`` is."""
    function = declared.function
    made_by = [] if function is None else [ast.copy_location(ast.Expr(d), d) for d in function.decorator_list]
    body = [*made_by, *function.body] if function is not None else list(declared.body)
    local = frozenset() if function is None else _locals_of(function)
    statements = tuple(_statement(node, deferred, path, local, trace) for node, deferred in _statements(body))
    whole = ast.Module(list(declared.body) if function is None else [ast.Expr(_lambda(function)), *body], [])
    return Detail(normal=_text(whole, local), statements=statements)


def _lambda(function: Function) -> ast.Lambda:
    """The parameters and the type of the result of a function, as code."""
    return ast.Lambda(function.args, function.returns or ast.Constant(None))


def _statements(body: list[ast.stmt], *, deferred: bool = False) -> Iterator[tuple[ast.stmt, bool]]:
    for node in body:
        yield node, deferred
        later = deferred or isinstance(node, Function | ast.ClassDef)
        for inner in _bodies(node):
            yield from _statements(inner, deferred=later)


def _bodies(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        inner = getattr(node, name, None)
        if isinstance(inner, list):
            yield inner
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield part.body


def _alone(node: ast.stmt) -> ast.stmt:
    """A statement without the statements inside of it."""
    found = copy.copy(node)
    for name in ("body", "orelse", "finalbody"):
        if isinstance(getattr(found, name, None), list):
            setattr(found, name, [])
    for name in ("handlers", "cases"):
        if hasattr(found, name):
            parts = [copy.copy(part) for part in getattr(found, name)]
            for part in parts:
                part.body = []
            setattr(found, name, parts)
    return found


def _locals_of(function: Function) -> frozenset[str]:
    """Names of local variables and parameters."""
    local = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    shared = {name for n in ast.walk(function) if isinstance(n, ast.Global | ast.Nonlocal) for name in n.names}
    arguments = function.args
    named = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    return frozenset((local | named) - shared)


class _Numbered(ast.NodeTransformer):
    """Local variables by the order in which they are met."""

    def __init__(self, local: frozenset[str]) -> None:
        self.local = local
        self.numbers: dict[str, str] = {}

    def _number(self, name: str) -> str:
        return self.numbers.setdefault(name, f"_{len(self.numbers)}") if name in self.local else name

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self._number(node.id), node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg(self._number(node.arg), node.annotation)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        own = {argument.arg for argument in node.args.args}
        outer, self.local = self.local, self.local | own
        try:
            return self.generic_visit(node)
        finally:
            self.local = outer


def _text(node: ast.AST, local: frozenset[str]) -> str:
    """Code as a text that is equal where the code is, local variables by numbers."""
    numbered = bool(local) or any(isinstance(inner, ast.Lambda) for inner in ast.walk(node))
    return ast.unparse(_Numbered(local).visit(copied(node)) if numbered else node)


def _statement(node: ast.stmt, deferred: bool, path: str, local: frozenset[str], trace: Trace) -> Statement:
    alone = _alone(node)
    names = names_in(alone)
    calls = [call for call in ast.walk(alone) if isinstance(call, ast.Call)]
    keys = [part for call in calls if _called(call) in KEY_CALLS for part in (*call.args, *call.keywords)]
    return Statement(
        code=_text(alone, local),
        location=Location(path, node.lineno, node.col_offset + 1),
        end_line=node.end_lineno or node.lineno,
        names=names,
        qualified=frozenset(_qualified(alone, local)),
        executed=place_of(node.lineno, node.col_offset) in trace.executed.get(path, ()),
        looks_up=not names.isdisjoint(_LOOK_UPS),
        gap=any(_place(call) in trace.gaps.get(path, ()) for call in calls),
        deferred=deferred,
        key_names=names_in(*keys),
        given=frozenset(_text(part, local) for call in calls for part in _given(call)),
        logs=logs(node),
        settings=any(_called(call) in _SERIALIZER_CALLS for call in calls),
        touches_state=not names.isdisjoint(STATE_NAMES),
        builds_graph=not names.isdisjoint(GRAPH_NAMES),
        registers=tuple(
            call.lineno
            for call in calls
            if _called(call).endswith("StateDescriptor") and (path, call.lineno) not in trace.repeated
        ),
    )  # fmt: skip


def _qualified(node: ast.AST, local: frozenset[str]) -> Iterator[str]:
    """Names in full, but for attributes of local variables."""
    for inner in ast.walk(node):
        end = ""
        while isinstance(inner, ast.Attribute):
            end, inner = f".{inner.attr}{end}", inner.value
        parts = f"{inner.id}{end}".split(".") if isinstance(inner, ast.Name) else []
        if len(parts) > 1 and parts[0] not in local and all(part.isidentifier() for part in parts):
            yield ".".join(parts)


def _called(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _place(call: ast.Call) -> int:
    """Where the interpreter says that a call is: a method at its name."""
    if isinstance(call.func, ast.Attribute):
        name = call.func
        return place_of(name.end_lineno or name.lineno, (name.end_col_offset or 0) - len(name.attr))
    return place_of(call.lineno, call.col_offset)


def _given(call: ast.Call) -> Iterator[ast.AST]:
    """What a method is given but for constants."""
    if isinstance(call.func, ast.Attribute):
        yield from (part for part in call.args if not isinstance(part, ast.Constant))
        yield from (part for part in call.keywords if not isinstance(part.value, ast.Constant))
