"""What leaves the ordinary way through a script: returns, jumps, exceptions, exits, what can't be followed."""

import builtins
from typing import Any

from checker.model.unknowns import Cause, Location, Unknown

Value = Any


class StoppedError(Exception):
    """The rest of the run depends on something that is not known: what is not submitted yet stays undecided."""

    def __init__(self, unknown: Unknown) -> None:
        super().__init__(unknown.reason)
        self.unknown = unknown


class UnclearError(StoppedError):
    """Python looks at a value that is not known: at its text, its length, its place in an order."""

    def __init__(self, unknown: Unknown, asked: Value = None) -> None:
        super().__init__(unknown)
        self.asked = asked


def stopped(why: str, cause: Cause, place: Location | None, settled_by: str | None = None) -> StoppedError:
    """The error that ends the run here, for a reason of its own."""
    return StoppedError(Unknown(why, cause, settled_by, place))


def stopped_by(unknown: Unknown, place: Location) -> StoppedError:
    """The error that ends the run here because of something that is not known."""
    return stopped(unknown.reason, unknown.cause, place, unknown.settled_by)


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


def raised(name: str, *arguments: Value) -> RaiseSignal:
    """An exception that Python itself would raise, by the name of its class."""
    known = getattr(builtins, name, None)
    if isinstance(known, type) and issubclass(known, BaseException):
        return of_python(known(*arguments))
    return RaiseSignal((name, "Exception", "BaseException"))


def of_python(error: BaseException) -> RaiseSignal:
    """An exception that Python has raised."""
    return RaiseSignal(tuple(ancestor.__name__ for ancestor in type(error).__mro__ if ancestor is not object), error)
