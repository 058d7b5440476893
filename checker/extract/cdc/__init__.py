"""Pipelines of Flink CDC in YAML (3.x), read as its composer makes jobs of them.

In: YAML files of a revision, and what names the release of Flink CDC. Out: a ``Topology``. ``composition.toml`` says
which release composes which operators, by its sources. Called by the extractors' registry.
"""

from checker.extract.cdc.composing import extract
from checker.extract.cdc.pipelines import discover

__all__ = ["discover", "extract"]
