from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checker.errors import UsageError
from checker.workflows.gate.job_graph_file import read_job_graphs

A, B = "a" * 32, "b" * 32


def document(**changes: Any) -> dict[str, Any]:
    vertex = {
        "id": A,
        "name": "Source: S -> Map",
        "parallelism": 2,
        "max_parallelism": -1,
        "operators": [{"generated": B, "user": None}, {"generated": A, "user": B}],
        "coordinators": [A],
        "inputs": [],
    }
    return {"name": "orders", "vertices": [{**vertex, **changes}]}


def test_vertices_as_ids_prints_them() -> None:
    (job,) = read_job_graphs(json.dumps(document()), "file", flink="1.20")
    (vertex,) = job.vertices
    assert (job.name, job.flink, vertex.max_parallelism) == ("orders", "1.20", None)
    assert [(o.generated, o.name, o.coordinator) for o in vertex.operators] == [
        (B, "Map", False),
        (A, "Source: S", True),
    ]
    assert vertex.head.generated == A
    assert vertex.head.user == B


def test_either_order_of_a_chain_is_understood() -> None:
    turned = document(operators=[{"generated": A}, {"generated": B}])
    (job,) = read_job_graphs(json.dumps(turned), "file")
    assert job.vertices[0].head.generated == A
    assert job.vertices[0].tail.generated == B


def test_one_a_line_and_a_refused_program() -> None:
    lines = json.dumps(document()) + "\n" + json.dumps({"name": "x", "error": "hash-collision", "message": "twice"})
    first, second = read_job_graphs(lines, "file")
    assert first.vertices
    assert second.refusal == "twice"


def test_an_unread_pipeline_stays_unread() -> None:
    (job,) = read_job_graphs(
        json.dumps({"name": "x", "undecided": [{"reason": "no main method", "nodes": []}]}), "file"
    )
    assert job.failure == "no main method"


def test_chained_sources_count_through_their_coordinators() -> None:
    (job,) = read_job_graphs(json.dumps(document(coordinators=[A, "c" * 32])), "file")
    assert [o.generated for o in job.vertices[0].chained_sources] == ["c" * 32]


@pytest.mark.parametrize(
    "broken",
    [
        "", "[", "3", "{}", '{"vertices": []}', '{"vertices": [1]}', json.dumps(document(parallelism=0)),
        json.dumps(document(id="xyz")), json.dumps(document(operators=[])), json.dumps(document(operators=[7])),
        json.dumps(document(inputs=[{"from": A, "pattern": "SIDEWAYS"}])), json.dumps(document(max_parallelism=99999)),
        json.dumps(document(coordinators="x")), "[" * 100_000,
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(broken: str) -> None:
    with pytest.raises(UsageError, match=r"job|JSON"):
        read_job_graphs(broken, "file")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("ab1é", max_size=40) | st.just(A),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["id", "operators", "generated", "user", "inputs", "from", "pattern", "states", "kind"]),
        inner, max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(sorted(document()["vertices"][0])), json_values, max_size=3))
def test_any_json_is_a_job_or_one_error(changes: dict[str, Any]) -> None:
    with suppress(UsageError):
        read_job_graphs(json.dumps(document(**changes)), "file")
