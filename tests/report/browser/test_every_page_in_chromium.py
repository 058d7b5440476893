"""Every kind of page: pictures of it, what axe says of it, and how it fits a telephone.

The pictures are in ``tests/data/pictures``. They are compared with a tolerance, where text is as wide as on the machine
that took them. After a change that is meant: ``UPDATE_PICTURES=1 make test-browser``, and look at them.
"""

import base64
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.report.browser.every_page import every_page
from tests.report.browser.test_page_in_chromium import violations
from tests.savepoint.conftest import unpacked

pytestmark = pytest.mark.browser

NAMES = ["check", "check-310", "gate-restores", "gate-refused", "gate-unrelated", "savepoint", "audit"]
VIEWS: dict[str, dict[str, Any]] = {
    "wide": {"viewport": {"width": 1280, "height": 900}},
    "phone": {"viewport": {"width": 390, "height": 844}},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
}
PICTURES = Path(__file__).parents[2] / "data" / "pictures"
HIGHEST = 2400
DIFFERENT = 0.02
"""The share of a picture that may differ: a letter or a line's end, not a block."""
CELL, SHADES = 8, 20
"""A cell of so many pixels a side differs where its mean colour does by more than so many of 255."""

Show = Callable[..., Any]

_COMPARE = """async ([before, after, cell, shades]) => {
  const cells = async (picture) => {
    const image = new Image();
    image.src = picture;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(image.width / cell);
    canvas.height = Math.ceil(image.height / cell);
    const drawing = canvas.getContext("2d");
    drawing.imageSmoothingQuality = "high";
    drawing.drawImage(image, 0, 0, canvas.width, canvas.height);
    return drawing.getImageData(0, 0, canvas.width, canvas.height);
  };
  const [old, now] = [await cells(before), await cells(after)];
  const wide = Math.max(old.width, now.width), high = Math.max(old.height, now.height);
  const at = (picture, x, y, part) =>
    x < picture.width && y < picture.height ? picture.data[4 * (y * picture.width + x) + part] : -255;
  let different = 0;
  for (let y = 0; y < high; y += 1)
    for (let x = 0; x < wide; x += 1)
      different += [0, 1, 2].some((part) => Math.abs(at(old, x, y, part) - at(now, x, y, part)) > shades);
  return different / (wide * high);
}"""
_WIDTHS = """() => ["system-ui", "ui-monospace, monospace"].map((family) => {
  const drawing = document.createElement("canvas").getContext("2d");
  drawing.font = `100px ${family}`;
  return Math.round(drawing.measureText("State would be lost: 45b0254a46cabbc3").width);
})"""
_SCROLLED = """() => [...document.querySelectorAll("body *")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1)
  .filter((one) => ["auto", "scroll"].includes(getComputedStyle(one).overflowX))
  .map((one) => one.className || one.tagName)"""
_OPEN_ALL = "document.querySelectorAll('details').forEach(one => { one.open = true; })"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    found = every_page(unpacked("snapshots.tar.xz", tmp_path_factory.mktemp("snapshots")), folder)
    assert list(found) == NAMES
    for name, html in found.items():
        (folder / f"{name}.html").write_text(html, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in found}


