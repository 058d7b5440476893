"""Random typed Java expressions and statements, grown from templates.

In a template ``«int»`` stands for an expression of a type, ``«int!»`` for a variable that may change,
``«boolean|$x:String»`` for an expression that may use the variable of a lambda around it, ``$x`` for a fresh name.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.referees.source_tree import Block
from tests.referees.templates import PLAIN, TYPES, WILD, Templates

_HOLE = re.compile(r"«([^«»|!]+)(!?)(?:\|([^«»]*))?»")
_FRESH = re.compile(r"\$[a-z]\b")


class Impossible(Exception):  # noqa: N818 - the grammar tries another template
    """A template needs a variable that is not there."""


@dataclass(frozen=True)
class Variable:
    """A variable in scope; ``final`` ones can be used in lambdas."""

    name: str
    type: str
    final: bool
    assignable: bool = True


@dataclass
class Scope:
    """The variables that can be used at a place."""

    variables: list[Variable] = field(default_factory=list)
    in_lambda: bool = False

    def inner(self, *more: Variable, in_lambda: bool = False) -> Scope:
        """A scope inside of this one."""
        visible = [v for v in self.variables if v.final or not in_lambda]
        return Scope([*visible, *more], self.in_lambda or in_lambda)

    def of_type(self, wanted: str, changing: bool = False) -> list[str]:
        """Names of the variables of a type."""
        if changing and wanted in _VALUES:
            return [v.name for v in self.variables if v.type == wanted and not v.final and v.assignable]
        return [v.name for v in self.variables if v.type == wanted]


_VALUES = frozenset({"int", "long", "double", "char", "boolean", "String", "Integer", "Mode", "Step"})
"""Types whose variables change by assignment only."""


Body = Callable[[Scope, int], list[Block]]


class Grammar:
    """Grows expressions and statements. ``wild`` ones may throw and use rare corners of the library."""

    def __init__(self, rng: random.Random, *, wild: bool) -> None:
        self.rng = rng
        self.wild = wild
        self.count = 0
        self.calls: dict[str, list[str]] = {}
        """More templates by type: methods of the program."""
        self._templates = _merged(PLAIN, WILD) if wild else PLAIN

    def fresh(self, prefix: str = "v") -> str:
        """A name that nothing else has."""
        self.count += 1
        return f"{prefix}{self.count}"

    def pick(self, options: Sequence[str]) -> str:
        """One of several."""
        return self.rng.choice(options)

    def expression(self, type_: str, scope: Scope, depth: int) -> str:
        """An expression of a type."""
        if type_ == "args":
            return "args" if "args" in scope.of_type("String[]") else self.fill('«String».split(",")', scope, 1)
        names = scope.of_type(type_)
        if names and self.rng.random() < (0.35 if depth > 0 else 0.8):
            return self.pick(names)
        calls = self.calls.get(type_)
        if calls and depth > 0 and self.rng.random() < 0.2:
            return self.fill(self.pick(calls), scope, depth - 1)
        if depth > 0 and self.rng.random() < 0.85:
            for _ in range(6):
                try:
                    return self.fill(self.pick(self._templates["expression", type_]), scope, depth - 1)
                except Impossible:
                    continue
        return self.fill(self.pick(self._templates["literal", type_]), scope, depth - 1)

    def fill(self, template: str, scope: Scope, depth: int) -> str:
        """A template with all its holes filled."""
        names = {name: self.fresh("x") for name in sorted(set(_FRESH.findall(template)))}
        chosen: dict[str, str] = {}

        def hole(match: re.Match[str]) -> str:
            wanted, changing, bound = match.groups()
            if changing:
                variables = scope.of_type(wanted, changing=True)
                if not variables:
                    raise Impossible
                return chosen.setdefault(wanted, self.pick(variables))
            inner = scope
            if bound:
                pairs = [item.split(":") for item in bound.split(",")]
                more = [Variable(names.get(name, name), type_, True) for name, type_ in pairs]
                inner = scope.inner(*more, in_lambda=True)
            return _closed(wanted, self.expression(wanted, inner, depth))

        return _FRESH.sub(lambda m: names[m[0]], _HOLE.sub(hole, template))

    def declaration(self, scope: Scope, depth: int, type_: str | None = None) -> Block:
        """A local variable with a value."""
        type_ = type_ or self.pick(TYPES)
        name = self.fresh()
        text = self.expression(type_, scope, depth)
        if type_.startswith(("List<", "Set<", "Map<")) and not self.wild:
            text = self.fill(self.pick(self._templates["literal", type_]), scope, depth)
        final = self.rng.random() < 0.5
        scope.variables.append(Variable(name, type_, final))
        return Block(f"{type_} {name} = {text};")

    def change(self, scope: Scope, depth: int) -> Block:
        """A statement that changes something; a declaration where nothing can change."""
        for _ in range(8):
            try:
                return Block(self.fill(self.pick(self._templates["statement", ""]), scope, depth))
            except Impossible:
                continue
        return self.declaration(scope, depth)

    def statements(self, scope: Scope, count: int, depth: int) -> list[Block]:
        """Some statements without streams."""
        return [self.statement(scope, depth) for _ in range(count)]

    def statement(self, scope: Scope, depth: int) -> Block:
        """A statement, perhaps with others inside."""
        kind = self.rng.random()
        if kind < 0.35 or depth <= 0:
            return self.declaration(scope, max(depth, 1))
        if kind < 0.7:
            return self.change(scope, depth)
        return self.compound(scope, depth, lambda inner, d: self.statements(inner, self.rng.randint(1, 3), d))

    def compound(self, scope: Scope, depth: int, body: Body) -> Block:
        """A statement around others."""
        kind = self.rng.randrange(8)
        if kind <= 2:
            head = f"if ({self.expression('boolean', scope, 2)}) {{"
            clauses = [Block("} else {", body(scope.inner(), depth - 1))] if self.rng.random() < 0.4 else []
            return Block(head, body(scope.inner(), depth - 1), "}", clauses)
        if kind == 3:
            element = Variable(self.fresh("e"), "String", True)
            elements = self.expression("List<String>", scope, 2)
            skip = []
            if self.rng.random() < 0.3:
                inner = scope.inner(element)
                word = self.pick(("continue", "break"))
                skip = [Block(f"if ({self.expression('boolean', inner, 2)}) {word};")]
            return Block(
                f"for (String {element.name} : new ArrayList<>({elements})) {{",
                [*skip, *body(scope.inner(element), depth - 1)], "}",
            )  # fmt: skip
        if kind == 4:
            index = self.fresh("i")
            bound = self.pick(("2", "3", f"Math.min(4, {self.expression('int', scope, 2)})"))
            return Block(
                f"for (int {index} = 0; {index} < {bound}; {index}++) {{",
                body(scope.inner(Variable(index, "int", False, assignable=False)), depth - 1), "}",
            )  # fmt: skip
        if kind == 5:
            entry = self.fresh("n")
            inner = scope.inner(
                Variable(f"{entry}.getKey()", "String", True), Variable(f"{entry}.getValue()", "int", True)
            )
            entries = self.expression("Map<String, Integer>", scope, 1)
            return Block(
                f"for (Map.Entry<String, Integer> {entry} : new LinkedHashMap<>({entries}).entrySet()) {{",
                body(inner, depth - 1), "}",
            )  # fmt: skip
        if kind == 6:
            subject = self.pick(("Mode", "String"))
            labels = ("FAST", "SLOW") if subject == "Mode" else ('"a"', '"fast"')
            cases = [
                Block(f"case {label}: {{", body(scope.inner(), depth - 1), self.pick(("break; }", "break; }", "}")))
                for label in labels
            ]
            default = Block("default: {", body(scope.inner(), depth - 1), "}")
            return Block(f"switch ({self.expression(subject, scope, 1)}) {{", [*cases, default], "}")
        caught = self.pick(("RuntimeException", "NumberFormatException", "IllegalArgumentException"))
        handler = Block(f"}} catch ({caught} {self.fresh('ex')}) {{", body(scope.inner(), depth - 1))
        return Block("try {", [*body(scope.inner(), depth - 1), *self._risky(scope)], "}", [handler])

    def _risky(self, scope: Scope) -> list[Block]:
        if self.rng.random() < 0.5:
            return []
        name = self.fresh()
        return [Block(f"int {name} = Integer.parseInt({self.expression('String', scope, 1)});")]


_NESTED = re.compile(r"\([^()]*\)|\"[^\"]*\"|'.'")


def _closed(type_: str, text: str) -> str:
    """An expression so that anything can stand around it."""
    if type_.startswith(("Function<", "Predicate<")):
        return text if text.isidentifier() else f"(({type_}) ({text}))"
    before, bare = "", text
    while before != bare:
        before, bare = bare, _NESTED.sub("", bare)
    return f"({text})" if " " in bare or "?" in bare else text


def _merged(first: Templates, second: Templates) -> Templates:
    return {key: [*first.get(key, ()), *second.get(key, ())] for key in {**first, **second}}
