"""Programs that Flink's planner read: what an edit of their code means while a part of them could not be read."""

from __future__ import annotations

import pytest

from checker.model.account import Explanation
from checker.model.sources import MemoryFiles
from checker.model.topology import Kind, Topology, Transformation
from checker.model.unknowns import Cause, Unknown
from checker.workflows.check.accounting import Side, account_of
from checker.workflows.check.records import ReadPipeline

PROGRAM = "src/main/java/acme/Queries.java"
SOURCE = Transformation(id="s", kind=Kind.SOURCE, name="s")
HOLE = Transformation(id="u", kind=Kind.UNKNOWN, inputs=("s",), unknown=Unknown("a library runs it", Cause.EXTERNAL))


def side(text: str, *transformations: Transformation) -> Side:
    topology = Topology(name="job", transformations=transformations, files=(PROGRAM,))
    read = ReadPipeline(name="job", extractor="sql", topology=topology)
    return Side(entry=None, read=read, files=MemoryFiles({PROGRAM: text.encode()}))


@pytest.mark.parametrize(
    ("transformations", "explanation"),
    [((SOURCE,), Explanation.COMPARED), ((SOURCE, HOLE), Explanation.NOT_UNDERSTOOD)],
)
def test_code_of_a_program_with_a_hole_is_not_compared(
    transformations: tuple[Transformation, ...], explanation: Explanation
) -> None:
    before, after = (side(f'class Queries {{ String q = "{query}"; }}', *transformations) for query in ("a", "b"))
    account = account_of(before, after)
    assert account is not None
    assert [edit.explanation for edit in account.edits] == [explanation]
