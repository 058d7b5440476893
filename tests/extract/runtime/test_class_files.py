"""Class files, sound and damaged: read, or refused with one kind of error."""

from __future__ import annotations

import contextlib
import zipfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checker.extract.runtime.bytecode.class_files import BadClassFileError, ClassFile, read_class
from checker.extract.runtime.bytecode.reachable_code import Classes, Reach
from checker.extract.runtime.bytecode.registered_states import registered
from checker.extract.runtime.bytecode.symbolic_code import facts_of
from checker.extract.runtime.bytecode.value_origins import Held

JAR = Path(__file__).parent / "kotlin" / "programs.jar"


@cache
def compiled() -> dict[str, bytes]:
    with zipfile.ZipFile(JAR) as archive:
        return {n.removesuffix(".class"): archive.read(n) for n in archive.namelist() if n.endswith(".class")}


def test_every_method_is_followed() -> None:
    for name, data in compiled().items():
        file = read_class(data)
        assert file.name == name
        for method in file.methods.values():
            facts_of(file, method)


def test_states_are_found_without_a_jvm() -> None:
    def load(name: str) -> ClassFile | None:
        data = compiled().get(name)
        return None if data is None else read_class(data)

    found = registered(Reach(Classes(load), ["orders/Totals"]), Held())
    assert [(state["name"], state["kind"]) for state in found.states] == [("by-day", "map"), ("spent", "value")]
    assert found.unclear is None
    unheld = registered(Reach(Classes(load), ["orders/FirstOnly"]), Held())
    assert unheld.any_state
    assert unheld.unclear is not None


@pytest.mark.parametrize("data", [b"", b"\xca\xfe\xba\xbe", b"PK\x03\x04", b"\xca\xfe\xba\xbe" + bytes(60)])
def test_what_is_no_class_file_is_refused(data: bytes) -> None:
    with pytest.raises(BadClassFileError):
        read_class(data)


@given(st.sampled_from(sorted(compiled())), st.lists(st.tuples(st.floats(0, 1), st.binary(min_size=1, max_size=4))))
def test_damage_is_refused_or_read_but_never_worse(name: str, changes: list[tuple[float, bytes]]) -> None:
    data = bytearray(compiled()[name])
    for place, new in changes:
        at = 8 + int(place * (len(data) - 8))
        data[at : at + len(new)] = new
    try:
        file = read_class(bytes(data))
        for method in file.methods.values():
            facts_of(file, method)
    except BadClassFileError:
        pass


@given(st.binary(max_size=80))
def test_any_code_is_followed_or_refused(code: bytes) -> None:
    file = read_class(compiled()["clicks/Asked"])
    method = next(iter(file.methods.values()))
    with contextlib.suppress(BadClassFileError):
        facts_of(file, type(method)(method.name, method.descriptor, method.static, code, (0, 3)))
