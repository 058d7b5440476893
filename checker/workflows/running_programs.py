"""Pipelines that are read by running them: on this machine, before any engine starts, only where that is allowed.

What may run is decided by the command line and by the *base*: a build command, jars, main class and arguments that
the head's configuration brings in anew are not run, or a fork's pull request could have anything executed.

Where operators of a captured graph stand a source reader says: real Flink knows no lines of source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

from checker.errors import CheckerError, UsageError
from checker.extract import registry
from checker.extract.asking.consulted import flink_version
from checker.extract.runtime.distribution import distribution_jars, full_version
from checker.extract.runtime.execution import Execution
from checker.flink import translate
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.topology import Topology, Transformation
from checker.workflows.check.records import ReadPipeline

if TYPE_CHECKING:
    from checker.extract.runtime.extracting import Captured

COMMIT = "{commit}"
"""Stands for the revision in the path of a jar."""


@dataclass(frozen=True, kw_only=True)
class Runner:
    """Runs pipelines of a comparison, as far as that is allowed.

    ``trusted`` are pipelines as the base configures them. A jar whose path lacks ``{commit}`` is the same file for
    every revision and so shows nothing about one; ``any_jars`` takes it all the same, as its contents are not known.
    """

    execution: Execution
    trusted: tuple[PipelineEntry, ...] = ()
    any_jars: bool = False
    notes: list[str] = field(default_factory=list)
    """What is to be known of runs that succeeded."""

    def refusal(self, entry: PipelineEntry) -> str | None:
        """Why a pipeline is not run although that is allowed in general, None when it is."""
        if _what_runs(entry) not in {_what_runs(program) for program in self.trusted if program.extract in _RUN}:
            return (
                "what it would run (build, jars, main or args) is not configured like this in the base "
                "revision; it is not run unless you also give --allow-exec-of-head"
            )
        if entry.default_parallelism is None:
            return "its configuration does not say the deployed parallelism (parallelism = 4, or --parallelism 4)"
        per_revision = entry.build is not None or all(COMMIT in jar for jar in entry.jars)
        if not per_revision and not self.any_jars:
            return (
                'its jars on disk are those of one revision only; set build = "..." so that each revision is '
                'built, or keep jars per revision: jars = ["builds/{commit}/app.jar"]'
            )
        return None

    def run(self, files: SourceFiles, commit: str | None, entry: PipelineEntry) -> tuple[ReadPipeline, ...]:
        """Every job that a pipeline's program submits at one revision. A failure is returned, not raised."""
        refusal = self.refusal(entry) if self.execution.allow_exec else None
        if refusal is not None:
            return (_failed(entry, refusal),)
        try:
            return self._captured(files, commit, entry)
        except CheckerError as error:
            return (_failed(entry, str(error)),)

    def _captured(self, files: SourceFiles, commit: str | None, entry: PipelineEntry) -> tuple[ReadPipeline, ...]:
        from checker.extract.runtime.extracting import capture

        execution = self.execution
        jars = tuple(jar.replace(COMMIT, commit or "worktree") for jar in entry.jars)
        runnable = replace(entry, jars=jars, flink=entry.flink or _version_in_build_files(files, entry))
        jobs, notes = capture(files, runnable, execution)
        topologies = [_with_doubts(job) for job in jobs]
        topologies = _with_lines(topologies, files, runnable)
        self.notes.extend(f"{entry.name}: {note}" for note in notes)
        how = f"read by {_flink_of(runnable, execution)} ({_origin_of(entry)})"
        return tuple(
            ReadPipeline(name=topology.name, extractor=ExtractorKind.FLINK.value, topology=topology, how=how)
            for topology in topologies
        )


_RUN = (ExtractorKind.AUTO, ExtractorKind.FLINK)
"""Extractors with which the configuration lets a program run."""


def lacks(entry: PipelineEntry) -> str | None:
    """What the configuration would have to say before a pipeline can be run, None when it says all."""
    if entry.main is None:
        return "no main class is configured"
    if entry.main.endswith(".py"):
        return "PyFlink scripts are not run"
    return None if entry.build or entry.jars else "neither build nor jars are configured"


