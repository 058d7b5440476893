"""Readers of what Flink writes: savepoint metadata and the headers of state files."""
