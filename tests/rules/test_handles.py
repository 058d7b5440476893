"""Handles as the Java reader gives them hold ``/`` and ``#``: they are names, and nothing cuts them."""

from __future__ import annotations

from typing import Any

from checker.compare import compare_pipelines
from checker.extract.documents.fields import topology_of
from checker.flink import translate
from checker.model.findings import Finding
from checker.model.translation import Translation
from checker.rules import Revision, RuleContext, run_rules

Fields = dict[str, Any]


def job(*operators: Fields) -> Translation:
    source = {"id": "main/fromSource", "kind": "source", "uid": "src"}
    sink = {"id": "main/print", "kind": "legacy-sink", "inputs": [operators[-1]["id"]], "uid": "out"}
    return translate(topology_of({"topology": 1, "name": "p", "transformations": [source, *operators, sink]}))


def operator(handle: str, after: str, line: int, **fields: Any) -> Fields:
    location = {"file": "src/Job.java", "line": line}
    return {"id": handle, "kind": "operator", "inputs": [after], "operator": "map", "location": location, **fields}


def findings(base: Translation | None, head: Translation) -> dict[str, Finding]:
    context = RuleContext(
        pipeline="p",
        base=Revision(translation=base),
        head=Revision(translation=head),
        comparison=compare_pipelines("p", base, head),
    )
    return {f.rule: f for f in run_rules(context)}


def test_a_malformed_hash_names_its_operator() -> None:
    bad = operator("main/map #2", "main/map", 12, uid_hash="not a hash")
    found = findings(None, job(operator("main/map", "main/fromSource", 11), bad))["malformed-uid-hash"]
    assert found.head is not None
    assert (str(found.head.key), found.location and found.location.line) == ("main/map #2", 12)


def test_a_collision_names_both_operators() -> None:
    twins = (operator("main/map", "main/fromSource", 11, uid="a"), operator("main/map #2", "main/map", 12, uid="a"))
    found = findings(None, job(*twins))["hash-collision"]
    sides = [side for side in (found.head, *found.followers) if side is not None]
    assert sorted((str(s.key), s.location.line if s.location else 0) for s in sides) == [
        ("main/map", 11), ("main/map #2", 12)
    ]  # fmt: skip


def test_what_is_told_of_one_call_is_not_told_of_another() -> None:
    """Both lose their state: one under a new uid, which a rule tells, the other to windows of another kind."""

    def windows(first: str, assigner: str) -> Translation:
        window = {"operator": "window", "keyed": True}
        return job(
            operator("main/window #2", "main/fromSource", 11, uid=first, **window),
            operator("main/window #3", "main/window #2", 12, uid="kept", window=assigner, **window),
        )

    found = findings(windows("old", "TumblingEventTimeWindows"), windows("new", "GlobalWindows"))
    assert {"uid-renamed", "window-changed"} <= found.keys()
    left = found["window-changed"].head
    assert left is not None
    assert str(left.key) == "main/window #3"
