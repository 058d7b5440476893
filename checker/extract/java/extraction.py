"""``extract``: one pipeline of a revision, from its main class to a topology."""

from __future__ import annotations

from functools import partial

from checker.errors import ExtractionError, NoJobError, NotFollowedError, PipelineMissingError
from checker.extract.asking.consulted import flink_version
from checker.extract.datastream import assembling
from checker.extract.interpreting.memory import Trace
from checker.extract.java import program
from checker.extract.java.flink_api.jobs import READING
from checker.extract.java.reached.roles import CodeNames
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.main_class import main_class, main_method
from checker.extract.java.syntax.tree import Node, broken, text
from checker.extract.unfollowed.unread_code import with_code
from checker.model.flink_releases import api_of
from checker.model.pipelines import PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.topology import Topology
from checker.model.unknowns import Cause, Location, Unknown


def extract(files: SourceFiles, entry: PipelineEntry, trace: Trace | None = None) -> Topology:
    """Read one Java pipeline, executing nothing. ``trace`` is filled with the code that was followed.

    Raises ExtractionError when there is no such class or main method, or when the program ends before it
    executes a job whatever its arguments are.
    """
    index = ClassIndex(files)
    decl = main_class(index, entry)
    main = main_method(index, decl)
    if main is None:
        raise ExtractionError(
            f"{decl.qualified_name} ({decl.unit.path}) has no main method, and what starts the job is not seen: "
            "name the class that does as 'main'"
        )
    version, consulted = (entry.flink, ()) if entry.flink else flink_version(files, decl.unit.path)
    result = program.interpret(index, main, entry, api_of(version), trace=trace)
    if not result.paths:
        place = (decl.location.file, decl.location.line)
        none_made = not result.environments and result.failure is None and result.cut is None
        if none_made and (trace is None or not any(trace.gaps.values())):
            raise PipelineMissingError(
                f"{entry.name}: {decl.qualified_name} makes no StreamExecutionEnvironment", place
            )
        if result.cut is not None:
            raise NotFollowedError(result.cut.reason, place)
        if decl.unit.errors:
            raise ExtractionError(f"{decl.unit.path} does not parse", (decl.unit.path, decl.unit.errors[0].line))
        nothing = program.Failure("it declares no operators of the DataStream API", ends=not result.tables)
        failure = result.failure or nothing
        if failure.ends and _all_followed(entry, trace):
            raise PipelineMissingError(f"{entry.name}: the program executes no job ({failure.reason})", place)
        if failure.location is not None:
            place = (failure.location.file, failure.location.line)
        raise NoJobError(f"the program executes no job ({failure.reason})", place)
    cut = result.cut
    if cut is None and decl.unit.errors and broken(main.node):
        place_of_error = decl.unit.errors[0]
        cut = Unknown(f"{place_of_error} does not parse", Cause.SYNTAX, None, place_of_error)
    topology = assembling.topology(
        entry,
        result.paths,
        READING,
        flink=version,
        location=main.location,
        files=tuple(sorted({*index.used_paths, *consulted})),
        cut=cut,
        trace=trace,
    )
    code = CodeNames(index, files, trace)
    statement = partial(_statement, index)
    return with_code(topology, files, index.used_paths, ".java", statement, content=code.name, entry=entry)


def _all_followed(entry: PipelineEntry, trace: Trace | None) -> bool:
    """Whether all that the program does was followed, whatever it is started with."""
    given = entry.arguments_known or entry.environment or entry.unset or entry.deployment is not None
    return trace is not None and not any(trace.gaps.values()) and not given


def _statement(index: ClassIndex, location: Location) -> str | None:
    """The text of the statement or declaration at a place."""
    node: Node | None = index.unit(location.file).source.innermost(location)
    while node is not None and not node.type.endswith(("_statement", "_declaration")):
        node = node.parent
    return text(node) if node is not None else None
