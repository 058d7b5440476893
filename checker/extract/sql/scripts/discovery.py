"""Which scripts and compiled plans (``COMPILE PLAN``) of a revision are pipelines of Flink, found unconfigured.

Flink's planner reads them, before engines do.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from checker.errors import DocumentError, ExtractionError, RevisionError
from checker.extract.asking.consulted import ask, plain, remembered
from checker.extract.asking.content_facts import Fact, Facts
from checker.extract.paths import in_tests
from checker.extract.sql.scripts.commands import (
    Command,
    CreateCatalog,
    CreateFunction,
    Define,
    RunQuery,
    commands,
    jobs,
)
from checker.extract.sql.scripts.resources import ENDINGS, FLINK, MAY_HOLD_SCRIPTS, scripts_in
from checker.extract.sql.scripts.templates import filled
from checker.model.nested import gathered
from checker.model.pipelines import Discovery, ExtractorKind, Note, PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.topology import Topology
from checker.model.unknowns import Location

_JOB = re.compile(
    r"\binsert\s+(?:into|overwrite)\b|\bas\s+(?:select|with)\b|\bexecute\s+plan\b|"
    r"\bcreate\s+(?:temporary\s+)?(?:system\s+)?function\b|\bcreate\s+catalog\b|\)\s*not\s+enforced\b",
    re.IGNORECASE,
)
"""What scripts may have that work, or that define something for others which do."""
_DEFINES = re.compile(
    r"create\s+(?:or\s+replace\s+)?(?:temporary\s+)?(?:table|view)\s+(?:if\s+not\s+exists\s+)?(?P<name>[\w`.$-]+)",
    re.IGNORECASE,
)
_READ = re.compile(r"\b(?:from|join)\s+(?!lateral\b|unnest\b|table\b|\()([\w`.$-]+)(?!\s*\()", re.IGNORECASE)
_CALL = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
_READ_BY_FUNCTION = re.compile(r"\(\s*(?:data\s*=>\s*)?table\s+([\w`.$-]+)", re.IGNORECASE)
_CATALOG = re.compile(r"(?:\buse\s+catalog\s+|(?<![\w.])(?=\w+\.\w+\.\w))(\w+)", re.IGNORECASE)
_NAMED_QUERY = re.compile(r"(?:\bwith|,)\s*`?(\w+)`?\s+as\s*\(", re.IGNORECASE)
_TEMPLATING = re.compile(r"\{%|\{\{\s*(?:ref|source|config)\s*\(")
"""dbt's models: not scripts, and not Flink's."""


_BESIDE, _FAR = 2, 6
"""Folders between a script and one that it takes definitions from."""


def discover(files: SourceFiles) -> Discovery:
    """Every script and every compiled plan of the revision. A broken plan is a note, not a stop."""
    entries = [
        PipelineEntry(name=name, extract=ExtractorKind.SQL, file=path, files=tuple(paths))
        for name, path, paths in remembered("scripts of SQL", files, _scripts)
    ]
    notes: list[Note] = []
    json_files = (path for path in ask(files, "ending", ".json") if not path.endswith(".topology.json"))
    for path, (plan,) in _PLANS.of(plain(files), json_files, absent=(_BROKEN,)).items():
        if not plan:
            continue
        try:
            if plan == _BROKEN:
                _plan(files.read(path), path)
        except (DocumentError, RevisionError) as error:
            notes.append(Note(message=str(error), location=Location(path, 1)))
            continue
        name = path.rpartition("/")[2].removesuffix(".json")
        entries.append(PipelineEntry(name=name, extract=ExtractorKind.SQL, file=path))
    return Discovery(entries=tuple(sorted(entries, key=lambda e: (e.name, e.file or ""))), notes=tuple(notes))


def extract(files: SourceFiles, entry: PipelineEntry) -> Topology:
    """Raises ExtractionError: nothing of SQL is left to the engines."""
    raise ExtractionError(
        f"pipeline '{entry.name}': SQL is planned by Flink's planner; name a script or a compiled plan"
    )


def _scripts(files: SourceFiles) -> list[list[Any]]:
    return [[e.name, e.file, list(e.files)] for e in discover_scripts(files)]


_BROKEN = 2


def _look(data: bytes) -> Fact:
    """1 for a compiled plan, 2 for a file that only looks like one."""
    if b'"flinkVersion"' not in data or b'"edges"' not in data:
        return (0,)
    try:
        _plan(data, "")
    except DocumentError:
        return (_BROKEN,)
    return (1,)


_PLANS = Facts("compiled plans", _look)


def _plan(data: bytes, path: str) -> None:
    """Raises DocumentError for what is no plan."""
    try:
        plan = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise DocumentError(f"{path}: no JSON: {error}") from None
    if not isinstance(plan, dict) or not isinstance(plan.get("flinkVersion"), str):
        raise DocumentError(f"{path}: no compiled plan: 'flinkVersion' is missing")
    for field in ("nodes", "edges"):
        if not isinstance(plan.get(field), list):
            raise DocumentError(f"{path}: {field}: must be a list")


@dataclass(frozen=True, slots=True)
class WrittenScript:
    """A script by its text: what it defines and what it uses."""

    path: str
    flink: bool
    commands: tuple[Command, ...]

    @property
    def defines(self) -> frozenset[str]:
        """Tables and views by their last name."""
        texts = (c.text for c in self.commands if isinstance(c, Define))
        return frozenset(_last(match["name"]) for text in texts if (match := _DEFINES.match(text)))

    @property
    def functions(self) -> frozenset[str]:
        """Functions that it creates."""
        return frozenset(c.name.lower() for c in self.commands if isinstance(c, CreateFunction))

    @property
    def queries(self) -> list[str]:
        """The text of its inserts and views."""
        views = [c.text for c in self.commands if isinstance(c, Define)]
        return [*views, *(text for job in jobs(self.commands) if isinstance(job, RunQuery) for text in job.texts)]

    @property
    def calls(self) -> frozenset[str]:
        """Everything that it writes like the call of a function."""
        return frozenset(name.lower() for text in self.queries for name in _CALL.findall(text))

    @property
    def reads(self) -> frozenset[str]:
        """Names behind FROM and JOIN by their last part, those of the script's own CTEs left out."""
        texts = self.queries
        own = {match[1].lower() for text in texts for match in _NAMED_QUERY.finditer(text)}
        found = (match for text in texts for pattern in (_READ, _READ_BY_FUNCTION) for match in pattern.finditer(text))
        return frozenset(_last(match[1]) for match in found) - own

    @property
    def catalogs(self) -> frozenset[str]:
        """Catalogs that it creates."""
        return frozenset(c.name.lower() for c in self.commands if isinstance(c, CreateCatalog))

    @property
    def used_catalogs(self) -> frozenset[str]:
        """Catalogs that it makes the current one, and first parts of names that may be some."""
        texts = [*(c.text for c in self.commands if isinstance(c, Define)), *self.queries]
        return frozenset(name.lower() for text in texts for name in _CATALOG.findall(text.replace("`", "")))

    @property
    def writes(self) -> frozenset[str]:
        """Tables that its jobs write, by their last name."""
        found = (job for job in jobs(self.commands) if isinstance(job, RunQuery))
        return frozenset(_last(target) for job in found for target in job.targets)


