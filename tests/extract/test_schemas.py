"""Classes that a build generates from Avro schemas, and how these may change under state."""

import json

import pytest

from checker.compare.fit.types import Fit, avro_fit
from checker.extract.changed_files.difference import changed_files
from checker.extract.schemas import AvroSchemas, standalone
from checker.model.sources import MemoryFiles

ID = {"name": "id", "type": "string", "doc": "of the order"}
COLOR = {"name": "color", "type": "Color"}
ENUM = {"type": "enum", "name": "Color", "namespace": "a", "symbols": ["RED", "GREEN"]}


def avro(*fields: dict[str, object], symbols: tuple[str, ...] = ("RED", "GREEN")) -> str:
    record = {"type": "record", "name": "Order", "namespace": "a", "doc": "An order.", "fields": list(fields)}
    files = {
        "src/main/avro/order.avsc": json.dumps(record).encode(),
        "src/main/avro/color.avsc": json.dumps({**ENUM, "symbols": list(symbols)}).encode(),
        "src/main/avro/broken.avsc": b"{",
    }
    found = AvroSchemas(files, files.__getitem__).schema("a.Order")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("after", "migrates", "fit"),
    [
        (avro(ID, COLOR), True, Fit.SAME),
        (avro({**ID, "doc": "other words"}, COLOR), False, Fit.SAME),
        (avro(ID, COLOR, {"name": "n", "type": "long", "default": 0}), True, Fit.SAME),
        (avro(ID, COLOR, {"name": "n", "type": "long", "default": 0}), False, Fit.INCOMPATIBLE),
        (avro(ID, COLOR, {"name": "n", "type": "long"}), True, Fit.INCOMPATIBLE),
        (avro({"name": "id", "type": "long"}, COLOR), True, Fit.INCOMPATIBLE),
        (avro({"name": "key", "type": "string", "aliases": ["id"]}, COLOR), True, Fit.SAME),
        (avro(ID, COLOR, symbols=("RED", "GREEN", "BLUE")), True, Fit.SAME),
        (avro(ID, COLOR, symbols=("RED",)), True, Fit.INCOMPATIBLE),
    ],
)
def test_avro_schemas_evolve_by_avros_rules(after: str, migrates: bool, fit: Fit) -> None:
    assert avro_fit(avro(ID, COLOR), after, migrates=migrates).fit is fit


def test_a_field_that_avro_drops_is_named() -> None:
    assert avro_fit(avro(ID, COLOR), avro(ID), migrates=True).dropped == ("field color of Avro type a.Order",)


def test_what_avro_drops_inside_of_a_record_is_named() -> None:
    def order(*lines: dict[str, object], colors: tuple[str, ...]) -> str:
        line = {"type": "record", "name": "Line", "namespace": "a", "fields": list(lines)}
        of_color = {**COLOR, "type": {**ENUM, "symbols": list(colors), "default": "RED"}}
        return avro(ID, {"name": "lines", "type": {"type": "array", "items": line}}, of_color)

    before = order(ID, {"name": "n", "type": "long"}, colors=("RED", "GREEN"))
    found = avro_fit(before, order(ID, colors=("RED",)), migrates=True)
    assert found.fit is Fit.SAME
    assert found.dropped == ("symbol GREEN of Avro type a.Color", "field n of Avro type a.Line")


def test_a_schema_in_a_generated_class_is_the_one_of_its_file() -> None:
    text = json.dumps({"type": "record", "name": "Order", "namespace": "a", "fields": [ID, {**COLOR, "type": ENUM}]})
    found = standalone(text)
    assert found is not None
    assert avro_fit(avro(ID, COLOR), found, migrates=False).fit is Fit.SAME
    assert standalone("no schema") is None


def test_idl_is_known_by_its_text() -> None:
    files = {"order.avdl": b"protocol P { record Order { string id; } }"}
    schemas = AvroSchemas(files, files.__getitem__)
    assert schemas.schema("a.Order") is None
    assert str(schemas.unread("a.Order")).startswith("code ")
    assert schemas.unread("a.Other") is None


def test_what_a_file_defines_that_is_not_parsed_is_known_by_the_files_text() -> None:
    def found(kind: type[AvroSchemas], name: str, **files: str) -> tuple[bool, str | None]:
        data = {path.replace("_", "."): text.encode() for path, text in files.items()}
        schemas = kind(data, data.__getitem__)
        return schemas.schema(name) is not None, schemas.unread(name)

    record = '{"type": "record", "name": "Order", "fields": [{"name": "line", "type": "Line"}]}'
    for kind, whole, part, ending in (
        (AvroSchemas, record, '{{"type": "record", "name": "Line", "doc": "{}"', "avsc"),
        (AvroSchemas, record, "record Line {{ long {}; }}", "avdl"),
    ):
        for name, files in (("Order", {"order_avsc": whole}), ("Line", {})):
            first, again, different = (
                found(kind, name, **files, **{f"line_{ending}": part.format(field)}) for field in ("a", "a", "b")
            )
            assert first == again
            assert not first[0]
            assert first[1] is not None
            assert first[1] != different[1]


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
