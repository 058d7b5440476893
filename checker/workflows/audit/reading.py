"""Stage 1 of an audit: a stretch of history → one row per pipeline and step, with both topologies where they differ.

A pipeline is read once for all revisions that answer alike whatever its reader asked of their files.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from checker.cache import active_cache
from checker.errors import CheckerError
from checker.extract import registry
from checker.extract.changed_files import changed_files
from checker.extract.consulted import Consulted, ConsultedFiles
from checker.extract.deployments import deployments, is_command_file
from checker.extract.documents.carried import as_text, from_text
from checker.model.changed_files import FileKind
from checker.model.deployments import Deployment
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.program_code import ProgramCode
from checker.model.sources import MemoryFiles, SourceFiles
from checker.settings import Settings, read_settings
from checker.workflows.audit.accounts import NOTHING, packed_account
from checker.workflows.audit.deployed import packed_deployments
from checker.workflows.audit.reading_anew import read_anew, read_one, uses_tables
from checker.workflows.audit.renamed import Pipelines, Share, renames, with_names_of
from checker.workflows.audit.stretches import Task
from checker.workflows.carried_files import CarriedFiles, NotCarriedError
from checker.workflows.check.environments import deployed_side, in_one_environment
from checker.workflows.check.records import ReadPipeline
from checker.workflows.check.sides import Side

Row = dict[str, Any]
_LONGEST = 100
_STEP = ("repository", "step", "commit", "time", "conditions", "previous_commit")


@dataclass(eq=False, slots=True)
class _Reading:
    """One pipeline as some revisions have it, and what those revisions answered."""

    entry: PipelineEntry
    read: ReadPipeline
    text: str | None
    """The topology's."""
    key: str
    asked: Consulted
    """By the reader."""
    code: ProgramCode | None = None
    """All code that the pipeline reaches; it goes on asking as it is looked at."""
    reached: Consulted | None = None
    """By the reader and by ``code``; None before that was looked for."""
    recalled: bool = False
    """Whether an earlier run read it: what code it follows is found out where that is asked for."""


def _reading(entry: PipelineEntry, read: ReadPipeline, asked: Consulted) -> _Reading:
    text = as_text(read.topology)
    parts = "\0".join((read.extractor, text or "", read.failure or ""))
    key = hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:20]
    return _Reading(entry, read, text, key, asked)


_Reads = dict[str, _Reading]


@dataclass(eq=False, slots=True)
class _Revision:
    """One revision with the pipelines of a task, as they were read."""

    has: Pipelines
    reads: _Reads


_KEPT = 4


class _Readings:
    """What was read of one repository: few readings of each entry, as a history goes back and forth only a little."""

    def __init__(self) -> None:
        self._known: dict[str, list[tuple[Consulted, tuple[_Reading, ...]]]] = {}

    def recall(self, entry: PipelineEntry, files: SourceFiles) -> tuple[_Reading, ...] | None:
        """The pipelines of an entry, where a revision answers as one that was read did; None where none did."""
        name = repr(entry)
        if name not in self._known:
            self._known[name] = [(found.asked, (found,)) for found in _kept(entry)]
        return next((readings for asked, readings in self._known[name] if asked.holds(files)), None)

    def keep(self, entry: PipelineEntry, read: Sequence[ReadPipeline], watched: ConsultedFiles) -> tuple[_Reading, ...]:
        """The pipelines of an entry, just read: none where the revision does not have it after all."""
        asked = watched.consulted
        found = tuple(_reading(entry, pipeline, asked) for pipeline in read)
        self._known[repr(entry)] = [(asked, found), *self._known.get(repr(entry), ())][:_KEPT]
        return found


def _kept(entry: PipelineEntry) -> Iterator[_Reading]:
    """Readings of an entry in the cache."""
    cache = active_cache()
    for row in () if cache is None else cache.rows(f"reading {entry!r}"):
        with suppress(ValueError, TypeError, CheckerError):
            key, asked, reached, extractor, text = row
            read = ReadPipeline(name=entry.name, extractor=extractor, topology=from_text(text))
            found = _reading(entry, read, Consulted.of(asked))
            if found.key == key:
                found.reached, found.recalled = None if reached is None else Consulted.of(reached), True
                yield found


def _keep(readings: Iterable[_Reading]) -> None:
    """Remember in the cache what followed code read of a revision: the history may go on from there."""
    cache = active_cache()
    if cache is None:
        return
    for reading in readings:
        # What a planner made of a program is not what its source alone says of it.
        if reading.read.trace is not None and reading.read.topology is not None and not uses_tables(reading.read):
            sides = [asked and asked.document() for asked in (reading.asked, reading.reached)]
            row = [reading.key, *sides, reading.read.extractor, reading.text]
            cache.keep(f"reading {reading.entry!r}", row)


