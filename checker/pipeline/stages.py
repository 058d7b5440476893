"""The stages as pure functions: records in, records out. Both engines run exactly these."""

from __future__ import annotations

import json

from checker.compare import compare_pipelines
from checker.errors import CheckerError
from checker.extract import registry
from checker.extract.document_fields import topology_of
from checker.extract.document_writer import topology_document
from checker.flink import translate
from checker.model.comparison import PipelineFailure
from checker.model.graphs import Translation
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.pipeline.records import JudgeTask, ReadPipeline, ReadTask
from checker.report.document import Json, pipeline_document
from checker.rules.base import Revision as RevisionContext
from checker.rules.base import RuleContext
from checker.rules.registry import run_rules


def read_stage(task: ReadTask) -> ReadPipeline | None:
    """One pipeline of one revision → its topology as a document; None when the revision does not have it."""
    extracted = registry.extract(task.files, task.entry)
    if extracted is None:
        return None
    topology = extracted.topology
    return ReadPipeline(
        name=task.entry.name,
        extractor=task.entry.extract.value,
        topology=None if topology is None else json.dumps(topology_document(topology), ensure_ascii=False),
        failure=extracted.failure,
    )


def translate_stage(read: ReadPipeline) -> Translation | str:
    """A read pipeline → what Flink makes of it, or why it could not be read."""
    if read.topology is None:
        return read.failure or "could not be read"
    try:
        return translate(topology_of(json.loads(read.topology)))
    except CheckerError as error:
        return str(error)


def judge_stage(task: JudgeTask) -> Json:
    """Both sides of one pipeline → its part of the report."""
    base, head = (None if side is None else translate_stage(side) for side in (task.base, task.head))
    base_graph = base if isinstance(base, Translation) else None
    head_graph = head if isinstance(head, Translation) else None
    unreadable = isinstance(base, str) or isinstance(head, str)
    # With one side unread nothing can be compared: the operators of the other are neither kept nor lost.
    comparison = compare_pipelines(task.name, *((None, None) if unreadable else (base_graph, head_graph)))
    context = RuleContext(
        pipeline=task.name,
        base=RevisionContext(translation=base_graph, failure=base if isinstance(base, str) else None),
        head=RevisionContext(translation=head_graph, failure=head if isinstance(head, str) else None),
        comparison=comparison,
    )
    return pipeline_document(
        comparison,
        run_rules(context, task.severities),
        base=base_graph,
        head=head_graph,
        extractors=(task.base and task.base.extractor, task.head and task.head.extractor),
        failures=(_failure(task.base, base), _failure(task.head, head)),
    )


def _failure(read: ReadPipeline | None, side: Translation | str | None) -> PipelineFailure | None:
    if read is None or not isinstance(side, str):
        return None
    return PipelineFailure(entry=PipelineEntry(name=read.name, extract=ExtractorKind(read.extractor)), message=side)
