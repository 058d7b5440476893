"""savepoint-checker: which Flink state survives the next deployment, told before it happens."""

__version__ = "0.1.0"
