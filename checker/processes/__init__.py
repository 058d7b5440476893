"""The one door through which child processes are started, and what they may see of where they are started.

In: commands. Out: running processes. Called by whatever starts git, Java, pip or another Python: the revisions of a
repository, the readers, and Spark.
"""
