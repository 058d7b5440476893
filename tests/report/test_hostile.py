"""Names that try to break out of every format they are shown in."""

import json
import re
import unicodedata
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from checker.report.check.continuous_integration import render_github, render_gitlab, render_junit
from checker.report.check.markdown import LIMIT, render_markdown
from checker.report.check.page import render_html
from checker.report.check.text import render_text
from checker.report.formats import FORMATS, Report, renderer
from checker.report.presentable import Terminal, code, escaped, short, visible
from tests.report import samples
from tests.report.hostile import NAMES, hostile


@pytest.fixture(params=NAMES, ids=str)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_nothing_invisible_is_shown(name: str) -> None:
    for form in FORMATS:
        render = renderer(Report.CHECK, form)
        if form == "json":
            continue
        text = re.sub(r"<script>.*?</script>", "", render(hostile(name)), flags=re.S)
        text.encode("utf-8")
        strange = {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")}
        assert strange <= {"\n"}, form


def test_canonical_json_gives_names_back_whole(name: str) -> None:
    report = hostile(name)
    written = renderer(Report.CHECK, "json")(report).encode("utf-8", "backslashreplace").decode()
    assert json.loads(written) == json.loads(json.dumps(report))


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {key for key, _ in attrs}
        self.links += [value or "" for key, value in attrs if key in ("href", "src")]


def parsed(html: str) -> _Page:
    page = _Page()
    page.feed(html)
    return page


def test_html_has_the_same_elements_whatever_the_names(name: str) -> None:
    plain = parsed(render_html(samples.named(lambda text: text)))
    page = parsed(render_html(hostile(name)))
    assert page.tags == plain.tags
    assert page.attributes == plain.attributes
    assert all(link.startswith(("#", "https://")) for link in page.links)


def test_html_data_can_not_end_its_element(name: str) -> None:
    html = render_html(hostile(name))
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.S)
    assert data is not None
    assert not set("<>&") & set(data[1])
    json.loads(data[1])


def test_text_has_one_line_a_fact(name: str) -> None:
    plain = render_text(hostile(name))
    assert "\x1b" not in plain
    coloured = render_text(hostile(name), Terminal(colour=True))
    assert re.sub(r"\x1b\[[\d;]+m", "", coloured).split() == plain.split()


def test_github_commands_are_ours_alone(name: str) -> None:
    plain = render_github(samples.named(lambda text: text)).splitlines()
    lines = render_github(hostile(name)).splitlines()
    kinds = [re.match(r"::(\w+) ", line) for line in plain]
    assert [bool(k) and k[1] for k in kinds] == [
        bool(k) and k[1] for k in (re.match(r"::(\w+) ", line) for line in lines)
    ]
    for line in lines[:-1]:
        match = re.fullmatch(r"::(error|warning|notice) ([^:]*)::(.*)", line)
        assert match, line
        assert all(re.fullmatch(r"\w+=[^,:]*", part) for part in match[2].split(",")), line


def test_junit_and_gitlab_stay_readable(name: str) -> None:
    ET.fromstring(render_junit(hostile(name)).encode())
    assert all(issue["location"]["path"] for issue in json.loads(render_gitlab(hostile(name))))


def tokens(markdown: str) -> list[Any]:
    found: list[Any] = []

    def walk(all_tokens: list[Any]) -> None:
        for token in all_tokens:
            if token.type != "text" and token.type != "softbreak":
                found.append((token.type, token.tag))
            walk(token.children or [])

    walk(MarkdownIt("gfm-like", {"html": True, "linkify": False}).parse(markdown))
    return found


def test_markdown_has_the_same_elements_whatever_the_names(name: str) -> None:
    plain = tokens(render_markdown(samples.named(lambda text: text)))
    assert tokens(render_markdown(hostile(name))) == plain


def test_markdown_names_nobody_and_links_nowhere(name: str) -> None:
    text = re.sub(r"(`+).*?\1", "", render_markdown(hostile(name)), flags=re.S)
    assert not re.search(r"(?<![\w`])@[\w-]", text)
    assert "https://e.x" not in text
    assert not re.search(r"(?<!\\)\]\(javascript", text)
    assert not re.search(r"^/", text, re.M)


def test_markdown_fits_a_comment(name: str) -> None:
    assert len(render_markdown(hostile(name)).encode()) <= LIMIT


@given(st.text())
def test_visible_text_is_printable_and_keeps_what_was(text: str) -> None:
    shown = visible(text)
    assert all(unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") for c in shown)
    shown.encode("utf-8")
    if shown.isascii() and "\\" not in text and "\\" not in shown:
        assert shown == text


@given(st.text(), st.integers(min_value=4, max_value=50))
def test_short_text_keeps_both_ends(text: str, limit: int) -> None:
    cut = short(text, limit)
    assert len(cut) <= limit
    assert cut == text or (text.startswith(cut[: cut.index("…")]) and len(text) > limit)


@given(st.text(alphabet=st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"])))
def test_escaped_markdown_shows_the_text_itself(text: str) -> None:
    text = " ".join(text.split())
    rendered = MarkdownIt("gfm-like", {"linkify": False}).parse(f"x {escaped(text)} x")
    inline = rendered[1].children
    assert {t.type for t in inline} <= {"text"}
    assert "".join(t.content for t in inline).replace("\u200b", "") == f"x {text} x".replace("\u200b", "")


@given(st.text(alphabet=st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1))
def test_code_spans_show_the_text_itself_in_tables(text: str) -> None:
    table = MarkdownIt("gfm-like", {"linkify": False}).parse(f"| a |\n| --- |\n| {code(text)} |")
    cells = [t.children for t in table if t.type == "inline"][1]
    assert [t.type for t in cells] == ["code_inline"]
    assert cells[0].content.strip() == text.strip()
