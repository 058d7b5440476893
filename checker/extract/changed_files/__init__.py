"""The files that differ between two revisions, with the entries of build files, manifests and resources that changed.

In: the files of both revisions. Out: ``ChangedFile`` records, which ``checker.compare.account`` explains.
Called by ``workflows.check``.
"""
