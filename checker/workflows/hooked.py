"""What a hook checks: the pipelines that the change between two revisions may reach, and no others."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from checker.errors import CheckerError
from checker.extract.asking.consulted import ConsultedFiles, remembered
from checker.extract.runtime.execution import Execution
from checker.model.nested import Json
from checker.model.pipelines import ExtractorKind, Note, PipelineEntry
from checker.model.sources import SourceFiles
from checker.settings import FILE
from checker.workflows.check.comparing_revisions import Asked, plan_check, run_check
from checker.workflows.check.records import CheckPlan
from checker.workflows.check.stages import one_entry, pipeline_stage
from checker.workflows.unreached import Reaching


def judge_reached(
    repo: Path, base: str | None, head: str, edited: frozenset[str], reaching: Reaching | None
) -> Json | None:
    """The report on the pipelines that the change may reach; None where it reaches none of those that there are.

    An edited configuration reaches all of them.
    """
    configured = FILE in edited

    def spares(before: PipelineEntry, after: PipelineEntry, base: SourceFiles, head: SourceFiles) -> bool:
        if configured:
            return False
        if reaching is not None and all(map(reaching.spares, (*_files(before), *_files(after)))):
            return True
        alike = before.extract is ExtractorKind.SQL and replace(after, optional=before.optional) == before
        return alike and _same_statements(after, base, head)

    plan = plan_check(repo, base, head, Asked(execution=Execution(fetch=False), spares=spares))
    if reaching is not None and not configured:
        plan = replace(plan, notes=tuple(note for note in plan.notes if not _is_elsewhere(note, reaching)))
    found = [_judged(plan, name) for name in plan.names]
    judged = [document for document, reached in found if document is not None and (reached or configured)]
    if not judged and (plan.names or plan.partial):
        return None
    return run_check(replace(plan, partial=plan.partial or len(judged) < len(plan.names)), lambda _: judged)


def _judged(plan: CheckPlan, name: str) -> tuple[Json | None, bool]:
    """A pipeline's part of the report (None where neither revision has it), and whether the change reaches it."""
    base, head = ConsultedFiles(plan.base_files), ConsultedFiles(plan.head_files)
    for files, read in ((base, plan.base_read), (head, plan.head_read)):
        for pipeline in read:
            if pipeline.name == name and pipeline.consulted is not None:
                files.consulted.add(pipeline.consulted)
    document = pipeline_stage(replace(plan, base_files=base, head_files=head), name)
    edited = document is not None and document["account"] is not None and document["account"]["edits"]
    started_alike = one_entry(*plan.asked.get(name, (None, None)))
    return document, not started_alike or base.consulted != head.consulted or bool(edited)


def _is_elsewhere(note: Note, reaching: Reaching) -> bool:
    """Whether a note is about a program that is not read, and that the edit does not reach; tests have no place."""
    return note.unread is not None and (note.location is None or reaching.spares(note.location.file))


def _files(entry: PipelineEntry) -> tuple[str | None, ...]:
    return (*entry.files, entry.file)


def _same_statements(entry: PipelineEntry, base: SourceFiles, head: SourceFiles) -> bool:
    """Whether both revisions have the same script or compiled plan, and all that its planning takes from them."""
    from checker.extract.sql.scripts.reading import is_script, read_plan, read_script

    def read(files: SourceFiles) -> None:
        with suppress(CheckerError):
            read_script(files, entry) if is_script(entry) else read_plan(files, entry)

    watched = ConsultedFiles(head)
    remembered(f"script {entry!r}", watched, read)
    return watched.consulted.holds(base)
