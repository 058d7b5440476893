"""Calls of PyFlink's API.

In: a call of the interpreter on an environment or a stream. Out: the steps of a job, fused as PyFlink fuses them,
as a ``Topology``.

Called by the PyFlink interpreter and by ``extract.python``.
"""
