"""What eight Flink versions built from about 290 programs: hashed and chained by our core, node by node the same."""

import re

import pytest

from checker.flink.chaining import decide_chains
from checker.flink.job_graph import build_job_graph
from checker.flink.operator_ids import hash_operators
from checker.flink.versions import semantics_of
from tests.conformance import dumps

CHAINING_OFF = {"global disable chaining", "chaining config false"}
CHAINING_OFF_FROM_118 = CHAINING_OFF | {"chaining config false newkey"}
STRICT_MAX_PARALLELISM = {"max par differs option false", "max par same option false"}
BATCH = {
    "batch basic", "batch forward diff", "batch exchange BATCH forward", "batch default sched",
    "batch sched AdaptiveBatch", "automatic bounded", "consecutive hash batch", "consecutive hash batch diff par",
    "consecutive hash batch unchained", "unspecified batch unchained", "cache batch", "batch all pipelined",
}  # fmt: skip
"""Batch jobs take no savepoints."""


@pytest.mark.parametrize("version", dumps.versions())
def test_core_agrees_with_the_dumps(version: str) -> None:
    semantics = semantics_of(version)
    compared = 0
    for program in dumps.programs(version):
        looped = any(node["strategy"] == "-" for node in program.nodes)
        if program.error or not program.vertices or looped or program.name in BATCH:
            continue
        graph = program.stream_graph(
            chaining=program.name
            not in (CHAINING_OFF_FROM_118 if semantics.max_parallelism_chaining_option else CHAINING_OFF),
            chain_different_max_parallelism=program.name not in STRICT_MAX_PARALLELISM
            or not semantics.max_parallelism_chaining_option,
        )
        decisions = decide_chains(graph)
        identities = hash_operators(graph, decisions)
        job_graph = build_job_graph(graph, decisions, identities, semantics)
        where = f"{version} {program.file} '{program.name}'"
        for place, (ours, flinks) in enumerate(zip(job_graph.vertices, program.vertices, strict=True)):
            assert identities[ours.head].generated == flinks.id, where
            assert [(identities[n].generated, identities[n].user) for n in ours.operators] == flinks.operators, where
            inputs = [
                (identities[job_graph.vertices[e.source].head].generated, e.pattern.value, e.ship.name)
                for e in job_graph.inputs_of(place)
            ]
            assert inputs == flinks.inputs, where
            assert ours.name == re.sub(r"^\[vertex-\d+\]", "", flinks.name), where
            assert (ours.parallelism, ours.max_parallelism) == (flinks.parallelism, flinks.max_parallelism), where
        compared += 1
    assert compared > 200
