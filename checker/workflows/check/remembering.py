"""Judges the pipelines of a plan, from the cache where everything that an answer rests on is unchanged."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from checker.cache import active_cache
from checker.errors import RevisionError
from checker.extract.changed_files.difference import differing
from checker.extract.changed_files.kinds import kind_of
from checker.extract.changed_files.links import through_links
from checker.extract.changed_files.variables import starting
from checker.extract.consulted import Consulted, ConsultedFiles, content_or_none, plain
from checker.extract.listing import SUPPRESSING
from checker.extract.registry import CODE_ENDINGS
from checker.extract.runtime.distribution import lacking_jars
from checker.extract.runtime.execution import Execution
from checker.model.changed_files import FileKind
from checker.model.file_names import same_module
from checker.model.pipelines import PipelineEntry
from checker.model.sources import submodules_of
from checker.report.check.document import Json
from checker.workflows.check.choosing_extractors import SideToRead, planned_programs
from checker.workflows.check.records import CheckPlan, ReadPipeline
from checker.workflows.check.stages import judge_stage, judge_task
from checker.workflows.table_programs import using_tables

_THROUGH_LINK = " (through a link)"
_Change = tuple[str, str | None, str | None]
"""The path of a file that differs, with what names its content in base and head."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A pipeline's part of the report (None where neither revision has it), and whether the change reaches it."""

    document: Json | None
    reached: bool


class Judge:
    """Judges the pipelines of one plan."""

    def __init__(self, plan: CheckPlan) -> None:
        self._plan = plan
        self._sides = plain(plan.base_files), plain(plan.head_files)

    def judge(self, name: str) -> Judged:
        """One pipeline, out of the cache where it was judged before."""
        return self.recall(name) or self._judge(name)

    def _judge(self, name: str) -> Judged:
        base, head = (ConsultedFiles(files) for files in self._sides)
        for files, read in zip((base, head), self._read(name), strict=True):
            if read is not None and read.rests_on is not None:
                files.consulted.add(read.rests_on.consulted)
        task = judge_task(replace(self._plan, base_files=base, head_files=head), name)
        document = None if task is None else judge_stage(task)
        account = None if document is None else document["account"]
        reached = not self._one_entry(name) or base.consulted != head.consulted or bool(account and account["edits"])
        cache = active_cache()
        if cache is not None and self._may_be_kept(name) and not (_dated(base) or _dated(head)):
            sides = [base.consulted.document(), head.consulted.document()]
            lacking = [jars for read in self._read(name) if read and read.rests_on for jars in read.rests_on.lacking]
            difference = self._difference(name, (base.consulted, head.consulted))
            row = [sides, difference, reached, document, lacking]
            secrets = {secret for entry in self._entries(name) if entry is not None for secret in entry.secrets}
            cache.keep(self._key(name), row, secrets=secrets)
        return Judged(document, reached)

    def recall(self, name: str) -> Judged | None:
        """What is remembered of a pipeline where both revisions answer alike; None where nothing is."""
        cache = active_cache()
        if cache is None or not self._may_be_kept(name):
            return None
        for row in cache.rows(self._key(name)):
            try:
                sides, difference, reached, document, lacking = row
                if any((release, why) not in self._plan.lacking_jars for release, why in lacking):
                    continue
                known = [Consulted.of(asked) for asked in sides]
                alike = all(asked.holds(files) for asked, files in zip(known, self._sides, strict=True))
                if alike and difference == self._difference(name, known):
                    return Judged(document, bool(reached))
            except (ValueError, TypeError, KeyError):
                continue
        return None

    def _one_entry(self, name: str) -> bool:
        """Whether both revisions have the pipeline, and it is started alike."""
        before, after = self._entries(name)
        return before is not None and after is not None and replace(after, optional=before.optional) == before

    def _entries(self, name: str) -> tuple[PipelineEntry | None, PipelineEntry | None]:
        plan, read = self._plan, self._read(name)
        base, head = (
            pipeline.rests_on.entry
            if pipeline is not None and pipeline.rests_on is not None
            else next((entry for entry in entries if entry.name == name), None)
            for pipeline, entries in zip(read, (plan.base_entries, plan.head_entries), strict=True)
        )
        return base, head

    def _read(self, name: str) -> tuple[ReadPipeline | None, ReadPipeline | None]:
        """What was read while planning."""
        base, head = (
            next((read for read in side if read.name == name), None)
            for side in (self._plan.base_read, self._plan.head_read)
        )
        return base, head

    def _may_be_kept(self, name: str) -> bool:
        """Whether an answer rests on what is known of it: nothing was run or rehearsed, and no planner failed."""
        read = [pipeline for pipeline in self._read(name) if pipeline is not None]
        if any(pipeline.rests_on is None or pipeline.rehearsal is not None for pipeline in read):
            return False
        return all(entry is None or entry.extract in CODE_ENDINGS for entry in self._entries(name))

    def _key(self, name: str) -> str:
        plan, policy = self._plan, self._plan.policy
        if not policy.suppressions and not policy.baseline:
            policy = replace(policy, today=None)
        asked = (name, self._entries(name), sorted(plan.severities.items()), policy, plan.reasons.get(name))
        return f"pipeline {asked!r}"

    @cached_property
    def _changed(self) -> list[_Change]:
        base, head = self._sides
        before, after = through_links(base), through_links(head)
        modules = submodules_of(base), submodules_of(head)
        behind = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
        return [
            *((path, content_or_none(base, path), content_or_none(head, path)) for path in differing(base, head)),
            *(
                (path, modules[0].get(path), modules[1].get(path))
                for path in sorted(modules[0].keys() | modules[1].keys())
            ),
            *((f"{path}{_THROUGH_LINK}", before.get(path), after.get(path)) for path in behind),
        ]

    @cached_property
    def _starting(self) -> frozenset[str]:
        """The files that differ and may start programs."""
        return frozenset(starting(*self._sides))

    def _difference(self, name: str, asked: Iterable[Consulted]) -> str:
        """A digest of the files that differ and may concern the pipeline: source of its language is left out.

        ``asked`` names the files of the pipeline's code: the build of a module that has none of them is no pipeline's
        edit, whatever it says (see ``compare.account.builds``).
        """
        endings = {CODE_ENDINGS[entry.extract] for entry in self._entries(name) if entry is not None}
        code = {path for side in asked for path in side.contents}
        found = list[_Change]()
        for change in self._changed:
            kinds = {kind_of(change[0], ending) for ending in endings}
            of_build = FileKind.BUILD in kinds and any(same_module(change[0], file) for file in code)
            if of_build or change[0] in self._starting or not kinds <= {None, FileKind.CODE, FileKind.BUILD}:
                found.append(change)
        return hashlib.sha256(json.dumps(found).encode()).hexdigest()


