"""Runs a script on every path that its unknowns leave open."""

from __future__ import annotations

from dataclasses import dataclass, replace

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
from checker.model.pipelines import PipelineEntry
from checker.model.sources import SourceFiles
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
        return replace(decided, reason=f"{why.reason}: {decided.reason}")
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
