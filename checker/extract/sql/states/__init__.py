"""The states of planned operators, from the empty savepoint that Flink made of the plan.

In: a ``Savepoint`` of a planned job. Out: ``StateDescriptor`` records by operator. Called by the planner.
"""
