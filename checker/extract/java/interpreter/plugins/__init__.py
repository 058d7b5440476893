"""Libraries that some programs use: each is a module that nothing names, found by its file as rules are.

In: a call of a class outside of the repository. Out: its value, or None where the call is not the module's own. A
module has what it answers of these: ``create`` (``new``), ``static_call``, and ``call`` (on an object that it made).
Called by ``library_objects`` and ``resolvers``.
"""

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Value

Answer = Callable[[Run, Any, Call], Value | None]


def answering(kind: str) -> tuple[Answer, ...]:
    """The functions of that name, of all modules that have one."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    return tuple(getattr(module, kind) for module in modules if hasattr(module, kind))
