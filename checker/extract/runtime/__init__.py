"""Exact extraction: the program runs against real Flink up to graph creation. Only where execution is allowed."""
