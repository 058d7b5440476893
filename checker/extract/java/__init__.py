"""Reading Java pipelines from source, executing nothing: right, or openly unsure."""

from checker.extract.java.discovery import discover
from checker.extract.java.extraction import extract, reached_code

__all__ = ["discover", "extract", "reached_code"]
