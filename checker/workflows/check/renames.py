"""A pipeline under another name is still the same: a renamed main class must not hide what became of its state.

Names of classes and pipelines enter no operator id. So a pipeline that only the base has and one that only the head has
are compared with each other where most of their operators are alike.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from checker.extract import registry
from checker.model.pipelines import Note, PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.unknowns import Unknown

ALIKE = 0.6
"""Share of operators that two pipelines have in common, from which on they are taken for one."""
MOST = 40
"""More pipelines than this that come and go in one change are no renames that anybody could follow."""

Operators = Counter[tuple[str, str, str]]


def follow_renames(
    base: Sequence[PipelineEntry], head: Sequence[PipelineEntry], base_files: SourceFiles, head_files: SourceFiles
) -> tuple[tuple[PipelineEntry, ...], tuple[Note, ...]]:
    """The base's pipelines, renamed ones under the name they have in the head, and a note for each."""
    names = {e.name for e in head}, {e.name for e in base}
    gone = [e for e in base if e.name not in names[0]]
    new = [e for e in head if e.name not in names[1]]
    if not gone or not new or max(len(gone), len(new)) > MOST:
        return tuple(base), ()
    before = {e.name: _operators(base_files, e) for e in gone}
    after = {e.name: _operators(head_files, e) for e in new}
    pairs = sorted(
        (
            (_likeness(before[a.name], after[b.name]), a.name, b.name)
            for a in gone
            for b in new
            if a.extract is b.extract
        ),
        key=lambda pair: (-pair[0], pair[1], pair[2]),
    )
    renamed: dict[str, str] = {}
    for likeness, old, name in pairs:
        if likeness >= ALIKE and old not in renamed and name not in renamed.values():
            renamed[old] = name
    notes = tuple(
        Note(message=f"{new_name} is compared with {old}, which only the base has: most of their operators are alike")
        for old, new_name in sorted(renamed.items())
    )
    return tuple(replace(e, name=renamed.get(e.name, e.name)) for e in base), notes


def _operators(files: SourceFiles, entry: PipelineEntry) -> Operators:
    """Kind, name and function of every operator; empty for a pipeline that can't be read."""
    extracted = registry.extract(files, entry)
    if extracted is None or extracted.topology is None:
        return Counter()
    return Counter(
        (t.kind.value, "" if isinstance(t.name, Unknown) else t.display_name, _simple(t.function))
        for t in extracted.topology.operators()
        if not t.kind.virtual
    )


def _simple(function: str | None) -> str:
    """A function's own name: the class around it may be the one that was renamed."""
    return re.split(r"[.$]", function)[-1] if function else ""


def _likeness(left: Operators, right: Operators) -> float:
    larger = max(left.total(), right.total())
    return (left & right).total() / larger if larger else 0.0
