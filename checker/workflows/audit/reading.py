"""Stage 1 of an audit: a stretch of history → one row a pipeline and step, with both topologies where they differ.

A pipeline none of whose files changed since the revision before is not read again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from checker.errors import CheckerError
from checker.extract import registry
from checker.extract.deployments import deployments, is_command_file
from checker.extract.documents.carried import as_text
from checker.extract.runtime.execution import Execution
from checker.model.deployments import Deployment
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.settings import Settings, read_settings
from checker.workflows.audit.accounts import NOTHING, packed_account
from checker.workflows.carried_files import CarriedFiles, NotCarriedError
from checker.workflows.check.environments import deployed_side, in_one_environment
from checker.workflows.check.records import ReadPipeline, ReadTask
from checker.workflows.check.stages import read_stage
from checker.workflows.planning_scripts import ScriptsOfSide, plan_scripts, without_scripts

Batches = Iterator[pa.RecordBatch]
_SIDE = (("key", pa.string()), ("extractor", pa.string()), ("topology", pa.string()), ("failure", pa.string()))
UNITS = pa.schema(
    [
        *(pa.field(name, pa.string()) for name in ("repository", "pipeline", "step", "commit")),
        pa.field("time", pa.int64()),
        pa.field("severities", pa.string()),
        pa.field("account", pa.string()),
        *(pa.field(f"{side}_{name}", kind) for side in ("base", "head") for name, kind in _SIDE),
    ]
)
"""``base_key`` is "" for a pipeline that the revision before does not have, ``head_key`` likewise; equal keys mean
equal topologies. For the first point of a series the base is the head."""
_ROWS = 64
_SCRIPTS = "scripts"
_LONGEST = 100


@dataclass(frozen=True, slots=True)
class _Read:
    """One pipeline at one revision, and what it was read from."""

    entry: PipelineEntry
    read: ReadPipeline
    key: str
    used: frozenset[str]
    """Files that went into it; empty = unknown, so that it is read anew."""


_Reads = dict[str, _Read]


def reading(batches: Batches) -> Batches:
    """The task: rows of ``STRETCHES`` to rows of ``UNITS``."""
    rows: list[dict[str, Any]] = []
    for batch in batches:
        for index in range(batch.num_rows):
            for row in stretch_units(batch.slice(index, 1).to_pylist()[0]):
                rows.append(row)
                if len(rows) >= _ROWS:
                    yield pa.RecordBatch.from_pylist(rows, schema=UNITS)
                    rows = []
    if rows:
        yield pa.RecordBatch.from_pylist(rows, schema=UNITS)


def stretch_units(stretch: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The units of one stretch, revision by revision."""
    settings = _settings(stretch)
    severities = json.dumps({slug: level and level.value for slug, level in sorted(settings.severities.items())})
    packed = {c["content_id"]: c["packed"] for c in stretch["contents"]}
    listing: dict[str, str] = {}
    before: _Reads | None = None
    conditions: tuple[Any, ...] = ()
    found: tuple[Deployment, ...] | None = None
    files = base_files = CarriedFiles({}, packed)
    for revision in stretch["revisions"]:
        touched = {f["path"] for f in revision["changed"]}
        changed = touched.union(revision["removed"])
        moved = [p for p in (*touched, *revision["removed"]) if (p in listing) != (p in touched)]
        listing = {p: c for p, c in listing.items() if p not in set(revision["removed"])}
        listing.update({f["path"]: f["content_id"] for f in revision["changed"]})
        now, base_files = before, files
        if before is None or touched or moved or conditions != (revision["flink"], revision["parallelism"]):
            conditions = (revision["flink"], revision["parallelism"])
            asked = settings.overridden(flink=conditions[0], parallelism=conditions[1])
            files = CarriedFiles(listing, packed)
            strict = revision["commit"] == stretch["newest"]
            share = _Share(stretch["share"], stretch["shares"], strict)
            if found is None or any(path.endswith((".yaml", ".yml")) or is_command_file(path) for path in changed):
                found = _deployments(files, asked)
            now = _read_all(files, asked, share, before or {}, changed, moved, found)
        assert now is not None
        if revision["step"] is not None:
            base = None if before is None else _under_names_of(before, now)
            accounts = _accounts(base, now, base_files, files)
            sides = (now if base is None else base, now)
            yield from _units(stretch["repository"], revision, severities, *sides, accounts)
        before = now


def _under_names_of(before: _Reads, now: _Reads) -> _Reads:
    """The pipelines of a revision as the next one calls them: another class of a name gives both longer names."""
    new = {_identity(one.entry): name for name, one in now.items() if name not in before}
    names = {name: new.get(_identity(one.entry), name) for name, one in before.items() if name not in now}
    return {names.get(name, name): one for name, one in before.items()}


def _identity(entry: PipelineEntry) -> str:
    """What a pipeline is, whatever it is called: the program and the job of it, or the name that a team gave."""
    if not entry.discovered:
        return entry.name
    return "\0".join((entry.extract, entry.main or "", entry.file or "", str(entry.index)))


def _accounts(before: _Reads | None, now: _Reads, base_files: CarriedFiles, head_files: CarriedFiles) -> dict[str, str]:
    """Pipeline → its edits that were not understood, for those that have any."""
    if before is None or base_files is head_files:
        return {}
    sides = ((name, before[name], now[name]) for name in sorted(before.keys() & now.keys()))
    packed = {
        name: packed_account((base.entry, base.read), (head.entry, head.read), base_files, head_files)
        for name, base, head in sides
    }
    return {name: account for name, account in packed.items() if account}


