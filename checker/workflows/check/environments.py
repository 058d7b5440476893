"""The pipelines of both revisions as their environments run them: one pipeline for each, judged on its own.

A pipeline that one environment runs keeps its name. Where several give it different things it becomes
``NAME @ ENVIRONMENT`` on both sides; where they all give it the same it is judged once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from operator import attrgetter

from checker.extract.asking.consulted import ask
from checker.extract.automatic import file_of_main
from checker.extract.deployments.discovery import cluster_alone, deployments
from checker.extract.deployments.matching import deployed_as, makers_of, may_be_deployed_as, with_deployment
from checker.extract.paths import in_tests
from checker.extract.unfollowed.other_jobs import ELSEWHERE
from checker.model.deployments import RESOURCES, Deployment, DeploymentKind, UpgradeMode
from checker.model.pipelines import Note, PipelineEntry
from checker.model.sources import SourceFiles
from checker.settings import Settings

_STATELESS = UpgradeMode.STATELESS
_OF_SERVICES = (*RESOURCES, DeploymentKind.MANAGED_FLINK)


@dataclass(frozen=True, kw_only=True)
class DeployedSide:
    """One revision: its pipelines as discovered, its deployments, and its files."""

    entries: tuple[PipelineEntry, ...]
    found: tuple[Deployment, ...]
    files: SourceFiles
    starts: SourceFiles
    """The files that say how programs are started."""
    looked_for: bool = True
    """Whether manifests and scripts were looked at."""

    def of(self, entry: PipelineEntry) -> dict[str, Deployment]:
        """The deployments of a pipeline by environment; the cluster's defaults where these are to be assumed."""
        found = {d.target: d for d in deployed_as(entry, self.entries, self.found, self.files)}
        return found or self._with_defaults(entry)

    def _with_defaults(self, entry: PipelineEntry) -> dict[str, Deployment]:
        wanted = self.looked_for and entry.assume_defaults and entry.parallelism is None
        cluster = cluster_alone(self.starts) if wanted else None
        return {} if cluster is None else {"": cluster}

    def strays(self, before: Mapping[str, Deployment], base: DeployedSide) -> tuple[Deployment, ...]:
        """What came in place of a pipeline's starts: programs that are no pipeline; what is given its state now."""
        places = {deployment.location.file for deployment in before.values()}
        return tuple(
            d
            for d in self.found
            if (any(_keeps(old, d) for old in before.values()) and not base.starts_as(self, d))
            or (d.location.file in places and not self.run_by(d))
        )

    def starts_as(self, later: DeployedSide, start: Deployment) -> bool:
        """Whether this revision has a start of a later one, and it runs the same."""
        alike = (deployment for deployment in self.found if _started(deployment) == _started(start))
        return any(self.run_by(deployment) == later.run_by(start) for deployment in alike)

    def run_by(self, deployment: Deployment) -> frozenset[str]:
        """The pipelines that a deployment is known to run."""
        runs = (e.name for e in self.entries if deployed_as(e, self.entries, (deployment,), self.files))
        return frozenset(runs)

    def may_be_of(self, entry: PipelineEntry) -> tuple[Deployment, ...]:
        """The deployments that may or may not run the pipeline."""
        return may_be_deployed_as(entry, self.entries, self.found, self.files)

    def of_programs_elsewhere(self) -> tuple[Note, ...]:
        """A note for each file with resources of the operator that run a program of which there is no source here."""
        alone = {d.location.file: d for d in self.found if d.kind in RESOURCES and self._is_elsewhere(d)}
        return tuple(
            Note(
                message=f"{path} {ELSEWHERE}",
                location=deployment.location,
                unread="of which only a manifest is here",
            )
            for path, deployment in sorted(alone.items())
        )

    def _is_elsewhere(self, deployment: Deployment) -> bool:
        if deployment.pipeline is not None or in_tests(deployment.location.file) or self._runs_any(deployment):
            return False
        program = deployment.script or deployment.main
        names = (program or "").rpartition("/")[2] if deployment.script else None
        if names and ask(self.files, "ending", names):
            return False
        here = program is not None and not deployment.script and file_of_main(self.files, program) is not None
        jars = () if deployment.jar is None else (deployment.jar, *deployment.copied_from)
        return not here and not makers_of(jars, self.files)

    def _runs_any(self, deployment: Deployment) -> bool:
        return any(
            may(entry, self.entries, (deployment,), self.files)
            for entry in self.entries
            for may in (deployed_as, may_be_deployed_as)
        )

    def resources_of_others(self, entry: PipelineEntry) -> frozenset[str]:
        """The names of the operator's resources that run other pipelines, and not this one."""
        own = self._resources.get(entry.name, frozenset())
        return frozenset(found for names in self._resources.values() for found in names) - own

    @cached_property
    def _resources(self) -> Mapping[str, frozenset[str]]:
        started = tuple(d for d in self.found if d.kind in RESOURCES)
        if not started:
            return {}
        return {
            e.name: frozenset(d.name for d in deployed_as(e, self.entries, started, self.files)) for e in self.entries
        }


