"""What a script is given from outside: ``sys.argv`` and environment variables."""

from __future__ import annotations

import ast
from dataclasses import replace

from checker.extract.python.interpreter.assignments import PROCESS
from checker.extract.python.interpreter.descriptions import described
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import raised
from checker.extract.python.interpreter.values import External, Opaque, Value, unknown
from checker.model.unknowns import Cause, Location, given_by

SETTLED_BY = "args"
"""The configuration that says what a script is given."""
_VECTORS = ("sys.argv", "sys.argv[1:]")
"""Descriptions of the arguments as they are, by how many are left out in front."""
ENVIRONMENT = ("os.environ", "os.environb")


def argument_vector(run: Run, place: Location) -> Value:
    """``sys.argv``: known where arguments were given, or a configured pipeline has none."""
    if run.entry.texts_known:
        return [run.entry.main or run.entry.file or "", *run.entry.args]
    vector = unknown("no value is given for the program's arguments", Cause.ARGUMENT, place, "sys.argv", SETTLED_BY)
    changes = run.packages.get("sys", [])
    before = described(run, changes) if all(changes) else ""
    return replace(vector, derived_from="" if not before else f"sys.argv after {before}" if changes else "sys.argv")


def environment_variable(
    run: Run, key: Value, place: Location, default: Value = None, *, needed: bool = False
) -> Value:
    """``os.getenv(key, default)``, or ``os.environ[key]``, which is ``needed``: known where somebody gives it.

    Raises RaiseSignal where a needed one is not set.
    """
    if isinstance(key, Opaque):
        return Opaque(key.unknown)
    if not isinstance(key, str):
        return unknown("an unknown environment variable", Cause.ARGUMENT, place)
    given = dict(run.entry.environment).get(key)
    if given is not None:
        return given
    if run.entry.is_unset(key) and not (default is None and run.entry.is_needed(key)):
        if needed:
            raise raised("KeyError", key)
        return default
    shown = f" (default {default!r})" if isinstance(default, str | int | float) else ""
    reason = f"no value is given for environment variable '{key}'{shown}"
    found = unknown(reason, Cause.ARGUMENT, place, f"environment:{key}", given_by(key))
    changes = run.packages.get(PROCESS, [])
    before = described(run, changes) if all(changes) else ""
    otherwise = "none" if default is None else described(run, default)
    made = f"environment variable {key!r}" + ("" if default is None else f" or {otherwise}")
    made += f" after {before}" if changes else ""
    return replace(found, default=default, derived_from=made if before and otherwise else "")


def element_of(run: Run, owner: Value, key: Value, place: Location) -> Value | None:
    """``os.environ[key]``, which may not be there; None for other objects.

    Raises RaiseSignal for an argument or variable that somebody said is not given.
    """
    if isinstance(owner, External):
        return environment_variable(run, key, place, needed=True) if owner.path in ENVIRONMENT else None
    if isinstance(owner, Opaque) and owner.derived_from in _VECTORS and isinstance(key, int) and key >= 0:
        argument = f"sys.argv[{_VECTORS.index(owner.derived_from) + key}]"
        if argument in run.entry.unset:
            raise raised("IndexError", "list index out of range")
    return None


def given_environment(run: Run, left: Value, right: Value, op: ast.cmpop) -> Value | None:
    """``key in os.environ``; None for other comparisons."""
    if not (isinstance(right, External) and right.path in ENVIRONMENT and isinstance(op, ast.In | ast.NotIn)):
        return None
    if isinstance(left, str) and left in dict(run.entry.environment):
        return isinstance(op, ast.In)
    if isinstance(left, str) and run.entry.is_unset(left):
        return isinstance(op, ast.NotIn)
    name = f"environment:{left}:given" if isinstance(left, str) else ""
    settled = given_by(left) if isinstance(left, str) else None
    given = unknown(f"cannot tell whether environment variable {left!r} is given", Cause.ARGUMENT, None, name, settled)
    return replace(given, negated=bool(name) and isinstance(op, ast.NotIn))
