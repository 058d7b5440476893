"""PyFlink scripts read from source: nothing is executed, and what PyFlink fuses is fused here as well."""

from __future__ import annotations

from functools import partial

from checker.errors import ExtractionError, PipelineMissingError
from checker.extract.python.discovery import discover
from checker.extract.python.flink_api.topologies import topology
from checker.extract.python.program import interpret
from checker.extract.python.reachable import content, reachable
from checker.extract.unread_code import any_unknown, with_code
from checker.model.pipelines import PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.topology import Cause, Topology


def extract(files: SourceFiles, entry: PipelineEntry) -> Topology:
    """Read one job of one script. What can't be told is an Unknown, whole shapes of it are variants.

    Raises ExtractionError where the file does not parse or submits no such job, PipelineMissingError without the file.
    """
    path = entry.file or entry.main
    if path is None:
        raise ExtractionError(f'pipeline \'{entry.name}\': extract = "python" needs main = "SCRIPT.py"')
    try:
        files.content_id(path)
    except KeyError:
        raise PipelineMissingError(f"pipeline '{entry.name}': the revision has no file '{path}'") from None
    program = interpret(files, entry, path)
    first = program.paths[0].stopped
    if first is not None and first.cause is Cause.SYNTAX and not program.jobs:
        raise ExtractionError(first.reason)
    found = topology(entry, program, path)
    read: frozenset[str] = frozenset(program.limits.read)
    if any_unknown(found, lambda unknown: unknown.made_of is None):
        read = reachable(files, program.limits, path.rpartition("/")[0], read)
    return with_code(
        found, files, read, ".py", causes=frozenset(Cause), content=partial(content, files, program.limits)
    )


__all__ = ["discover", "extract"]
