"""Whether state that was written one way can be taken over another way: the one place for Flink's rules about that.

What comes in are types, state descriptors and numbers as a program declares them; ``compare.restore.written`` gives
serializer snapshots the same form. What goes out is a ``Fit`` with its reason: never a verdict and never a severity.
"""
