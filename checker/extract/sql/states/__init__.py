"""The states of planned operators, from the empty savepoint that Flink made of the plan."""
