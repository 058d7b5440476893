"""Flink's own planner, asked without a build: scripts in, the graphs of their jobs and the states of these out."""
