"""The engine on Apache Spark.

In: a plan. Out: what the in-process engine answers, byte for byte.

Plans become rows that carry every file which a task may read, so that executors need neither git nor a shared disk.
Called by ``checker.commands``, imported only where PySpark is installed.
"""
