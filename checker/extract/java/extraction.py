"""``extract``: one pipeline of a revision, from its main class to a topology."""

from __future__ import annotations

from functools import partial

from checker.errors import ExtractionError, NoJobError, NotFollowedError, PipelineMissingError
from checker.extract.asking.consulted import flink_version, once
from checker.extract.datastream import assembling
from checker.extract.interpreting.memory import Trace
from checker.extract.java import program
from checker.extract.java.flink_api.jobs import READING
from checker.extract.java.reached.classes import ReachedClasses, opened_in
from checker.extract.java.reached.code import JavaCode, java_classes
from checker.extract.java.reached.roles import CodeNames
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import ClassDecl, MethodDecl
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
    decl = _main_class(index, entry)
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


def reached_code(files: SourceFiles, entry: PipelineEntry, trace: Trace, topology: Topology | None) -> JavaCode | None:
    """The code that a pipeline can reach, None where its main class is not there.

    ``trace`` is of its reading, which gave ``topology``.
    """
    index = ClassIndex(files)
    try:
        main = _main_class(index, entry)
    except ExtractionError:
        return None
    opened = opened_in(topology, trace, main.unit.path)
    key = f"classes that {main.unit.path} {main.qualified_name} can reach {opened}"
    reached = once(files, key, lambda watched: ReachedClasses(watched, main, opened))
    return JavaCode(java_classes(reached), index, trace)


def _statement(index: ClassIndex, location: Location) -> str | None:
    """The text of the statement or declaration at a place."""
    node: Node | None = index.unit(location.file).source.innermost(location)
    while node is not None and not node.type.endswith(("_statement", "_declaration")):
        node = node.parent
    return text(node) if node is not None else None


def _main_class(index: ClassIndex, entry: PipelineEntry) -> ClassDecl:
    decl: ClassDecl | None = None
    if entry.main is not None:
        decl = index.find(entry.main, entry.file or "")
        if decl is not None and entry.file is not None and decl.unit.path != entry.file:
            decl = _in_file(index, entry.file, entry.main) or decl
    if decl is None and entry.file is not None:
        decl = _in_file(index, entry.file, entry.main)
    if decl is None:
        wanted = entry.main or entry.file or entry.name
        raise PipelineMissingError(
            f"{entry.name}: no class '{wanted}' among the {len(index.ask('java'))} Java files of this revision; "
            "check 'main' in the configuration"
        )
    if decl.unit.refused is not None:
        raise ExtractionError(f"{entry.name}: {decl.unit.refused}")
    return decl


def _in_file(index: ClassIndex, path: str, main: str | None) -> ClassDecl | None:
    try:
        unit = index.unit(path)
    except KeyError:
        return None
    if unit.source.refused is not None:
        raise ExtractionError(unit.source.refused)
    for decl in unit.types.values():
        if main is None or main in (decl.qualified_name, decl.name):
            return decl
    return next(iter(unit.types.values()), None) if main is None else None


def main_method(index: ClassIndex, decl: ClassDecl) -> MethodDecl | None:
    """The main method of a class: ``static void main(String[])``, inherited, or the forms of Java 21."""
    candidates = [
        method for owner in index.lineage(decl) for method in owner.methods_named("main") if not method.abstract
    ]
    for method in candidates:
        if method.static and len(method.parameters) == 1 and method.parameters[0].type.dimensions == 1:
            return method
    return next((method for method in candidates if len(method.parameters) <= 1), None)
