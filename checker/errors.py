"""Everything that can go wrong and is not a finding: what, where, and what to do next.

The command line prints these as one line and exits 2; any other exception is a defect of ours (exit 3).
"""

from __future__ import annotations


class CheckerError(Exception):
    """The work could not be done. The message names what, where, and what to do next."""


class UsageError(CheckerError):
    """Options that contradict each other or name nothing."""


class SettingsError(CheckerError):
    """The configuration can't be read or says something impossible."""


class RevisionError(CheckerError):
    """A revision, or a file in it, can't be read from git."""


class DocumentError(CheckerError):
    """A topology document breaks the format. Names file, place in the document, and field."""


class ExtractionError(CheckerError):
    """A pipeline could not be read at all (a pipeline read in part is a topology with unknowns)."""


class SavepointError(CheckerError):
    """A savepoint's bytes are missing, damaged, foreign, or of a version nobody knows."""


class UnsupportedFlinkError(CheckerError):
    """A Flink version outside of what is supported."""


class PipelineMissingError(ExtractionError):
    """The revision has no such pipeline at all (no such class, no such file): added or removed, not broken."""
