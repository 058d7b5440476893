"""PyFlink scripts read from source: nothing is executed, and what PyFlink fuses is fused here as well."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from checker.errors import ExtractionError, PipelineMissingError
from checker.extract.python.fusing import align, fuse
from checker.extract.python.interpreter import Interpreter
from checker.extract.python.streams import Environment, Step, transformation
from checker.extract.python.values import StoppedError
from checker.model.pipelines import Discovery, ExtractorKind, Note, PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.topology import Cause, Kind, Location, Maybe, Mode, Topology, Transformation, Unknown

_ENVIRONMENT = re.compile(rb"StreamExecutionEnvironment\s*\.\s*get_execution_environment|StreamExecutionEnvironment\b")
_MAKES = re.compile(rb"\bget_execution_environment\s*\(")
_EXECUTES = re.compile(rb"\.execute(_async)?\s*\(")
_TABLE = re.compile(rb"\b(Stream)?TableEnvironment\s*\.\s*create\s*\(")
_IN_TESTS = re.compile(r"(^|/)(tests?|testing)/|(^|/)(test_[^/]*|[^/]*_test|conftest)\.py$")


def discover(files: SourceFiles) -> Discovery:
    """Scripts that make a DataStream environment and execute it. Never raises for bad source."""
    entries: list[PipelineEntry] = []
    notes: list[Note] = []
    names: Counter[str] = Counter()
    for path in files.paths():
        if not path.endswith(".py") or _IN_TESTS.search(path):
            continue
        data = files.read(path)
        if b"pyflink" not in data:
            continue
        if _MAKES.search(data) and _ENVIRONMENT.search(data) and _EXECUTES.search(data):
            name = path.rpartition("/")[2].removesuffix(".py")
            names[name] += 1
            entries.append(
                PipelineEntry(
                    name=name if names[name] == 1 else f"{name} ({path})",
                    extract=ExtractorKind.PYTHON,
                    main=path,
                    file=path,
                )
            )
        elif _TABLE.search(data):
            notes.append(
                Note(
                    message=f"{path} uses the Table API of PyFlink only, which can't be read from source",
                    location=Location(path, 1),
                )
            )
    return Discovery(entries=tuple(sorted(entries, key=lambda e: e.name)), notes=tuple(notes))


def extract(files: SourceFiles, entry: PipelineEntry) -> Topology:
    """Read one script. Where its shape depends on what is not known, the topology is one unknown with the reason.

    Raises ExtractionError where the file does not parse or executes no job, PipelineMissingError without the file.
    """
    path = entry.file or entry.main
    if path is None:
        raise ExtractionError(f'pipeline \'{entry.name}\': extract = "python" needs main = "SCRIPT.py"')
    interpreter = Interpreter(files, entry.flink, entry.args)
    try:
        interpreter.run(path)
        environment, steps = _job(interpreter, entry)
        default = _default_parallelism(environment, entry)
        transformations = _transformations(environment, steps, default)
    except KeyError as missing:
        if missing.args != (path,):
            raise
        raise PipelineMissingError(f"pipeline '{entry.name}': the revision has no file '{path}'") from None
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        raise ExtractionError(f"{path}:{line}: does not parse: {getattr(error, 'msg', error)}") from None
    except StoppedError as stopped:
        return _open(entry, interpreter, stopped.unknown, path)
    return Topology(
        name=entry.name,
        transformations=transformations,
        flink=entry.flink,
        parallelism=default,
        max_parallelism=environment.max_parallelism or entry.max_parallelism,
        chaining=environment.chaining,
        mode=Mode.BATCH if environment.batch else Mode.STREAMING,
        location=Location(path, 1),
        extractor="python",
        files=tuple(sorted(interpreter.read)),
    )


def _open(entry: PipelineEntry, interpreter: Interpreter, why: Unknown, path: str) -> Topology:
    located = why if why.location is not None else replace(why, location=Location(path, 1))
    return Topology(
        name=entry.name,
        transformations=(
            Transformation(id="the script", kind=Kind.UNKNOWN, unknown=located, location=located.location),
        ),
        flink=entry.flink,
        parallelism=entry.parallelism or 1,
        location=Location(path, 1),
        extractor="python",
        files=tuple(sorted(interpreter.read)),
    )


def _job(interpreter: Interpreter, entry: PipelineEntry) -> tuple[Environment, list[Step]]:
    """The first job that the script executes."""
    jobs = [(env, steps) for env in interpreter.environments for _, steps in env.executed if steps]
    if not jobs:
        raise ExtractionError(f"pipeline '{entry.name}': the script executes no job of the DataStream API")
    if len(jobs) > 1:
        why = "the script executes several jobs; split it, or run it with real Flink to compare each"
        raise StoppedError(Unknown(why, Cause.UNSUPPORTED))
    return jobs[0]


def _default_parallelism(environment: Environment, entry: PipelineEntry) -> Maybe[int]:
    if environment.parallelism is not None:
        return environment.parallelism
    if entry.parallelism is not None:
        return entry.parallelism
    return Unknown("the script leaves the default parallelism to the deployment", Cause.ARGUMENT, "--parallelism")


def _transformations(
    environment: Environment, registered: list[Step], default: Maybe[int]
) -> tuple[Transformation, ...]:
    """Fused steps in Flink's order, inputs first; sources in the order in which the script made them."""
    align(registered)
    fused = fuse(registered, default) if environment.python_chaining else registered
    order: list[Step] = []
    seen: set[int] = set()

    def visit(step: Step) -> None:
        if id(step) in seen:
            return
        seen.add(id(step))
        for before in step.inputs:
            visit(before)
        order.append(step)

    for step in fused:
        if step.kind not in (Kind.SOURCE, Kind.LEGACY_SOURCE) and not step.kind.virtual:
            visit(step)
    sources = [step for step in environment.sources if id(step) in seen]
    handles = _handles([*sources, *(s for s in order if not s.kind.source)])
    return tuple(
        transformation(step, handles[id(step)], tuple(handles[id(before)] for before in step.inputs))
        for step in [*sources, *(s for s in order if not s.kind.source)]
    )


def _handles(steps: list[Step]) -> dict[int, str]:
    used: Counter[str] = Counter()
    handles = {}
    for step in steps:
        base = step.uid if isinstance(step.uid, str) and step.uid else step.name if isinstance(step.name, str) else ""
        base = base or str(step.kind)
        used[base] += 1
        handles[id(step)] = base if used[base] == 1 else f"{base} #{used[base]}"
    return handles


__all__ = ["discover", "extract"]
