"""What is found of how programs are started: the rows of ``tests/data/deployments``.

A row has the ``files`` of a revision and what has to be found of each of its ``starts``. ``entries`` are its
pipelines, Java programs without more (``com.acme.Orders`` alone if there are none), ``runs`` how many starts each has,
or what of each start. ``entry`` is what becomes of the first one with the first of its starts, ``assume_defaults`` that
values which are not known to be given count as not given.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Any

import pytest

from checker.extract.deployments.discovery import deployments
from checker.extract.deployments.matching import deployed_as, with_deployment
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.unknowns import Location
from tests.extract.tables import Row, rows

ROWS = dict(rows("deployments/*.yaml"))


def plain(value: Any) -> Any:
    """A value as YAML has it."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Location):
        return str(value)
    return [plain(item) for item in value] if isinstance(value, tuple) else value


def seen(found: object, asked: Row) -> dict[str, Any]:
    """What was asked of something found."""
    return {name: plain(getattr(found, name)) for name in asked}


def entries(row: Row) -> list[PipelineEntry]:
    """The pipelines of a row."""
    made = []
    for given in row.get("entries", ({},)):
        main = given.get("main", "com.acme.Orders")
        file = main if main.endswith(".py") else f"src/main/java/{main.replace('.', '/')}.java"
        kind = ExtractorKind.PYTHON if main.endswith(".py") else ExtractorKind.JAVA
        fields = {"name": main.rpartition(".")[2], "main": main, "file": file, **given}
        made.append(PipelineEntry(extract=kind, assume_defaults=row.get("assume_defaults", False), **fields))
    return made


@pytest.mark.parametrize("name", ROWS)
def test_what_is_found_of_how_a_program_is_started(name: str) -> None:
    row = ROWS[name]
    files = MemoryFiles({path: text.encode() for path, text in row["files"].items()})
    starts = deployments(files)
    if "starts" in row:
        assert [seen(start, asked) for start, asked in zip(starts, row["starts"], strict=True)] == row["starts"]
    asked: Sequence[Any] = row.get("runs", ())
    pipelines = entries(row)
    for pipeline, expected in zip(pipelines, asked, strict=bool(asked)):
        found = deployed_as(pipeline, pipelines, starts, files)
        if isinstance(expected, int):
            assert len(found) == expected
        else:
            assert [seen(start, fields) for start, fields in zip(found, expected, strict=True)] == expected
    if "entry" in row:
        entry = with_deployment(pipelines[0], starts[0])
        unset = {name: entry.is_unset(name) for name in row["entry"].get("is_unset", ())}
        expected = {key: value for key, value in row["entry"].items() if key != "is_unset"}
        assert (seen(entry, expected), unset) == (expected, row["entry"].get("is_unset", {}))
    assert {"starts", "runs", "entry"} & row.keys()
