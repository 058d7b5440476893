"""How a statement ends that does not complete normally."""

from __future__ import annotations

from checker.extract.java.machine.values import Value
from checker.model.unknowns import Location


class Signal(Exception):  # noqa: N818 - control flow of the interpreted program
    """A statement that did not complete normally."""


class ReturnSignal(Signal):
    """``return`` and an expression lambda's result."""

    def __init__(self, value: Value) -> None:
        self.value = value


class BreakSignal(Signal):
    """``break`` with its label."""

    def __init__(self, label: str = "") -> None:
        self.label = label


class ContinueSignal(Signal):
    """``continue`` with its label."""

    def __init__(self, label: str = "") -> None:
        self.label = label


class YieldSignal(Signal):
    """``yield`` of a switch expression."""

    def __init__(self, value: Value) -> None:
        self.value = value


class ThrowSignal(Signal):
    """An exception of the interpreted program, and the statement that throws it."""

    def __init__(self, value: Value) -> None:
        self.value = value
        self.location: Location | None = None


class ExitSignal(Signal):
    """``System.exit``: the program ends."""


class ImpureSignal(Signal):
    """A speculative step met a choice after it had touched the topology: it has to be a choice of the program."""


class LimitSignal(Signal):
    """A bound on steps or depth was reached."""

    def __init__(self, what: str) -> None:
        self.what = what


class UnreadError(Exception):
    """What a library would do is not modelled here: the call that asks for it is unknown."""
