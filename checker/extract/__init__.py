"""Revision → topology.

In: the files of a revision and a pipeline entry. Out: a ``Topology`` with an ``Unknown`` wherever the source does
not tell.

``registry`` finds pipelines and reads them; ``java``, ``python``, ``sql`` and ``documents`` are readers that
execute nothing; ``runtime`` runs programs on real Flink where that is allowed. Called by ``checker.workflows``.
"""
