"""The sample programs of the articles on operator ids: example documents, with what real Flink made of them."""

import json
from pathlib import Path

import pytest

from checker.extract.documents.reader import iterate_documents
from checker.flink import translate
from checker.report.ids import ids_document

FOLDER = Path(__file__).parent.parent.parent / "examples" / "documents"
NAMES = sorted(p.name.removesuffix(".topology.yaml") for p in FOLDER.glob("*.topology.yaml"))


@pytest.mark.parametrize("name", NAMES)
def test_example_has_the_recorded_ids(name: str) -> None:
    path = FOLDER / f"{name}.topology.yaml"
    ((_, topology),) = iterate_documents(path.read_text(), path.name)
    recorded = json.loads((FOLDER / f"{name}.recorded.json").read_text())
    assert set(recorded) == {"1.16.3", "1.20.5", "2.3.0"}
    for version, flinks in recorded.items():
        ours = ids_document(translate(topology, version))
        if "error" in flinks:
            assert (ours["error"], ours["message"]) == ("hash-collision", flinks["message"])
            continue
        for vertex in ours["vertices"]:
            vertex.pop("coordinators", None)
        assert ours == flinks


def test_every_article_is_there() -> None:
    wanted = {"task-demo", "union-demo", "word-count", "union-order-ab", "union-order-ba", "duplicate-uid"}
    assert wanted <= set(NAMES)
