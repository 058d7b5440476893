"""The process that Spark's Python workers on this machine are forked from: what they need is imported once.

PySpark searches a worker for garbage after every task, and Python after every 700 objects: what was imported is left
out of both, and what a task reads it mostly needs to its end.
"""

import gc

from pyspark.daemon import manager

from checker.cache import this_code

_ALLOCATED = 200_000
"""Objects made between two searches for garbage, as in the command itself."""

if __name__ == "__main__":
    gc.set_threshold(_ALLOCATED)
    this_code()
    gc.freeze()
    manager()