def discover_scripts(files: SourceFiles) -> list[PipelineEntry]:
    """Every script with a job. One whose tables a script beside it defines is read together with that one."""
    read = (_script(files, path) for path in ask(files, "ending", ".sql") if not in_tests(path))
    scripts = [script for script in read if script is not None]
    library = _Library(scripts)
    entries: list[PipelineEntry] = []
    catalogs = {catalog for script in scripts if script.flink for catalog in script.catalogs}
    for script in scripts:
        if not jobs(script.commands):
            continue
        before = library.needed_by(script)
        if not (script.flink or script.used_catalogs & catalogs or any(neighbour.flink for neighbour in before)):
            continue
        name = script.path.rpartition("/")[2].removesuffix(".sql")
        paths = (*(earlier.path for earlier in before), script.path) if before else ()
        entries.append(PipelineEntry(name=name, extract=ExtractorKind.SQL, file=script.path, files=paths))
    in_yaml = [path for ending in ENDINGS for path in ask(files, "ending", ending) if not in_tests(path)]
    for path in (path for path, (may,) in MAY_HOLD_SCRIPTS.of(files, in_yaml, absent=(0,)).items() if may):
        found = scripts_in(files.read(path).decode("utf-8", "replace"))
        entries += [PipelineEntry(name=name or path, extract=ExtractorKind.SQL, file=path) for name in found]
    return entries


