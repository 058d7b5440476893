"""Random source text as a tree of blocks, so that a failing program can be made smaller."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field


@dataclass(eq=False)
class Block:
    """One statement or member: a head, and for those with a body what stands in it."""

    head: str
    body: list[Block] = field(default_factory=list)
    tail: str = ""
    clauses: list[Block] = field(default_factory=list)
    """``else`` and ``catch`` after the body."""
    keep: bool = False
    """Never dropped: nothing would compile without it."""

    def lines(self, indent: str = "") -> Iterator[str]:
        """The source lines."""
        yield indent + self.head
        for block in self.body:
            yield from block.lines(indent + "  ")
        for clause in self.clauses:
            yield from clause.lines(indent)
        if self.tail:
            yield indent + self.tail


@dataclass(eq=False)
class Program:
    """Files of a program by path; those of blocks can be made smaller, others are taken as they are."""

    files: dict[str, list[Block]]
    resources: dict[str, str]

    def render(self) -> dict[str, str]:
        """The text of all files that have any."""
        found = {
            path: "\n".join(line for block in blocks for line in block.lines()) + "\n"
            for path, blocks in self.files.items()
            if blocks
        }
        return found | self.resources


def shrink(program: Program, fails: Callable[[], bool], tries: int = 150) -> None:
    """Drop blocks, or replace them by their bodies, for as long as the program still fails."""
    changed = True
    while changed and tries > 0:
        changed = False
        for siblings, place in _places(program):
            if tries <= 0:
                break
            if place >= len(siblings) or siblings[place].keep:
                continue
            block = siblings[place]
            for replacement in ([], block.body) if block.body else ([],):
                tries -= 1
                siblings[place : place + 1] = replacement
                if fails():
                    changed = True
                    break
                siblings[place : place + len(replacement)] = [block]


def _places(program: Program) -> list[tuple[list[Block], int]]:
    """All blocks as list and index: later ones first, since what is used later is declared earlier."""
    found: list[tuple[list[Block], int]] = []

    def visit(siblings: list[Block]) -> None:
        for place in range(len(siblings) - 1, -1, -1):
            found.append((siblings, place))
            visit(siblings[place].clauses)
            visit(siblings[place].body)

    for blocks in reversed(list(program.files.values())):
        visit(blocks)
    return found
