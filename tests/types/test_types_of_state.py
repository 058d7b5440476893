"""Classes in state: the Java reader's shapes and the comparison, held against what real Flinks said of them."""

import gzip
from pathlib import Path

import pytest

from checker.compare.fit.classes import StateType, fit_of_types
from checker.compare.fit.types import Fit, TypeFit
from checker.extract.java.state.class_shapes import ShapeReader
from checker.extract.java.state.java_types import resolved
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.type_refs import TypeRef
from checker.model.declared_state import ClassShape, Serialization
from checker.model.flink_releases import api_of
from checker.model.sources import MemoryFiles
from tests.flinks import asked, compiled, jars_of
from tests.types.asking import HERE, Answer, answers, ask, pairs, source

VERSIONS = ("1.18.1", "1.20.5", "2.0.2", "2.3.0")
RECORDED = Path(__file__).parents[1] / "data" / "types"
KINDS = {
    "PojoTypeInfo": Serialization.POJO,
    "GenericTypeInfo": Serialization.GENERIC,
    "EnumTypeInfo": Serialization.ENUM,
}
OPEN = {
    "KryoChanged": "Kryo notices nothing and reads fields by place",
    "KryoPart": "the same",
    "NestedKryo": "the same, one level down",
    "Inner": "the same, for a class that is not a POJO",
    "Shadowing": "the same",
    "WrongSetter": "the same before 2.0",
    "PointGrown": "the same before 1.19",
    "PointRetyped": "the same before 1.19",
    "ListRetyped": "the same before 2.0",
    "WithMap": "the same before 2.0",
    "Reparented": "what became of the old superclass is not looked at",
    "OfGenericRetyped": "type arguments of own classes are not followed",
    "ArrayRetyped": "arrays are compared by name only",
    "ListToMap": "two collections",
    "ListToBasic": "a collection was Kryo's before 2.0",
    "TimeToLong": "Instant",
    "MapSubclass": "what a class that extends a collection holds is not compared",
}
"""Pairs that may stay open, and why."""


def recorded(version: str) -> list[Answer]:
    return answers(gzip.decompress((RECORDED / f"types-{version}.tsv.gz").read_bytes()).decode())


def shapes(side: str, name: str, version: str) -> tuple[ClassShape, ...]:
    path = "src/main/java/lab/Types.java"
    index = ClassIndex(MemoryFiles({path: source(side).encode()}))
    scope = index.find("lab.Types")
    assert scope is not None
    return ShapeReader(index, api_of(version)).shapes_of((resolved(index, TypeRef(name), scope),))


def fit_of(answer: Answer, version: str, *, migrates: bool = True) -> TypeFit:
    before, after = answer.before.rpartition("$")[2], answer.after.rpartition("$")[2]
    old, new = StateType(before, shapes("before", before, version)), StateType(after, shapes("after", after, version))
    return fit_of_types(old, new, migrates=migrates)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_reader_knows_how_flink_writes_each_class(version: str) -> None:
    answered = 0
    for answer in recorded(version):
        for side, name, kind in (
            ("before", answer.before, answer.kind_before),
            ("after", answer.after, answer.kind_after),
        ):
            found = {s.name: s for s in shapes(side, name.rpartition("$")[2], version)}[name]
            if isinstance(found.serialization, Serialization):
                assert found.serialization is KINDS[kind], (side, name)
                answered += 1
            if side == "before" and found.serialization is Serialization.POJO:
                assert tuple(f.name for f in found.fields) == answer.fields, name
    assert answered >= 2 * len(pairs()) - 2


@pytest.mark.parametrize("version", VERSIONS)
def test_fits_are_flinks(version: str) -> None:
    undecided = set()
    for answer in recorded(version):
        name = answer.before.rpartition("$")[2]
        found = fit_of(answer, version)
        if found.fit is Fit.OPEN:
            undecided.add(name)
            continue
        refused = not answer.compatibility.startswith("COMPATIBLE")
        incompatible = found.fit is Fit.INCOMPATIBLE and not found.effect
        assert incompatible == refused, (name, found, answer.compatibility)
        assert not refused or found.why, name
    assert undecided <= OPEN.keys()


@pytest.mark.parametrize("version", VERSIONS)
def test_keys_take_no_migration(version: str) -> None:
    for answer in recorded(version):
        found = fit_of(answer, version, migrates=False)
        accepted = answer.compatibility in ("COMPATIBLE_AS_IS", "COMPATIBLE_WITH_RECONFIGURED_SERIALIZER")
        if found.fit is Fit.SAME:
            assert accepted, (answer, found)
        elif found.fit is Fit.INCOMPATIBLE and not found.effect:
            assert not accepted, (answer, found)


def test_what_a_restore_drops_is_named() -> None:
    dropped = {a.before.rpartition("$")[2]: fit_of(a, "1.20.5").dropped for a in recorded("1.20.5")}
    assert dropped["FieldRemoved"] == ("field age of class lab.Types$FieldRemoved",)
    assert {name for name, fields in dropped.items() if fields} == {"FieldRemoved", "TopDown"}


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("types")
    return [compiled(folder / side, None, HERE / side / "Types.java") for side in ("before", "after")]


@pytest.mark.flink
@pytest.mark.parametrize("version", asked(VERSIONS[0], VERSIONS[-1]))
def test_flink_still_says_what_was_recorded(version: str, sides: list[Path], tmp_path: Path) -> None:
    assert answers(ask(jars_of(version), tmp_path, sides)) == recorded(version)
