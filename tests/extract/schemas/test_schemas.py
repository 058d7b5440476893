"""Classes that a build generates from Avro and Protobuf schemas, and how these may change under state."""

from __future__ import annotations

import json

import pytest

from checker.compare.fit.schemas import avro_fit, protobuf_fit
from checker.compare.fit.types import Fit
from checker.extract.schemas.avro import AvroSchemas, standalone
from checker.extract.schemas.protobuf import ProtobufMessages

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
    assert avro_fit(avro(ID, COLOR), avro(ID), migrates=True).dropped == ("field color of Avro record a.Order",)


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


FIELDS = "string id = 1; int32 n = 2; Color color = 3; repeated Line lines = 4; map<string, int64> all = 5;"


def messages(body: str, options: str = "", extra: str = "") -> ProtobufMessages:
    text = (
        f'syntax = "proto3"; package shop; {options} message Order {{ {body} message Inner {{ bool b = 1; }} }} '
        f"enum Color {{ RED = 0; GREEN = 1; }} message Line {{ int64 q = 1; }} {extra}"
    )
    files = {"proto/shop/order_events.proto": text.encode(), "proto/none.proto": b"syntax = ;"}
    return ProtobufMessages(files, files.__getitem__)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ("", "shop.OrderEvents.Order"),
        ('option java_package = "a.b";', "a.b.OrderEvents.Order.Inner"),
        ('option java_package = "a.b"; option java_multiple_files = true;', "a.b.Order"),
        ('option java_outer_classname = "Out";', "shop.Out.Line"),
    ],
)
def test_messages_are_found_by_the_names_of_their_classes(options: str, name: str) -> None:
    assert messages(FIELDS, options).schema(name) is not None
    assert messages(FIELDS, options).schema("x.Order") is None


def test_an_outer_class_gives_way_to_a_message_of_its_name() -> None:
    found = messages(FIELDS, extra="message OrderEvents { bool b = 1; }")
    assert found.schema("shop.OrderEventsOuterClass.OrderEvents") is not None


def proto(body: str) -> str:
    found = messages(body).schema("shop.OrderEvents.Order")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("after", "fit"),
    [
        (FIELDS, Fit.SAME),
        (FIELDS.replace("string id", "string key"), Fit.SAME),
        (FIELDS + "bool more = 9;", Fit.SAME),
        (FIELDS.replace("int32 n", "int64 n"), Fit.SAME),
        (FIELDS.replace("int32 n", "uint32 n"), Fit.OPEN),
        (FIELDS.replace("int32 n = 2;", ""), Fit.SAME),
        (FIELDS.replace("int32 n = 2", "int32 n = 7"), Fit.INCOMPATIBLE),
        (FIELDS.replace("int32 n", "string n"), Fit.INCOMPATIBLE),
        (FIELDS.replace("int32 n", "sint32 n"), Fit.INCOMPATIBLE),
        (FIELDS.replace("int32 n", "repeated int32 n"), Fit.OPEN),
        (FIELDS.replace("repeated Line", "repeated Color"), Fit.INCOMPATIBLE),
        (FIELDS.replace("map<string", "map<int32"), Fit.INCOMPATIBLE),
        (FIELDS.replace("string id = 1;", "oneof one { string id = 1; }"), Fit.OPEN),
    ],
)
def test_messages_evolve_by_the_rules_of_the_wire(after: str, fit: Fit) -> None:
    assert protobuf_fit(proto(FIELDS), proto(after)).fit is fit


def test_a_field_that_is_gone_is_named() -> None:
    found = protobuf_fit(proto(FIELDS), proto(FIELDS.replace("int32 n = 2;", "")))
    assert found.dropped == ("field n = 2 of message shop.Order",)


def test_what_a_file_defines_that_is_not_parsed_is_known_by_the_files_text() -> None:
    def found(kind: type[AvroSchemas | ProtobufMessages], name: str, **files: str) -> tuple[bool, str | None]:
        data = {path.replace("_", "."): text.encode() for path, text in files.items()}
        schemas = kind(data, data.__getitem__)
        return schemas.schema(name) is not None, schemas.unread(name)

    order = 'syntax = "proto3"; option java_multiple_files = true; message Order { Line line = 1; }'
    line = "message Line {{ int64 {} = 1;"
    record = '{"type": "record", "name": "Order", "fields": [{"name": "line", "type": "Line"}]}'
    for kind, whole, part, ending in (
        (ProtobufMessages, order, line, "proto"),
        (AvroSchemas, record, '{{"type": "record", "name": "Line", "doc": "{}"', "avsc"),
        (AvroSchemas, record, "record Line {{ long {}; }}", "avdl"),
    ):
        top = "proto" if ending == "proto" else "avsc"
        for name, files in (("Order", {f"order_{top}": whole}), ("Line", {})):
            first, again, different = (
                found(kind, name, **files, **{f"line_{ending}": part.format(field)}) for field in ("a", "a", "b")
            )
            assert first == again
            assert not first[0]
            assert first[1] is not None
            assert first[1] != different[1]
    assert found(ProtobufMessages, "Order", a_proto=order, b_proto="message Line { }")[0]
    assert found(ProtobufMessages, "Other", a_proto=order, b_proto=line) == (False, None)


def test_a_group_of_a_message_is_not_read() -> None:
    assert messages("repeated group Result = 9 { required string url = 1; }").schema("shop.OrderEvents.Order") is None
    assert messages("repeated group Result = 9 { required string url = 1; }").unread("shop.OrderEvents.Order")
