"""The code that writes a class, as far as it is known by a digest."""

from __future__ import annotations

import pytest

from checker.extract.java.state.class_shapes import ShapeReader
from checker.extract.java.state.java_types import of_class
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import ClassDecl
from checker.model.declared_state import ClassShape
from checker.model.flink_releases import api_of
from checker.model.sources import MemoryFiles

SOURCE = """package acme;
import java.util.List;
public interface Event { }
class Sale implements Event { List<String> lines; }
"""


def shape(source: str, flink: str) -> ClassShape:
    index = ClassIndex(MemoryFiles({"src/main/java/acme/Event.java": source.encode()}))
    decl = index.find("acme.Event")
    assert isinstance(decl, ClassDecl)
    (found,) = (s for s in ShapeReader(index, api_of(flink)).shapes_of((of_class(decl),)) if s.name == "acme.Event")
    return found


@pytest.mark.parametrize("flink", ["1.20", "2.3"])
def test_what_kryo_writes_below_an_interface_does_not_depend_on_the_release(flink: str) -> None:
    assert shape(SOURCE, "1.20").code == shape(SOURCE, flink).code
    assert shape(SOURCE, "1.20").code != shape(SOURCE.replace("List<String>", "List<Long>"), flink).code
