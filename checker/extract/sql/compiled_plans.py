"""Which scripts and compiled plans (``COMPILE PLAN``) a revision has. Flink's planner reads them, before engines do."""

from __future__ import annotations

import json
from typing import Any

from checker.errors import DocumentError, ExtractionError, RevisionError
from checker.extract.asking.consulted import ask, plain, remembered
from checker.extract.asking.content_facts import Fact, Facts
from checker.extract.sql.scripts.discovery import discover_scripts
from checker.model.pipelines import Discovery, ExtractorKind, Note, PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.topology import Topology
from checker.model.unknowns import Location


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
    return [[e.name, e.file, list(e.files)] for e in discover_scripts(files).entries]


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
