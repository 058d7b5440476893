"""Flink's rules about compatibility: whether state can be restored with another type, key, kind or time-to-live.

In: types, state descriptors and numbers as a program declares them; ``compare.restore.backends`` gives serializer
snapshots the same form. Out: a ``Fit`` with its reason: never a verdict and never a severity. Called by
``compare.revisions`` and ``compare.restore``.
"""