def _settings(stretch: dict[str, Any]) -> Settings:
    if stretch["settings_path"] is None:
        return Settings()
    return read_settings(MemoryFiles({stretch["settings_path"]: stretch["settings_content"]}))


@dataclass(frozen=True, slots=True)
class _Share:
    """Which pipelines a task reads, where several tasks share the same revisions."""

    number: int
    of: int
    strict: bool
    """Whether a pipeline that the settings name has to be there: in the revision that they are from."""

    def holds(self, entry: PipelineEntry) -> bool:
        digest = hashlib.sha256(_identity(entry).encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:4]) % self.of == self.number


def _deployments(files: CarriedFiles, settings: Settings) -> tuple[Deployment, ...]:
    """How a revision is deployed, as far as its files travelled."""
    if not settings.deployments:
        return ()
    return deployments(replace(files, listing={p: c for p, c in files.listing.items() if c in files.packed}))


def _read_all(
    files: CarriedFiles, settings: Settings, share: _Share, before: _Reads, touched: set[str], moved: list[str],
    found: tuple[Deployment, ...],
) -> _Reads:  # fmt: skip
    try:
        entries = registry.discover(files, settings).entries
    except (CheckerError, NotCarriedError) as error:
        failed = ReadPipeline(name="(all)", extractor="document", failure=f"pipelines can't be found: {_said(error)}")
        entry = PipelineEntry(name="(all)", extract=ExtractorKind.DOCUMENT)
        return {"(all)": _Read(entry, failed, _key(failed), frozenset())} if share.number == 0 else {}
    now: _Reads = {}
    wanted: list[PipelineEntry] = []
    side = deployed_side(entries, files, settings, found)
    for discovered in entries:
        if not share.holds(discovered):
            continue
        last = before.get(discovered.name)
        entry = in_one_environment(side, discovered, None if last is None else last.entry.deployment)
        if last is not None and last.entry == entry and _untouched(last.used, touched, moved):
            now[entry.name] = last
            continue
        wanted.append(replace(entry, optional=entry.discovered or not share.strict))
    for entry, read in _read_anew(files, wanted):
        used = frozenset(read.topology.files if read.topology else ())
        now[read.name] = _Read(entry, read, _key(read), used)
    return now


def _read_anew(files: CarriedFiles, wanted: list[PipelineEntry]) -> Iterator[tuple[PipelineEntry, ReadPipeline]]:
    """Pipelines of one revision; its SQL scripts are planned together, where the audit runs."""
    scripts, rest = without_scripts(ScriptsOfSide(name=_SCRIPTS, files=files, entries=wanted))
    if scripts:
        side = ScriptsOfSide(name=_SCRIPTS, files=files, entries=scripts)
        planned = plan_scripts([side], Execution())
        entries = {entry.name: entry for entry in scripts}
        for read in planned.read[_SCRIPTS]:
            yield entries.get(read.name) or entries[read.name.partition(" (")[0]], read
        rest += [entry for entry in scripts if entry.name in planned.left]
    for entry in rest:
        alone = _read_one(files, entry)
        if alone is not None:
            yield entry, replace(alone, name=entry.name)


def _untouched(used: frozenset[str], touched: set[str], moved: list[str]) -> bool:
    """As ``same_sources`` of two revisions, from their difference."""
    if not used or not used.isdisjoint(touched):
        return False
    endings = tuple({path.rsplit(".", 1)[-1] for path in used})
    return not any(path.endswith(endings) for path in moved)


def _read_one(files: CarriedFiles, entry: PipelineEntry) -> ReadPipeline | None:
    """One pipeline; whatever goes wrong with it is its own answer and stops nobody else."""
    files.missed.clear()
    read = read_stage(ReadTask(entry=entry, files=files))
    if files.missed:
        failure = f"needs {files.missed[0]}, which is too large to be read in an audit; 'check' reads it"
        return ReadPipeline(name=entry.name, extractor=entry.extract.value, failure=failure)
    return read


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__


def _key(read: ReadPipeline | None) -> str:
    if read is None:
        return ""
    text = "\0".join((read.extractor, as_text(read.topology) or "", read.failure or ""))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def _units(
    repository: str,
    revision: dict[str, Any],
    severities: str,
    before: _Reads,
    now: _Reads,
    accounts: dict[str, str],
) -> Iterator[dict[str, Any]]:
    for name in sorted(before.keys() | now.keys()):
        row: dict[str, Any] = {
            "repository": repository,
            "pipeline": shortened(name),
            "step": revision["step"],
            "commit": revision["commit"],
            "time": revision["time"],
            "severities": severities,
            "account": accounts.get(name, NOTHING),
        }
        for side, one in (("base", before.get(name)), ("head", now.get(name))):
            row[f"{side}_key"] = one.key if one else ""
            row[f"{side}_extractor"] = one.read.extractor if one else None
            row[f"{side}_topology"] = as_text(one.read.topology) if one else None
            row[f"{side}_failure"] = one.read.failure if one else None
        if row["base_key"] == row["head_key"]:
            row["base_topology"] = None
        yield row


def shortened(name: str) -> str:
    """A pipeline's name as datasets spell it: a long one would make no folder's name."""
    data = name.encode("utf-8", "replace")
    if len(data) <= _LONGEST:
        return data.decode("utf-8")
    digest = hashlib.sha256(data).hexdigest()[:8]
    return f"{data[:_LONGEST].decode('utf-8', 'ignore')}~{digest}"
