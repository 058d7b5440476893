"""What a running Flink cluster answers: jobs, their newest snapshot, and what they were given.

In: the address of a JobManager's REST API. Out: ``RunningJob`` records. Called by ``gate``. Only ever asks (GET).
"""

from checker.cluster.jobs import running_job

__all__ = ["running_job"]
