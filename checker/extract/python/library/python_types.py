"""Classes of Python's own libraries that a script names."""

from __future__ import annotations

import builtins
import collections
import collections.abc
import numbers
from typing import Any

from checker.extract.python.interpreter.values import External, Value

_MODULES: dict[str, Any] = {
    "builtins": builtins, "collections": collections, "collections.abc": collections.abc, "numbers": numbers,
    "typing": collections.abc,
}  # fmt: skip


def python_type(named: Value) -> type | None:
    """The class of Python that a script names; None for others."""
    if not isinstance(named, External) or named.called:
        return None
    module, _, simple = named.path.rpartition(".")
    known = getattr(_MODULES.get(module), simple, None)
    return known if isinstance(known, type) else None
