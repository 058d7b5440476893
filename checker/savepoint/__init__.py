"""Readers of what Flink writes: savepoint metadata and the headers of state files.

In: the path or URL of a savepoint. Out: a ``Savepoint``; damaged or unknown bytes are an error, never skipped.
Called by ``workflows.gate``.
"""
