"""``extract``: one job of one script, from its file to a topology.

The Flink version that a script is written for: what the requirement files beside and above it pin.

Where none does, the build files that fetch the connectors' jars say it.

The script is run on every path that its unknowns leave open.
"""

import posixpath
import re
from dataclasses import dataclass, replace

from checker.errors import ExtractionError, NoJobError, PipelineMissingError
from checker.extract.asking.consulted import ask
from checker.extract.asking.consulted import flink_version as built_version
from checker.extract.datastream import assembling
from checker.extract.datastream.assembling import MAX_VARIANTS, alone
from checker.extract.datastream.records import Job
from checker.extract.interpreting.bounds import deep_recursion
from checker.extract.interpreting.memory import Trace
from checker.extract.interpreting.shapes import Decision, DivergedError, PathChoices
from checker.extract.python.flink_api.jobs import READING
from checker.extract.python.interpreter import (
    imports,
    language,  # noqa: F401 - language fills the tables of evaluate
)
from checker.extract.python.interpreter.run_state import MAX_STEPS, Limits, Run
from checker.extract.python.interpreter.signals import ExitSignal, LoopSignal, RaiseSignal, ReturnSignal, StoppedError
from checker.extract.python.reached.code import PythonCode, PythonModules, reachable
from checker.extract.python.reached.graph_code import contents
from checker.extract.unfollowed.unread_code import NEEDS_CODE, any_unknown, with_code
from checker.model.nested import gathered
from checker.model.pipelines import PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.topology import Topology
from checker.model.unknowns import Cause, Location, Unknown

