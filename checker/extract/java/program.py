"""Reads one pipeline: runs its main method on every path that its unknowns leave open, and makes a topology of them."""

from dataclasses import dataclass, replace
from functools import partial

from checker.errors import ExtractionError, NoJobError, NotFollowedError, PipelineMissingError
from checker.extract.asking.consulted import flink_version
from checker.extract.datastream import assembling
from checker.extract.datastream.assembling import MAX_VARIANTS, Path
from checker.extract.datastream.records import Job
from checker.extract.interpreting.bounds import deep_recursion
from checker.extract.interpreting.memory import Trace
from checker.extract.interpreting.shapes import Decision, DivergedError, PathChoices
from checker.extract.java.flink_api.jobs import READING, outline, with_inputs
from checker.extract.java.interpreter import (
    expressions,
    objects,
    repository_methods,
    resolvers,
    statements,
    texts,
    unknown_loops,
)
from checker.extract.java.machine.call_record import Call, Interpreter, Site
from checker.extract.java.machine.exceptions import ExitSignal, ImpureSignal, LimitSignal, Signal, ThrowSignal
from checker.extract.java.machine.run_state import MAX_PATHS, MAX_STEPS, Limits
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    Constant,
    ExternalObject,
    Frame,
    Instance,
    ListValue,
    Scope,
    Value,
    string,
)
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import MethodDecl
from checker.extract.java.syntax.nodes import main_class, main_method
from checker.extract.java.syntax.tree import Node, broken, code_text
from checker.extract.unfollowed.unread_code import with_code
from checker.model.flink_releases import ReleasedApi, api_of
from checker.model.pipelines import PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.topology import Kind, Topology
from checker.model.unknowns import Cause, Location, Unknown, not_given


def interpreter_of(run: Run) -> Interpreter:
    """The interpreter of one run."""
    return Interpreter(
        evaluate=partial(_evaluate, run),
        execute=partial(_execute, run),
        invoke=partial(resolvers.invoke, run),
        call_method=partial(repository_methods.call_method, run),
        call_function=partial(repository_methods.call_function, run),
        instantiate=partial(objects.instantiate, run),
        ensure_initialized=partial(objects.ensure_initialized, run),
        to_string=partial(texts.to_string, run),
        unknown_loop=partial(unknown_loops.unknown_loop, run),
    )


def _evaluate(run: Run, node: Node | None, frame: Frame) -> Value:
    if node is None:
        return run.opaque("the source does not parse here", Cause.SYNTAX, None)
    run.step(node, frame)
    handler = expressions.HANDLERS.get(node.type)
    if handler is None:
        cause = Cause.SYNTAX if node.type == "ERROR" or node.is_missing else Cause.UNSUPPORTED
        return run.opaque(f"'{node.type}' is not evaluated", cause, Site(node, frame))
    return handler(run, node, frame)


def _execute(run: Run, node: Node, frame: Frame) -> None:
    run.step(node, frame)
    handler = statements.HANDLERS.get(node.type)
    if handler is not None:
        try:
            handler(run, node, frame)
        except ThrowSignal as signal:
            signal.location = signal.location or frame.location(node)
            raise
    elif node.type == "ERROR":
        statements.broken(run, node, frame)
    elif node.type.endswith("_expression") or node.type.endswith("_invocation"):
        _evaluate(run, node, frame)


_STARTS = 4
"""How often all paths are followed anew."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What ends a program before it executes a job, and where it is thrown, as far as that is known."""

    reason: str
    location: Location | None = None
    ends: bool = False
    """The program ends there as it is meant to."""


@dataclass(frozen=True, slots=True)
class JavaRuns:
    """What came of running a main method: its paths with a job, and why there may be more."""

    paths: tuple[Path, ...]
    cut: Unknown | None
    failure: Failure | None
    """Why no path executes a job."""
    jobs: int
    """The most jobs that one path executes."""
    environments: bool = True
    """Whether any path made a StreamExecutionEnvironment."""
    tables: bool = False
    """Whether any path made a table environment."""


def interpret(
    index: ClassIndex,
    main: MethodDecl,
    entry: PipelineEntry,
    api: ReleasedApi,
    steps: int = MAX_STEPS,
    trace: Trace | None = None,
) -> JavaRuns:
    """All paths through a main method, each up to its end. ``trace`` is filled with what was followed.

    They start over where a path led elsewhere because of what a later one found out of some calls.
    """
    limits = Limits(steps, trace=trace or Trace())
    impure: set[int] = {main.node.id}
    cut: Unknown | None = None
    for _ in range(_STARTS):
        try:
            return _all_paths(index, main, entry, api, limits, impure)
        except DivergedError as error:
            cut = error.unknown("the program", main.location)
    return JavaRuns((), cut, None, 0, limits.environments or limits.tables, limits.tables)


def _all_paths(
    index: ClassIndex, main: MethodDecl, entry: PipelineEntry, api: ReleasedApi, limits: Limits, impure: set[int]
) -> JavaRuns:
    paths: list[Path] = []
    failures: list[Failure] = []
    most = 0
    cut: Unknown | None = None
    forced: tuple[Decision, ...] | None = ()
    count = 0
    decided: list[Decision] = []
    outlines: set[object] = set()
    with deep_recursion():
        while forced is not None:
            if count >= MAX_PATHS or len(outlines) > MAX_VARIANTS:
                last = decided[-1].unknown if decided else None
                cut = Unknown(
                    f"the program has more than {MAX_VARIANTS} shapes"
                    + (f", depending on {last.subject}" if last else ""),
                    Cause.BRANCH, last.settled_by if last else None, last.location if last else main.location,
                )  # fmt: skip
                break
            count += 1
            run = Run(index, entry, api, limits, choices=PathChoices(forced=forced), impure=impure)
            run.interpreter = interpreter_of(run)
            ended = _run(run, main, entry)
            if isinstance(ended, Unknown):
                known = next(
                    (d.unknown.settled_by for d in (*decided, *run.choices.decisions) if d.unknown.settled_by), None
                )
                cut = replace(ended, settled_by=known)
            elif ended is not None:
                failures.append(ended)
            job = _job(run, entry, finished=ended is None or isinstance(ended, Unknown))
            most = max(most, len(_with_operators(run)))
            if job is not None:
                paths.append(Path(job, tuple(run.choices.decisions)))
                outlines.add(outline(job))
            if cut is not None:
                break
            decided = run.choices.decisions
            forced = run.choices.next_path()
    return JavaRuns(
        tuple(paths),
        cut,
        min(failures, key=lambda failure: failure.ends, default=None),
        most,
        limits.environments or limits.tables,
        limits.tables,
    )


