"""Two revisions of a pipeline against each other: matches, verdicts on state, and causes."""

from checker.compare.revisions.comparison import compare_pipelines

__all__ = ["compare_pipelines"]
