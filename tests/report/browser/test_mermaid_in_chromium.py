"""The comment's graphs, parsed and drawn by the real Mermaid."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from checker.report.check.markdown import render_markdown
from tests.report import samples
from tests.report.browser.npm_files import MERMAID, npm_file
from tests.report.hostile import NAMES, hostile

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def mermaid(chromium: Any) -> Iterator[Any]:
    page = chromium.new_page()
    page.set_content("<body></body>")
    page.add_script_tag(path=npm_file(*MERMAID))
    page.evaluate("mermaid.initialize({startOnLoad: false, securityLevel: 'strict'})")
    yield page
    page.close()


def charts(report: Any) -> list[str]:
    return re.findall(r"```mermaid\n(.*?)\n```", render_markdown(report), flags=re.S)


def drawn(page: Any, chart: str) -> Any:
    """The diagram's words and whether a script of its ran."""
    return page.evaluate(
        """async chart => {
            await mermaid.parse(chart);
            const {svg} = await mermaid.render('g' + Math.random().toString(36).slice(2), chart);
            const holder = document.createElement('div');
            holder.innerHTML = svg;
            document.body.append(holder);
            const words = [...holder.querySelectorAll('.nodeLabel')].map(one => one.innerText);
            const found = {words, links: holder.querySelectorAll('a').length, pwned: window.pwned || null};
            holder.remove();
            return found;
        }""",
        chart,
    )


def test_draws_the_example(mermaid: Any) -> None:
    chart = next(c for c in charts(samples.example()) if "Totals" in c)
    words = " ".join(drawn(mermaid, chart)["words"])
    assert "Totals per customer" in words
    assert "start fails" in words


def test_draws_five_hundred_operators(mermaid: Any) -> None:
    for chart in charts(samples.report(samples.large(500))):
        assert len(chart) < 50_000
        assert drawn(mermaid, chart)["words"]


@pytest.mark.parametrize("name", NAMES)
def test_hostile_names_are_words_in_boxes(mermaid: Any, name: str) -> None:
    found = charts(hostile(name))
    assert found
    for chart in found:
        shown = drawn(mermaid, chart)
        assert shown["links"] == 0
        assert shown["pwned"] is None
        if name == "script":
            assert any("</script><script>" in word for word in shown["words"])
