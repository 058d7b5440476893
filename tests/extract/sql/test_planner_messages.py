"""Why Flink plans nothing, as reports say it: the reason, without the options of a table."""

import pytest

from checker.extract.sql.planner import planning, splicing
from checker.model.savepoint import Savepoint
from checker.model.table_programs import TableHole
from checker.model.topology import Kind, Transformation
from checker.model.unknowns import Cause, Location, Unknown

_FACTORY = """Could not find a suitable table factory for 'TableSourceFactory' in
the classpath.

Reason: Required context properties mismatch.

The following properties are requested:
connector.password=very-secret
format.type=json

The following factories have been considered:
org.apache.flink.table.sources.CsvBatchTableSourceFactory"""
_SOURCE = """Unable to create a source for reading table 'a.b.c'.

Table options are:

'connector'='jdbc'
'password'='very-secret'"""


def not_read(path: str) -> Savepoint:
    raise AssertionError(path)


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (
            _FACTORY,
            "Could not find a suitable table factory for 'TableSourceFactory' in the classpath.",
        ),
        (_SOURCE, "Unable to create a source for reading table 'a.b.c'."),
        ("Column 'x' not found\n in any table", "Column 'x' not found in any table"),
        (
            'Encountered ")" at line 1, column 8.\nWas expecting one of:\n    "A" ...',
            'Encountered ")" at line 1, column 8.',
        ),
    ],
)
def test_options_of_tables_are_no_reason(message: str, reason: str) -> None:
    thrown = [{"class": "E", "message": message}]
    answer = planning._job({"statement": 0, "thrown": thrown}, not_read)
    assert answer.failure == reason


def test_what_flink_refuses_in_a_program_is_said_to_be_its_word() -> None:
    place = Location("Job.java", 8)
    open_part = Transformation(
        id="hole", kind=Kind.UNKNOWN, unknown=Unknown("tables", Cause.UNSUPPORTED, None, place, derived_from="x")
    )
    answer = planning.PlannedScript(
        jobs=(planning.PlannedJob(statement=2, failure="Object 'o' not found", refused=True),
              planning.PlannedJob(statement=3, failure="not planned")),
    )  # fmt: skip
    found = [splicing._why(open_part, TableHole(handle="hole", step=step), answer) for step in (2, 3, 4)]
    assert [unknown.reason for unknown in found] == [
        "Flink refuses the statement: Object 'o' not found", "not planned", "tables",
    ]  # fmt: skip
    assert {(unknown.location, unknown.derived_from) for unknown in found} == {(place, "x")}
