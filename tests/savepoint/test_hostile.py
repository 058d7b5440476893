"""Damaged and hostile files: one clear error, bounded time and memory."""

import random
import struct
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from checker.errors import SavepointError
from checker.savepoint import cursor
from checker.savepoint.cursor import decode_modified_utf8
from checker.savepoint.metadata import MAGIC, MAX_OPERATORS
from checker.savepoint.reader import read_metadata
from checker.savepoint.state_files import HeaderReader
from tests.savepoint.in_memory import read_savepoint_bytes
from tests.savepoint.mutations import mutated

HEAD = struct.pack(">IiqI", MAGIC, 3, 1, 0)


def keyed(handle: bytes) -> bytes:
    """Metadata with one operator and one subtask with this managed keyed handle."""
    operator = b"\x00" * 16 + struct.pack(">ii", 1, 128) + b"\x00" + struct.pack(">ii", 1, 0)
    return (
        HEAD + struct.pack(">I", 1) + operator + struct.pack(">ii", 0, 0) + handle + b"\x00" + struct.pack(">ii", 0, 0)
    )


def whole(data: bytes) -> None:
    read_metadata(BytesIO(data), "made")


def test_the_frame_of_these_tests_reads() -> None:
    whole(keyed(b"\x00"))


NONE = struct.pack(">ii", 0, 0)
HOSTILE = {
    "not metadata": b"hello, I am a text file",
    "empty": b"",
    "four bytes": struct.pack(">I", MAGIC),
    "version 1": struct.pack(">Ii", MAGIC, 1) + b"\x00" * 40,
    "version 8": struct.pack(">Ii", MAGIC, 8) + b"\x00" * 40,
    "negative checkpoint id": struct.pack(">IiqI", MAGIC, 3, -1, 0) + b"\x00" * 8,
    "negative master states": struct.pack(">Iiqi", MAGIC, 3, 1, -5),
    "two billion master states": struct.pack(">Iiqi", MAGIC, 3, 1, 0x7FFFFFFF),
    "two billion operators": HEAD + struct.pack(">i", 0x7FFFFFFF),
    "negative operators": HEAD + struct.pack(">i", -1),
    "master state that lies about its length":
        struct.pack(">IiqiIiih", MAGIC, 3, 1, 1, 0xC96B1696, 99, 1, 0) + b"\x00" * 200,
    "negative inline length": keyed(b"\x07" + NONE + b"\x01\x00\x00" + struct.pack(">i", -1)),
    "gigabyte of inline state": keyed(b"\x07" + NONE + b"\x01\x00\x00" + struct.pack(">i", 1 << 30)),
    "two billion key groups": keyed(b"\x07" + struct.pack(">ii", 0, 0x7FFFFFFF)),
    "negative key groups": keyed(b"\x07" + struct.pack(">ii", 0, -3)),
    "negative key group offset": keyed(b"\x07" + struct.pack(">iiq", 0, 1, -1) + b"\x00"),
    "two billion files":
        keyed(b"\x0b" + struct.pack(">qhiiq", 1, 0, 0, 1, 1) + b"\x10" + struct.pack(">i", 0x7FFFFFFF)),
    "negative file size": keyed(b"\x07" + NONE + b"\x02" + struct.pack(">qh", -1, 0)),
    "unknown handle": keyed(b"\x63"),
    "keyed handles nested without end": keyed((b"\x0e" + struct.pack(">iiqi", 0, 1, 0, 1)) * 5000),
    "streams nested without end": keyed(b"\x07" + NONE + (b"\x03" + NONE) * 5000),
    "four-byte UTF-8": keyed(b"\x07" + NONE + b"\x06\x00\x04\xf0\x9f\x98\x80" + b"\x00" * 8),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_metadata_is_one_error_in_little_memory(name: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(SavepointError, match=r"made"):
            whole(HOSTILE[name])
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()


def test_small_windows_read_the_same(snapshots: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = sources(snapshots)
    wide = [read_savepoint_bytes("x", data) for data in files]
    monkeypatch.setattr(cursor, "WINDOW", 16)
    assert [read_savepoint_bytes("x", data) for data in files] == wide


def test_more_operators_than_any_job_has() -> None:
    with pytest.raises(SavepointError, match=f"{MAX_OPERATORS + 1} operator states"):
        whole(HEAD + struct.pack(">i", MAX_OPERATORS + 1) + b"\x00" * 29 * (MAX_OPERATORS + 1))


def test_an_operator_or_subtask_twice_is_damage() -> None:
    header = b"\x00" * 16 + struct.pack(">ii", 2, 128) + b"\x00" + struct.pack(">i", 0)
    with pytest.raises(SavepointError, match="occurs twice"):
        whole(HEAD + struct.pack(">I", 2) + header + header)
    twice = b"\x00" * 16 + struct.pack(">ii", 2, 128) + b"\x00" + struct.pack(">iii", 2, -1, -1)
    with pytest.raises(SavepointError, match="second time"):
        whole(HEAD + struct.pack(">I", 1) + twice)


def test_big_inline_state_is_jumped_over(tmp_path: Path) -> None:
    """300 MB of inline state in a sparse file take no memory."""
    path = tmp_path / "_metadata"
    size = 300_000_000
    handle = b"\x07" + NONE + b"\x01\x00\x00" + struct.pack(">i", size)
    before, after = keyed(handle + b"#").split(b"#")
    with path.open("wb") as file:
        file.write(before)
        file.seek(size, 1)
        file.write(after)
    tracemalloc.start()
    try:
        with path.open("rb") as file:
            savepoint = read_metadata(file, "big")
        assert savepoint.state_size == size
        assert tracemalloc.get_traced_memory()[1] < 8_000_000
    finally:
        tracemalloc.stop()


@contextmanager
def only_errors_naming(name: str) -> Iterator[None]:
    try:
        yield
    except SavepointError as error:
        if not str(error).startswith(name):
            raise AssertionError(f"the error does not name {name}") from error


def sources(snapshots: Path) -> list[bytes]:
    return [p.read_bytes() for p in sorted(snapshots.glob("*/*/**/_metadata")) if "broken" not in p.parts]


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, 10_000), seed=st.integers(0, 2**32))
def test_mutated_metadata_reads_or_is_one_error(snapshots: Path, place: int, seed: int) -> None:
    files = _cached(snapshots)
    data = mutated(files[place % len(files)], random.Random(seed))
    with only_errors_naming("mutated"):
        read_savepoint_bytes("mutated", data)


_FILES: list[bytes] = []


def _cached(snapshots: Path) -> list[bytes]:
    if not _FILES:
        _FILES.extend(sources(snapshots))
    return _FILES


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=600))
def test_any_bytes_as_header_are_a_header_or_one_error(data: bytes) -> None:
    for prefix in (b"", b"\x00\x00\x00\x06\x00", b"\x00\x00\x00\x06\x00\x00\x00\x00\x02"):
        for read in (HeaderReader.keyed, HeaderReader.operator):
            with only_errors_naming("bytes"):
                read(HeaderReader(prefix + data, "bytes", None))


@given(st.text())
def test_modified_utf8_gives_text_back(text: str) -> None:
    units = text.encode("utf-16-be", "surrogatepass")
    encoded = b"".join(
        b"\xc0\x80" if unit == 0 else chr(unit).encode("utf-8", "surrogatepass")
        for (unit,) in struct.iter_unpack(">H", units)
    )
    assert decode_modified_utf8(encoded) == units.decode("utf-16-be", "replace")


@given(st.binary(max_size=50))
def test_any_bytes_are_text_or_refused(data: bytes) -> None:
    text = decode_modified_utf8(data)
    assert text is None or text.encode("utf-8") is not None
