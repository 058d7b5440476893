"""What an unknown value is computed from, as a text: equal in two revisions that compute it alike.

A symbol is unique within one run; the counters in it (``value#7``) say nothing about another run. And values that are
one of a few, by which way the program goes.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.flink_values import EnvValue, Parameters, StreamValue
from checker.extract.java.machine.values import (
    Builder,
    Choice,
    ClassLiteral,
    Constant,
    EntryValue,
    ExternalObject,
    Instance,
    Lambda,
    ListValue,
    MapValue,
    MethodRef,
    Opaque,
    OptionalValue,
    Settings,
    TypeName,
    Value,
)
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.tree import code_text
from checker.extract.unfollowed.unread_code import NEEDS_CODE
from checker.model.unknowns import Cause, Unknown

_DEPTH = 12
_MANY = 60
_COUNTER = re.compile(r"#\d+")
_LAST_COUNTER = re.compile(r"#\d+$")
_UNDESCRIBED = re.compile(r"(?<![)\]}])#\d+")
"""A counter on a name that does not say what the value was computed from."""
_INCOMPLETE = "#0"
"""Stands after a value of which nothing can be said: as a counter it means that the code counts."""
_OUTSIDE = frozenset({Cause.ARGUMENT, Cause.EXTERNAL, Cause.CONNECTOR, Cause.BRANCH, Cause.COLLECTION})
"""Causes whose values come from outside of the program: what it makes of them is all it adds."""


def expression_of(value: Value, cause: Cause) -> str:
    """The expression that gives the value; ``NEEDS_CODE`` where it depends on code that was not followed."""
    return expression_text(described_as(value), cause)


def expression_text(described: str, cause: Cause) -> str:
    """A description; ``NEEDS_CODE`` where it depends on code that was not followed."""
    if _UNDESCRIBED.search(described) or (_COUNTER.search(described) and cause not in _OUTSIDE):
        return NEEDS_CODE
    return _COUNTER.sub("", described)


def unknown_after(receiver: Value | None, call: Call, unknown: Unknown, made: str | None = None) -> Unknown:
    """Why a content is not known that a call gives or leaves: made of what was there, and of the call.

    ``made`` is what the call makes it of where a function that it is given was followed.
    """
    if made is None and any(isinstance(value, Lambda | MethodRef | Instance) for value in call.arguments):
        made = NEEDS_CODE
    before = f"{described_as(receiver)}." if receiver is not None else ""
    given = ", ".join(map(described_as, call.arguments))
    text = short(expression_text(f"{before}{call.name}({given})", unknown.cause))
    return replace(unknown, derived_from=made or text)


def described_anew(prefix: str, number: int) -> str:
    """A symbol that nothing else has: another counter in place of the one at its end."""
    return f"{_LAST_COUNTER.sub('', prefix)}#{number}"


def without_counters(symbol: str) -> str:
    """A symbol as it is in every reading of the same program."""
    return _COUNTER.sub("", symbol)


def described_as(value: Value) -> str:
    """The value with its parts, as far as they are known."""
    return _described(value, _Look())


@dataclass(slots=True)
class _Look:
    """How deep a description is in a value, and what was described there: a part may be held many times."""

    depth: int = 0
    found: dict[tuple[int, int], tuple[Value, str]] = field(default_factory=dict)
    """By identity and depth: the part, which is held so that no other one gets its identity, and its description."""

    def inside(self, value: Value) -> str:
        """A part of what is described."""
        key = (id(value), self.depth)
        known = self.found.get(key)
        if known is None:
            self.depth += 1
            known = self.found[key] = (value, _described(value, self))
            self.depth -= 1
        return known[1]


def _described(value: Value, look: _Look) -> str:
    if isinstance(value, Constant):
        return repr(value.value)
    if isinstance(value, Opaque):
        return f"!{value.symbol}" if value.negated else value.symbol
    if look.depth >= _DEPTH:
        return "…"
    if isinstance(value, Choice):
        options = {outcome: look.inside(option) for outcome, option in value.options}
        symbol = _COUNTER.sub("", value.symbol)
        asked = symbol.removesuffix(" == None")
        if asked != symbol and options.get(False) == asked and len(options) == 2:
            return short(f"{asked} or {options[True]}")  # as ``getOrDefault`` says it
        return short(f"{symbol} ? {{{', '.join(f'{outcome}: {text}' for outcome, text in options.items())}}}")
    if isinstance(value, ExternalObject):
        if "(" in value.symbol:  # as it was before what it was given went out of sight
            return short(value.symbol + side_calls_text(value, look))
        parts = [_call(value.type.simple, value.arguments, look) + side_calls_text(value, look)]
        parts += [_call(name, given, look) for name, given in value.calls]
        return short(".".join(parts))
    if isinstance(value, ListValue) and value.elements is not None:
        return short(f"[{_listed(value.elements, look)}]")
    if isinstance(value, MapValue) and value.entries is not None:
        return short(f"{{{_listed([part for entry in value.entries for part in entry], look)}}}")
    if isinstance(value, Lambda):
        return short(code_text(value.node))
    if isinstance(value, MethodRef):
        return f"{look.inside(value.target)}::{value.name}"
    if isinstance(value, Instance):
        fields = ", ".join(f"{name}: {look.inside(content)}" for name, content in list(value.fields.items())[:_MANY])
        return short(f"{value.decl.qualified_name}{'.' + value.name if value.name else ''}{{{fields}}}")
    if isinstance(value, ListValue | MapValue) and value.unknown is not None:
        if isinstance(value, ListValue) and value.kind == "args":
            return "args"
        if value.unknown.derived_from is not None and value.unknown.derived_from != NEEDS_CODE:
            return f"({value.unknown.derived_from})"
    if isinstance(value, EntryValue):
        return f"({_listed([part for _, part in value.parts], look)})"
    if isinstance(value, Builder):
        return look.inside(value.content)
    if isinstance(value, OptionalValue):
        return f"Optional({look.inside(value.value) if value.value is not None else ''})"
    if isinstance(value, TypeName):
        return value.type.qualified_name if isinstance(value.type, ClassDecl) else value.type.name
    if isinstance(value, ClassLiteral):
        return f"{value.ref}.class"
    if isinstance(value, Parameters):
        return f"{value.symbol}{{{', '.join(f'{key}: {found}' for key, found in value.entries)}}}"
    if isinstance(value, Settings):
        return f"settings{{{', '.join(f'{k}: {look.inside(v)}' for k, v in value.values.items())}}}"
    if isinstance(value, StreamValue | EnvValue):
        return type(value).__name__  # the graph shows the rest
    return f"{type(value).__name__}{_INCOMPLETE}"


def side_calls_text(value: ExternalObject, look: _Look | None = None) -> str:
    """The calls on a library object whose results were discarded."""
    look = look or _Look()
    return "".join(f"[{_call(name, given, look)}]" for name, given in value.side_calls)


def _listed(values: Sequence[Value], look: _Look) -> str:
    described = [look.inside(value) for value in values[:_MANY]]
    return ", ".join((*described, f"and {len(values) - _MANY} more") if len(values) > _MANY else described)


def _call(name: str, given: tuple[Value, ...], look: _Look) -> str:
    return f"{name}({', '.join(look.inside(value) for value in given)})"


MAX_SYMBOL = 200


def short(symbol: str) -> str:
    """The symbol itself, or a digest of one that has grown long by being built of others.

    Counters are no part of the digest: one that stands for all of them follows it.
    """
    if len(symbol) <= MAX_SYMBOL:
        return symbol
    plain = _COUNTER.sub("", symbol)
    counters = "".join(_COUNTER.findall(symbol))
    mark = "->" if holds_functions(plain) else ""
    text = f"{plain[:60]}…{mark}{_digest(plain)}{'' if _UNDESCRIBED.search(symbol) else ')'}"
    return f"{text}#{int(_digest(counters), 16)}" if counters else text


def holds_functions(described: str) -> bool:
    """Whether a value is made of lambdas or method references, whose code says more than they do."""
    return "->" in described or "::" in described


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


MAX_LEAVES = 12
"""Values that a choice can be at most, before it is just not known."""


def choose(symbol: str, options: tuple[tuple[int | bool, Value], ...], unknown: Unknown) -> Value:
    """A finite choice, or the value itself where all are the same."""
    pruned = tuple((outcome, _under(symbol, place, value)) for place, (outcome, value) in enumerate(options))
    first = pruned[0][1]
    if all(value is first or value == first for _, value in pruned):
        return first
    choice = Choice(symbol, pruned, unknown)
    return choice if len(list(_leaves(choice))) <= MAX_LEAVES else _one_of_many(choice)


def _under(symbol: str, place: int, value: Value) -> Value:
    """What a value is when a symbol has gone a certain way."""
    if isinstance(value, Choice) and value.symbol == symbol and place < len(value.options):
        return value.options[place][1]
    return value


def _leaves(value: Value) -> Iterator[Value]:
    if isinstance(value, Choice):
        for _, option in value.options:
            yield from _leaves(option)
    else:
        yield value


def _one_of_many(choice: Choice) -> Value:
    """A value that is not known, made of all that it can be."""
    return Opaque(choice.unknown, short(f"one of many: {described_as(choice)}"))
