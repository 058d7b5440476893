"""Enums of the repository: their constants, ``valueOf``, ``EnumSet``."""

from __future__ import annotations

from checker.extract.java.machine.choices import choose
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    Constant,
    Instance,
    ListValue,
    Opaque,
    Value,
    depends_of,
    unknown_of,
)
from checker.extract.java.syntax.declarations import ClassDecl
from checker.model.unknowns import Cause, Unknown


def constant(run: Run, decl: ClassDecl, name: str) -> Instance | None:
    """The constant of an enum by its name."""
    run.interpreter.ensure_initialized(decl)
    found = run.statics.get(run.static_key(decl, name))
    return found if isinstance(found, Instance) else None


def all_constants(run: Run, decl: ClassDecl) -> ListValue | None:
    """All constants of an enum in order, as the array that ``values()`` copies."""
    run.interpreter.ensure_initialized(decl)
    found = run.statics.get(run.static_key(decl, "$VALUES"))
    return found if isinstance(found, ListValue) else None


def enum_of(run: Run, constant: Instance) -> ClassDecl:
    """The enum of a constant, which may have a body of its own."""
    parent = run.index.superclass(constant.decl)
    return parent if isinstance(parent, ClassDecl) and not constant.decl.enum_constants else constant.decl


def enum_value(run: Run, decl: ClassDecl, wanted: Value) -> Value:
    """``valueOf(text)``."""
    run.interpreter.ensure_initialized(decl)
    if isinstance(wanted, Constant) and isinstance(wanted.value, str):
        return constant(run, decl, wanted.value) or throw("IllegalArgumentException")
    run.may_throw("IllegalArgumentException", wanted)
    unknown = unknown_of(wanted) or Unknown("cannot tell which constant of an enum it is", Cause.OTHER)
    symbol = wanted.symbol if isinstance(wanted, Opaque) else run.fresh("enum")
    values = all_constants(run, decl)
    if values is not None and values.elements and len(values.elements) <= 8:
        return choose(f"{decl.name}.valueOf({symbol})", tuple(enumerate(values.elements)), unknown)
    return Opaque(unknown, f"{decl.name}.valueOf({symbol})", decl, depends_of(wanted))
