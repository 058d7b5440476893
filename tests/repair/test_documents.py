"""Repairs written into topology documents: what is read back is the repaired topology, the rest stays byte for byte."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
import yaml

from checker.compare import compare_pipelines
from checker.extract.documents.reader import extract, read_documents
from checker.flink import translate
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.repair import Edit, Field, edited, edits_of, plan_repairs, plan_uids, write_edits
from tests.compare.edit_scripts import edited as edited_document
from tests.compare.edit_scripts import stateful_document


def entry(path: str, index: int = 0) -> PipelineEntry:
    return PipelineEntry(name="p", extract=ExtractorKind.DOCUMENT, file=path, index=index)


def written_as(path: str, document: dict[str, Any]) -> str:
    renamed = {**document, "name": "other"}
    if path.endswith(".jsonl"):
        return json.dumps(renamed) + "\n\n" + json.dumps(document, ensure_ascii=False) + "\n"
    if path.endswith(".json"):
        return json.dumps([renamed, document], indent=1)
    flow = None if path.startswith("flow") else False
    kept = yaml.safe_dump_all(
        [renamed, document], sort_keys=False, allow_unicode=True, default_flow_style=flow, width=200
    )
    return kept.replace("\n", "\r\n") if path.startswith("windows") else "# a comment\n" + kept


PATHS = ["block.topology.yaml", "flow.topology.yaml", "windows.topology.yaml", "a.topology.json", "a.topology.jsonl"]


@pytest.mark.parametrize("path", PATHS)
def test_what_is_read_back_is_the_repaired_topology(path: str) -> None:
    rng = random.Random(path)
    written = 0
    for number in range(40):
        base_document = stateful_document(rng, number)
        head_document, _ = edited_document(rng, base_document, 2)
        text = written_as(path, head_document)
        base = translate(read_documents(json.dumps(base_document), "b.topology.json")[0])
        head = translate(read_documents(text, path)[1])
        if base.refusal is not None or head.refusal is not None:
            continue
        repairs = plan_repairs(base, head, compare_pipelines("p", base, head)) or plan_uids(head, base)
        files = MemoryFiles({path: text.encode()})
        plan = write_edits(head.topology, edits_of(repairs), files, entry(path, 1))
        assert not plan.by_hand
        after = plan.contents(files).get(path, text.encode()).decode()
        assert read_documents(after, path)[1] == edited(head.topology, edits_of(repairs))
        assert read_documents(after, path)[0] == read_documents(text, path)[0]
        assert {line for line in text.splitlines() if "comment" in line} <= set(after.splitlines())
        written += bool(plan.edits)
    assert written > 15


def test_a_value_is_replaced_and_a_key_removed() -> None:
    text = (
        'topology: 1\nname: p\ntransformations:\n- id: s\n  kind: source\n  uid: "old" # why\n  parallelism: 2\n'
        "- {id: k, kind: sink, inputs: [s], uid: k}\n"
    )
    topology = read_documents(text, "a.topology.yaml")[0]
    files = MemoryFiles({"a.topology.yaml": text.encode()})
    edits = [Edit("s", Field.UID, "new: ü"), Edit("k", Field.UID, None)]
    plan = write_edits(topology, edits, files, entry("a.topology.yaml"))
    after = plan.contents(files)["a.topology.yaml"].decode()
    assert '  uid: "new: ü" # why\n' in after
    assert "- {id: k, kind: sink, inputs: [s]}\n" in after
    assert plan.diff(files).startswith("--- a/a.topology.yaml\n+++ b/a.topology.yaml\n@@")
    assert extract(MemoryFiles(plan.contents(files)), entry("a.topology.yaml")).transformations[1].uid is None


def test_an_operator_that_is_not_in_the_file_is_left_to_people() -> None:
    text = "topology: 1\nname: p\ntransformations: []\n"
    files = MemoryFiles({"a.topology.yaml": text.encode()})
    topology = read_documents(text, "a.topology.yaml")[0]
    plan = write_edits(topology, [Edit("x", Field.UID, "u")], files, entry("a.topology.yaml"))
    assert plan.by_hand[0][1].endswith("'x' is not declared there")
