"""One snapshot, one job to be started from it, one way to start it: what Flink does.

In: ``Savepoint`` (``checker.savepoint`` reads it) and ``CandidateJob`` (``candidate_of`` makes it of a translation).
Out: ``Attempt``, with refusals in Flink's order, the fate of every operator and named state, and warnings. The entry is
``judgement``, called by ``workflows.gate``.
"""