MAX_PATHS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """One way through a script: the jobs that it submits, and how it ends."""

    jobs: tuple[Job, ...]
    decisions: tuple[Decision, ...]
    stopped: Unknown | None = None
    """Why it could not be followed to its end."""
    ended: str | None = None
    """The exception or exit that ended it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptRuns:
    """What came of running a script."""

    paths: tuple[Path, ...]
    cut: Unknown | None
    """Why there may be more paths."""
    limits: Limits
    environments: bool

    @property
    def jobs(self) -> int:
        """The most jobs that one path submits."""
        return max((len(path.jobs) for path in self.paths), default=0)


def interpret(
    files: SourceFiles, entry: PipelineEntry, path: str, steps: int = MAX_STEPS, trace: Trace | None = None
) -> ScriptRuns:
    """All paths through a script, each up to its end. Raises KeyError without the file."""
    limits = Limits(steps, trace=trace or Trace())
    found: list[Path] = []
    environments = False
    forced: tuple[Decision, ...] | None = ()
    cut: Unknown | None = None
    shapes: set[object] = set()
    with deep_recursion():
        while forced is not None:
            run = Run(files, entry, limits, PathChoices(forced=forced))
            followed = _followed(run, path)
            found.append(followed)
            environments = environments or bool(run.environments) or run.tables
            shapes.add(tuple(alone(job, READING) for job in followed.jobs))
            forced = run.choices.next_path()
            if limits.steps < 0 or (forced is not None and (len(found) >= MAX_PATHS or len(shapes) > MAX_VARIANTS)):
                cut = _cut(followed, path)
                break
    return ScriptRuns(paths=tuple(found), cut=cut, limits=limits, environments=environments)


def _cut(last: Path, path: str) -> Unknown:
    if last.stopped is not None and last.stopped.cause is Cause.LIMIT:
        return last.stopped
    why = Unknown(f"the script has more than {MAX_VARIANTS} shapes", Cause.BRANCH, None, Location(path, 1))
    if last.decisions:
        decided = last.decisions[0].unknown
        return replace(decided, reason=f"{why.reason} ({decided.reason})")
    return why


def _followed(run: Run, path: str) -> Path:
    stopped: Unknown | None = None
    ended: str | None = None
    try:
        imports.run_file(run, path, "__main__")
    except StoppedError as signal:
        stopped = signal.unknown
    except RaiseSignal as signal:
        ended = f"it raises {signal.kinds[0] if signal.kinds else 'an exception'}"
    except ExitSignal:
        ended = "it exits"
    except (ReturnSignal, LoopSignal):
        stopped = Unknown("'return', 'break' or 'continue' outside of a function or loop", Cause.SYNTAX)
    except DivergedError as error:
        stopped = error.unknown("the script", Location(path, 1))
    except RecursionError:
        stopped = Unknown("the script nests too deeply to be followed", Cause.LIMIT)
    if stopped is not None and stopped.location is None:
        stopped = replace(stopped, location=Location(path, 1))
    return Path(jobs=tuple(run.jobs), decisions=tuple(run.choices.decisions), stopped=stopped, ended=ended)


_FILES = re.compile(
    r"(requirements[^/]*|constraints[^/]*)\.(txt|in)|pyproject\.toml|setup\.(py|cfg)|Pipfile|environment\.ya?ml|Dockerfile"
)
_PINNED = re.compile(
    r"""\bapache[-_.]flink["']?\s*+(?:\[[^\]]{0,500}+\]\s*+)?(?:=\s*+)?(?:\{[^}\n]{0,500}?\bversion\s*+=\s*+)?["'(]*+\s*+(?:
        (?:===?|~=?)\s*["']?v?(?P<pinned>\d+\.\d+(?:\.\d+)?)
        |>=\s*(?P<least>\d+\.\d+(?:\.\d+)?)\s*,\s*<\s*(?P<below>\d+\.\d+)(?!\.?[1-9])
    )
    |\bapache[-_.]flink["']?\s*+=\s*+(?:\{[^}\n]{0,500}?\bversion\s*+=\s*+)?["'](?P<exact>\d+\.\d+(?:\.\d+)?)(?:\.\*)?["']
    |^FROM\s+(?:--\S+\s+)*(?:\S+/)?flink:(?P<image>\d+\.\d+(?:\.\d+)?)""",
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
"""A version that is pinned, the bounds of a range, or an image's version."""
_COMMENT = re.compile(r"(?m)(^|\s)#.*$")
_LONGEST = 200_000


def flink_version(files: SourceFiles, script: str) -> tuple[str | None, tuple[str, ...]]:
    """(version, files consulted): of the nearest folder whose files pin one; None where they pin several minors."""
    pinning = (path for path in ask(files, "pinning versions") if _FILES.fullmatch(posixpath.basename(path)))
    by_folder = gathered((posixpath.dirname(path), path) for path in pinning)
    consulted: list[str] = []
    folder = posixpath.dirname(script)
    while True:
        here = sorted(by_folder.get(folder, ()))
        consulted.extend(here)
        pinned = {version for path in here for version in _pinned(files.read(path))}
        if pinned:
            return _agreed(pinned), tuple(consulted)
        if not folder:
            version, read = built_version(files, script)
            return version, (*consulted, *read)
        folder = posixpath.dirname(folder)


def _pinned(data: bytes) -> set[str]:
    text = _COMMENT.sub("", data[:_LONGEST].decode("utf-8", "replace"))
    found = (_version(match) for match in _PINNED.finditer(text))
    return {version for version in found if version is not None}


def _agreed(versions: set[str]) -> str | None:
    """The version that files pin: the most exact one, or the minor of several patches; None for several minors."""
    exact = max(versions, key=len)
    minors = {".".join(version.split(".")[:2]) for version in versions}
    if len(minors) > 1:
        return None
    return exact if versions <= {exact, *minors} else minors.pop()


def _version(match: re.Match[str]) -> str | None:
    """The version that is pinned; the minor of a range that has no other one (``>=1.20.1,<1.21``)."""
    if match["least"] is None:
        return match["pinned"] or match["exact"] or match["image"]
    major, minor = map(int, match["least"].split(".")[:2])
    return f"{major}.{minor}" if match["below"] == f"{major}.{minor + 1}" else None


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
    found = _topology(entry, program, path, trace)
    read: frozenset[str] = frozenset(program.limits.read)
    if any_unknown(found, lambda unknown: unknown.derived_from in (None, NEEDS_CODE)):
        read = reachable(files, program.limits, path.rpartition("/")[0], read)
    content = contents(files, program.limits, read)
    whole = with_code(found, files, read, ".py", causes=frozenset(Cause), content=content, entry=entry)
    return replace(whole, files=tuple(sorted({*whole.files, *consulted})))


def reached_code(
    files: SourceFiles, entry: PipelineEntry, trace: Trace, topology: Topology | None
) -> PythonCode | None:
    """The code that a script can reach, None where it is not there. ``trace`` is of its reading, to ``topology``."""
    path = entry.file or entry.main
    opened = topology is None or bool(topology.openings)
    if path is None or path not in files.paths():
        return None
    return PythonCode(PythonModules(files, path, trace, opened=opened), trace)


def _topology(entry: PipelineEntry, program: ScriptRuns, path: str, trace: Trace | None = None) -> Topology:
    """The topology of the job with the entry's index. Raises ExtractionError where no path submits it.

    ``trace`` receives what each shape asks of the Table API.
    """
    ways: list[assembling.Path] = []
    cut = program.cut
    for followed in program.paths:
        if entry.index < len(followed.jobs):
            job = followed.jobs[entry.index]
            if job.unknown is None:
                ways.append(assembling.Path(job, followed.decisions))
            else:
                cut = cut or job.unknown
        elif followed.stopped is not None:
            cut = cut or followed.stopped
    if not ways and cut is None:
        raise NoJobError(_no_job(entry, program))
    if trace is not None:
        for step in (step for way in ways for step in way.job.drafts):
            for part in step.parts[1:]:
                trace.fused[part.location.file, part.location.line] = step.location
    return assembling.topology(
        entry, ways, READING, flink=entry.flink, location=Location(path, 1), files=tuple(sorted(program.limits.read)),
        cut=None if cut is None else replace(cut, derived_from=NEEDS_CODE), trace=trace,
    )  # fmt: skip


def _no_job(entry: PipelineEntry, program: ScriptRuns) -> str:
    if entry.index and program.jobs:
        return f"the script submits {program.jobs} job{'s' if program.jobs > 1 else ''}, not {entry.index + 1}"
    ended = next((path.ended for path in program.paths if path.ended is not None), None)
    return "the script executes no job of the DataStream API" + (f": {ended} before" if ended else "")
