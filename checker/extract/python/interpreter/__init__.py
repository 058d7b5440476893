"""Evaluates a Python script without running it.

In: a module of the revision. Out: the ways that the script can take and the jobs it submits.

Called by ``extract.python.extraction``.
"""
