"""The engine without Spark: the stages, one pipeline after the other, in this process."""

from __future__ import annotations

import json
from collections.abc import Callable

from checker.model.pipelines import PipelineEntry
from checker.model.sources import SourceFiles
from checker.pipeline.records import CheckPlan, JudgeTask, ReadPipeline, ReadTask
from checker.pipeline.stages import judge_stage, read_stage
from checker.report.document import Json

Progress = Callable[[str, int, int], None]
"""Called with stage name, units done, units in all."""


def quiet(stage: str, done: int, total: int) -> None:
    """No progress shown."""


def judge_pipelines(plan: CheckPlan, progress: Progress = quiet) -> list[Json]:
    """Every pipeline of either side, judged."""
    names = sorted({e.name for e in (*plan.base_entries, *plan.head_entries)})
    base = {e.name: e for e in plan.base_entries}
    head = {e.name: e for e in plan.head_entries}
    judged = []
    for done, name in enumerate(names):
        progress("pipelines", done, len(names))
        after = _read(head.get(name), plan.head_files)
        before = _unchanged(base.get(name), head.get(name), after, plan) or _read(base.get(name), plan.base_files)
        if before is None and after is None:
            continue
        judged.append(judge_stage(JudgeTask(name=name, base=before, head=after, severities=plan.severities)))
    progress("pipelines", len(names), len(names))
    return judged


def _read(entry: PipelineEntry | None, files: SourceFiles) -> ReadPipeline | None:
    return None if entry is None else read_stage(ReadTask(entry=entry, files=files))


def _unchanged(
    base: PipelineEntry | None, head: PipelineEntry | None, after: ReadPipeline | None, plan: CheckPlan
) -> ReadPipeline | None:
    """The head's answer where no file that went into it differs: reading the base would give the same."""
    if base is None or base != head or after is None or after.topology is None:
        return None
    files = json.loads(after.topology).get("files", [])
    if not files:
        return None
    endings = tuple({f.rsplit(".", 1)[-1] for f in files})
    # A file that is only on one side can give a name another meaning, even when nobody looked at it.
    if _with_endings(plan.base_files, endings) != _with_endings(plan.head_files, endings):
        return None
    same = all(plan.base_files.content_id(f) == plan.head_files.content_id(f) for f in files)
    return after if same else None


def _with_endings(files: SourceFiles, endings: tuple[str, ...]) -> list[str]:
    return [path for path in files.paths() if path.endswith(endings)]
