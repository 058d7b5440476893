"""Lists of nodes in order: the statements of a block, the arguments of a call."""

from __future__ import annotations

from collections.abc import Sequence

from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Frame, Value
from checker.extract.java.syntax.tree import Node, children


def execute(run: Run, nodes: Sequence[Node], frame: Frame) -> None:
    """Run statements in order."""
    for node in nodes:
        run.interpreter.execute(node, frame)


def block(run: Run, node: Node, frame: Frame) -> None:
    """Run a block in a scope of its own."""
    execute(run, children(node), frame.inner())


def arguments(run: Run, node: Node | None, frame: Frame) -> list[Value]:
    """The values of an argument list, left to right."""
    return [run.interpreter.evaluate(child, frame) for child in children(node)] if node is not None else []
