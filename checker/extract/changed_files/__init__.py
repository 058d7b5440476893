"""The files that differ between two revisions, and the content of those that are not source code.

In: the files of both revisions. Out: ``ChangedFile`` records, which ``checker.compare.account`` explains.
Called by ``workflows.check``.
"""
