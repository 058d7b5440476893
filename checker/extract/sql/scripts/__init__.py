"""Scripts of SQL statements: what they say, in order, and which of them are pipelines of Flink.

In: the files of a revision. Out: pipeline entries (``discovery``), and the commands of one of them with their places
(``reading``). Called by ``extract.sql``, by the planner and by ``workflows.planning_scripts``.
"""
