"""Exceptions of the JDK and of command-line libraries: thrown by the models, and which a ``catch`` takes."""

from typing import Final, NoReturn

from checker.extract.datastream.table import table
from checker.extract.java.machine.values import ExternalObject, Value, string
from checker.extract.java.syntax.class_index import External
from checker.model.unknowns import Location

_PARENTS = table("parents_of_exceptions")
_IN_UTIL: Final = frozenset(
    {
        "NoSuchElementException", "InputMismatchException", "MissingResourceException",
        "ConcurrentModificationException", "EmptyStackException",
        "MissingFormatArgumentException", "IllegalFormatException",
    }
)  # fmt: skip


def throw(simple: str, message: str | None = None) -> NoReturn:
    """Throw an exception of the JDK; ``message`` says why to people."""
    given = (string(message),) if message is not None else ()
    package = "java.util" if simple in _IN_UTIL else "java.lang"
    raise ThrowSignal(ExternalObject(External((f"{package}.{simple}",)), given))


OF_LIBRARIES: Final = (
    "java.lang.RuntimeException", "java.lang.UnsupportedOperationException", "java.lang.IndexOutOfBoundsException",
    "java.lang.NullPointerException", "java.lang.ClassCastException", "java.lang.IllegalArgumentException",
    "java.lang.IllegalStateException", "java.util.NoSuchElementException", "java.util.ConcurrentModificationException",
    "java.lang.Exception", "java.lang.NumberFormatException", "java.lang.ArithmeticException",
    "java.lang.StringIndexOutOfBoundsException", "java.lang.ArrayIndexOutOfBoundsException", "java.io.IOException",
    "java.io.FileNotFoundException", "java.io.UncheckedIOException",
)  # fmt: skip
"""What a call of a library may throw that is not modelled."""


def of_jdk(simple: str) -> bool:
    """Whether a class is one of these exceptions."""
    return simple in _PARENTS


def catches(thrown: str, caught: str) -> bool | None:
    """Whether ``catch (caught)`` takes an exception of class ``thrown``, None where a class is not of the JDK."""
    if caught == "Throwable" or thrown == caught:
        return True
    if thrown not in _PARENTS or caught not in _PARENTS:
        return None
    current: str | None = thrown
    while current is not None:
        if current == caught:
            return True
        current = _PARENTS.get(current)
    return False


class Signal(Exception):  # noqa: N818 - control flow of the interpreted program
    """A statement that did not complete normally."""


class _GivesSignal(Signal):
    """One that gives a value."""

    def __init__(self, value: Value) -> None:
        self.value = value


class _JumpSignal(Signal):
    """One that goes to a label."""

    def __init__(self, label: str = "") -> None:
        self.label = label


class ReturnSignal(_GivesSignal):
    """``return`` and an expression lambda's result."""


class BreakSignal(_JumpSignal):
    """``break`` with its label."""


class ContinueSignal(_JumpSignal):
    """``continue`` with its label."""


class YieldSignal(_GivesSignal):
    """``yield`` of a switch expression."""


class ThrowSignal(_GivesSignal):
    """An exception of the interpreted program, and the statement that throws it."""

    location: Location | None = None


class ExitSignal(Signal):
    """``System.exit``: the program ends."""


class ImpureSignal(Signal):
    """A speculative step met a choice after it had touched the topology: it has to be a choice of the program."""


class LimitSignal(Signal):
    """A bound on steps or depth was reached."""

    def __init__(self, what: str, place: Location | None = None) -> None:
        self.what, self.place = what, place
