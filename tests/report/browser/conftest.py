"""A headless Chromium, and pages that must not complain."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from checker.report.check.page import render_html

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
Open = Callable[..., Any]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("google-chrome")
    assert program, "no Chromium found: install it, or leave these tests out with -m 'not browser'"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def open_report(chromium: Any, tmp_path: Path) -> Iterator[Open]:
    """Opens a report from ``file://``. At the end: nothing was said on the console, nothing was asked for."""
    contexts, messages, asked = [], [], []

    def open_it(report: Any, **options: Any) -> Any:
        file = tmp_path / f"report-{len(contexts)}.html"
        file.write_text(render_html(report), encoding="utf-8")
        context = chromium.new_context(**{"viewport": {"width": 1400, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(file.as_uri())
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert messages == []
    assert [url for url in asked if not url.startswith("file:")] == []
    assert len(asked) == len(contexts)
