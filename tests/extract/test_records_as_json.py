"""Records as JSON come back as they were, and nothing else is made of JSON."""

import json
from typing import Any

import pytest

from checker.extract.asking.content_facts import RecordsAsJson
from checker.extract.interpreting.memory import Trace
from checker.model.pipelines import Extracted, ExtractorKind, PipelineEntry
from checker.model.table_programs import Literal, Options, TableProgram, TableStep
from checker.model.topology import Decided, Kind, Mode, Topology, Transformation, Variant
from checker.model.unknowns import Cause, Location, Unknown

RECORDS = RecordsAsJson(Extracted, Trace)


def test_a_reading_comes_back_as_it_was() -> None:
    why = Unknown("not \ud800 known", Cause.ARGUMENT, options=("dict", 1, True, None), location=Location("a", 1))
    source = Transformation(id="tuple", kind=Kind.SOURCE, uid=why, state=(), function_values=("list",))
    topology = Topology(
        name="set", transformations=(source,), mode=Mode.BATCH, files=("a",), variants_unknown=why,
        variants=(Variant(when="x", ways=((Decided(condition=None, outcome="y"),),), transformations=(source,)),),
    )  # fmt: skip
    read = Extracted(entry=PipelineEntry(name="n", extract=ExtractorKind.JAVA), topology=topology)
    step = TableStep(
        on="t", call="c", arguments=(Options((("k", Literal(1.5, "double")),)), why), location=why.location
    )
    trace = Trace({"a": {3, 1}}, {}, {("a", 1)}, {("a", 2): Location("a", 3)}, (TableProgram(steps=(step,)),))
    made, followed = RECORDS.made(json.loads(json.dumps(RECORDS.document((read, trace)))))
    assert made == read
    assert (made.topology.files, type(made.topology.mode)) == (("a",), Mode)
    assert all(getattr(followed, name) == getattr(trace, name) for name in Trace.__slots__)


@pytest.mark.parametrize("document", [["Path", "x"], ["Kind", "x"], ["Location", "a"], ["dict", 1], [], [["tuple"]]])
def test_nothing_else_is_made(document: Any) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        RECORDS.made(document)


def test_what_is_no_record_is_refused() -> None:
    with pytest.raises(TypeError):
        RECORDS.document((Location("a", 1), object()))
