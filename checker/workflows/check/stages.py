"""The stages as pure functions: records in, records out. Both engines run exactly these."""

from dataclasses import replace
from functools import partial

from checker.compare import compare_pipelines
from checker.compare.account.code import with_causes
from checker.compare.revisions.mapping import entries_for
from checker.compare.revisions.starts import backend_of
from checker.errors import CheckerError, defect_message, did_you_mean
from checker.extract import registry
from checker.extract.asking.consulted import ask, consulted
from checker.extract.interpreting.memory import Trace
from checker.extract.unfollowed.unread_code import of_one_program
from checker.flink import translate
from checker.model.account import Account
from checker.model.deployments import Deployment
from checker.model.findings import Severity
from checker.model.nested import Json
from checker.model.pipelines import OF_TESTS, ExtractorKind, PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.translation import Translation
from checker.model.unknowns import Location
from checker.repair import plan_repairs
from checker.repair.advice import is_planned, with_repairs, with_statement_advice
from checker.repair.repairs import spelling_of
from checker.report.check.document import pipeline_document
from checker.rules.base import Revision, RuleContext
from checker.rules.registry import run_rules
from checker.rules.suppressions import apply_suppressions, without_decided
from checker.time_limits import ALLOWANCE, OverspentError, at_most
from checker.workflows.check.accounting import account_of
from checker.workflows.check.changed_starts import texts_of
from checker.workflows.check.records import CheckPlan, JudgeTask, ReadPipeline, Side
from checker.workflows.check.unreached_pipelines import unreached
from checker.workflows.check.unsupported_releases import (
    as_supported,
    assumptions_of_releases,
    is_unsupported,
    of_compared_releases,
)
from checker.workflows.check.vanished import both_sides


def pipeline_stage(plan: CheckPlan, name: str) -> Json | None:
    """One pipeline of a plan, read on both sides and judged; None when neither side has it after all."""
    plan = replace(plan, base_files=consulted(plan.base_files), head_files=consulted(plan.head_files))
    question = unreached(plan, name)
    known = None if question is None else question.known()
    if known is not None:
        return known
    task = judge_task(plan, name)
    document = None if task is None else judge_stage(task)
    if question is not None and document is not None:
        question.keep(document)
    return document


def judge_task(plan: CheckPlan, name: str) -> JudgeTask | None:
    """One pipeline of a plan, read on both sides; None when neither side has it after all."""
    base, head = plan.entries(name)
    after = _already(plan.head_read, name) or _read(head, plan.head_files)
    before = _already(plan.base_read, name) or _read(base, plan.base_files)
    if before is None and after is None:
        return None
    asked = plan.asked.get(name, (base, head))
    pair = both_sides(
        Side(base, before, plan.base_files, asked=asked[0]), Side(head, after, plan.head_files, asked=asked[1]),
        plan.base_entries, plan.head_entries,
    )  # fmt: skip
    pair = as_supported(*pair)
    before, after = (side.read for side in pair)
    if after is None and before is not None and (successor := _unread_successor(plan)) is not None:
        why = f"it is gone, and {successor} is new and could not be read: it may be the same job"
        after = ReadPipeline(name=name, extractor=before.extractor, failure=why)
        pair = pair[0], replace(pair[1], read=after)
    account, allowance = None, next((entry.allowance for entry in reversed(asked) if entry is not None), ALLOWANCE)
    try:
        account = at_most(allowance, partial(account_of, *pair))
    except OverspentError as error:
        before, after = (read and replace(read, topology=None, failure=str(error)) for read in (before, after))
    if is_one_program(account, *pair):
        before, after = as_one_program(before), as_one_program(after)
    return JudgeTask(
        name=name,
        base=before,
        head=after,
        severities=plan.severities,
        policy=plan.policy,
        reason=plan.reasons.get(name),
        deployments=(
            None if asked[0] is None else asked[0].deployment,
            None if asked[1] is None else asked[1].deployment,
        ),
        assumptions=tuple(dict.fromkeys(a for e in asked if e is not None for a in e.assumptions)),
        account=account,
        allowance=allowance,
        nothing_gone=plan.nothing_gone and asked[1] is not None and asked[1].discovered,
        texts=texts_of(plan, asked, *(None if side is None else side.topology for side in (before, after))),
    )


def _unread_successor(plan: CheckPlan) -> str | None:
    """A program that only the head has and that nobody reads: what a pipeline that is gone may have become."""
    places = (n.location for n in plan.notes if n.unread not in (None, OF_TESTS) and n.location is not None)
    return next((p.file for p in places if not ask(plan.base_files, "file", p.file)), None)


def is_one_program(account: Account | None, base: Side, head: Side) -> bool:
    """Whether no edit changes the program: what is not known is the same on both sides then."""
    entries = (side.entry or side.asked for side in (base, head))
    return account is not None and account.leaves_program and one_entry(*entries)


def _already(read: tuple[ReadPipeline, ...], name: str) -> ReadPipeline | None:
    return next((r for r in read if r.name == name), None)


def _read(entry: PipelineEntry | None, files: SourceFiles) -> ReadPipeline | None:
    return None if entry is None else read_stage(entry, files)


def one_entry(base: PipelineEntry | None, head: PipelineEntry | None) -> bool:
    """Whether both revisions have the pipeline, and it is read with the same arguments and versions, on any line."""
    if base is None or head is None:
        return False
    return _on_no_line(replace(head, optional=base.optional)) == _on_no_line(base)


