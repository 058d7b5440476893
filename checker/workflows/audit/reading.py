"""Stage 1 of an audit: a stretch of history → one row per pipeline and step, with both topologies where they differ."""

import hashlib
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from checker.extract import registry
from checker.extract.changed_files.difference import changed_files
from checker.extract.deployments.discovery import tells_of_starts
from checker.model.account import Account, Explanation, Thing, Verdict, Why
from checker.model.changed_files import FileKind
from checker.model.nested import Json
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.unknowns import Location
from checker.settings import Overrides, Settings, read_settings
from checker.workflows.audit.revisions import AuditedRevision, ReadAs, Readings, Share, Step, reading_of, step_of
from checker.workflows.audit.stretches import Task
from checker.workflows.carried_files import CarriedFiles, NotCarriedError
from checker.workflows.check.accounting import account_of
from checker.workflows.check.records import Side
from checker.workflows.check.stages import is_one_program
from checker.workflows.check.vanished import both_sides

_LONGEST = 100


def stretch_units(stretch: Json, task: Task) -> Iterator[Json]:
    """The units of a task's share of its stretch, revision by revision: a pipeline at a step, as read on both sides.

    ``base_key`` is "" for a pipeline that the revision before does not have, ``head_key`` likewise; equal keys mean
    equal topologies. For the first point of a series the base is the head.
    """
    settings = Settings() if stretch["settings"] is None else read_settings(MemoryFiles(stretch["settings"]))
    share = Share(task, tuple(settings.pipelines))
    severities = json.dumps({slug: level and level.value for slug, level in sorted(settings.severities.items())})
    packed = stretch["contents"]
    listing: dict[str, str] = {}
    before: AuditedRevision | None = None
    previous_commit: str | None = None
    last: tuple[Any, ...] = ()
    starts = CarriedFiles({}, packed)
    readings = Readings()
    for revision in stretch["revisions"]:
        changed = {*revision["changed"], *revision["removed"]}
        listing = {p: c for p, c in listing.items() if p not in changed} | revision["changed"]
        now = before
        links, submodules = revision["links"], revision["submodules"]
        state = (revision["flink"], revision["parallelism"], links, submodules)
        if before is None or changed or state != last:
            last = state
            asked = settings.overridden(Overrides(flink=revision["flink"], parallelism=revision["parallelism"]))
            strict = revision["commit"] == stretch["newest"]
            if any(tells_of_starts(path) for path in changed):
                starts = CarriedFiles({p: c for p, c in listing.items() if c in packed}, packed)
            files = CarriedFiles(listing, packed, links=links, submodules=submodules)
            now = AuditedRevision(files, asked, starts, share, strict, readings)
        assert now is not None
        if revision["step"] is not None:
            step = {
                **{column: revision[column] for column in ("step", "commit", "time", "conditions")},
                "repository": stretch["repository"],
                "previous_commit": previous_commit,
                "severities": severities,
            }
            for unit in _units(before or now, now):
                yield {**step, **unit}
        before, previous_commit = now, revision["commit"]


def _units(before: AuditedRevision, now: AuditedRevision) -> Iterator[Json]:
    step = step_of(before, now)

    @cache
    def only_code(ending: str) -> bool:
        return all(file.kind is FileKind.CODE for file in changed_files(before.files, now.files, ending))

    def left_alone(base: ReadAs, head: ReadAs) -> bool:
        """Whether nothing differs that the pipeline can reach."""
        if base.reading is not head.reading or base.entry != head.entry:
            return False
        ending = registry.CODE_ENDINGS.get(ExtractorKind(head.reading.read.extractor))
        if ending is None:
            return head.reading.read.topology is not None  # all that it was read from is the same
        return head.reading.reaches_alike(before.files, now.files) and only_code(ending)

    for name in sorted(step.base.keys() | step.head.keys()):
        entries = step.entries(name)
        base, head = _or_unread(step, name, before.files, now.files)
        account: Account | None = Account()
        one_program = True
        if base is not None and head is not None and before is not now and not left_alone(base, head):
            account, one_program = _account((base, before.files), (head, now.files))
        yield {
            "pipeline": shortened(name),
            "deployments": tuple(None if entry is None else entry.deployment for entry in entries),
            "account": account,
            "one_program": one_program,
            **_columns("base", base),
            **_columns("head", head),
        }


def _or_unread(step: Step, name: str, before: CarriedFiles, now: CarriedFiles) -> tuple[ReadAs | None, ReadAs | None]:
    """Base and head of a pipeline. If one seems to lack it but may have it, that side holds the reason."""
    base, head = step.base.get(name), step.head.get(name)
    if base is not None and head is not None:
        return base, head
    entries = step.entries(name)
    sides = both_sides(
        _plain(entries[0], base, before), _plain(entries[1], head, now), step.paired.base, step.paired.head
    )
    return base or _unread(sides[0], head), head or _unread(sides[1], base)


def _plain(entry: PipelineEntry | None, found: ReadAs | None, files: CarriedFiles) -> Side:
    if found is None:
        return Side(entry, None, files)
    return Side(None if found.reading.whole else entry, found.reading.read, files)


def _unread(side: Side, opposite: ReadAs | None) -> ReadAs | None:
    if side.read is None or opposite is None:
        return None
    return ReadAs(opposite.entry, reading_of(opposite.entry, side.read, whole=True))


def _account(*sides: tuple[ReadAs, CarriedFiles]) -> tuple[Account | None, bool]:
    """The account of a pipeline's edits, and whether both sides have one program."""
    try:
        base, head = (read.reading.side(read.entry, files) for read, files in sides)
        account = account_of(base, head)
        if not all(read.reading.reached is None or read.reading.reaches_alike(files) for read, files in sides):
            # Code that was found in another revision asked for more, which this one answers differently.
            for read, _ in sides:
                read.reading.code = read.reading.reached = None
            base, head = (read.reading.side(read.entry, files) for read, files in sides)
            account = account_of(base, head)
    except NotCarriedError as error:
        return _not_carried(str(error)), False
    return _essence(account), is_one_program(account, base, head)


def _essence(account: Account | None) -> Account | None:
    """A shorter account that gives the same findings: each edit that was not understood, and one compared edit."""
    if account is None:
        return None
    compared = [edit for edit in account.edits if edit.explanation is Explanation.COMPARED]
    return Account(edits=(*account.not_understood, *compared[:1]))


def _not_carried(path: str) -> Account:
    """An edit that may be in a file whose content is not at hand."""
    why = Verdict(Why.FILE, "it is too large to be read in an audit; 'check' reads it")
    return Account(edits=(why.edit(Thing.RESOURCE, path, None, Location(path, 1)),))


def _columns(side: str, read: ReadAs | None) -> Json:
    reading = None if read is None else read.reading
    return {
        f"{side}_key": reading.key if reading else "",
        side: reading and reading.read,
        f"{side}_topology": reading and reading.text,
    }


def shortened(name: str) -> str:
    """A pipeline's name as datasets spell it: a long one would make no folder's name."""
    data = name.encode("utf-8", "replace")
    if len(data) <= _LONGEST:
        return data.decode("utf-8")
    digest = hashlib.sha256(data).hexdigest()[:8]
    return f"{data[:_LONGEST].decode('utf-8', 'ignore')}~{digest}"
