"""Two revisions of a pipeline against each other: matches, verdicts on state, and causes."""

from checker.compare.comparing import compare_pipelines

__all__ = ["compare_pipelines"]
