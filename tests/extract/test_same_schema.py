"""Edits of Avro schemas that no state can notice are not edits."""

from __future__ import annotations

import pytest

from checker.extract.changed_files.difference import changed_files
from checker.model.sources import MemoryFiles

TRIP = """{"type": "record", "name": "Trip", "namespace": "a", "fields": [
  {"name": "at", "type": "long"},
  {"name": "by", "type": {"type": "map", "values": "string"}, "default": {"doc": "x"}}]}"""


@pytest.mark.parametrize(
    ("before", "after", "silent"),
    [
        ('"type": "long"', '"type": "long", "doc": "ms"', True),
        ('"name": "Trip"', '"doc": "A trip.",\n\n  "name": "Trip"', True),
        ('"type": "long"', '"type": "int"', False),
        ('"type": "long"', '"type": {"type": "long", "logicalType": "timestamp-millis"}', False),
        ('{"doc": "x"}', '{"doc": "y"}', False),
        ('"name": "at"', '"name": "since"', False),
        ('"fields": [', '"fields": [[', False),
        ('"fields": [', '"fields": 5, "other": [', False),
    ],
)
def test_documentation_and_layout_of_schemas_are_no_edits(before: str, after: str, silent: bool) -> None:
    assert before in TRIP
    path = "src/main/avro/trip.avsc"
    sides = [MemoryFiles({path: text.encode()}) for text in (TRIP, TRIP.replace(before, after))]
    assert (not changed_files(*sides, ".java")) is silent
