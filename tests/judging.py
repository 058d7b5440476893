"""What ``check`` says of two revisions that are no commits."""

from collections.abc import Mapping
from functools import lru_cache

from checker.engines import choice
from checker.extract import registry
from checker.model.nested import Json
from checker.model.sources import MemoryFiles
from checker.settings import Settings
from checker.workflows.check.records import CheckPlan

_SIDE = {"asked": "HEAD", "label": "HEAD", "commit": None, "note": None}


def revision(files: Mapping[str, str | bytes]) -> MemoryFiles:
    """The files as a revision. Equal ones are the same as long as they are recent: what is known of it is kept."""
    contents = ((path, text.encode() if isinstance(text, str) else text) for path, text in files.items())
    return _revision(frozenset(contents))


@lru_cache(maxsize=4)
def _revision(files: frozenset[tuple[str, bytes]]) -> MemoryFiles:
    return MemoryFiles(dict(sorted(files)))


def judged(base: Mapping[str, str | bytes], head: Mapping[str, str | bytes]) -> list[Json]:
    """The pipelines of these files, before and after."""
    before, after = revision(base), revision(head)
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
