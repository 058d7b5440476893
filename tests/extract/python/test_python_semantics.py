"""Expressions and statements of a script have the value that Python gives them, or none that is certain."""

from typing import Any

import pytest

from checker.extract import python
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.unknowns import Unknown
from tests.extract.tables import table

SNIPPETS: list[str] = table("readings/snippets.yaml")
"""Each gives ``r`` a text."""
OPEN = 10
"""How many of them are not followed: fewer is better, more is a step back."""
_HEAD = "from pyflink.datastream import StreamExecutionEnvironment\n"
_TAIL = """
env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1]).map(lambda q: q).uid(r).print()
env.execute()
"""


def uid_of(snippet: str) -> Any:
    """What the reader says of ``r``: the text, or why it is not known."""
    entry = PipelineEntry(name="job", extract=ExtractorKind.PYTHON, file="job.py")
    topology = python.extract(MemoryFiles({"job.py": (_HEAD + snippet + _TAIL).encode()}), entry)
    found = [transformation.uid for transformation in topology.transformations if transformation.uid is not None]
    return (
        found[0]
        if found
        else next(transformation.unknown for transformation in topology.transformations if transformation.unknown)
    )


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_values_are_pythons(snippet: str) -> None:
    variables: dict[str, Any] = {"__name__": __name__}
    exec(snippet, variables)
    found = uid_of(snippet)
    assert isinstance(found, Unknown) or found == variables["r"]


def test_few_are_not_followed() -> None:
    assert sum(isinstance(uid_of(snippet), Unknown) for snippet in SNIPPETS) <= OPEN
