"""What happens to state: judged from records alone, without reading a file.

``revisions`` compares what Flink makes of two revisions of a pipeline (``Translation``) and answers with a
``Comparison``; the workflow ``check`` calls it, rules and repairs read its answer. ``restore`` judges the start of a
job from a snapshot (``Savepoint`` and ``CandidateJob`` in, ``Attempt`` out) for the workflow ``gate``. Both ask ``fit``
whether classes, kinds, types, time-to-live and key groups fit.
"""

from checker.compare.revisions.comparison import compare_pipelines

__all__ = ["compare_pipelines"]
