"""The text of a key selector: its code, and behind it all code of the repository that it calls.

Elements are objects of other code: a method or property of theirs stands for all that classes of the repository call
so, unless the script names a plain type of elements. PyFlink pickles keys without a type, so the classes of such keys
belong to the text. Flink compares the bytes: ``__hash__`` decides nothing.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from operator import itemgetter

from checker.extract.interpreting.memory import MISSING
from checker.extract.python.flink_api.keys.code import (
    ON_REQUEST,
    SHOWN,
    THIS,
    Code,
    asked_by,
    classes_of,
    code_of,
    is_function,
    known_classes,
    named_value,
    shown_by,
    unfollowed,
)
from checker.extract.python.flink_api.streams import PICKLED, Stream
from checker.extract.python.interpreter.descriptions import described
from checker.extract.python.interpreter.imports import import_from, import_names
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import ExitSignal, RaiseSignal, StoppedError
from checker.extract.python.interpreter.values import (
    Class,
    Decorated,
    External,
    Function,
    Instance,
    Module,
    Scope,
    Value,
)
from checker.extract.python.plain_code import copied, is_text
from checker.extract.python.reached.code import reachable
from checker.model.topology import constant_digest
from checker.model.unknowns import Location, Maybe, Unknown

_MAXSHOWN = 120
_MOST = 400
"""How many pieces of code are followed for one key."""


def key_text(run: Run, selector: Value, stream: Stream, *, pickled: bool) -> Maybe[str]:
    """What a selector computes of a stream's elements; ``pickled`` says whether the keys are written by pickle."""
    declared = stream.elements.type
    plain = isinstance(declared, str) and PICKLED not in declared
    reading = _Reading(run, plain=plain)
    text = reading.text(selector, pickled=pickled)
    if text is not None:
        text = text if len(text) <= _MAXSHOWN else f"{text[:_MAXSHOWN]}… {_digest(text)}"
        return text + "".join(f", enum {name}({content})" for name, content in sorted(reading.enumerations.items()))
    # Everything that the script reaches may decide the key: an Unknown without ``derived_from`` stands for that.
    return Unknown(f"cannot tell how keys are computed ({reading.unread or 'the selector is no function'})")


def place_of(selector: Value) -> Location | None:
    """Where the code of a selector stands."""
    node: ast.AST | None = None
    if isinstance(selector, Instance):
        selector, node = selector.of, selector.of.node
    elif isinstance(selector, Function):
        node = selector.body[0]
    if not isinstance(selector, Function | Class) or not isinstance(node, ast.stmt):
        return None
    return Location(selector.scope.file, node.lineno, node.col_offset + 1)


def function_values(run: Run, function: Value) -> tuple[str, ...]:
    """What an object of the repository holds, as digests, or what a function computes: nothing where it is not seen."""
    if isinstance(function, Instance):
        texts = ((name, described(run, attribute)) for name, attribute in sorted(function.attributes.items()))
        return tuple(f"{name}={constant_digest('', text)}" for name, text in texts if text)
    text = None if function is None else _Reading(run, plain=True).text(function, pickled=False)
    return (constant_digest("code", text),) if text else ()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


_OF_CONSTANTS = ("value", "_value_", "name")
"""What members of an enumeration are asked for."""