@pytest.fixture
def show(chromium: Any, pages: Mapping[str, Path]) -> Iterator[Show]:
    contexts = []

    def show_it(name: str, **view: Any) -> Any:
        contexts.append(chromium.new_context(reduced_motion="reduce", **view))
        page = contexts[-1].new_page()
        page.goto(pages[name].as_uri())
        for canvas in page.locator(".canvas").all():
            canvas.scroll_into_view_if_needed()
            canvas.locator("svg").wait_for()
        page.evaluate("scrollTo(0, 0)")
        return page

    yield show_it
    for context in contexts:
        context.close()


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", NAMES)
def test_it_looks_as_it_did(show: Show, chromium: Any, name: str, view: str) -> None:
    page = show(name, **VIEWS[view], device_scale_factor=0.5)
    taken = {name: picture(page)}
    if name == "check-310":
        taken[f"{name}-graph"] = picture(page, page.locator(".graphs").first)
    blank = chromium.new_page()
    widths = blank.evaluate(_WIDTHS)
    drawn_with = PICTURES / "widths.json"
    if os.environ.get("UPDATE_PICTURES"):
        PICTURES.mkdir(exist_ok=True)
        drawn_with.write_text(f"{json.dumps(widths)}\n", encoding="utf-8")
        for key, data in taken.items():
            (PICTURES / f"{key}-{view}.jpg").write_bytes(data)
    elif json.loads(drawn_with.read_text(encoding="utf-8")) != widths:
        pytest.skip(f"text is {widths} pixels wide here, the pictures were taken with {drawn_with.read_text()}")
    for key, data in taken.items():
        kept = (PICTURES / f"{key}-{view}.jpg").read_bytes()
        different = blank.evaluate(_COMPARE, [data_url(kept), data_url(data), CELL, SHADES])
        if different > DIFFERENT:
            drawn = Path(page.url.removeprefix("file://")).with_name(f"{key}-{view}.jpg")
            drawn.write_bytes(data)
            pytest.fail(f"{different:.1%} of {key}-{view}.jpg differ: look at {drawn}; if meant, UPDATE_PICTURES=1")
    blank.close()


def picture(page: Any, element: Any = None) -> bytes:
    if element is not None:
        return bytes(element.screenshot(type="jpeg", quality=60))
    size = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
    clip = {"x": 0, "y": 0, "width": size[0], "height": min(size[1], HIGHEST)}
    return bytes(page.screenshot(type="jpeg", quality=60, full_page=True, clip=clip))


def data_url(jpeg: bytes) -> str:
    return f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode()}"


def test_a_picture_with_another_block_differs(chromium: Any, show: Show) -> None:
    """The comparison can fail."""
    page = show("gate-refused", **VIEWS["wide"], device_scale_factor=0.5)
    before = picture(page)
    page.evaluate("document.querySelector('h2').textContent += '.'")
    with_a_dot = picture(page)
    page.evaluate("document.querySelector('.banner').remove()")
    without_banner = picture(page)
    blank = chromium.new_page()
    measured = [
        blank.evaluate(_COMPARE, [data_url(before), data_url(after), CELL, SHADES])
        for after in (before, with_a_dot, without_banner)
    ]
    blank.close()
    assert measured[0] == 0
    assert measured[1] < DIFFERENT < measured[2]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_nothing_serious(show: Show, name: str, view: str) -> None:
    page = show(name, **VIEWS[view])
    if name != "check-310":  # the table of all operators is that of the small one, and costs axe ten seconds
        page.evaluate(_OPEN_ALL)
    assert violations(page) == []


@pytest.mark.parametrize("name", NAMES)
def test_only_drawings_scroll_sideways_on_a_telephone(show: Show, name: str) -> None:
    page = show(name, **VIEWS["phone"])
    page.evaluate(_OPEN_ALL)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert set(page.evaluate(_SCROLLED)) <= {"canvas", "wide", "excerpt"}
    if page.locator(".operator").count():
        page.locator(".operator").first.click()
        assert page.locator("#panel").is_visible()
        assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_an_audit_opens_with_the_newest_break(show: Show) -> None:
    page = show("audit", **VIEWS["wide"])
    assert page.locator("h2").first.inner_text().startswith("Newest break")
    assert page.locator("h2").first.inner_text().endswith("step 36")
    subjects = page.locator("table.stacked tbody tr td:last-child").all_inner_texts()
    assert subjects == ["step 36", "step 34", "step 32"]


def test_a_gate_of_another_jobs_savepoint_says_so_in_its_heading(show: Show) -> None:
    assert "to be of another job: 0 of" in show("gate-unrelated").locator("h1").inner_text()
    assert "another job" not in show("gate-refused").locator("h1").inner_text()