def missing_here() -> str | None:
    """What this machine lacks to run programs, None when it has it. Flink's jars are fetched when they are needed."""
    if find_spec("jpype") is None:
        return "JPype is not installed (pip install 'savepoint-checker[flink]')"
    import jpype

    try:
        jpype.getDefaultJVMPath()
    except (OSError, RuntimeError, ValueError):  # JVMNotFoundException and JVMNotSupportedException are ValueErrors
        return "no JVM was found (install a JDK 17 or set JAVA_HOME)"
    return None


def runs_the_program(entry: PipelineEntry) -> bool:
    """Whether reading the pipeline executes code of the repository, whatever else could read it."""
    return entry.extract is ExtractorKind.FLINK


def refuse_nothing_to_run(entries: Iterable[PipelineEntry], execution: Execution) -> None:
    """Raises UsageError where programs may be run and none of these says what would be."""
    runs = any(runs_the_program(entry) or entry.build or entry.jars for entry in entries)
    if execution.allow_exec and not runs:
        raise UsageError("--allow-exec: no pipeline configures what to run; give it build or jars under [[pipeline]]")


def _what_runs(entry: PipelineEntry) -> tuple[object, ...]:
    return (entry.build, entry.jars, entry.main, entry.file, entry.args)


def _version_in_build_files(files: SourceFiles, entry: PipelineEntry) -> str | None:
    """The Flink version that this revision is built with, as its Maven or Gradle files say."""
    if entry.main is None:
        return None
    name = entry.main.partition("$")[0].replace(".", "/")
    sources = (path for path in files.paths() if path.rpartition(".")[0].endswith(name))
    return flink_version(files, next(sources, entry.file or "build.sbt"))[0]


def _flink_of(entry: PipelineEntry, execution: Execution) -> str:
    """The Flink that was run, with its version as far as it is known."""
    if execution.flink_home is None:
        return f"real Flink {full_version(entry.flink or '')}"
    jar = next(distribution_jars(execution.flink_home).glob("flink-dist*.jar"))
    return f"real Flink {jar.stem.rpartition('-')[2]}"


def _origin_of(entry: PipelineEntry) -> str:
    """What its class path comes from, as configured: no path of this machine."""
    if entry.build is not None:
        return f'build "{entry.build}"'
    return f"jars {', '.join(entry.jars)}"


def _with_doubts(job: Captured) -> Topology:
    """The topology with what Flink had to say against it."""
    from checker.extract.runtime.capture.topologies import disagreements

    against = tuple(str(d) for d in disagreements(job.job, translate(job.topology)))
    return replace(job.topology, disagreements=against)


def _failed(entry: PipelineEntry, why: str) -> ReadPipeline:
    return ReadPipeline(name=entry.name, extractor=ExtractorKind.FLINK.value, failure=why)


Key = Callable[[Transformation], object | None]


def _with_lines(topologies: Sequence[Topology], files: SourceFiles, entry: PipelineEntry) -> list[Topology]:
    """The jobs of a program with the locations of operators that a uid or name identifies on both sides."""
    found = []
    for index, topology in enumerate(topologies):
        read = registry.extract(files, replace(entry, extract=ExtractorKind.AUTO, index=index))
        known = read.topology if read is not None else None
        found.append(topology if known is None else _located(topology, known))
    return found


def _located(captured: Topology, source: Topology) -> Topology:
    there = [t for t in source.operators() if not t.kind.virtual and t.location is not None]
    lines: dict[str, Transformation] = {}
    for key in (_uid, _name):
        ours, theirs = _unique(captured.transformations, key), _unique(there, key)
        for shared in ours.keys() & theirs.keys():
            lines.setdefault(ours[shared].id, theirs[shared])
    return replace(
        captured,
        location=source.location,
        transformations=tuple(
            replace(
                t,
                location=lines[t.id].location,
                uid_location=lines[t.id].uid_location,
                uid_hash_location=lines[t.id].uid_hash_location,
            )
            if t.id in lines
            else t
            for t in captured.transformations
        ),
    )


def _unique(transformations: Iterable[Transformation], key: Key) -> dict[object, Transformation]:
    """Key → the one transformation that has it."""
    keyed = [(own, t) for t in transformations if not t.kind.virtual and (own := key(t)) is not None]
    counted = Counter(own for own, _ in keyed)
    return {own: t for own, t in keyed if counted[own] == 1}


def _uid(transformation: Transformation) -> object | None:
    return transformation.uid if isinstance(transformation.uid, str) else None


def _name(transformation: Transformation) -> object | None:
    return transformation.name if isinstance(transformation.name, str) else None
