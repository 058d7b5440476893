"""What Flink makes of a topology: pure functions over records, no I/O, exact for 1.13 to 2.3."""

from checker.flink.translate import translate

__all__ = ["translate"]
