"""What leaves the ordinary way through a script: returns, jumps, exceptions, exits, what can't be followed."""

from __future__ import annotations

from checker.extract.python.interpreter.values import Value
from checker.model.topology import Unknown


class StoppedError(Exception):
    """The rest of the run depends on something that is not known: what is not submitted yet stays undecided."""

    def __init__(self, unknown: Unknown) -> None:
        super().__init__(unknown.reason)
        self.unknown = unknown


class ReturnSignal(Exception):  # noqa: N818 - no error
    """``return``."""

    def __init__(self, value: Value) -> None:
        super().__init__()
        self.value = value


class LoopSignal(Exception):  # noqa: N818 - no error
    """``break``, or ``continue`` where ``goes_on``."""

    def __init__(self, goes_on: bool) -> None:
        super().__init__()
        self.goes_on = goes_on


class RaiseSignal(Exception):  # noqa: N818 - no error
    """An exception of the script; ``kinds`` are the names of its class and those above it, None if not known."""

    def __init__(self, kinds: tuple[str, ...] | None, value: Value = None) -> None:
        super().__init__()
        self.kinds = kinds
        self.value = value


class ExitSignal(Exception):  # noqa: N818 - no error
    """``sys.exit``."""


_ABOVE = ("Exception", "BaseException")


def raised(name: str) -> RaiseSignal:
    """An exception that Python itself would raise, by the name of its class."""
    middle = {"KeyError": ("LookupError",), "IndexError": ("LookupError",), "ZeroDivisionError": ("ArithmeticError",),
              "ModuleNotFoundError": ("ImportError",), "FileNotFoundError": ("OSError",)}  # fmt: skip
    return RaiseSignal((name, *middle.get(name, ()), *_ABOVE))
