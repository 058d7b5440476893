"""Runs a script by its syntax tree as far as its topology goes: nothing of it is executed.

Plain values are computed, functions of the script are followed, calls of PyFlink declare operators. What is not
known stays so; where the shape of the topology hangs on it, the run stops with the reason.
"""

from __future__ import annotations

import ast
import operator as python_operators
from collections.abc import Callable
from typing import Any

from checker.extract.python import flink_calls
from checker.extract.python.flink_calls import Arguments
from checker.extract.python.streams import Broadcast, Configuration, Connected, Environment, Sink, Stream, Windowed
from checker.extract.python.values import (
    Bound,
    Class,
    External,
    Function,
    Instance,
    Opaque,
    Scope,
    StoppedError,
    Value,
    unknown,
)
from checker.model.sources import SourceFiles
from checker.model.topology import Cause, Location, Unknown

FLINK_OBJECTS = (Configuration, Environment, Stream, Sink, Windowed, Connected, Broadcast)
NON_DETERMINISTIC = ("uuid.", "random.", "time.time", "time.monotonic", "datetime.", "secrets.")
GIVEN = ("os.environ", "os.getenv", "sys.argv", "argparse")
MAX_STEPS = 200_000
MAX_DEPTH = 60
_PLAIN = (str, int, float, bool, bytes, type(None), list, tuple, dict, set, range)
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: python_operators.add,
    ast.Sub: python_operators.sub,
    ast.Mult: python_operators.mul,
    ast.FloorDiv: python_operators.floordiv,
    ast.Mod: python_operators.mod,
    ast.Div: python_operators.truediv,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: python_operators.eq,
    ast.NotEq: python_operators.ne,
    ast.Lt: python_operators.lt,
    ast.LtE: python_operators.le,
    ast.Gt: python_operators.gt,
    ast.GtE: python_operators.ge,
    ast.Is: lambda a, b: a is b,
    ast.IsNot: lambda a, b: a is not b,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
_BUILTINS: dict[str, Callable[..., Any]] = {
    "str": str, "int": int, "len": len, "range": range, "list": list, "tuple": tuple, "dict": dict, "set": set,
    "enumerate": lambda *a: list(enumerate(*a)), "zip": lambda *a: list(zip(*a, strict=False)), "sorted": sorted,
    "reversed": lambda a: list(reversed(a)), "bool": bool, "float": float, "abs": abs, "min": min, "max": max,
}  # fmt: skip
_SAFE_METHODS = frozenset(
    {"format", "join", "upper", "lower", "strip", "replace", "split", "items", "keys", "values", "get", "append",
     "startswith", "endswith", "title", "extend", "copy", "lstrip", "rstrip", "removeprefix", "removesuffix"}
)  # fmt: skip
_MAX_TEXT = 100_000


class _ReturnError(Exception):
    def __init__(self, value: Value) -> None:
        super().__init__()
        self.value = value


class _LoopError(Exception):
    def __init__(self, goes_on: bool) -> None:
        super().__init__()
        self.goes_on = goes_on


class _EndedError(Exception):
    """``sys.exit`` or an exception of the script's own."""


