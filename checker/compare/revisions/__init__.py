"""Two revisions of one pipeline: which operator is which, what becomes of its state, and which edit is the cause.

In: a ``Translation`` for each side and the entries of the mapping file. Out: a ``Comparison`` whose rows hold a verdict
for each way to start. The entry is ``comparison``, called by ``workflows.check``. Every possible program of the base is
paired with every one of the head; a verdict that differs between the pairs is undecided.
"""