def _script(files: SourceFiles, path: str) -> WrittenScript | None:
    text = files.read(path).decode("utf-8", "replace")
    flink = FLINK.search(text) is not None
    if _TEMPLATING.search(text) or not (flink or _JOB.search(text)):
        return None
    return WrittenScript(path, flink, commands(filled(text, {})))


class _Library:
    """The scripts without a job: what they define, for those that use it."""

    def __init__(self, scripts: Iterable[WrittenScript]) -> None:
        library = [script for script in scripts if not jobs(script.commands)]
        self._tables = gathered((table, script) for script in library for table in script.defines)
        self._catalogs = gathered((catalog, script) for script in library for catalog in script.catalogs)
        self._functions = gathered((function, script) for script in library for function in script.functions)

    def needed_by(self, script: WrittenScript) -> list[WrittenScript]:
        """The scripts to be read before one, in order: the nearest that define what it uses and does not define.

        Where two equally near ones define the same, nothing says which: the name stays undefined.
        """
        found: dict[str, WrittenScript] = {}
        self._need(script, script, found)
        return list(found.values())

    def _need(self, script: WrittenScript, user: WrittenScript, found: dict[str, WrittenScript]) -> None:
        tables = (script.writes | script.reads) - script.defines
        functions = script.calls - script.functions
        catalogs = script.used_catalogs - script.catalogs
        kinds = ((catalogs, self._catalogs), (tables, self._tables), (functions, self._functions))
        for names, defining in kinds:
            for name in sorted(names & defining.keys()):
                there = {script.path for script in defining[name]} & found.keys()
                nearest = _nearest(user, defining[name])
                if there or nearest is None or nearest.path in found or nearest.path == user.path:
                    continue
                taken = user.defines.union(*(script.defines for script in found.values()))
                if nearest.defines & taken:
                    continue
                found[nearest.path] = nearest
                self._need(nearest, user, found)
                found[nearest.path] = found.pop(nearest.path)  # behind those that it needs itself


def _nearest(user: WrittenScript, scripts: list[WrittenScript]) -> WrittenScript | None:
    """The script with the fewest folders between, None where two are equally near.

    One that does not look like Flink's by itself takes definitions from its own folder and the ones beside it only.
    """
    farthest = _FAR if user.flink else _BESIDE
    by_distance = gathered((d, script) for script in scripts if (d := _distance(user.path, script.path)) <= farthest)
    nearest = by_distance[min(by_distance)] if by_distance else []
    return nearest[0] if len(nearest) == 1 else None


def _distance(path: str, other_path: str) -> int:
    """How many folders lie between two files."""
    left, right = path.split("/")[:-1], other_path.split("/")[:-1]
    shared = 0
    while shared < min(len(left), len(right)) and left[shared] == right[shared]:
        shared += 1
    return len(left) + len(right) - 2 * shared


def _last(name: str) -> str:
    return name.replace("`", "").rpartition(".")[2].lower()
