"""Revision → topology.

In: the files of a revision and a pipeline entry. Out: a ``Topology`` with an ``Unknown`` wherever the source does
not tell.

``registry`` finds pipelines and reads them; ``java``, ``python``, ``sql`` and ``documents`` are readers that
execute nothing; ``runtime`` runs programs on real Flink where that is allowed. Called by ``checker.workflows``.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any


def lazily(**where: str) -> Callable[[str], Any]:
    """A package's ``__getattr__``: each of its functions from a module that is imported when it is first asked for."""

    def function(name: str) -> Any:
        if name not in where:
            raise AttributeError(name)
        return getattr(import_module(where[name]), name)

    return function
