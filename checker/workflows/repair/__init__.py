"""The steps of ``repair``: plan edits for what a check found, write them, read the source again to verify.

In: two revisions. Out: edits of source files or documents. Called by ``commands.repair``.
"""
