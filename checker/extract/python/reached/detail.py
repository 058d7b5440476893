"""A declaration of a script statement by statement: which were followed, which call something unknown.

The code of a script that its graph can depend on: without log calls and code that only runs with records.
"""

import ast
import copy
from collections.abc import Iterable, Iterator

from checker.extract.interpreting.memory import Trace, place_of
from checker.extract.python.plain_code import copied, logs
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
GRAPH_NAMES = frozenset(
    {"StreamExecutionEnvironment", "StreamTableEnvironment", "key_by", "add_source", "from_source", "from_collection",
     "add_sink", "sink_to", "uid", "execute_sql"}
)  # fmt: skip
_SERIALIZER_CALLS = frozenset(
    {"enable_force_kryo", "enable_force_avro", "disable_generic_types", "register_type",
     "register_type_with_kryo_serializer", "add_default_kryo_serializer"}
)  # fmt: skip
DECIDING_NAMES = STATE_NAMES | KEY_CALLS | GRAPH_NAMES | _SERIALIZER_CALLS | {
    "map", "flat_map", "filter", "process", "reduce", "aggregate", "union", "connect", "window", "window_all",
    "count_window", "broadcast", "rebalance", "set_parallelism", "add_insert_sql", "sql_query", "create_statement_set",
    "from_path", "execute_insert", "DataStream", "KeyedStream", "Table", "TableEnvironment",
}  # fmt: skip
"""Names that code mentions which may decide the graph, a state, a key or how state is written."""
FINDING = frozenset(
    {"import_module", "__import__", "exec", "eval", "entry_points", "iter_entry_points", "walk_packages",
     "iter_modules", "spec_from_file_location", "run_path", "run_module", "locate", "load_object", "import_string"}
)  # fmt: skip
"""Calls that bring in modules which no import names."""
_LOOK_UPS = frozenset({"import_module", "__import__", "exec", "eval", "getattr", "entry_points"})
_TYPE_WORDS = frozenset({"output_type", "type_info"})


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
    return ast.unparse(ast.fix_missing_locations(_Numbered(local).visit(copied(node))))


def _statement(node: ast.stmt, deferred: bool, path: str, local: frozenset[str], trace: Trace) -> Statement:
    alone = _alone(node)
    names = names_in(alone)
    calls = [call for call in ast.walk(alone) if isinstance(call, ast.Call)]
    later = {id(inner) for child in ast.walk(alone) if isinstance(child, ast.Lambda) for inner in ast.walk(child)}
    answered = trace.libraries.get(path, {})
    keys = [part for call in calls if _called(call) in KEY_CALLS for part in (*call.args, *call.keywords)]
    return Statement(
        code=_text(alone, local),
        location=Location(path, node.lineno, node.col_offset + 1),
        end_line=node.end_lineno or node.lineno,
        names=names,
        qualified=frozenset(_qualified(alone)),
        executed=place_of(node.lineno, node.col_offset) in trace.executed.get(path, ()),
        calls=frozenset(_called(call) for call in calls if id(call) not in later and not answered.get(_place(call))),
        elements=names,
        looks_up=not names.isdisjoint(_LOOK_UPS),
        gap=any(_place(call) in trace.gaps.get(path, ()) for call in calls),
        deferred=deferred,
        keys=frozenset(_text(part, local) for part in keys),
        key_names=names_in(*keys),
        typed=frozenset(_text(part, local) for call in calls for part in _typed(call)),
        logs=logs(node),
        settings=tuple(
            _text(ast.Call(ast.Name(_called(call)), call.args, call.keywords), local)
            for call in calls if _called(call) in _SERIALIZER_CALLS
        ),
        touches_state=not names.isdisjoint(STATE_NAMES),
        builds_graph=not names.isdisjoint(GRAPH_NAMES),
        registers=tuple(
            call.lineno
            for call in calls
            if _called(call).endswith("StateDescriptor") and (path, call.lineno) not in trace.repeated
        ),
    )  # fmt: skip


def _qualified(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) or (isinstance(inner, ast.Name) and "." in inner.id):
            name = ast.unparse(inner)
            if all(part.isidentifier() for part in name.split(".")):
                yield name


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


def _typed(call: ast.Call) -> Iterator[ast.AST]:
    """Arguments of a call that can change the type of elements."""
    if isinstance(call.func, ast.Attribute):
        yield from (part for part in call.args if isinstance(part, ast.Lambda | ast.Call | ast.Name))
        yield from (part for part in call.keywords if part.arg in _TYPE_WORDS)


_BUILDING = frozenset({"__init__", "__new__", "__init_subclass__", "open"})


def graph_code(trees: dict[str, ast.Module]) -> dict[str, str]:
    """Texts of files by path that are equal as long as no graph, state or key of a script can differ.

    Methods of PyFlink's functions run with records. Those that register state count, those whose name is mentioned
    elsewhere, and ``KeySelector``, whose keys decide where state lies.
    """
    found = {path: copied(tree) for path, tree in trees.items()}
    with_records = {id(method): method for tree in found.values() for method in _methods(tree)}
    while True:
        mentioned = _names_outside(found.values(), with_records)
        building = [place for place, method in with_records.items() if method.name in mentioned]
        if not building:
            break
        for place in building:
            del with_records[place]
    for method in with_records.values():
        method.body = [ast.Pass()]
    return {path: ast.dump(_WithoutLogs().visit(tree)) for path, tree in found.items()}


def _methods(tree: ast.Module) -> Iterator[Function]:
    """Methods that may run with records only."""
    for node in ast.walk(tree):
        bases = [ast.unparse(base).partition("[")[0] for base in node.bases] if isinstance(node, ast.ClassDef) else []
        if isinstance(node, ast.ClassDef) and any(base.endswith("Function") for base in bases):
            for method in node.body:
                if isinstance(method, Function) and method.name not in _BUILDING and not names_in(method) & STATE_NAMES:
                    yield method


def _names_outside(trees: Iterable[ast.AST], methods: dict[int, Function]) -> frozenset[str]:
    """All that may be an identifier in trees, but for what is inside of some methods."""
    found: set[str] = set()
    pending = list(trees)
    while pending:
        node = pending.pop()
        if id(node) in methods:
            continue
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
        pending.extend(ast.iter_child_nodes(node))
    return frozenset(found)


class _WithoutLogs(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        if isinstance(node.value, ast.Constant):
            return None
        inner = [part for part in ast.walk(node) if isinstance(part, ast.Call | ast.NamedExpr | ast.Await)]
        return None if logs(node) and len(inner) == 1 else node