def stretch_units(stretch: Row, task: Task) -> Iterator[Row]:
    """The units of a task's share of its stretch, revision by revision: a pipeline at a step, as read on both sides.

    ``base_key`` is "" for a pipeline that the revision before does not have, ``head_key`` likewise; equal keys mean
    equal topologies. For the first point of a series the base is the head.
    """
    settings = _settings(stretch)
    severities = json.dumps({slug: level and level.value for slug, level in sorted(settings.severities.items())})
    packed = {c["content_id"]: c["packed"] for c in stretch["contents"]}
    listing: dict[str, str] = {}
    before: _Revision | None = None
    previous_commit: str | None = None
    conditions: tuple[Any, ...] = ()
    found: tuple[Deployment, ...] | None = None
    files = CarriedFiles({}, packed)
    readings = _Readings()
    for revision in stretch["revisions"]:
        changed = {f["path"] for f in revision["changed"]}.union(revision["removed"])
        listing = {p: c for p, c in listing.items() if p not in set(revision["removed"])}
        listing.update({f["path"]: f["content_id"] for f in revision["changed"]})
        now = before
        if before is None or changed or conditions != (revision["flink"], revision["parallelism"]):
            conditions = (revision["flink"], revision["parallelism"])
            asked = settings.overridden(flink=conditions[0], parallelism=conditions[1])
            files = CarriedFiles(listing, packed)
            strict = revision["commit"] == stretch["newest"]
            share = Share(task, strict, tuple(settings.pipelines))
            if found is None or any(path.endswith((".yaml", ".yml")) or is_command_file(path) for path in changed):
                found = _deployments(files, asked)
            now = _read_all(files, asked, share, before.reads if before else {}, readings, found)
        assert now is not None
        if revision["step"] is not None:
            base = now.reads if before is None else _under_names_of(before, now, share, readings)
            accounts = {} if before is None else _accounts(base, now.reads, before.has.files, files)
            step = {**revision, "repository": stretch["repository"], "previous_commit": previous_commit}
            yield from _units(step, severities, base, now.reads, accounts)
        before, previous_commit = now, revision["commit"]
    _keep(before.reads.values() if before else ())


def _under_names_of(before: _Revision, now: _Revision, share: Share, readings: _Readings) -> _Reads:
    """The pipelines of a revision as the next one calls them. What is renamed may come from another task's share.

    In which environment a renamed one runs does not depend on its history, which only one of the tasks knows.
    """
    if before is now:
        return before.reads
    reads = with_names_of(before.reads, now.reads, lambda reading: reading.entry)
    renamed = renames(before.has, now.has)
    found = {name: reading for name, reading in reads.items() if not (_names(name, reading) & renamed.keys())}
    after = {reading.entry.name: reading.entry for reading in now.reads.values()}
    for new, entry in renamed.values():
        if share.holds(new):
            start = after[new].deployment if new in after else None
            wanted = replace(in_one_environment(before.has.whole, entry, start), optional=True)
            found.update((r.read.name, r) for r in _called(new, _read_entries(before.has.files, [wanted], readings)))
    return found


def _names(name: str, reading: _Reading) -> set[str]:
    """What a pipeline and the entry that it is read from are called."""
    return {name, reading.entry.name}


def _called(name: str, read: _Reads) -> Iterator[_Reading]:
    """The pipelines of one entry, under another name of it."""
    for reading in read.values():
        own = name + reading.read.name.removeprefix(reading.entry.name)
        yield replace(reading, entry=replace(reading.entry, name=name), read=replace(reading.read, name=own))


def _accounts(before: _Reads, now: _Reads, base_files: CarriedFiles, head_files: CarriedFiles) -> dict[str, str]:
    """Pipeline → its edits that were not understood, for those that have any."""
    if base_files is head_files:
        return {}

    @cache
    def only_code(ending: str) -> bool:
        return all(file.kind is FileKind.CODE for file in changed_files(base_files, head_files, ending))

    accounts: dict[str, str] = {}
    for name in sorted(before.keys() & now.keys()):
        base, head = before[name], now[name]
        ending = registry.CODE_ENDINGS.get(ExtractorKind(head.read.extractor))
        same = base is head and ending is not None and _holds(head.reached, base_files, head_files)
        if same and only_code(ending):
            continue
        account = _account((base, base_files), (head, head_files))
        if account:
            accounts[name] = account
    return accounts


def _account(*sides: tuple[_Reading, CarriedFiles]) -> str:
    base, head = (_side(*side) for side in sides)
    account = packed_account(base, head)
    if all(reading.reached is None or reading.reached.holds(files) for reading, files in sides):
        return account
    # Code that was found in another revision asked for more, which this one answers differently.
    for reading, _ in sides:
        reading.code = reading.reached = None
    return packed_account(*(_side(*side) for side in sides))


