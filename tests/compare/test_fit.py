"""One comparison of types, whether the state before comes from a revision or from a savepoint."""

import pytest

from checker.compare.fit.classes import StateType, fit_of_types
from checker.compare.fit.serializers import serializer_fit
from checker.compare.fit.states import KindFit, kind_fit, ttl_fit
from checker.compare.fit.types import Fit, plain_type
from checker.compare.restore.backends import fit_of_written
from checker.model.declared_state import ClassShape, FieldShape, Serialization, StateKind
from checker.model.declared_state import SerializerTree as Tree
from checker.model.state_handles import PojoField, SerializerSnapshot

RUNTIME = "org.apache.flink.api.java.typeutils.runtime."
BASE = "org.apache.flink.api.common.typeutils.base."


def basic(name: str) -> SerializerSnapshot:
    return SerializerSnapshot(class_name=f"{BASE}{name}Serializer${name}SerializerSnapshot", version=3)


def pojo(name: str, *fields: PojoField) -> SerializerSnapshot:
    return SerializerSnapshot(class_name=f"{RUNTIME}PojoSerializerSnapshot", version=2, type_name=name, fields=fields)


def shape(name: str, *fields: FieldShape, serialization: Serialization = Serialization.POJO) -> ClassShape:
    return ClassShape(name=name, serialization=serialization, fields=fields)


AGE = PojoField("age", basic("Int"), "lab.Person")


def test_a_field_is_known_by_the_class_that_declares_it() -> None:
    """``PojoSerializerSnapshot`` looks a field up in its declaring class: one of that name elsewhere is another."""
    written = pojo("lab.Person", AGE, PojoField("id", basic("Long"), "lab.Base"))
    own = shape("lab.Person", FieldShape(name="age", type="int"), FieldShape(name="id", type="long"))
    found = fit_of_written(written, "Person", (own,))
    assert found.fit is Fit.OPEN
    assert "declared by lab.Base" in found.why
    inherited = shape(
        "lab.Person", FieldShape(name="age", type="int"), FieldShape(name="id", type="long", declared_by="lab.Base")
    )
    assert fit_of_written(written, "Person", (inherited,)).fit is Fit.SAME


def test_a_key_can_not_be_migrated_from_a_savepoint_either() -> None:
    grown = shape("lab.Person", FieldShape(name="age", type="int"), FieldShape(name="name", type="String"))
    assert fit_of_written(pojo("lab.Person", AGE), "Person", (grown,)).fit is Fit.SAME
    assert fit_of_written(pojo("lab.Person", AGE), "Person", (grown,), migrates=False).fit is Fit.INCOMPATIBLE


@pytest.mark.parametrize(
    ("before", "after", "fit"),
    [
        ("Long", "com.acme.Event", Fit.INCOMPATIBLE),
        ("Long", "T", Fit.OPEN),
        ("long[]", "Long[]", Fit.INCOMPATIBLE),
        ("double[]", "java.lang.Double[]", Fit.INCOMPATIBLE),
        ("long[]", "long[]", Fit.SAME),
        ("long[]", "com.acme.Totals", Fit.INCOMPATIBLE),
        ("long[]", "T[]", Fit.OPEN),
        ("Long", "Object", Fit.OPEN),
        ("List<Long>", "String", Fit.INCOMPATIBLE),
        ("BasicTypeInfo.LONG_TYPE_INFO", "java.lang.Long", Fit.SAME),
        ("TypeInformation.of(com.acme.Event.class)", "Event", Fit.SAME),
    ],
)
def test_names(before: str, after: str, fit: Fit) -> None:
    assert fit_of_types(StateType(before), StateType(after)).fit is fit
    assert fit_of_types(StateType(after), StateType(before)).fit is fit


def test_a_class_that_only_one_side_shows_is_open_under_its_name_and_another_type_under_another() -> None:
    known = StateType("Event", (shape("com.acme.Event"),))
    assert fit_of_types(known, StateType("com.acme.Event")).fit is Fit.OPEN
    assert fit_of_types(StateType("Event"), known).fit is Fit.OPEN
    assert fit_of_types(known, StateType("Payment")).fit is Fit.INCOMPATIBLE


def test_constants_are_the_types_they_stand_for() -> None:
    assert {plain_type(t) for t in ("long", "Types.LONG", "LONG", "LONG_TYPE_INFO", "Long.class")} == {"Long"}
    assert plain_type("LocalTimeTypeInfo.LOCAL_DATE_TIME") == "LocalDateTime"
    assert plain_type("OUT") == "OUT"


def test_kinds_and_time_to_live() -> None:
    assert kind_fit(StateKind.OPERATOR_LIST, StateKind.BROADCAST) is KindFit.STARTS_EMPTY
    assert kind_fit(StateKind.OPERATOR_LIST, StateKind.OPERATOR_UNION_LIST) is KindFit.REFUSED
    assert [ttl_fit(False, True, flink) for flink in ("2.0", "2.1", "2.2", None)] == [
        Fit.INCOMPATIBLE, Fit.OPEN, Fit.SAME, Fit.OPEN
    ]  # fmt: skip
    assert ttl_fit(False, True, "2.1", on_heap=True) is Fit.INCOMPATIBLE
    assert ttl_fit(False, True, "2.1", on_heap=False) is Fit.SAME


def test_type_information_of_the_program_may_leave_the_fields_to_flink() -> None:
    """``createTypeInfo`` that returns ``Types.GENERIC(Point.class)`` has Kryo write the fields."""

    def state(*fields: FieldShape) -> StateType:
        written = ClassShape(name="lab.Point", serialization=Serialization.OWN, fields=fields, code="code 1")
        return StateType("Point", (written,))

    before, after = FieldShape(name="lat", type="double"), FieldShape(name="lon", type="double")
    assert fit_of_types(state(before), state(before)).fit is Fit.SAME
    found = fit_of_types(state(before), state(before, after))
    assert found.fit is Fit.OPEN
    assert "the fields that changed" in found.why


def row(*types: str, nested: tuple[Tree, ...] = ()) -> Tree:
    return Tree(name="RowData", types=types, nested=nested)


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        (row("INT"), row("BIGINT"), "INT → BIGINT"),
        (row("INT", "STRING"), row("INT", "STRING NOT NULL"), "column 2 of 2: STRING → STRING NOT NULL"),
        (row("INT"), row("INT", "INT"), "RowData(INT) → RowData(INT, INT)"),
        (Tree(name="Int"), Tree(name="Long"), "Int → Long"),
    ],
)
def test_sql_types_are_compared_as_they_are(before: Tree, after: Tree, why: str) -> None:
    found = serializer_fit(before, after)
    assert (found.fit, found.why) == (Fit.INCOMPATIBLE, why)


def test_an_external_serializer_compares_what_it_nests() -> None:
    before, after = (Tree(name="External", types=(t,), nested=(Tree(name="StringData"),)) for t in ("a", "b"))
    assert serializer_fit(before, after).fit is Fit.SAME
    foreign = Tree(name="External", types=("a",), nested=(Tree(name="Int"),))
    assert serializer_fit(before, foreign).fit is Fit.INCOMPATIBLE


def test_time_to_live_is_no_matter_of_types() -> None:
    plain = row("INT")
    expiring = Tree(name="Ttl", nested=(Tree(name="Long"), plain))
    assert serializer_fit(plain, expiring).fit is Fit.SAME
    assert serializer_fit(expiring, row("BIGINT")).fit is Fit.INCOMPATIBLE
