"""Classes of random programs that show one feature of Java each, from templates in ``java/features.txt``.

A feature is a few classes and, after ``--``, the calls that use them by the type of their result. ``#`` makes the names
of a feature its own, ``«statements|a:int,!b:String»`` stands for random statements that may use ``a`` and change ``b``.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.referees.grammar import Grammar, Scope, Variable
from tests.referees.source_tree import Block

_STATEMENTS = re.compile(r"\s*«statements\|([^»]*)»")


@dataclass(frozen=True)
class Feature:
    """Lines of source, and calls of them with the type of their result."""

    lines: tuple[str, ...]
    calls: tuple[tuple[str, str], ...]


def _read() -> tuple[Feature, ...]:
    text = (Path(__file__).with_name("java") / "features.txt").read_text(encoding="utf-8")
    found = []
    for part in text.split("\n== ")[0:]:
        source, calls = part.split("\n--\n")
        rows = [line.partition(": ") for line in calls.splitlines() if line]
        found.append(Feature(tuple(source.splitlines()[1:]), tuple((type_, call) for type_, _, call in rows)))
    return tuple(found)


FEATURES = _read()


def add(rng: random.Random, grammar: Grammar, feature: Feature) -> tuple[list[Block], list[str]]:
    """The classes of a feature and its calls that make streams; its other calls become expressions of the grammar."""
    mark = grammar.fresh("F")
    lines = iter([line.replace("#", mark) for line in feature.lines])
    blocks = _blocks(lines, grammar, rng)[0]
    streams = []
    for type_, call in feature.calls:
        if type_ == "stream":
            streams.append(call.replace("#", mark))
        else:
            grammar.calls.setdefault(type_, []).append(call.replace("#", mark))
    return blocks, streams


def _blocks(lines: Iterator[str], grammar: Grammar, rng: random.Random) -> tuple[list[Block], str]:
    """The blocks up to the brace that closes them, and its line."""
    found: list[Block] = []
    for line in lines:
        statements = _STATEMENTS.fullmatch(line)
        if statements:
            variables = [item.split(":") for item in statements[1].split(",")]
            scope = Scope([Variable(name.lstrip("!"), type_, not name.startswith("!")) for name, type_ in variables])
            found.extend(grammar.statements(scope, rng.randint(0, 2), 2))
        elif line.lstrip().startswith("}"):
            return found, grammar.fill(line.strip(), Scope(), 1)
        elif line.endswith("{"):
            head = grammar.fill(line.strip(), Scope(), 1)
            inner, tail = _blocks(lines, grammar, rng)
            block = Block(head, inner, keep=True)
            while tail.endswith("{"):
                more, after = _blocks(lines, grammar, rng)
                block.clauses.append(Block(tail, more, keep=True))
                tail = after
            last = block.clauses[-1] if block.clauses else block
            last.tail = tail
            found.append(block)
        else:
            found.append(Block(grammar.fill(line.strip(), Scope(), 1), keep=True))
    return found, ""
