"""Flink's own planner, asked without a build: scripts in, the graphs of their jobs and the states of these out.

In: scripts and recorded calls of the Table API, with a version of Flink. Out: a ``Topology`` per job, or Flink's
refusal. ``planning`` asks a child process with a JVM (``session``) and keeps its answers; ``topologies`` reads them.
Called by ``workflows.planning_scripts`` and ``workflows.planning_programs``.
"""
