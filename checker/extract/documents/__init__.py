"""Topology documents: a pipeline written down as transformations, read and written.

In: ``*.topology.json``, ``.jsonl`` and YAML files of a revision. Out: a ``Topology``. Called by the extractors'
registry, by ``ids`` and by everything that hands topologies to another process.
"""

from checker.extract import lazily

__getattr__ = lazily(discover="checker.extract.documents.committed", extract="checker.extract.documents.committed")
