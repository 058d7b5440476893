"""The pull-request comment."""

import json
import re

import pytest
from markdown_it import MarkdownIt

from checker.report.check.markdown import LIMIT, render_markdown
from checker.rules.base import title
from tests.report import samples


def test_first_the_verdict_then_a_table_of_what_matters() -> None:
    lines = render_markdown(samples.example()).splitlines()
    assert lines[0] == "## ❌ State would be lost"
    table = [line for line in lines if line.startswith(("| 🔴", "| 🟡"))]
    assert len(table) == 2
    assert '.uid("Totals per customer").setUidHash("' in table[0], "the uid alone would lose the state"


def test_source_links_lead_to_the_commit() -> None:
    page = "https://github.com/acme/orders"
    report = samples.report(*samples.example()["pipelines"], repository_url=page)
    assert f"({page}/blob/{'b' * 40}/{samples.SOURCE}#L33)" in render_markdown(report)


def test_repairs_are_folded_blocks() -> None:
    text = render_markdown(samples.example())
    assert text.count("<details>") == text.count("</details>") >= 3
    assert '```\n.uid("Totals per customer")\n' in text


def test_tables_are_tables() -> None:
    html = MarkdownIt("gfm-like", {"linkify": False}).render(render_markdown(samples.example()))
    assert html.count("<table>") >= 2
    assert "| ---" not in html


@pytest.mark.parametrize("limit", [2_000, 8_000, 20_000, LIMIT])
def test_what_was_cut_is_said(limit: int) -> None:
    report = samples.report(*(samples.large(300) for _ in range(4)))
    for number, pipeline in enumerate(report["pipelines"]):
        for finding in pipeline["findings"]:
            finding["message"] += f" in {number}"  # equal ones would be one row
    text = render_markdown(report, limit)
    assert len(text.encode()) <= limit
    assert "Cut to fit" in text
    rows = len(re.findall(r"^\| 🔴", text, re.M))
    findings = sum(len(p["findings"]) for p in report["pipelines"])
    cut = re.search(r"(\d+) rows? of the table", text)
    assert rows + (int(cut[1]) if cut else 0) == findings


def test_fifty_pipelines_fit_a_screen_and_a_comment() -> None:
    example = json.dumps(samples.example()["pipelines"])
    pipelines = [
        {**p, "name": f"{p['name']}-{n}"}
        for n in range(17)
        for p in json.loads(example.replace("Totals per customer", f"Totals {n}"))
    ]
    text = render_markdown(samples.report(*pipelines[:50]))
    assert len(text) <= 65_536
    assert text.count("<details>") == text.count("</details>")
    seen, depth = [], 0
    for line in text.splitlines():
        if depth == 0 and line.strip():
            seen.append(line)
        depth += line.count("<details>") - line.count("</details>")
    assert depth == 0
    assert len(seen) < 30
    assert "State would be lost" in seen[0]
    assert sum(line.startswith("| 🔴") and ".uid(" in line for line in seen) == 12


def test_nothing_is_cut_where_everything_fits() -> None:
    assert "Cut to fit" not in render_markdown(samples.example())


def test_a_warning_that_changed_pipelines_share_has_one_section() -> None:
    version = samples.of_whole("flink-version-changed", "warning", "Flink changed from 1.17 to 1.15")
    plain = samples.pipeline(samples.orders(filtered=False), samples.orders(filtered=False))
    text = render_markdown(samples.report(*({**plain, "name": name, "findings": [version]} for name in "abc")))
    assert text.count("Flink changed from 1.17 to 1.15") == 2, "the row of the table, and what is behind it"
    assert "<summary>3 pipelines: flink-version-changed</summary>" in text


def test_operators_of_one_cause_share_a_row() -> None:
    plain = samples.pipeline(samples.orders(filtered=False), samples.orders(filtered=False))

    def warning(name: str, line: int, why: str) -> dict[str, object]:
        found = samples.of_whole("uid-missing", "warning", f"{title(name)} {why}")
        place = {"file": "src/Job.java", "line": line, "column": 1}
        return {**found, "head": {"key": name, "name": name}, "location": place, "operator_key": name}

    findings = [warning("sum", 7, "has no uid"), warning("max", 9, "has no uid"), warning("all", 11, "is other")]
    text = render_markdown(samples.report({**plain, "name": "p", "findings": findings}))
    rows = [line for line in text.splitlines() if line.startswith("| 🟡")]
    assert len(rows) == 2
    assert "and so `max` (`Job.java:9`)" in rows[0]
    assert "`src/Job.java:7`" in rows[0]
    assert text.count("<summary>uid-missing: ") == 3, "each keeps what silences it"
    apart = [{**plain, "name": name, "findings": [finding]} for name, finding in zip("pq", findings, strict=False)]
    assert render_markdown(samples.report(*apart)).count("| 🟡") == 2
