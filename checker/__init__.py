"""savepoint-checker: tells before a deployment which Flink state survives it."""

__version__ = "0.1.0"
