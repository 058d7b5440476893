import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from checker.model.findings import RestorePath
from checker.report.formats import Report, renderer
from checker.report.gate.document import savepoint_document
from checker.savepoint.reader import read_savepoint
from checker.workflows.gate.judging import (
    GateOptions,
    NamedSavepoint,
    judge_savepoint,
    run_gate,
)
from tests.gate.recorded_jobs import recorded_job

EVIL = "<script>alert(1)</script>|`x` \x1b[31m‮"
FORMATS = ("text", "json", "markdown", "html")


@pytest.fixture(scope="session")
def graph(snapshots: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((snapshots / "2.3.0" / "keyed" / "graph.json").read_text())
    return found


def gate(snapshots: Path, graph: dict[str, Any], **options: Any) -> dict[str, Any]:
    jobs = [recorded_job(graph, flink="2.3")]
    path = str(snapshots / "2.3.0" / "keyed" / "savepoint")
    return run_gate(
        [NamedSavepoint(path=path)], jobs, GateOptions(**options), candidate={"revision": "abc"}, command="again"
    )


def without_kp(graph: dict[str, Any]) -> dict[str, Any]:
    vertices = json.loads(json.dumps(graph["vertices"]))
    for vertex in vertices:
        for operator in vertex["operators"]:
            if operator["uid"] == "kp":
                operator |= {"operator_id": "0" * 32, "name": EVIL, "uid": EVIL}
    vertices[1]["id"] = "0" * 32
    return {"name": EVIL, "vertices": vertices}


def of_another_job(graph: dict[str, Any]) -> dict[str, Any]:
    """A job whose ids are none of the graph's."""
    foreign: dict[str, Any] = json.loads(json.dumps({**graph, "vertices": graph["vertices"][-1:]}))
    for vertex in foreign["vertices"]:
        vertex["id"] = vertex["id"][::-1]
        for operator in vertex["operators"]:
            operator |= {"operator_id": operator["operator_id"][::-1], "name": "Other", "uid": None}
    return foreign


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def page_of(text: str) -> _Page:
    page = _Page()
    page.feed(text)
    return page


def check_page(text: str) -> None:
    page = page_of(text)
    tags = {tag for tag, _ in page.tags}
    assert not tags & {"script", "img", "link", "iframe", "object", "form", "base"}
    assert all("src" not in attrs and "href" not in attrs and "style" not in attrs for _, attrs in page.tags)
    (policy,) = [a["content"] for t, a in page.tags if a.get("http-equiv") == "Content-Security-Policy"]
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.S)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    rest = "img-src data:; base-uri 'none'; form-action 'none'"
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; {rest}"
    assert "prefers-color-scheme: dark" in style
    assert "@media print" in style


def test_release_report_is_self_contained_and_escaped(snapshots: Path, graph: dict[str, Any]) -> None:
    document = gate(snapshots, without_kp(graph))
    html = renderer(Report.GATE, "html")(document)
    check_page(html)
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "Flink refuses this" in html
    assert document["savepoints"][0]["sha256"] in html
    assert "again" in html
    for output_format in FORMATS:
        text = renderer(Report.GATE, output_format)(document)
        if output_format != "json":
            assert "\x1b[31m" not in text
            assert "‮" not in text
    outside_of_code = re.sub(r"```.*?```", "", renderer(Report.GATE, "markdown")(document), flags=re.DOTALL)
    assert "<script>" not in outside_of_code


def test_every_format_of_a_savepoint(snapshots: Path) -> None:
    document = savepoint_document(read_savepoint(str(snapshots / "2.3.0" / "keyed" / "savepoint")))
    check_page(renderer(Report.SAVEPOINT, "html")(document))
    assert "lst: LIST of List&lt;String" in renderer(Report.SAVEPOINT, "markdown")(document)
    assert "lst: LIST of List<String>" in renderer(Report.SAVEPOINT, "text")(document)
    assert json.loads(renderer(Report.SAVEPOINT, "json")(document)) == document


