"""Connectors of SQL tables as data: which operators and changelog each of them has.

In: the options of a table and the version of Flink. Out: what stands in for its connector while a script is planned,
and what of its operators stays open. Called by the planner.
"""
