"""The pipelines of one revision, read one after the other: what ``ids --head`` and ``extract`` show."""

from collections.abc import Iterator
from dataclasses import replace

from checker.errors import UsageError
from checker.extract import registry
from checker.extract.runtime.execution import Execution
from checker.model.flink_releases import judged_as
from checker.model.pipelines import Extracted, ExtractorKind, PipelineEntry, Reason
from checker.model.secrets import masked_arguments
from checker.report.check.document import READ
from checker.report.presentable import complain
from checker.revisions import Revision
from checker.settings import FILE, Settings
from checker.workflows.check.choosing_extractors import choose
from checker.workflows.check.environments import deployed_entries, deployment_notes, is_selected
from checker.workflows.check.records import ReadPipeline, SideToRead
from checker.workflows.running_programs import Runner, refuse_nothing_to_run


def read_pipelines(
    revision: Revision, settings: Settings, names: tuple[str, ...], execution: Execution
) -> Iterator[Extracted]:
    """Every selected pipeline as it is deployed with its topology, or why there is none.

    ``names`` are globs, empty for all. Notes of discovery and of deployments go to stderr. Raises UsageError when none
    is selected.
    """
    discovery = registry.discover(revision.files, settings)
    deployed = deployed_entries(discovery.entries, revision.files, settings)
    entries = [e for e in deployed if not names or is_selected(e.name, names)]
    for note in (*discovery.notes, *deployment_notes(entries)):
        complain(f"note: {note.message}")
    if not entries:
        found = ", ".join(e.name for e in discovery.entries)
        there = f"there are: {found}" if found else f"name one under [[pipeline]] in {FILE}, or look in another folder"
        wanted = f" called {', '.join(names)}" if names else ""
        raise UsageError(f"{revision.label}: no pipeline{wanted} found; {there}")
    entries = [replace(e, optional=False) for e in entries]
    refuse_nothing_to_run(entries, execution)
    # A program can submit several jobs. The person who allows execution named the revision too.
    runner = Runner(execution=execution, trusted=tuple(entries), any_jars=True)
    side = SideToRead(name="revision", files=revision.files, commit=revision.commit, entries=entries)
    choice = choose((side,), runner)
    for note in choice.notes:
        complain(f"note: {note.message}")
    run = {read.name: read for read in choice.read[side.name]}
    left = {entry.name: entry for entry in choice.entries[side.name]}
    for name in sorted({*run, *left}):
        if name in run:
            yield extracted_of(run[name])
        else:
            yield _from_source(revision, left[name], choice.reasons.get(name))


def extracted_of(read: ReadPipeline) -> Extracted:
    """A pipeline that was read while planning, as one that a reader gave."""
    entry = PipelineEntry(name=read.name, extract=ExtractorKind(read.extractor))
    return Extracted(
        entry=entry, topology=read.topology, failure=read.failure, failure_location=read.failure_location, how=read.how
    )


def _from_source(revision: Revision, entry: PipelineEntry, reason: Reason | None) -> Extracted:
    missing = Extracted(entry=entry, failure=f"the revision has no {entry.main or entry.file}")
    return replace(registry.extract(revision.files, entry) or missing, reason=reason)


def how_read(extracted: Extracted) -> str:
    """By which means, and why by these, as a report prints it."""
    how = extracted.how or READ[extracted.entry.extract.value]
    nearest = None if extracted.topology is None else judged_as(extracted.topology.flink)
    if nearest is not None:
        how = f"{how}, judged as one of Flink {nearest}"
    return f"{how}: {extracted.reason.why}" if extracted.reason else how


def conditions(extracted: Extracted) -> str:
    """What a pipeline was read for, as a report prints it: empty where nothing was given."""
    entry = extracted.entry
    parts = [f"parallelism {entry.parallelism}"] if entry.parallelism else []
    parts += [f"maximum parallelism {entry.max_parallelism}"] if entry.max_parallelism else []
    parts += [f"Flink {entry.flink}"] if entry.flink else []
    parts += [f"arguments {' '.join(masked_arguments(entry.args)) or 'none'}"] if entry.arguments_known else []
    parts += entry.assumptions and [f"assumed: {'; '.join(entry.assumptions)}"]
    if entry.deployment is not None:
        parts.append(f"as {entry.deployment.kind} {entry.deployment.name} has it")
    return ", ".join(parts)