def deployed_side(
    entries: Sequence[PipelineEntry], files: SourceFiles, settings: Settings, starts: SourceFiles | None = None
) -> DeployedSide:
    """A revision with what it says of its deployments; what its configuration says comes first.

    ``starts`` are those of its files that say how programs are started, where somebody looked for these already.
    """
    starts = files if starts is None else starts
    return DeployedSide(
        entries=tuple(entries),
        found=(*settings.configured_deployments, *(_of(settings, starts) if settings.deployments else ())),
        files=files,
        starts=starts,
        looked_for=settings.deployments,
    )


def _of(settings: Settings, starts: SourceFiles) -> tuple[Deployment, ...]:
    """What is started; of a resource that is there rendered and as it was written, what was rendered."""
    found = tuple(
        replace(d, rendered=any(fnmatchcase(d.location.file, glob) for glob in settings.rendered))
        for d in deployments(starts)
    )
    known = {(d.kind, d.name) for d in found if d.rendered and d.kind in _OF_SERVICES}
    return tuple(d for d in found if d.rendered or (d.kind, d.name) not in known)


def deployed_entries(
    entries: Sequence[PipelineEntry], files: SourceFiles, settings: Settings
) -> tuple[PipelineEntry, ...]:
    """The pipelines of one revision, each with its deployment, one for each environment that differs."""
    side = deployed_side(entries, files, settings)
    return as_deployed(side, side)[1]


def is_selected(name: str, globs: Sequence[str]) -> bool:
    """Whether a pipeline is one of those asked for: by its own name, or for all of its environments."""
    return any(fnmatchcase(name, g) or fnmatchcase(name.partition(" @ ")[0], g) for g in globs)


def as_deployed(base: DeployedSide, head: DeployedSide) -> tuple[tuple[PipelineEntry, ...], tuple[PipelineEntry, ...]]:
    """The pipelines of base and head, each with its deployment, under names that are the same on both sides."""
    before: list[PipelineEntry] = []
    after: list[PipelineEntry] = []
    named = [{entry.name: entry for entry in side.entries} for side in (base, head)]
    for name in sorted({*named[0], *named[1]}):
        old, new = (_with_unsure(side, entries.get(name)) for side, entries in zip((base, head), named, strict=True))
        old_by_target = {} if old is None else base.of(old)
        found = {} if new is None else head.of(new)
        new_by_target = _followed(old_by_target, found)
        gone = {t: d for t, d in old_by_target.items() if t not in found and new_by_target.get(t, d) is d}
        ended = new
        if gone and new is not None:
            ended = replace(new, may_be_deployed=(*new.may_be_deployed, *head.strays(gone, base)))
            new = new if new_by_target else ended
        targets = sorted({*old_by_target, *new_by_target})
        single = len(old_by_target) == len(new_by_target) == 1
        if single or _same_everywhere(old, new, old_by_target, new_by_target):
            targets = [""]  # the one environment, whatever it is called
            old_by_target, new_by_target = _one_of_each(old_by_target, new_by_target)
        for target in targets or [""]:
            shown = name if len(targets) < 2 else f"{name} @ {target or 'default'}"
            _add(before, old, old_by_target, target, shown)
            _add(after, ended if target in gone or (gone and not target) else new, new_by_target, target, shown)
    return tuple(before), tuple(after)


