"""Reading Java pipelines from source, executing nothing: right, or openly unsure."""

from checker.extract.java.extraction import extract

__all__ = ["extract"]
