"""Bytes of single states: exact for canonical savepoints that are small, estimated for big ones, else not told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.model.savepoint import OperatorState, Savepoint
from checker.model.state_handles import KeyedKind
from checker.savepoint import headers
from checker.savepoint.reader import read_savepoint


def keyed(savepoint: Savepoint) -> list[OperatorState]:
    return [o for o in savepoint.operators if o.sizes.managed_keyed]


def test_every_canonical_savepoint_is_walked_to_its_last_byte(snapshots: Path) -> None:
    walked = 0
    for truth in sorted(snapshots.glob("*/*/truth.json")):
        savepoint = read_savepoint(str(truth.parent / json.loads(truth.read_text())["path"]))
        for operator in keyed(savepoint):
            assert operator.headers is not None
            canonical = operator.keyed_kinds == (KeyedKind.CANONICAL,)
            if canonical and not operator.headers.compressed:
                assert operator.headers.sizes_exact, truth
                assert [name for name, _ in operator.headers.sizes] == sorted(
                    m.name for m in operator.headers.states if m.backend_type not in (1, 2)
                )
                assert 0 <= sum(size for _, size in operator.headers.sizes) < operator.sizes.managed_keyed
                walked += 1
            else:
                assert operator.headers.sizes == ()
    assert walked > 40


def test_heap_and_rocksdb_write_the_same_entries(snapshots: Path) -> None:
    heap, rocksdb = (
        [o.headers.sizes for o in keyed(read_savepoint(str(snapshots / "2.3.0" / case / "savepoint"))) if o.headers]
        for case in ("keyed", "keyed_rocksdb")
    )
    assert heap == rocksdb
    assert dict(heap[0])["val"] == 5 * (4 + 9 + 4 + 8 + 1)


def test_a_big_one_is_estimated_from_some_key_groups(snapshots: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(snapshots / "2.3.0" / "keyed" / "savepoint")
    (exact,) = [o.headers for o in keyed(read_savepoint(path))]
    monkeypatch.setattr(headers, "ALL_BYTES", 0)
    monkeypatch.setattr(headers, "SAMPLED_GROUPS", 256)
    (estimate,) = [o.headers for o in keyed(read_savepoint(path))]
    assert exact is not None
    assert estimate is not None
    assert not estimate.sizes_exact
    whole = sum(size for _, size in exact.sizes)
    for (name, size), (estimated_name, about) in zip(exact.sizes, estimate.sizes, strict=True):
        assert name == estimated_name
        assert about == pytest.approx(size * 5975 / whole, rel=0.02)