_started = attrgetter("location.file", "kind", "name", "main", "script", "jar")
"""What a start starts, and where it is written down."""


def _keeps(old: Deployment, new: Deployment) -> bool:
    """Whether a start gets the state of an older one's job: it is that resource, or takes a savepoint there."""
    if old.kind in RESOURCES:
        return old.kind is new.kind and old.upgrade_mode is not _STATELESS and old.is_succeeded_by(new)
    same = old.kind is new.kind and old.location.file == new.location.file
    return same and old.starts_from_snapshot and new.starts_from_snapshot


def _followed(before: dict[str, Deployment], after: dict[str, Deployment]) -> dict[str, Deployment]:
    """The head's deployments under the base's environments: a renamed one, or one that nothing names, hides no loss."""
    gone, came = sorted(before.keys() - after.keys()), sorted(after.keys() - before.keys())
    if not after:
        return after
    found = dict(after)
    for old in gone:
        same = [new for new in came if after[new].name == before[old].name]
        if same:
            nearest = min(same, key=lambda new: not before[old].is_succeeded_by(after[new]))
            came.remove(nearest)
            found[old] = found.pop(nearest)
    for old, new in zip((target for target in gone if target not in found), tuple(came), strict=False):
        found[old] = found.pop(new)
    return found | {target: before[target] for target in gone if target not in found}


def _one_of_each(
    before: dict[str, Deployment], after: dict[str, Deployment]
) -> tuple[dict[str, Deployment], dict[str, Deployment]]:
    """A deployment of each revision: of an environment whose job was replaced, else of any that both have."""
    both = sorted(before.keys() & after.keys(), key=lambda target: before[target].is_succeeded_by(after[target]))
    old, new = (
        {"": side[target]} if (target := next(iter(both or side), None)) is not None else {} for side in (before, after)
    )
    return old, new


def _with_unsure(side: DeployedSide, entry: PipelineEntry | None) -> PipelineEntry | None:
    if entry is None:
        return None
    return replace(entry, may_be_deployed=side.may_be_of(entry), resources_of_others=side.resources_of_others(entry))


def _add(
    entries: list[PipelineEntry], entry: PipelineEntry | None, by_target: dict[str, Deployment], target: str, shown: str
) -> None:
    if entry is None:
        return
    if target in by_target:
        entries.append(replace(with_deployment(entry, by_target[target]), name=shown))
    elif not by_target:
        # Nothing of this revision says how it is deployed: it is compared as it stands.
        entries.append(replace(entry, name=shown))


def _same_everywhere(
    old: PipelineEntry | None,
    new: PipelineEntry | None,
    old_by_target: dict[str, Deployment],
    new_by_target: dict[str, Deployment],
) -> bool:
    """Whether all environments give a pipeline the same, on each side."""
    return all(
        entry is None or len({_given(with_deployment(entry, d)) for d in by_target.values()}) <= 1
        for entry, by_target in ((old, old_by_target), (new, new_by_target))
    )


def _given(entry: PipelineEntry) -> tuple[object, ...]:
    deployment = entry.deployment
    assert deployment is not None
    return (
        entry.args, entry.arguments_known, entry.parallelism, entry.max_parallelism, entry.flink, entry.unset,
        deployment.configuration, deployment.environment, deployment.properties, deployment.upgrade_mode,
        deployment.allow_non_restored_state, deployment.filled_later, deployment.whole_environment,
        deployment.kind is DeploymentKind.COMMAND and deployment.starts_from_snapshot,
    )  # fmt: skip


def deployment_notes(entries: Sequence[PipelineEntry]) -> tuple[Note, ...]:
    """What a reader of the report has to know: from where arguments and configuration of a pipeline come."""
    return tuple(
        Note(
            message=f"{entry.name}: its arguments and configuration come from {entry.deployment.kind} "
            f"'{entry.deployment.name}'",
            location=entry.deployment.location,
            pipeline=entry.name,
        )
        for entry in entries
        if entry.deployment is not None
    )
