"""One page of every kind, with inputs that give equal bytes in every run."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from checker.cli import run
from checker.report.check.page import render_html
from checker.report.formats import Report, renderer
from checker.report.gate.document import savepoint_document
from checker.savepoint.reader import read_savepoint
from tests.audit.test_audit import BROKEN, GOOD, write
from tests.gate.test_reports import gate, of_another_job, without_kp
from tests.report import samples

Json = dict[str, Any]


def every_page(snapshots: Path, folder: Path) -> Mapping[str, str]:
    """HTML by name. ``snapshots`` are the recorded ones, ``folder`` is for scratch files."""
    graph: Json = json.loads((snapshots / "2.3.0" / "keyed" / "graph.json").read_text(encoding="utf-8"))

    def shown(kind: Report, document: Json) -> str:
        """The page, without the folder that the snapshots were unpacked in."""
        text = json.dumps(document).replace(str(snapshots), "/savepoints")
        return renderer(kind, "html")(json.loads(text))

    savepoint = savepoint_document(read_savepoint(str(snapshots / "2.3.0" / "keyed" / "savepoint")))
    return {
        "check": render_html(samples.example()),
        "check-310": render_html(samples.report(samples.large(310))),
        "gate-restores": shown(Report.GATE, gate(snapshots, graph)),
        "gate-refused": shown(Report.GATE, gate(snapshots, without_kp(graph))),
        "gate-unrelated": shown(Report.GATE, gate(snapshots, of_another_job(graph))),
        "savepoint": shown(Report.SAVEPOINT, savepoint),
        "audit": audit_page(folder),
    }


def audit_page(folder: Path) -> str:
    """A history that broke, was repaired, and broke again, with more quiet steps than a telephone is wide."""
    quiet = [GOOD + b"# %d\n" % number for number in range(30)]
    repo = write(folder / "repo", *quiet, GOOD, GOOD + b"# more\n", BROKEN, BROKEN + b"# more\n", *quiet[:2], BROKEN)
    page = folder / "audit.html"
    code = run(["audit", "--repo", str(repo), "--engine", "in-process", "--range", "main~36..main",
                "--output", str(page)])  # fmt: skip
    assert code == 1
    return page.read_text(encoding="utf-8")