class _Reading:
    """Follows all that a selector reaches."""

    def __init__(self, run: Run, *, plain: bool) -> None:
        """``plain``: elements are no objects of the repository."""
        self.lines: dict[str, str] = {}
        self.enumerations: dict[str, str] = {}
        self.unread = ""
        """What could not be followed."""
        self._run = run
        self._plain = plain
        self._asked: set[str] = set()
        """What the code may call of objects."""
        self._used: dict[int, Class] = {}
        """The classes that the code uses, and those above them."""
        self._done: set[object] = set()

    @cached_property
    def _known(self) -> list[Class]:
        return known_classes(self._run)

    @cached_property
    def _classes(self) -> list[Class]:
        return [of for of in self._known if not is_function(of)]

    @cached_property
    def _trees(self) -> dict[str, ast.Module]:
        """The modules that the script imports anywhere, also where they did not run."""
        run = self._run
        script = run.entry.file or run.entry.main or ""
        paths = reachable(run.files, run.limits, script.rpartition("/")[0], set(run.modules))
        return {path: run.limits.trees[path] for path in paths if path in run.limits.trees}

    def text(self, selector: Value, *, pickled: bool) -> str | None:
        """The code of a selector with all that it reaches; None where that is not read."""
        if isinstance(selector, itemgetter):
            places = selector.__reduce__()[1]
            return ", ".join(f"$0[{place!r}]" for place in places)
        head = self._selector(selector, pickled=pickled)
        self._members()
        if head is None or self.unread:
            return None
        return " where ".join([head, *(f"{name} = {line}" for name, line in sorted(self.lines.items()))])

    def _selector(self, value: Value, *, pickled: bool) -> str | None:
        this: Value = None
        if isinstance(value, Instance):
            this, value = value, value.of.member("get_key")
            opened = this.of.member("open")
            if isinstance(opened, Function):
                self._function("open", opened, this)
        elif isinstance(value, Function):
            this = value.bound
        if isinstance(value, External) and value.path.startswith("builtins.") and not value.called:
            code = Code([ast.Call(ast.Name(value.simple), [ast.Name("$0")], [])], Scope({}, ""))
        elif isinstance(value, Function):
            value = self._with_imports(value)
            code = code_of(value, this)
            self._defaults(value)
        else:
            return described(self._run, value) or None if isinstance(value, External) else None
        self._follow(code)
        shown = [whole for node in code.nodes for part in ast.walk(node) for whole in shown_by(part)]
        for of in (of for whole in shown for of in self._classes_of(whole)):
            if not any(isinstance(of.member(name), Function) for name in SHOWN):
                self._class(of)
        for of in (of for result in (_results(code) if pickled else ()) for of in self._classes_of(result)):
            self._class(of)
        return code.text

    def _classes_of(self, whole: ast.expr) -> Iterable[Class]:
        return () if self._plain else classes_of(whole, self._classes)

    def _follow(self, code: Code) -> None:
        """All that code names, calls, or does with objects."""
        pending: list[ast.AST] = list(code.nodes)
        while pending and len(self._done) < _MOST:
            node = pending.pop()
            if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
                value = named_value(node, code.scope, code.this)
                if value is not MISSING:
                    self._value(ast.unparse(node).replace(THIS, "self"), value)
                    continue
            self._asked.update(asked_by(node))
            pending.extend(ast.iter_child_nodes(node))
        if len(self._done) >= _MOST:
            self.unread = "it calls too much code"

    def _function(self, name: str, function: Function, this: Value) -> None:
        """A function that is called."""
        if (done := (id(function.body), id(this))) in self._done:
            return
        self._done.add(done)
        function = self._with_imports(function)
        code = code_of(function, this)
        self.lines[f"{name}@{function.scope.file}" if name in self.lines else name] = code.text
        self._follow(code)
        self._defaults(function)

    def _with_imports(self, function: Function) -> Function:
        """A function with the names that it imports when it is called."""
        scope = Scope({}, function.scope.file, function.scope)
        for node in (part for statement in function.body for part in ast.walk(statement)):
            try:
                if isinstance(node, ast.Import):
                    import_names(self._run, node, scope)
                elif isinstance(node, ast.ImportFrom):
                    import_from(self._run, node, scope)
            except (StoppedError, RaiseSignal, ExitSignal):
                self.unread = f"cannot tell what {function.name} imports"
        return replace(function, scope=scope) if scope.names else function

    def _defaults(self, function: Function) -> None:
        for name, default in function.defaults.items():
            self._value(f"{function.name}({name})", default)

    def _value(self, name: str, value: Value) -> None:
        """Something outside of the code that it names."""
        match value:
            case Function():
                self._function(name, value, value.bound)
            case Decorated():
                self.lines[f"{name} decorated"] = value.unknown.reason
                self._value(name, value.inner)
            case Class():
                self._class(value)
            case Instance() if id(value) not in self._done:
                self._done.add(id(value))
                self._class(value.of)
                for attribute, content in value.attributes.items():
                    self._value(f"{name}.{attribute}", content)
            case Instance() | Module():
                pass
            case External(called=False):
                self.lines[name] = value.path
            case list() | tuple() | dict():
                parts = value.items() if isinstance(value, dict) else enumerate(value)
                for place, content in parts:
                    self._value(f"{name}[{place!r}]", content)
            case _:
                text = described(self._run, value)
                self.lines[name] = text
                self.unread = self.unread or ("" if text else f"cannot tell the value of {name}")

    def _class(self, of: Class) -> None:
        """What makes objects that code makes or shows, or that are keys, and decides their bytes."""
        if of.constants() is not None:
            self._enumeration(of)
        for above in of.ancestors() if of.constants() is None and id(of.node) not in self._used else ():
            self._used[id(above.node)] = above
            header = copied(above.node)
            header.body = [part for part in header.body if not (is_text(part) or isinstance(part, ast.FunctionDef))]
            self.lines[f"class {above.name}@{above.scope.file}"] = ast.unparse(header)
            self._follow(Code([header], above.scope))
            for name, member in above.members.items():
                if isinstance(member, Function) and name.startswith("__") and name not in ON_REQUEST:
                    self._function(f"{above.name}.{name}", member, None)

    def _enumeration(self, of: Class) -> None:
        values = ((c.attributes["name"], described(self._run, c.attributes["value"])) for c in of.constants() or ())
        self.enumerations[of.name] = ", ".join(f"{name} {value}" for name, value in values)

    def _members(self) -> None:
        """The methods, properties and constants of objects that the code may ask for."""
        seen: set[tuple[int, str]] = set()
        classes: list[Class] = []
        while not self.unread:
            classes = list(self._used.values()) if self._plain else self._classes
            found = {(id(of.node), name): of for of in classes for name in self._asked.intersection(of.members)}
            new = [(of, name) for (place, name), of in found.items() if (place, name) not in seen]
            if not new:
                break
            seen.update(found)
            for of, name in new:
                self._member(of, name, of.members[name])
        for of in classes if not self._asked.isdisjoint(_OF_CONSTANTS) else ():
            if of.constants():
                self._enumeration(of)
        names = () if self._plain else sorted(self._asked)
        elsewhere = unfollowed(self._run, self._trees, self._known) if names else {}
        for name in names:
            for place, (path, node) in enumerate(elsewhere.get(name, ())):
                self.lines[f"{name} #{place}"] = _digest(f"{path} {ast.dump(node)}")

    def _member(self, of: Class, name: str, member: Value) -> None:
        if name in SHOWN and any(isinstance(of.member(first), Function) for first in SHOWN[: SHOWN.index(name)]):
            return
        if isinstance(member, Decorated):
            self.lines[f"{of.name}.{name} decorated"] = member.unknown.reason
            member = member.inner
        if isinstance(member, Function):
            self._function(f"{of.name}.{name}", member, None)
        elif name not in dict(of.fields or ()) and of.constants() is None:
            self._value(f"{of.name}.{name}", member)


def _results(code: Code) -> Iterator[ast.expr]:
    """The values that code returns, part by part."""
    pending: list[ast.AST | None] = []
    for node in code.nodes:
        found = [r.value for r in ast.walk(node) if isinstance(r, ast.Return)]
        pending += found or ([node] if isinstance(node, ast.expr) else [])
    while pending:
        match pending.pop():
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                pending += parts
            case ast.IfExp(body=first, orelse=second):
                pending += [first, second]
            case ast.BoolOp(values=parts):
                pending += parts
            case ast.expr() as result:
                yield result
