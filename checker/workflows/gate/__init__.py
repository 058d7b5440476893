"""The steps of ``gate`` and ``savepoint``: read savepoints, pair them with candidates, try every restore path.

In: savepoints, and candidates from a revision or a job graph file. Out: their documents. Called by
``commands.gate``, ``commands.savepoint`` and the engines.
"""
