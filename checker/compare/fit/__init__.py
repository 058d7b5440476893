"""Flink's rules about compatibility: whether state can be restored with another type, key, kind or time-to-live.

What comes in are types, state descriptors and numbers as a program declares them; ``compare.restore.written`` gives
serializer snapshots the same form. What goes out is a ``Fit`` with its reason: never a verdict and never a severity.
"""
