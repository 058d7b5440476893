"""Errors, as opposed to findings: each message says what, where, and what to do next.

The command line prints these as one line and exits 2; any other exception is a defect of ours (exit 3).
"""

import os
import sys
import traceback
from collections.abc import Callable, Iterable


def did_you_mean(given: str, known: Iterable[str], shown: Callable[[str], str] = str) -> str:
    """A question about the most similar of the words that there are, ``shown`` in full; empty if none is similar."""
    from difflib import get_close_matches

    near = get_close_matches(given, list(known), n=1)
    return f"; did you mean '{shown(near[0])}'?" if near else ""


class CheckerError(Exception):
    """The work could not be done. The message names what, where, and what to do next."""


class UsageError(CheckerError):
    """Options that contradict each other, or that name something that does not exist."""


class SettingsError(CheckerError):
    """The configuration can't be read, or contains an impossible value."""


class RevisionError(CheckerError):
    """A revision, or a file in it, can't be read from git."""


class DocumentError(CheckerError):
    """A topology document breaks the format. Names file, place in the document, and field."""


class ExtractionError(CheckerError):
    """A pipeline could not be read at all (a pipeline read in part is a topology with unknowns).

    ``place`` is the file and line that say why, where one does: the message has none, so that it stays when lines move.
    """

    def __init__(self, message: str = "", place: tuple[str, int] | None = None) -> None:
        super().__init__(message)
        self.place = place


class LackingError(ExtractionError):
    """This machine lacks what reads a pipeline: the message says how to get it."""


class NoJobError(ExtractionError):
    """A program was read, and executes no job with what it is given."""


class NotFollowedError(ExtractionError):
    """A program was not followed to its end: whether it has a job, and which, is not known."""


class SavepointError(CheckerError):
    """A savepoint's bytes are missing, damaged, foreign, or of an unknown version."""


class UnsupportedFlinkError(CheckerError):
    """A Flink version outside of what is supported."""


class GraphTooLargeError(CheckerError):
    """A stream graph has more connections than are computed, or too many are possible and Flink refuses one of them."""


class PipelineMissingError(ExtractionError):
    """The revision has no such pipeline at all (no such class, no such file): added or removed, not broken."""


def defect_message(error: Exception) -> str:
    """An exception that is not a CheckerError, as one line that names the place in this tool.

    Under ``SAVEPOINT_CHECKER_DEBUG=1`` its traceback is printed on stderr.
    """
    if os.environ.get("SAVEPOINT_CHECKER_DEBUG"):
        traceback.print_exception(error, file=sys.stderr)
    frames = traceback.extract_tb(error.__traceback__)
    place = f" in {frames[-1].name}" if frames else ""
    return (
        f"a defect of this tool ({type(error).__name__}{place}: {error}): please report it with the output of the same "
        "command under SAVEPOINT_CHECKER_DEBUG=1"
    )
