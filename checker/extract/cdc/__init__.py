"""Pipelines of Flink CDC in YAML (3.x), read as its composer makes jobs of them.

In: YAML files of a revision, and what names the release of Flink CDC. Out: a ``Topology``. ``composition.toml`` says
which release composes which operators, by its sources. Called by the extractors' registry.
"""

from checker.extract import lazily

__getattr__ = lazily(discover="checker.extract.cdc.pipelines", extract="checker.extract.cdc.composing")