def _side(reading: _Reading, files: CarriedFiles) -> Side:
    watched = ConsultedFiles(files)
    watched.consulted.add(reading.asked)
    if reading.recalled:
        read = read_one(watched, files, reading.entry)
        assert read is not None, "a revision that answers like one that has a pipeline"
        reading.read, reading.reached, reading.recalled = replace(read, name=reading.read.name), None, False
    kind = ExtractorKind(reading.read.extractor)
    if reading.reached is None or not reading.reached.holds(files):
        reading.code = reading.reached = None
        if kind in registry.CODE_ENDINGS and reading.read.trace is not None:
            reading.code = registry.reached_code(watched, reading.entry, kind, reading.read.trace)
            reading.reached = watched.consulted
    else:
        watched.consulted.add(reading.reached)
    return Side(reading.entry, reading.read, watched, reading.code)


def _holds(asked: Consulted | None, *revisions: CarriedFiles) -> bool:
    return asked is not None and all(asked.holds(files) for files in revisions)


def _settings(stretch: dict[str, Any]) -> Settings:
    if stretch["settings_path"] is None:
        return Settings()
    return read_settings(MemoryFiles({stretch["settings_path"]: stretch["settings_content"]}))


def _deployments(files: CarriedFiles, settings: Settings) -> tuple[Deployment, ...]:
    """How a revision is deployed, as far as its files travelled."""
    if not settings.deployments:
        return ()
    return deployments(replace(files, listing={p: c for p, c in files.listing.items() if c in files.packed}))


def _read_all(
    files: CarriedFiles, settings: Settings, share: Share, before: _Reads, readings: _Readings,
    found: tuple[Deployment, ...],
) -> _Revision:  # fmt: skip
    has = Pipelines(files, settings, found)
    try:
        own = share.concerns if share.task.shares > 1 else None
        entries = registry.discover(files, settings, own).entries
        if own is not None and (found or settings.configured_deployments):
            # Which pipeline a deployment runs depends on all of them. What other tasks found by now is in the cache.
            entries = registry.discover(files, settings).entries
    except (CheckerError, NotCarriedError) as error:
        failed = ReadPipeline(
            name="(all)", extractor="document", failure=f"pipelines can't be found: {_failure(error)}"
        )
        entry = PipelineEntry(name="(all)", extract=ExtractorKind.DOCUMENT)
        return _Revision(has, {"(all)": _reading(entry, failed, Consulted())} if share.task.share == 0 else {})
    side = deployed_side(entries, files, settings, found)
    of_task = [entry for entry in entries if share.holds(entry.name)]
    wanted: list[PipelineEntry] = []
    for discovered in of_task:
        last = before.get(discovered.name)
        entry = in_one_environment(side, discovered, None if last is None else last.entry.deployment)
        wanted.append(replace(entry, optional=entry.discovered or not share.strict))
    reads = _read_entries(files, wanted, readings)
    there = {reading.entry.name for reading in reads.values()}
    return _Revision(replace(has, own=tuple(e for e in of_task if e.discovered or e.name in there)), reads)


def _read_entries(files: CarriedFiles, entries: Sequence[PipelineEntry], readings: _Readings) -> _Reads:
    """The pipelines of these entries of a revision; those that are not known by now are read."""
    now: _Reads = {}
    wanted: list[PipelineEntry] = []
    for entry in entries:
        known = readings.recall(entry, files)
        if known is None:
            wanted.append(entry)
        else:
            now.update({reading.read.name: reading for reading in known})
    for entry, read, watched in read_anew(files, wanted):
        now.update({reading.read.name: reading for reading in readings.keep(entry, read, watched)})
    return now


def _failure(error: Exception) -> str:
    return str(error) or type(error).__name__


def _units(
    step: dict[str, Any],
    severities: str,
    before: _Reads,
    now: _Reads,
    accounts: dict[str, str],
) -> Iterator[dict[str, Any]]:
    for name in sorted(before.keys() | now.keys()):
        row: dict[str, Any] = {
            **{column: step[column] for column in _STEP},
            "pipeline": shortened(name),
            "severities": severities,
            "account": accounts.get(name, NOTHING),
            "deployments": packed_deployments(*(_deployment(readings.get(name)) for readings in (before, now))),
        }
        for side, reading in (("base", before.get(name)), ("head", now.get(name))):
            row[f"{side}_key"] = reading.key if reading else ""
            row[side] = reading and reading.read
            row[f"{side}_topology"] = reading and reading.text
        yield row


def _deployment(reading: _Reading | None) -> Deployment | None:
    return None if reading is None else reading.entry.deployment


def shortened(name: str) -> str:
    """A pipeline's name as datasets spell it: a long one would make no folder's name."""
    data = name.encode("utf-8", "replace")
    if len(data) <= _LONGEST:
        return data.decode("utf-8")
    digest = hashlib.sha256(data).hexdigest()[:8]
    return f"{data[:_LONGEST].decode('utf-8', 'ignore')}~{digest}"