class Interpreter:
    """One run of a script. ``environments`` holds every execution environment that it made."""

    def __init__(self, files: SourceFiles, flink: str | None, args: tuple[str, ...]) -> None:
        self.files = files
        self.flink = flink
        self.args = args
        self.environments: list[Environment] = []
        self.read: set[str] = set()
        self._modules: dict[str, Scope] = {}
        self._steps = 0
        self._depth = 0

    def run(self, path: str) -> None:
        """Run a script as ``__main__``. Raises StoppedError, SyntaxError, KeyError."""
        try:
            self._module(path, "__main__")
        except _EndedError:
            pass
        except _ReturnError:
            raise StoppedError(Unknown("'return' outside of a function", Cause.SYNTAX)) from None
        except RecursionError:
            raise StoppedError(Unknown("the script nests too deeply to be followed", Cause.LIMIT)) from None

    def _module(self, path: str, name: str) -> Scope:
        if path in self._modules:
            return self._modules[path]
        self.read.add(path)
        tree = ast.parse(self.files.read(path), path)
        scope = Scope({"__name__": name, "__file__": path})
        self._modules[path] = scope
        self._block(tree.body, scope, path)
        return scope

    # statements

    def _block(self, body: list[ast.stmt], scope: Scope, file: str) -> None:
        for statement in body:
            self._steps += 1
            if self._steps > MAX_STEPS:
                raise StoppedError(Unknown("the script takes too many steps", Cause.LIMIT, None, _at(statement, file)))
            self._statement(statement, scope, file)

    def _statement(self, node: ast.stmt, scope: Scope, file: str) -> None:
        if isinstance(node, ast.Expr):
            self._value(node.value, scope, file)
        elif isinstance(node, ast.Assign):
            value = self._value(node.value, scope, file)
            for target in node.targets:
                self._assign(target, value, scope, file)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self._assign(node.target, self._value(node.value, scope, file), scope, file)
        elif isinstance(node, ast.AugAssign):
            left = self._value(_as_load(node.target), scope, file)
            right = self._value(node.value, scope, file)
            self._assign(node.target, self._binary(node.op, left, right, _at(node, file)), scope, file)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            scope.names[node.name] = Function(node.name, node.args, node.body, scope, file)
        elif isinstance(node, ast.ClassDef):
            scope.names[node.name] = self._class(node, scope, file)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            self._import(node, scope, file)
        elif isinstance(node, ast.If):
            self._if(node, scope, file)
        elif isinstance(node, ast.For):
            self._for(node, scope, file)
        elif isinstance(node, ast.While):
            self._skip(node, [node], scope, file, "a 'while' loop")
        elif isinstance(node, ast.With):
            for item in node.items:
                value = self._value(item.context_expr, scope, file)
                if item.optional_vars is not None:
                    self._assign(item.optional_vars, value, scope, file)
            self._block(node.body, scope, file)
        elif isinstance(node, ast.Try):
            self._block(node.body, scope, file)
            self._block(node.orelse, scope, file)
            self._block(node.finalbody, scope, file)
        elif isinstance(node, ast.Return):
            raise _ReturnError(None if node.value is None else self._value(node.value, scope, file))
        elif isinstance(node, ast.Break | ast.Continue):
            raise _LoopError(isinstance(node, ast.Continue))
        elif isinstance(node, ast.Raise):
            raise _EndedError
        elif isinstance(node, ast.Match):
            self._skip(node, [node], scope, file, "a 'match' statement")

    def _assign(self, target: ast.expr, value: Value, scope: Scope, file: str) -> None:
        if isinstance(target, ast.Name):
            scope.names[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            parts = list(value) if isinstance(value, list | tuple) else []
            for place, one in enumerate(target.elts):
                known = place < len(parts) and len(parts) == len(target.elts)
                self._assign(one, parts[place] if known else _opaque_part(value, _at(target, file)), scope, file)
        elif isinstance(target, ast.Attribute):
            owner = self._value(target.value, scope, file)
            if isinstance(owner, Instance):
                owner.attributes[target.attr] = value
            elif isinstance(owner, Class):
                owner.members[target.attr] = value
        elif isinstance(target, ast.Subscript):
            owner = self._value(target.value, scope, file)
            key = self._value(target.slice, scope, file)
            if isinstance(owner, dict) and isinstance(key, str | int):
                owner[key] = value

    def _if(self, node: ast.If, scope: Scope, file: str) -> None:
        test = self._value(node.test, scope, file)
        decided = _truth(test)
        if decided is not None:
            self._block(node.body if decided else node.orelse, scope, file)
            return
        self._skip(node, [*node.body, *node.orelse], scope, file, _why(test, "a condition that is not known"))

    def _skip(self, node: ast.stmt, body: list[ast.stmt], scope: Scope, file: str, why: str) -> None:
        """Code that may or may not run: harmless where it touches nothing of Flink; what it assigns is not known."""
        at = _at(node, file)
        for one in (n for statement in body for n in ast.walk(statement)):
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load) and self._touches(one.id, scope):
                cause = Cause.ARGUMENT if "argument" in why else Cause.BRANCH
                raise StoppedError(Unknown(f"the topology depends on {why}", cause, None, at))
            if isinstance(one, ast.Return):
                raise StoppedError(Unknown(f"the function's result depends on {why}", Cause.BRANCH, None, at))
        for one in (n for statement in body for n in ast.walk(statement)):
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
                scope.names[one.id] = unknown(f"{one.id} depends on {why}", Cause.BRANCH, at, one.id)

    def _touches(self, name: str, scope: Scope) -> bool:
        found = scope.find(name)
        if found is None:
            return False
        value = found.names[name]
        if isinstance(value, Function):
            return any(
                isinstance(n, ast.Name) and n.id != name and self._touches(n.id, value.scope)
                for s in value.body for n in ast.walk(s)
            )  # fmt: skip
        return isinstance(value, FLINK_OBJECTS) or (isinstance(value, External) and value.path.startswith("pyflink."))

    def _for(self, node: ast.For, scope: Scope, file: str) -> None:
        items = self._value(node.iter, scope, file)
        if not isinstance(items, list | tuple | range | set | dict | str):
            self._skip(node, [*node.body, *node.orelse], scope, file, _why(items, "a collection that is not known"))
            return
        for item in list(items):
            self._assign(node.target, item, scope, file)
            try:
                self._block(node.body, scope, file)
            except _LoopError as loop:
                if not loop.goes_on:
                    return
        self._block(node.orelse, scope, file)

    def _class(self, node: ast.ClassDef, scope: Scope, file: str) -> Class:
        bases = tuple(ast.unparse(base) for base in node.bases)
        inner = Scope({}, scope)
        self._block([s for s in node.body if not isinstance(s, ast.Expr)], inner, file)
        inherited: dict[str, Value] = {}
        for base in node.bases:
            value = self._value(base, scope, file)
            if isinstance(value, Class):
                inherited.update(value.members)
        return Class(node.name, bases, node, {**inherited, **inner.names}, file)

    def _import(self, node: ast.Import | ast.ImportFrom, scope: Scope, file: str) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.split(".")[0]
                scope.names[alias.asname or top] = External(alias.name if alias.asname else top)
            return
        module = "." * node.level + (node.module or "")
        path = self._path_of(module, file)
        loaded = None if path is None else self._module(path, module)
        for alias in node.names:
            if loaded is not None and alias.name == "*":
                scope.names.update({k: v for k, v in loaded.names.items() if not k.startswith("_")})
            elif loaded is not None and alias.name in loaded.names:
                scope.names[alias.asname or alias.name] = loaded.names[alias.name]
            elif alias.name == "*":
                scope.names[f"* {module}"] = External(module)
            else:
                scope.names[alias.asname or alias.name] = External(f"{module}.{alias.name}")

    def _path_of(self, module: str, file: str) -> str | None:
        """The file of a module of the repository: beside the script, or from the repository's root."""
        folder = file.rpartition("/")[0]
        level = len(module) - len(module.lstrip("."))
        for _ in range(level - 1):
            folder = folder.rpartition("/")[0]
        relative = module.lstrip(".").replace(".", "/")
        roots = [folder] if level else [folder, "", "src"]
        for root in roots:
            for ending in (".py", "/__init__.py"):
                path = f"{root}/{relative}{ending}".lstrip("/")
                try:
                    self.files.content_id(path)
                except KeyError:
                    continue
                return path
        return None

    # expressions

    def _value(self, node: ast.expr, scope: Scope, file: str) -> Value:
        at = _at(node, file)
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return self._name(node.id, scope, at)
        if isinstance(node, ast.Attribute):
            return self._attribute(self._value(node.value, scope, file), node.attr, at)
        if isinstance(node, ast.Call):
            return self._call(node, scope, file)
        if isinstance(node, ast.Lambda):
            return Function("<lambda>", node.args, [ast.Return(node.body)], scope, file)
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            values = [self._value(one, scope, file) for one in node.elts if not isinstance(one, ast.Starred)]
            if len(values) != len(node.elts):
                return unknown("a collection that is unpacked", Cause.COLLECTION, at)
            return values if isinstance(node, ast.List) else tuple(values)
        if isinstance(node, ast.Dict):
            if any(key is None for key in node.keys):
                return unknown("a mapping that is unpacked", Cause.COLLECTION, at)
            pairs = [(self._value(k, scope, file), v) for k, v in zip(node.keys, node.values, strict=True) if k]
            return {k: self._value(v, scope, file) for k, v in pairs if isinstance(k, str | int | tuple)}
        if isinstance(node, ast.JoinedStr):
            return self._joined(node, scope, file)
        if isinstance(node, ast.BinOp):
            left, right = self._value(node.left, scope, file), self._value(node.right, scope, file)
            return self._binary(node.op, left, right, at)
        if isinstance(node, ast.BoolOp):
            return self._boolean(node, scope, file)
        if isinstance(node, ast.UnaryOp):
            return self._unary(node, scope, file)
        if isinstance(node, ast.Compare):
            return self._compare(node, scope, file)
        if isinstance(node, ast.IfExp):
            test = self._value(node.test, scope, file)
            decided = _truth(test)
            if decided is None:
                return unknown(_why(test, "a condition that is not known"), Cause.BRANCH, at)
            return self._value(node.body if decided else node.orelse, scope, file)
        if isinstance(node, ast.Subscript):
            return self._subscript(node, scope, file)
        if isinstance(node, ast.ListComp) and len(node.generators) == 1:
            return self._comprehension(node, scope, file)
        return unknown(f"an expression that is not followed: {ast.unparse(node)[:60]}", Cause.UNSUPPORTED, at)

    def _name(self, name: str, scope: Scope, at: Location) -> Value:
        found = scope.find(name)
        if found is not None:
            return found.names[name]
        if name in _BUILTINS or name in ("print", "super", "open", "isinstance", "getattr", "exit"):
            return External(f"builtins.{name}")
        outer: Scope | None = scope
        while outer is not None:
            star = next((v for k, v in outer.names.items() if k.startswith("* ")), None)
            if star is not None:
                return External(f"{star.path}.{name}")
            outer = outer.outer
        return unknown(f"{name} is defined nowhere", Cause.OTHER, at, name)

    def _attribute(self, owner: Value, name: str, at: Location) -> Value:
        if isinstance(owner, External) and not owner.called:
            path = f"{owner.path}.{name}"
            if path.startswith(GIVEN):
                return unknown(f"{path} is given from outside", Cause.ARGUMENT, at, path)
            return External(path, before=owner.before)
        if isinstance(owner, Instance):
            if name in owner.attributes:
                return owner.attributes[name]
            member = owner.of.members.get(name)
            if isinstance(member, Function):
                return Function(member.name, member.arguments, member.body, member.scope, member.file, owner)
            if member is not None:
                return member
        if isinstance(owner, Class) and name in owner.members:
            return owner.members[name]
        if isinstance(owner, Opaque):
            return Opaque(owner.unknown, f"{owner.name}.{name}")
        return Bound(owner, name)

    def _call(self, node: ast.Call, scope: Scope, file: str) -> Value:
        at = _at(node, file)
        if isinstance(node.func, ast.Attribute):
            at = Location(
                file, node.func.end_lineno or node.lineno, (node.func.end_col_offset or 0) - len(node.func.attr) + 1
            )
        target = self._value(node.func, scope, file)
        positional: list[Value] = []
        for one in node.args:
            if isinstance(one, ast.Starred):
                spread = self._value(one.value, scope, file)
                positional.extend(spread if isinstance(spread, list | tuple) else [_opaque_part(spread, at)])
            else:
                positional.append(self._value(one, scope, file))
        keywords = {k.arg: self._value(k.value, scope, file) for k in node.keywords if k.arg is not None}
        return self.call(target, Arguments(positional, keywords), at)

    def call(self, target: Value, arguments: Arguments, at: Location) -> Value:
        """The result of calling a value."""
        if isinstance(target, Function):
            return self._call_function(target, arguments, at)
        if isinstance(target, Class):
            return self._instance(target, arguments, at)
        if isinstance(target, External):
            return self._call_external(target, arguments, at)
        if isinstance(target, Bound):
            return self._call_bound(target, arguments, at)
        self._handed_out(target, arguments, at)
        if isinstance(target, Opaque):
            return Opaque(target.unknown, f"{target.name}()")
        return unknown("the result of a call that is not followed", Cause.OTHER, at)

    def _handed_out(self, target: Value, arguments: Arguments, at: Location) -> None:
        """Code that is not known may do anything with a stream that it is handed."""
        for value in (*arguments.positional, *arguments.keywords.values()):
            if isinstance(value, FLINK_OBJECTS):
                name = getattr(target, "name", "") or getattr(target, "path", "") or "a function"
                raise StoppedError(
                    Unknown(
                        f"a stream or environment is handed to {name}, which is not known", Cause.EXTERNAL, None, at
                    )
                )

    def _call_function(self, function: Function, arguments: Arguments, at: Location) -> Value:
        if self._depth >= MAX_DEPTH:
            raise StoppedError(Unknown("functions call each other too deeply", Cause.LIMIT, None, at))
        names: dict[str, Value] = {}
        given = list(arguments.positional)
        parameters = [*function.arguments.posonlyargs, *function.arguments.args]
        if function.bound is not None and parameters:
            names[parameters[0].arg] = function.bound
            parameters = parameters[1:]
        defaults = function.arguments.defaults
        for place, parameter in enumerate(parameters):
            behind = len(parameters) - place
            if place < len(given):
                names[parameter.arg] = given[place]
            elif parameter.arg in arguments.keywords:
                names[parameter.arg] = arguments.keywords[parameter.arg]
            elif behind <= len(defaults):
                names[parameter.arg] = self._value(defaults[-behind], function.scope, function.file)
            else:
                names[parameter.arg] = unknown(f"no value is given for {parameter.arg}", Cause.OTHER, at)
        for parameter, default in zip(function.arguments.kwonlyargs, function.arguments.kw_defaults, strict=True):
            if parameter.arg in arguments.keywords:
                names[parameter.arg] = arguments.keywords[parameter.arg]
            elif default is not None:
                names[parameter.arg] = self._value(default, function.scope, function.file)
        if function.arguments.vararg is not None:
            names[function.arguments.vararg.arg] = tuple(given[len(parameters) :])
        self._depth += 1
        try:
            self._block(function.body, Scope(names, function.scope), function.file)
        except _ReturnError as returned:
            return returned.value
        finally:
            self._depth -= 1
        return None

    def _instance(self, of: Class, arguments: Arguments, at: Location) -> Value:
        instance = Instance(of)
        make = of.members.get("__init__")
        if isinstance(make, Function):
            self._call_function(
                Function(make.name, make.arguments, make.body, make.scope, make.file, instance), arguments, at
            )
        return instance

    def _call_external(self, target: External, arguments: Arguments, at: Location) -> Value:
        path = target.path
        if path.endswith("StreamExecutionEnvironment.get_execution_environment"):
            environment = Environment()
            given = arguments.get(0, "configuration")
            if isinstance(given, Configuration):
                flink_calls.configure(environment, given, at)
            elif given is not None:
                raise StoppedError(Unknown("the environment's configuration is not known", Cause.OTHER, None, at))
            self.environments.append(environment)
            return environment
        if path.startswith("pyflink.") and target.simple == "Configuration":
            return Configuration()
        if path.startswith("pyflink."):
            if "TableEnvironment" in path:
                raise StoppedError(
                    Unknown("the Table API decides operators while planning", Cause.UNSUPPORTED, None, at)
                )
            keywords = tuple(arguments.keywords.items())
            return External(path, tuple(arguments.positional), keywords, called=True, before=target.before)
        if path.startswith("builtins."):
            return self._builtin(target.simple, arguments, at)
        if path in ("sys.exit", "os._exit"):
            raise _EndedError
        self._handed_out(target, arguments, at)
        if path.startswith(NON_DETERMINISTIC):
            return unknown(f"{path}() gives another value in every run", Cause.NON_DETERMINISTIC, at, path)
        if path.startswith(GIVEN):
            return unknown(f"{path} is given as an argument from outside", Cause.ARGUMENT, at, path)
        return unknown(f"the result of {path}() is not known", Cause.EXTERNAL, at, path)

    def _builtin(self, name: str, arguments: Arguments, at: Location) -> Value:
        if name == "exit":
            raise _EndedError
        function = _BUILTINS.get(name)
        values = arguments.positional
        if name == "print" or function is None:
            return None if name == "print" else unknown(f"the result of {name}()", Cause.OTHER, at)
        if not all(isinstance(v, _PLAIN) for v in values) or arguments.keywords:
            opaque = next((v for v in values if isinstance(v, Opaque)), None)
            return opaque or unknown(f"the result of {name}()", Cause.OTHER, at)
        if name == "range" and any(isinstance(v, int) and abs(v) > MAX_STEPS for v in values):
            return unknown("a range that is too long to follow", Cause.LIMIT, at)
        try:
            return function(*values)
        except (TypeError, ValueError):
            return unknown(f"{name}() of these values fails", Cause.OTHER, at)

    def _call_bound(self, target: Bound, arguments: Arguments, at: Location) -> Value:
        owner = target.owner
        if isinstance(owner, FLINK_OBJECTS):
            return flink_calls.call(self, owner, target.name, arguments, at)
        if isinstance(owner, External):
            keywords = tuple(arguments.keywords.items())
            return External(f"{owner.path}.{target.name}", tuple(arguments.positional), keywords, True, owner)
        plain = [*arguments.positional, *arguments.keywords.values()]
        if isinstance(owner, list) and target.name == "append" and len(plain) == 1:
            owner.append(plain[0])
            return None
        if isinstance(owner, _PLAIN) and target.name in _SAFE_METHODS and all(isinstance(p, _PLAIN) for p in plain):
            try:
                result = getattr(owner, target.name)(*arguments.positional, **arguments.keywords)
            except (TypeError, ValueError, KeyError, IndexError, AttributeError):
                return unknown(f".{target.name}() fails", Cause.OTHER, at)
            return list(result) if target.name in ("items", "keys", "values") else result
        self._handed_out(target, arguments, at)
        opaque = next((v for v in (owner, *plain) if isinstance(v, Opaque)), None)
        return opaque or unknown(f"the result of .{target.name}()", Cause.OTHER, at)

    def _joined(self, node: ast.JoinedStr, scope: Scope, file: str) -> Value:
        text = ""
        for part in node.values:
            if isinstance(part, ast.Constant):
                text += str(part.value)
                continue
            assert isinstance(part, ast.FormattedValue)
            value = self._value(part.value, scope, file)
            if not isinstance(value, str | int | float | bool) or part.format_spec is not None or part.conversion != -1:
                return value if isinstance(value, Opaque) else unknown("a text that is not known", at=_at(node, file))
            text += str(value)
        return text

    def _binary(self, op: ast.operator, left: Value, right: Value, at: Location) -> Value:
        opaque = next((v for v in (left, right) if isinstance(v, Opaque)), None)
        if opaque is not None:
            return opaque
        function = _BINARY.get(type(op))
        if function is None or not isinstance(left, _PLAIN) or not isinstance(right, _PLAIN):
            return unknown("an operation that is not followed", Cause.OTHER, at)
        if isinstance(op, ast.Mult) and any(isinstance(v, str | list | tuple) for v in (left, right)):
            sizes = [
                v if isinstance(v, int) else len(v) for v in (left, right) if isinstance(v, int | str | list | tuple)
            ]
            if len(sizes) == 2 and sizes[0] * sizes[1] > _MAX_TEXT:
                return unknown("a value that is too long", Cause.LIMIT, at)
        try:
            return function(left, right)
        except (TypeError, ValueError, ZeroDivisionError, KeyError):
            return unknown("an operation that fails", Cause.OTHER, at)

    def _boolean(self, node: ast.BoolOp, scope: Scope, file: str) -> Value:
        value: Value = None
        for one in node.values:
            value = self._value(one, scope, file)
            truth = _truth(value)
            if truth is None or truth is isinstance(node.op, ast.Or):
                return value
        return value

    def _unary(self, node: ast.UnaryOp, scope: Scope, file: str) -> Value:
        value = self._value(node.operand, scope, file)
        if isinstance(node.op, ast.Not):
            truth = _truth(value)
            return value if truth is None else not truth
        if isinstance(node.op, ast.USub) and isinstance(value, int | float):
            return -value
        return value

    def _compare(self, node: ast.Compare, scope: Scope, file: str) -> Value:
        left = self._value(node.left, scope, file)
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            right = self._value(comparator, scope, file)
            opaque = next((v for v in (left, right) if isinstance(v, Opaque)), None)
            if opaque is not None:
                return opaque
            if not isinstance(left, _PLAIN) or not isinstance(right, _PLAIN):
                if isinstance(op, ast.Is | ast.IsNot) and None in (left, right):
                    return isinstance(op, ast.IsNot)
                return unknown("a comparison that is not followed", Cause.OTHER, _at(node, file))
            try:
                if not _COMPARE[type(op)](left, right):
                    return False
            except TypeError:
                return unknown("a comparison that fails", Cause.OTHER, _at(node, file))
            left = right
        return True

    def _subscript(self, node: ast.Subscript, scope: Scope, file: str) -> Value:
        owner, at = self._value(node.value, scope, file), _at(node, file)
        if isinstance(owner, Opaque) or isinstance(node.slice, ast.Slice):
            return owner if isinstance(owner, Opaque) else unknown("a slice", Cause.UNSUPPORTED, at)
        key = self._value(node.slice, scope, file)
        if isinstance(owner, dict | list | tuple | str) and isinstance(key, str | int):
            try:
                return owner[key]  # type: ignore[index]
            except (KeyError, IndexError, TypeError):
                return unknown(f"there is no element {key!r}", Cause.OTHER, at)
        return unknown("an element that is not known", Cause.OTHER, at)

    def _comprehension(self, node: ast.ListComp, scope: Scope, file: str) -> Value:
        generator = node.generators[0]
        items = self._value(generator.iter, scope, file)
        if not isinstance(items, list | tuple | range | dict | str):
            return unknown(_why(items, "a collection that is not known"), Cause.COLLECTION, _at(node, file))
        result = []
        for item in items:
            self._steps += 1
            inner = Scope({}, scope)
            self._assign(generator.target, item, inner, file)
            tests = [_truth(self._value(test, inner, file)) for test in generator.ifs]
            if None in tests:
                return unknown("a condition that is not known", Cause.COLLECTION, _at(node, file))
            if all(tests):
                result.append(self._value(node.elt, inner, file))
        return result


def _at(node: ast.AST, file: str) -> Location:
    return Location(file, getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1)


def _truth(value: Value) -> bool | None:
    """The truth of a value, None where it is not known."""
    if isinstance(value, _PLAIN):
        return bool(value)
    return None if isinstance(value, Opaque | External | Bound) else True


def _why(value: Value, otherwise: str) -> str:
    return value.unknown.reason if isinstance(value, Opaque) else otherwise


def _opaque_part(value: Value, at: Location) -> Value:
    return value if isinstance(value, Opaque) else unknown("a part of a value that is not known", Cause.OTHER, at)


def _as_load(target: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(target), mode="eval").body
