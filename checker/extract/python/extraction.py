"""``extract``: one job of one script, from its file to a topology."""

from __future__ import annotations

from dataclasses import replace

from checker.errors import ExtractionError, PipelineMissingError
from checker.extract.interpreting.trace import Trace
from checker.extract.python.flink_api.topologies import topology
from checker.extract.python.flink_versions import flink_version
from checker.extract.python.program import interpret
from checker.extract.python.reachable import contents, reachable
from checker.extract.python.reached.code import PythonCode
from checker.extract.unread_code import NEEDS_CODE, any_unknown, with_code
from checker.model.pipelines import PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.topology import Topology
from checker.model.unknowns import Cause


def extract(files: SourceFiles, entry: PipelineEntry, trace: Trace | None = None) -> Topology:
    """Read one job of one script. What is not known is an Unknown; several shapes are variants.

    ``trace`` is filled with the code that was followed.

    Raises ExtractionError where the file does not parse or submits no such job, PipelineMissingError without the file.
    """
    path = entry.file or entry.main
    if path is None:
        raise ExtractionError(f'pipeline \'{entry.name}\': extract = "python" needs main = "SCRIPT.py"')
    try:
        files.content_id(path)
    except KeyError:
        raise PipelineMissingError(f"pipeline '{entry.name}': the revision has no file '{path}'") from None
    consulted: tuple[str, ...] = ()
    if entry.flink is None:
        version, consulted = flink_version(files, path)
        entry = replace(entry, flink=version)
    program = interpret(files, entry, path, trace=trace)
    first = program.paths[0].stopped
    if first is not None and first.cause is Cause.SYNTAX and not program.jobs:
        raise ExtractionError(first.reason)
    found = topology(entry, program, path, trace)
    read: frozenset[str] = frozenset(program.limits.read)
    if any_unknown(found, lambda unknown: unknown.derived_from in (None, NEEDS_CODE)):
        read = reachable(files, program.limits, path.rpartition("/")[0], read)
    content = contents(files, program.limits, read)
    whole = with_code(found, files, read, ".py", causes=frozenset(Cause), content=content, given=entry.all_variables)
    return replace(whole, files=tuple(sorted({*whole.files, *consulted})))


def reached_code(
    files: SourceFiles, entry: PipelineEntry, trace: Trace, topology: Topology | None
) -> PythonCode | None:
    """The code that a script can reach, None where it is not there. ``trace`` is of its reading, to ``topology``."""
    path = entry.file or entry.main
    opened = topology is None or bool(topology.openings)
    return None if path is None or path not in files.paths() else PythonCode(files, path, trace, opened=opened)
