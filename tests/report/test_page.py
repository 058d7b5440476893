"""The HTML report, as far as its text tells it without a browser."""

import re

from checker.report.check.page import render_html
from tests.report import samples


def _text(report: samples.Json) -> str:
    """What the page shows without scripts."""
    page = re.sub(r"<(script|style)\b.*?</\1>", "", render_html(report), flags=re.S)
    return " ".join(re.sub(r"<[^>]*>", "", page).split())


def test_a_warning_that_pipelines_share_stands_at_the_first_of_them() -> None:
    version = samples.of_whole("flink-version-changed", "warning", "Flink changed from 1.17 to 1.15")
    plain = samples.pipeline(samples.orders(filtered=False), samples.orders(filtered=False))
    lost = samples.pipeline(samples.orders(filtered=False), samples.orders(filtered=True))
    report = samples.report(
        *({**plain, "name": name, "findings": [dict(version)]} for name in "ab"),
        {**lost, "name": "c", "findings": [*lost["findings"], dict(version)]},
    )
    text = _text(report)
    lead = text.partition("Clear")[0]
    assert text.count(version["message"]) == lead.count(version["message"]) + 1
