"""Exact extraction: the program runs against real Flink up to graph creation, only where execution is allowed.

In: a pipeline with ``build`` or ``jars``. Out: the topologies of the jobs it submits. Called by
``workflows.running_programs``.
"""
