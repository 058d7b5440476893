"""The process that Spark's Python workers on this machine are forked from: what they need is imported once."""

from __future__ import annotations

from pyspark.daemon import manager

import checker.extract.java.extraction
import checker.workflows.audit.computing  # noqa: F401

if __name__ == "__main__":
    manager()
