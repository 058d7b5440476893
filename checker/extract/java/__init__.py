"""Reading Java pipelines from source, executing nothing: right, or openly unsure."""

from checker.extract.java.discovery import discover
from checker.extract.java.extraction import extract

__all__ = ["discover", "extract"]