def _job(run: Run, entry: PipelineEntry, *, finished: bool) -> Job | None:
    with_operators = _with_operators(run)
    if entry.index < len(with_operators):
        return with_operators[entry.index]
    if not finished:
        return None
    for env in run.envs:
        if any(not (draft.kind.virtual or draft.kind.source) for draft in env.drafts):
            steps, drafts = run.jobs.table_steps, with_inputs(env.drafts)
            may = bool(steps) or any(draft.kind is Kind.UNKNOWN for draft in drafts)
            return Job(env.as_set(), drafts, None, steps, run.jobs.table_streams, executed=may)
    empty = entry.index == 0 and not with_operators and not run.jobs.table_steps
    return next((job for job in run.jobs.items if isinstance(job, Job)), None) if empty else None


def _with_operators(run: Run) -> list[Job]:
    """The jobs that Flink executes: it refuses one without operators, also after tables have made theirs."""
    jobs = (job for job in run.jobs.items if isinstance(job, Job))
    return [job for job in jobs if any(not draft.kind.virtual for draft in job.drafts)]


def _run(run: Run, main: MethodDecl, entry: PipelineEntry) -> Unknown | Failure | None:
    """Run one path: None at its end, a Failure for the exception that ends it, an Unknown for a bound reached."""
    frame = Frame(main.owner, None, Scope(), (), (), 0)
    unknown = not_given("the program's arguments", "args")
    arguments = ListValue(tuple(map(string, entry.args)) if entry.texts_known else None, "args", unknown)
    try:
        run.interpreter.ensure_initialized(main.owner)
        this = None
        if not main.static:
            this = objects.instantiate(run, main.owner, Call("new", [], Site(None, frame)))
        run.interpreter.call_method(main, this, Call("main", [arguments] if main.parameters else [], Site(None, frame)))
    except ThrowSignal as signal:
        return Failure(_thrown(signal), signal.location)
    except ExitSignal:
        return Failure("the program ends with System.exit before it executes a job", ends=True)
    except (LimitSignal, RecursionError) as limit:
        reached = limit if isinstance(limit, LimitSignal) else LimitSignal("expressions nested too deeply")
        reason = f"the program was not followed to its end: {reached.what}"
        return Unknown(reason, Cause.LIMIT, None, reached.place or main.location)
    except ImpureSignal:
        return Unknown("the program was not followed to its end", Cause.OTHER, None, main.location)
    except Signal:
        return None
    return None


def _thrown(signal: ThrowSignal) -> str:
    value = signal.value
    if isinstance(value, Instance):
        return f"an exception ({value.decl.name})"
    if not isinstance(value, ExternalObject):
        return "an exception"
    if value.unknown.cause is Cause.UNSUPPORTED:
        return f"{value.type.simple}: {value.unknown.reason}"
    message = value.arguments[0] if value.arguments else None
    if isinstance(message, Constant) and isinstance(message.value, str):
        return f"{value.type.simple}: {message.value}"
    return f"an exception ({value.type.simple})"


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
    result = interpret(index, main, entry, api_of(version), trace=trace)
    if not result.paths:
        place = (decl.location.file, decl.location.line)
        none_made = not result.environments and result.failure is None and result.cut is None
        if none_made and (trace is None or not any(trace.gaps.values())):
            raise PipelineMissingError(
                f"{entry.name}: {decl.qualified_name} makes no StreamExecutionEnvironment", place
            )
        if result.cut is not None:
            at = result.cut.location or decl.location
            raise NotFollowedError(result.cut.reason, (at.file, at.line))
        if decl.unit.errors:
            raise ExtractionError(f"{decl.unit.path} does not parse", (decl.unit.path, decl.unit.errors[0].line))
        nothing = Failure("it declares no operators of the DataStream API", ends=not result.tables)
        failure = result.failure or nothing
        if failure.ends and _all_followed(entry, trace):
            raise PipelineMissingError(f"{entry.name}: the program executes no job ({failure.reason})", place)
        if failure.location is not None:
            place = (failure.location.file, failure.location.line)
        if failure is nothing and result.tables:
            raise NoJobError("nothing is known of the tables that the program makes and executes", place)
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
    statement = partial(_statement, index)
    return with_code(topology, files, index.used_paths, ".java", statement, entry=entry)


def _all_followed(entry: PipelineEntry, trace: Trace | None) -> bool:
    """Whether all that the program does was followed, whatever it is started with."""
    given = entry.arguments_known or entry.environment or entry.unset or entry.deployment is not None
    return trace is not None and not any(trace.gaps.values()) and not given


def _statement(index: ClassIndex, location: Location) -> str | None:
    """The statement or declaration at a place, without comments and layout."""
    node: Node | None = index.unit(location.file).source.innermost(location)
    while node is not None and not node.type.endswith(("_statement", "_declaration")):
        node = node.parent
    return None if node is None else code_text(node)
