"""What happens to state: judged from records alone, without reading a file.

In: what Flink makes of two revisions of a pipeline (``revisions``), the code of both (``account``), or a snapshot and
a job that starts from it (``restore``). Out: ``Comparison``, ``Account``, ``Attempt``. All ask ``fit`` whether classes,
kinds, types, time-to-live and key groups fit. Called by the workflows of ``check``, ``audit`` and ``gate``.
"""

from checker.compare.revisions.comparison import compare_pipelines

__all__ = ["compare_pipelines"]
