"""How both revisions' programs are started, what differs in that, and the edits that it makes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from checker.compare.account.builds import Reach
from checker.compare.account.deployments import (
    configuration_edits,
    image_edit,
    jar_edit,
    key_variable_edit,
    outside_edit,
    start_edit,
    unread_start,
    unrendered_edit,
    variable_edits,
)
from checker.compare.account.facts import Facts
from checker.extract.asking.consulted import plain
from checker.extract.changed_files.unread_starts import StartEdit, files_of_starts
from checker.extract.changed_files.unrendered import ChangedImage, changed_images, edits_of_unrendered
from checker.extract.deployments.matching import given, runs_another_jar
from checker.model.account import Edit, Thing
from checker.model.changed_files import ChangedFile, FileKind
from checker.model.deployments import Deployment
from checker.model.pipelines import PipelineEntry
from checker.model.topology import Topology
from checker.workflows.check.changed_starts import (
    changed_variables,
    deployment_files,
    given_otherwise,
    options_of,
    program_of,
    resources_of,
    variables_of_records,
)
from checker.workflows.check.records import Side, main_file


@dataclass(frozen=True)
class BothStarts:
    """The starts of one pipeline in base and head, as deployments say them, and edits of what fills them in."""

    base_side: Side
    head_side: Side
    base_entry: PipelineEntry
    head_entry: PipelineEntry
    variables: tuple[StartEdit, ...]
    """Edits that may set a value on which graph or state depend."""
    asked_later: tuple[StartEdit, ...]
    """Edits that may set a variable which functions ask for when records come."""
    images: tuple[ChangedImage, ...]
    unrendered: tuple[Edit, ...]
    """Edits of charts and the like that may start the program, where nothing rendered says what they make."""

    @property
    def deployments(self) -> tuple[Deployment, Deployment] | None:
        """Both, where both revisions say how the program is deployed."""
        base, head = self.base_entry.deployment, self.head_entry.deployment
        return None if base is None or head is None else (base, head)

    @property
    def given_otherwise(self) -> bool:
        """Whether the deployments give the program something else."""
        return self.deployments is not None and given(self.deployments[0]) != given(self.deployments[1])

    @property
    def alike(self) -> bool:
        """Whether nothing differs in how the program is started."""
        edited = self.given_otherwise or self.variables or self.asked_later or self.images or self.unrendered
        return not edited and options_of(self.base_entry) == options_of(self.head_entry)

    @property
    def resources(self) -> frozenset[str]:
        """The names of the operator's resources that run the pipeline."""
        return resources_of(self.base_entry, self.head_entry)

    @property
    def resources_of_others(self) -> frozenset[str]:
        """The names of the operator's resources that run other pipelines."""
        return (self.base_entry.resources_of_others | self.head_entry.resources_of_others) - self.resources

    def files(self, facts: Facts) -> frozenset[str]:
        """Files read as deployments of both sides: their edits are judged by the records, not line by line."""
        base, head = deployment_files(self.base_entry), deployment_files(self.head_entry)
        return base | head if (base and head) or self._is_first(facts) else frozenset()

    def files_of_others(self, changed: Sequence[ChangedFile]) -> frozenset[str]:
        """The changed manifests from which only deployments are read that do not run this pipeline here."""
        base, head = deployment_files(self.base_entry), deployment_files(self.head_entry)
        if not base or not head:
            return frozenset()
        paths = {file.path for file in changed if file.kind is FileKind.DEPLOYMENT} - base - head
        sides = [files_of_starts(plain(s.files)) for s in (self.base_side, self.head_side)] if paths else []
        return frozenset(path for path in paths if any(path in read for read in sides))

    def _is_first(self, facts: Facts) -> bool:
        """Whether only the head has a deployment, so that what it gives was unknown when the base was read.

        It counts where it sets a parallelism, or where the program's graph is pinned.
        """
        if self.base_entry.deployment is not None or self.base_entry.may_be_deployed:
            return False
        start = self.head_entry.deployment
        return start is not None and (start.parallelism is not None or facts.pinned)

    def edits_of_deployments(self, reach: Reach, edits_of_files: Sequence[Edit]) -> Iterator[Edit]:
        """What both deployments say otherwise, as far as the edits of files do not say it."""
        if self.deployments is None:
            return
        configured = [edit for edit in edits_of_files if edit.thing is Thing.CONFIGURATION]
        facts = reach.facts
        for edit in configuration_edits(*self.deployments, reach):
            if not any(e.name.endswith(edit.name) and e.explanation is edit.explanation for e in configured):
                yield edit
        base, *heads = facts.topologies or (None,)
        if any(head != base for head in heads):
            yield from variable_edits(*self.deployments)
        yield from outside_edit(*self.deployments, facts)
        if runs_another_jar(self.head_entry, *self.deployments, self.head_side.files):
            yield jar_edit(*self.deployments)

    def edits_of_values(self, facts: Facts) -> Iterator[Edit]:
        """Edits of variables and images."""
        yield from (start_edit(v.name, v.location, facts.asked_for) for v in self.variables)
        in_keys = (v for v in self.asked_later if facts.computes_keys_with(v.name))
        yield from (key_variable_edit(v.name, v.location) for v in in_keys)
        yield from (image_edit(*image, facts) for image in self.images)

    def edits_of_unread_starts(self) -> Iterator[Edit]:
        """For a program that is not read: its start gives it something else."""
        if self.deployments is not None and self.given_otherwise and given_otherwise(*self.deployments):
            yield unread_start(*self.deployments)


def both_starts(
    base: Side,
    head: Side,
    entries: tuple[PipelineEntry, PipelineEntry],
    topologies: Sequence[Topology | None],
    facts: Facts,
) -> BothStarts:
    """How a pipeline is started in both revisions."""
    place = main_file(topologies[1]) or entries[1].file or ""
    later = (v for v in variables_of_records(base, head, topologies) if v.name not in facts.asked_for)
    return BothStarts(
        base,
        head,
        *entries,
        tuple(changed_variables(base, head, topologies, facts)),
        tuple(later),
        tuple(changed_images(plain(base.files), plain(head.files), place, resources_of(*entries))),
        tuple(_unrendered(base, head, place, entries)),
    )


def _unrendered(base: Side, head: Side, source: str, entries: tuple[PipelineEntry, ...]) -> Iterator[Edit]:
    starts = [entry.deployment for entry in entries if entry.deployment is not None]
    if len(starts) == len(entries) and all(start.rendered for start in starts):
        return
    program = program_of(head, source)
    for tool, name, place in edits_of_unrendered(plain(base.files), plain(head.files), program, source):
        yield unrendered_edit(tool, name, place)
