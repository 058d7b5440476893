"""A declaration of a script statement by statement: which were followed, which call something unknown."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from checker.extract.interpreting.trace import Trace, place_of
from checker.extract.python.plain_code import logs
from checker.extract.python.reached.declarations import Declared, Function, names_in
from checker.model.declared_state import DESCRIPTORS
from checker.model.program_code import Detail, Statement
from checker.model.unknowns import Location

STATE_NAMES = frozenset(
    {
        *DESCRIPTORS, "StateTtlConfig", "enable_time_to_live", "get_state", "get_list_state",
        "get_map_state", "get_reducing_state", "get_aggregating_state", "get_broadcast_state",
    }
)  # fmt: skip
"""Names of PyFlink's API that code mentions where it registers state."""
KEY_CALLS = frozenset({"key_by", "where", "equal_to", "partition_custom"})
_GRAPH_NAMES = frozenset(
    {"StreamExecutionEnvironment", "StreamTableEnvironment", "key_by", "add_source", "from_source", "from_collection",
     "add_sink", "sink_to", "uid", "execute_sql"}
)  # fmt: skip
_SERIALIZER_CALLS = frozenset(
    {"enable_force_kryo", "enable_force_avro", "disable_generic_types", "register_type",
     "register_type_with_kryo_serializer", "add_default_kryo_serializer"}
)  # fmt: skip
_LOOK_UPS = frozenset({"import_module", "__import__", "exec", "eval", "getattr", "entry_points"})
_TYPE_WORDS = frozenset({"output_type", "type_info"})
_Owned = tuple[ast.stmt, bool]


def detail_of(declared: Declared, path: str, trace: Trace) -> Detail:
    """Look at a declaration in a file, of whose reading ``trace`` is."""
    body = declared.function.body if declared.function is not None else list(declared.body)
    numbers = numbered_locals(declared.function)
    statements = tuple(
        _statement(node, deferred, path, numbers, trace) for node, deferred in _statements(body, deferred=False)
    )
    head = "" if declared.function is None else ast.unparse(renamed_locals(declared.function.args, numbers))
    return Detail(
        normal="\n".join((head, *(s.tokens for s in statements))),
        statements=statements,
        executed=any(s.executed and not s.deferred for s in statements),
    )


def _statements(body: list[ast.stmt], *, deferred: bool) -> Iterator[_Owned]:
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


def numbered_locals(function: Function | None) -> dict[str, str]:
    """Local variables by the order in which they are met."""
    if function is None:
        return {}
    found: dict[str, str] = {}
    arguments = function.args
    named = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    local = {argument.arg for argument in named}
    local |= {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    local -= {name for n in ast.walk(function) if isinstance(n, ast.Global | ast.Nonlocal) for name in n.names}
    for argument in named:
        found.setdefault(argument.arg, f"_{len(found)}")
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id in local:
            found.setdefault(node.id, f"_{len(found)}")
    return found


class _Renamer(ast.NodeTransformer):
    def __init__(self, numbers: dict[str, str]) -> None:
        self.numbers = numbers

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.copy_location(ast.Name(self.numbers.get(node.id, node.id), node.ctx), node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.copy_location(ast.arg(self.numbers.get(node.arg, node.arg), node.annotation), node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        own = {argument.arg: f"_l{place}" for place, argument in enumerate(node.args.args)}
        return _Renamer({**self.numbers, **own}).generic_visit(node)


def renamed_locals(node: ast.AST, numbers: dict[str, str]) -> ast.AST:
    """Code with its local variables by their numbers."""
    renamed: ast.AST = _Renamer(numbers).visit(copy.deepcopy(node))
    return renamed


def _statement(node: ast.stmt, deferred: bool, path: str, numbers: dict[str, str], trace: Trace) -> Statement:
    alone = _alone(node)
    renamed = renamed_locals(alone, numbers)
    names = names_in(alone)
    calls = [call for call in ast.walk(alone) if isinstance(call, ast.Call)]
    later = [set(ast.walk(child)) for child in ast.walk(alone) if isinstance(child, ast.Lambda)]
    own = [call for call in calls if not any(call in inner for inner in later)]
    return Statement(
        tokens=ast.unparse(renamed),
        location=Location(path, node.lineno, node.col_offset + 1),
        end_line=node.end_lineno or node.lineno,
        names=names,
        executed=place_of(node.lineno, node.col_offset) in trace.executed.get(path, ()),
        calls=frozenset(map(_called, own)),
        of_libraries=frozenset(map(_called, own))
        - {_called(call) for call in own if not trace.libraries.get(path, {}).get(_place(call))},
        elements=names,
        looks_up=not names.isdisjoint(_LOOK_UPS),
        gap=any(_place(call) in trace.gaps.get(path, ()) for call in calls),
        deferred=deferred,
        keys=tuple(_given(renamed, KEY_CALLS)),
        typed=tuple(_typed(renamed)),
        logs=logs(node),
        serializes=not names.isdisjoint(_SERIALIZER_CALLS),
        touches_state=not names.isdisjoint(STATE_NAMES),
        builds_graph=not names.isdisjoint(_GRAPH_NAMES),
        registers=tuple(
            call.lineno
            for call in calls
            if _called(call).endswith("StateDescriptor") and (path, call.lineno) not in trace.repeated
        ),
    )


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


def _given(node: ast.AST, calls: frozenset[str]) -> Iterator[str]:
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and _called(call) in calls:
            yield ", ".join(ast.unparse(part) for part in (*call.args, *call.keywords))


def _typed(node: ast.AST) -> Iterator[str]:
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            for part in call.args:
                if isinstance(part, ast.Lambda | ast.Call | ast.Name):
                    yield ast.unparse(part)
            yield from (ast.unparse(part) for part in call.keywords if part.arg in _TYPE_WORDS)