@pytest.mark.parametrize("output_format", ["text", "markdown", "html"])
def test_a_snapshot_of_another_job_is_called_so_first(
    snapshots: Path, graph: dict[str, Any], output_format: str
) -> None:
    foreign = of_another_job(graph)
    show = renderer(Report.GATE, output_format)
    warning = "this savepoint seems to be of another job: 0 of"
    text = show(gate(snapshots, foreign)).casefold()
    assert (
        warning in text.split("</h1>")[0].splitlines()[-1]
        if output_format == "html"
        else warning in text.splitlines()[0]
    )
    assert warning not in show(gate(snapshots, graph)).casefold()


def test_what_decides_and_what_passes(snapshots: Path, graph: dict[str, Any]) -> None:
    dropped = without_kp(graph)
    assert not gate(snapshots, dropped)["passes"]
    assert not gate(snapshots, dropped, allow_non_restored_state=True)["passes"]
    assert gate(snapshots, dropped, allow_non_restored_state=True, fail_on=None)["passes"]
    assert not gate(snapshots, dropped, allow_non_restored_state=True, path=RestorePath.LAST_STATE)["passes"]
    assert gate(snapshots, dropped, fail_on=None)["passes"]
    assert gate(snapshots, graph)["verdict"] == "restores"
    assert gate(snapshots, graph, path=RestorePath.LAST_STATE)["verdict"] == "restores"


def test_attempts_have_the_promised_fields(snapshots: Path, graph: dict[str, Any]) -> None:
    document = gate(snapshots, without_kp(graph))
    ways = [(a["path"], a["allow_non_restored_state"]) for a in document["attempts"]]
    assert ways == [("savepoint", False), ("savepoint", True), ("last-state", False), ("last-state", True)]
    first = document["attempts"][0]
    promised = {"savepoint", "pipeline", "path", "allow_non_restored_state", "verdict", "rule", "operator", "vertex"}
    assert promised | {"message", "operators"} <= set(first)
    assert (first["verdict"], first["rule"]) == ("fails", "unclaimed-state")
    assert first["operator"] == "79905d1bb8afd98f33ca8b3501e11266"
    assert first["vertex"] is None


def test_a_savepoint_finds_its_pipeline_by_its_ids(snapshots: Path, graph: dict[str, Any]) -> None:
    from checker.errors import UsageError

    foreign = json.loads((snapshots / "2.3.0" / "multi" / "graph.json").read_text())
    keyed, multi = recorded_job(graph, "keyed"), recorded_job(foreign, "multi")
    path = str(snapshots / "2.3.0" / "keyed" / "savepoint")
    attempts, _ = judge_savepoint(NamedSavepoint(path=path), [multi, keyed], GateOptions())
    assert {a.pipeline for a in attempts} == {"keyed"}
    attempts, _ = judge_savepoint(NamedSavepoint(path=path, pipeline="multi"), [multi, keyed], GateOptions())
    assert {a.pipeline for a in attempts} == {"multi"}
    with pytest.raises(UsageError, match="fits no single pipeline"):
        judge_savepoint(NamedSavepoint(path=path), [keyed, keyed], GateOptions())


def test_every_version_of_metadata_has_a_page(snapshots: Path) -> None:
    """Metadata before version 4 holds no checkpoint properties: the page then says what else is known."""
    versions = set()
    for folder in sorted((snapshots / "rewritten").iterdir()):
        document = savepoint_document(read_savepoint(str(next(folder.rglob("_metadata")).parent)))
        versions.add(document["metadata_version"])
        for output_format in FORMATS:
            text = renderer(Report.SAVEPOINT, output_format)(document)
            named = f"{document['kind']} {document['checkpoint_id']}" in text
            assert named or output_format == "json" or document["checkpoint_properties"]
    assert versions >= {2, 3, 5}