def with_tables(plan: CheckPlan, execution: Execution) -> CheckPlan:
    """The plan with the programs that use the Table API read and planned, but for those that are remembered."""
    sides = (
        SideToRead(name="base", files=plan.base_files, commit=plan.base.commit, entries=plan.base_entries),
        SideToRead(name="head", files=plan.head_files, commit=plan.head.commit, entries=plan.head_entries),
    )
    # The head first: it is read anyway, and what was read of it is used again where the base has the same code.
    using = [using_tables(side.files, side.entries) for side in reversed(sides)]
    releases = sorted({release for found in using for release in found.values()})
    found = ((release, lacking_jars(execution, release)) for release in releases)
    plan = replace(plan, lacking_jars=tuple((release, why) for release, why in found if why is not None))
    judge = Judge(plan)
    unknown = {name for name in {*using[0], *using[1]} if execution.rehearse or judge.recall(name) is None}
    left = [replace(side, entries=[entry for entry in side.entries if entry.name in unknown]) for side in sides]
    planned = planned_programs(left, execution)
    base, head = ([], []) if planned is None else (planned.read[side.name] for side in left)
    return replace(
        plan,
        base_entries=_without(plan.base_entries, base),
        head_entries=_without(plan.head_entries, head),
        base_read=(*plan.base_read, *base),
        head_read=(*plan.head_read, *head),
    )


def _without(entries: Sequence[PipelineEntry], read: Sequence[ReadPipeline]) -> tuple[PipelineEntry, ...]:
    names = {pipeline.name for pipeline in read}
    return tuple(entry for entry in entries if entry.name not in names)


def _dated(files: ConsultedFiles) -> bool:
    """Whether a comment in a file may silence findings, perhaps for some time only; or may, where one is not there."""
    read = (path for path, content in files.consulted.contents.items() if content is not None)
    try:
        return any(commented for (commented,) in SUPPRESSING.of(files.files, read).values())
    except RevisionError:
        return True
