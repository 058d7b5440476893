"""What ``check`` says of two revisions that are no commits."""

from collections.abc import Mapping

from checker.engines import choice
from checker.extract import registry
from checker.model.nested import Json
from checker.model.sources import MemoryFiles
from checker.settings import Settings
from checker.workflows.check.records import CheckPlan

_SIDE = {"asked": "HEAD", "label": "HEAD", "commit": None, "note": None}


def judged(base: Mapping[str, str | bytes], head: Mapping[str, str | bytes]) -> list[Json]:
    """The pipelines of these files, before and after."""
    before, after = (
        MemoryFiles({path: text.encode() if isinstance(text, str) else text for path, text in files.items()})
        for files in (base, head)
    )
    plan = CheckPlan(
        base=_SIDE,
        head=_SIDE,
        base_entries=registry.discover(before, Settings()).entries,
        head_entries=registry.discover(after, Settings()).entries,
        base_files=before,
        head_files=after,
        severities={},
        fail_on=None,
    )
    return choice.judge_pipelines(plan)
