"""One pipeline of SQL scripts, read from a revision: its commands in order, with the file and line of each.

Releases of connectors decide on operators of a plan, too: as images, scripts and builds name their jars.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from checker.errors import ExtractionError, PipelineMissingError
from checker.extract.asking.consulted import ask, flink_version
from checker.extract.sql.functions import FunctionSource, function_sources
from checker.extract.sql.scripts.commands import (
    Command,
    CreateCatalog,
    CreateFunction,
    Define,
    ResetOption,
    RunPlan,
    RunQuery,
    SetOption,
    commands,
)
from checker.extract.sql.scripts.resources import ENDINGS, scripts_in
from checker.extract.sql.scripts.templates import any_value, filled, left_open, stays_open
from checker.model.flink_releases import ASSUMED_FOR_SQL
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.table_programs import may_be_set
from checker.model.unknowns import Location

PAIMON = "paimon.release"
"""What a pipeline's values may say, and what is found otherwise."""
ASSUMED = "1.1 or newer"
"""The releases of Paimon that make the same operators, taken where nothing names one; reports say so."""


def releases(files: SourceFiles, texts: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """(option → release, files that say so) for the connectors that a texts mention; none where files disagree."""
    if not re.search(r"(?i)paimon", texts) or PAIMON in texts:
        return {}, ()
    found, *where = ask(files, "paimon release") or (ASSUMED,)
    return ({PAIMON: found}, tuple(where)) if found else ({}, ())


def assumption(options: Mapping[str, str]) -> str:
    """What a report says where the release was assumed; empty where it was not."""
    return f" (no release of Paimon is named: {ASSUMED} is assumed)" if options.get(PAIMON) == ASSUMED else ""


@dataclass(frozen=True, slots=True)
class Placed:
    """A command and where it stands."""

    command: Command
    location: Location


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """What a pipeline's files say. ``assumed_version`` is True where nothing names the version of Flink."""

    commands: tuple[Placed, ...]
    flink: str
    assumed_version: bool
    files: tuple[str, ...]
    plans: tuple[tuple[str, str], ...] = ()
    """Compiled plans that it executes: path → text."""
    releases: tuple[tuple[str, str], ...] = ()
    """Releases of connectors that the repository names: option → release."""
    functions: tuple[FunctionSource, ...] = ()
    """The classes of the functions that it creates."""


def is_script(entry: PipelineEntry) -> bool:
    """Whether an entry is made of SQL scripts."""
    endings = (".sql", *ENDINGS) if entry.extract is ExtractorKind.SQL else ".sql"
    return entry.main is None and bool(paths_of(entry)) and all(path.endswith(endings) for path in paths_of(entry))


def paths_of(entry: PipelineEntry) -> tuple[str, ...]:
    """The files of a pipeline in order."""
    return entry.files or ((entry.file,) if entry.file is not None else ())


def read_script(files: SourceFiles, entry: PipelineEntry) -> Script:
    """The commands of all files of an entry.

    Raises PipelineMissingError where a file is missing, ExtractionError for a template without its values.
    """
    values = dict(entry.values)
    placed: list[Placed] = []
    for path in paths_of(entry):
        try:
            text = files.read(path).decode("utf-8-sig", "replace")
        except KeyError:
            raise PipelineMissingError(f"pipeline '{entry.name}': the revision has no file '{path}'") from None
        if path.endswith(ENDINGS):
            text = _of_resource(text, entry, path)
        found_here = [Placed(command, Location(path, command.line)) for command in commands(filled(text, values))]
        missing = [name for command in found_here for name in left_open(_source(command.command))]
        if missing:
            names = ", ".join(dict.fromkeys(missing))
            raise ExtractionError(f"{path}: no value is given for {names}; set it in 'values' of the pipeline")
        placed += found_here
    _refuse_options_between(placed)
    found, consulted = flink_version(files, paths_of(entry)[0])
    version = entry.flink or found
    plans = _plans(files, placed)
    created = [(c.command.class_name, c.command.language) for c in placed if isinstance(c.command, CreateFunction)]
    functions = function_sources(files, created, paths_of(entry)[-1])
    named, naming = releases(files, " ".join(_source(found.command) for found in placed))
    return Script(
        commands=tuple(placed),
        flink=version or ASSUMED_FOR_SQL,
        assumed_version=version is None,
        files=(*paths_of(entry), *consulted, *plans, *(p for f in functions for p in f.files), *naming),
        releases=tuple(named.items()),
        functions=functions,
        plans=tuple((path, files.read(path).decode("utf-8", "replace")) for path in plans),
    )


def commands_without_values(files: SourceFiles, entry: PipelineEntry) -> Iterator[Command]:
    """The commands of all files of an entry, whatever values it has or lacks."""
    for path in paths_of(entry):
        text = files.read(path).decode("utf-8-sig", "replace")
        yield from commands(_of_resource(text, entry, path) if path.endswith(ENDINGS) else text)


def runs_in_batch(found: Iterable[Command], entry: PipelineEntry) -> bool:
    """Whether the first job of such commands runs in batch mode: it keeps nothing for another one."""
    mode = dict(entry.configuration).get(_MODE, "")
    for command in found:
        if isinstance(command, RunQuery | RunPlan):
            return mode.upper() == "BATCH"
        if isinstance(command, SetOption) and command.key == _MODE:
            mode = command.value
    return False


_MODE = "execution.runtime-mode"


def _refuse_options_between(placed: list[Placed]) -> None:
    """Raises ExtractionError where options are set between a plan's compilation and its execution."""
    compiled: dict[str, int] = {}
    for place, command in enumerate(found.command for found in placed):
        if isinstance(command, RunQuery) and command.plan:
            compiled[command.plan] = place
        elif isinstance(command, RunPlan) and command.path in compiled:
            between = placed[compiled[command.path] : place]
            if any(isinstance(found.command, SetOption | ResetOption) for found in between):
                raise ExtractionError(f"options are set between the compilation and the execution of {command.path}")


def _of_resource(text: str, entry: PipelineEntry, path: str) -> str:
    """The script of the resource that the entry is named by. Raises PipelineMissingError where there is none."""
    found = scripts_in(text)
    named = [
        script for name, script in found.items() if entry.name in (name, path) or entry.name.startswith(f"{name} (")
    ]
    if not named and not (entry.discovered and len(found) == 1):  # one that has another name in the other revision
        raise PipelineMissingError(
            f"pipeline '{entry.name}': {path} has no such script in the arguments of a resource or in a ConfigMap"
        )
    return [*named, *found.values()][0]


def _source(command: Command) -> str:
    """What a command says, as far as it may have places to fill in."""
    if isinstance(command, RunQuery):
        return ";".join(command.texts)
    if isinstance(command, SetOption):
        return "" if stays_open(command.key, command.value) else f"'{command.key}' = '{command.value}'"
    if isinstance(command, CreateCatalog):
        return " ".join((command.name, *(f"'{key}' = '{value}'" for key, value in command.options)))
    if isinstance(command, RunPlan):
        return command.path
    return command.text if isinstance(command, Define | CreateFunction) else ""


def read_plan(files: SourceFiles, entry: PipelineEntry) -> Script:
    """A compiled plan in a file of its own, as a script that executes it.

    Raises PipelineMissingError where the file is missing, ExtractionError where it has no version.
    """
    path = entry.file or ""
    try:
        text = files.read(path).decode("utf-8", "replace")
    except KeyError:
        raise PipelineMissingError(f"pipeline '{entry.name}': the revision has no file '{path}'") from None
    try:
        version = str(json.loads(text)["flinkVersion"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ExtractionError(f"{path}: no compiled plan") from None
    found, consulted = flink_version(files, path)
    return Script(
        commands=(Placed(RunPlan(path=path, line=1), Location(path, 1)),),
        flink=entry.flink or found or ".".join(version.split(".")[:2]),
        assumed_version=False,
        files=(path, *consulted),
        plans=((path, text),),
    )


def _plans(files: SourceFiles, placed: list[Placed]) -> list[str]:
    """The files of plans that the script executes: as they are named, or by their last name in the revision."""
    wanted = [p.command.path for p in placed if isinstance(p.command, RunPlan)]
    paths = files.paths() if wanted else []
    found = []
    for path in wanted:
        namesakes = [there for there in paths if there.rpartition("/")[2] == path.rpartition("/")[2]]
        if path in namesakes or len(namesakes) == 1:
            found.append(path if path in namesakes else namesakes[0])
    return found


def options_of(entry: PipelineEntry) -> dict[str, str]:
    """What the deployment and the project's configuration say of Flink's own options."""
    found = {key: value for key, value in entry.configuration if may_be_set(key)}
    if entry.max_parallelism is not None:
        found["pipeline.max-parallelism"] = str(entry.max_parallelism)
    return found


def statements_of(script: Script) -> list[dict[str, object]]:
    """The commands as the planner's child process takes them."""
    plans = {path.rpartition("/")[2]: text for path, text in script.plans}
    return [record(placed.command, plans) for placed in script.commands]


def record(command: Command, plans: dict[str, str]) -> dict[str, object]:
    """One command. ``plans`` are compiled plans by the last name of their file."""
    if isinstance(command, SetOption):
        value = any_value(command.key) if stays_open(command.key, command.value) else command.value
        return {"kind": "none" if value is None else "set", "key": command.key, "value": value, "job": False}
    if isinstance(command, Define):
        return {"kind": "execute", "text": command.text, "job": False}
    if isinstance(command, CreateFunction):
        return {"kind": "function", "class": command.class_name, "text": command.text, "job": False}
    if isinstance(command, RunQuery):
        kind = "compiled" if command.compiled else "execute" if len(command.texts) == 1 else "statement-set"
        return {"kind": kind, "text": command.texts[0], "inserts": list(command.texts), "job": True}
    if isinstance(command, RunPlan):
        text = plans.get(command.path.rpartition("/")[2])
        return {"kind": "none" if text is None else "plan", "text": text, "job": True}
    if isinstance(command, CreateCatalog):
        return {"kind": "catalog", "name": command.name, "options": dict(command.options), "job": False}
    return {"kind": "reset", "key": command.key, "job": False}