def _on_no_line(entry: PipelineEntry) -> PipelineEntry:
    def placed(deployment: Deployment) -> Deployment:
        return replace(deployment, location=Location(deployment.location.file, 1), places=())

    started = None if entry.deployment is None else placed(entry.deployment)
    return replace(entry, deployment=started, may_be_deployed=tuple(map(placed, entry.may_be_deployed)))


def as_one_program(read: ReadPipeline | None) -> ReadPipeline | None:
    """What was read of a side, where both have one program."""
    if read is None or read.topology is None:
        return read
    return replace(read, topology=of_one_program(read.topology))


def read_stage(entry: PipelineEntry, files: SourceFiles) -> ReadPipeline | None:
    """One pipeline of one revision → its topology; None when the revision does not have it."""
    trace = Trace()
    extracted = registry.extract(files, entry, trace)
    if extracted is None and entry.optional:
        return None
    if extracted is None:
        wanted = entry.main or entry.file or entry.name
        missing = f"the configuration names it, but the revision has no {wanted}{_similar(wanted, files)}"
        return ReadPipeline(name=entry.name, extractor=entry.extract.value, failure=missing)
    return ReadPipeline(
        name=entry.name,
        extractor=extracted.entry.extract.value,
        topology=extracted.topology,
        failure=extracted.failure,
        failure_location=extracted.failure_location,
        trace=trace,
    )


def _similar(wanted: str, files: SourceFiles) -> str:
    """A question about the file that may be meant: by its path, or by the name of its class."""
    by_class = {path.rpartition("/")[2].partition(".")[0]: path for path in files.paths() if path.endswith(".java")}
    near = did_you_mean(wanted, files.paths())
    return near or did_you_mean(wanted.replace("$", ".").rpartition(".")[2], by_class, by_class.__getitem__)


def translate_stage(read: ReadPipeline) -> Translation | str:
    """A read pipeline → what Flink makes of it, or why it could not be read."""
    if read.topology is None:
        return read.failure or "could not be read"
    try:
        return translate(read.topology)
    except CheckerError as error:
        return str(error)
    except Exception as error:
        return defect_message(error)


def _as_started(read: ReadPipeline, deployment: Deployment | None) -> ReadPipeline:
    """What was read, with the state backend that its deployment names where the program names none."""
    if read.topology is None:
        return read
    return replace(read, topology=replace(read.topology, state_backend=backend_of(read.topology, deployment)))


def judge_stage(task: JudgeTask) -> Json:
    """Both sides of one pipeline → its part of the report.

    A defect of ours that shows here leaves this pipeline undecided and the others alone.
    """
    try:
        return at_most(task.allowance, partial(_judged, task))
    except Exception as error:
        head = task.head or task.base
        assert head is not None
        why = str(error) if isinstance(error, OverspentError) else defect_message(error)
        return _judged(replace(task, head=replace(head, topology=None, failure=why)))


def _judged(task: JudgeTask) -> Json:
    sides = zip(of_compared_releases(task), task.deployments, strict=True)
    base, head = (_side(read, started, task.nothing_gone and task.base is None) for read, started in sides)
    # With one side unread nothing can be compared: the operators of the other are neither kept nor lost.
    unreadable = base.failure is not None or head.failure is not None
    mapping = entries_for(task.policy.mapping, task.name)
    compared = (None, None) if unreadable else (base.translation, head.translation)
    comparison = compare_pipelines(task.name, *compared, mapping)
    context = RuleContext(
        pipeline=task.name,
        base=base,
        head=head,
        comparison=comparison,
        account=task.account,
        texts=task.texts,
    )
    policy = task.policy
    findings = run_rules(context, task.severities)
    errors = any(f.severity is Severity.ERROR for f in findings)
    graphs = [side.translation for side in (base, head) if side.translation is not None]
    if head.translation is not None and all(is_planned(graph.topology) for graph in graphs):
        findings = with_statement_advice(findings, graphs[0].topology, head.translation.topology)
    if base.translation is not None and head.translation is not None and head.extractor != ExtractorKind.SQL:
        planned = plan_repairs(base.translation, head.translation, comparison, mapping, task.texts) if errors else ()
        findings = with_repairs(findings, planned, spelling_of(head.translation.topology))
    kept, silenced = apply_suppressions(findings, policy.suppressions, policy.today)
    account = None if task.account is None else with_causes(task.account, comparison.operators)
    return pipeline_document(
        replace(context, account=account),
        without_decided(kept, task.account),
        suppressed=silenced,
        reason=task.reason,
        assumptions=(*task.assumptions, *dict.fromkeys(assumptions_of_releases(task))),
    )


def _side(read: ReadPipeline | None, deployment: Deployment | None, new: bool) -> Revision:
    """One side of a pipeline as rules see it."""
    if read is None:
        return Revision(translation=None, deployment=deployment)
    translation = translate_stage(_as_started(read, deployment))
    failed = isinstance(translation, str)
    return Revision(
        translation=None if isinstance(translation, str) else translation,
        failure=translation if isinstance(translation, str) else None,
        failure_location=read.failure_location,
        refused=failed and read.refused,
        lacking=read.lacking,
        certainly_new=new or (failed and read.topology is not None and is_unsupported(read.topology)),
        deployment=deployment,
        extractor=read.extractor,
        how=read.how,
    )
