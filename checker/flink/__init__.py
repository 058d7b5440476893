"""What Flink makes of a topology: pure functions over records, no I/O, exact for 1.13 to 2.3.

In: a ``Topology`` and a Flink version. Out: a ``Translation`` with stream graph, chains, operator ids and job graph, or
Flink's refusal. Differences between versions are data in ``versions``. Called by ``checker.workflows``, repairs and
``ids``.
"""

from checker.flink.translate import translate

__all__ = ["translate"]
