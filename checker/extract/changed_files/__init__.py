"""The files that differ between two revisions, and the content of those that are not source code.

In: the files of both revisions. Out: ``ChangedFile`` records, which ``checker.compare.account`` explains.
Called by ``workflows.check``.
"""

from checker.extract.changed_files.difference import changed_files

__all__ = ["changed_files"]
