"""The HTML report in a real browser: driven with mouse and keys, read by axe, printed."""

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from checker.cli import run
from checker.report.check.page import render_html
from tests.hooks.conftest import TOP, Scratch
from tests.report import samples
from tests.report.browser.conftest import Open
from tests.report.browser.npm_files import AXE, npm_file
from tests.report.hostile import NAMES, hostile

sys.path.insert(0, str(TOP / "examples"))

from make_repository import make_repository

pytestmark = pytest.mark.browser


def violations(page: Any) -> list[str]:
    """What axe finds serious or critical; it looks at the page with the policy on, through its own script world."""
    found = page.evaluate(
        npm_file(*AXE).read_text(encoding="utf-8") + "\n;axe.run(document, {resultTypes: ['violations']})"
    )
    return [
        f"{v['id']}: {v['help']} {[n['target'] for n in v['nodes'][:3]]}"
        for v in found["violations"]
        if v["impact"] in ("serious", "critical")
    ]


def graphs(page: Any, number: int = 0) -> Any:
    return page.locator(f"#p{number} .canvas svg")


def test_both_graphs_show_chains_operators_and_what_moved(open_report: Open) -> None:
    page = open_report(samples.example())
    svg = graphs(page)
    assert svg.count() == 1
    pipeline = next(p for p in samples.example()["pipelines"] if p["name"] == "orders")
    vertices = [len(pipeline["graphs"][side]["vertices"]) for side in ("base", "head")]
    assert svg.locator(".vertex").count() == sum(vertices)
    for side in ("base", "head"):
        nodes = pipeline["graphs"][side]["nodes"]
        drawn = svg.locator(f'.operator[data-side="{side}"]')
        labels = drawn.evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
        assert sorted(label.split(",")[0] for label in labels) == sorted(n["name"] for n in nodes)
    assert svg.locator(".operator.v-fails").count() == 2
    moved = [row for row in pipeline["operators"] if row["id_changed"]]
    assert svg.locator(".moved").count() == len(moved) > 0
    boxes = svg.locator(".vertex").evaluate_all("all => all.map(o => o.getBoundingClientRect().toJSON())")
    for i, upper in enumerate(boxes):
        for later in boxes[i + 1 :]:
            apart = (
                upper["right"] <= later["left"]
                or later["right"] <= upper["left"]
                or upper["bottom"] <= later["top"]
                or later["bottom"] <= upper["top"]
            )
            assert apart, "boxes overlap"


def test_the_edit_is_marked_explained_and_shown_in_the_source(chromium: Any, tmp_path: Path) -> None:
    make_repository(tmp_path / "orders")
    arguments = ["--repo", str(tmp_path / "orders"), "--base", "v1.0.0", "--head", "main~1"]
    assert run(["check", *arguments, "--output", str(tmp_path / "report.html")]) == 1
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    page.goto((tmp_path / "report.html").as_uri())
    graphs(page).wait_for()
    assert page.locator(".operator.inserted").get_attribute("data-side") == "head"
    assert page.locator(".operator.inserted").text_content() == "no test orders·no test orders"
    assert page.locator(".canvas .tagged").all_text_contents() == ["inserted"]
    legend = page.locator(".legend").inner_text()
    assert all(words in legend for words in ("start fails", "inserted", "its id changed", "how the change spread"))
    assert not page.locator(".moved").first.is_visible()
    excerpt = page.locator(".excerpt").first.inner_text().splitlines()
    assert excerpt[1].startswith("44 | ")
    at = excerpt[2].index("^")
    assert excerpt[1][at:].startswith("filter(")
    assert excerpt[2].count("^") == len("filter")
    assert page.locator(".finding").count() == 1
    assert not page.locator("td.ids").first.is_visible()
    page.locator("#ids").check()
    assert page.locator("td.ids").first.is_visible()
    figure, finding = (page.locator(kind).first.bounding_box() for kind in (".graphs", ".finding"))
    assert figure["x"] + figure["width"] <= finding["x"]
    assert figure["y"] < 400
    page.close()


def test_an_operator_that_changed_its_place_is_marked_as_moved(open_report: Open) -> None:
    report = samples.example()
    for row in (row for pipeline in report["pipelines"] for row in pipeline["operators"] if row["cause"]):
        row["cause"] = {**row["cause"], "kind": "operators-reordered", "operator": "parse"}
    page = open_report(report)
    graphs(page).wait_for()
    assert page.locator(".operator.reordered").first.text_content().startswith("Parse")
    assert "moved" in page.locator(".canvas .tagged").all_text_contents()


def test_a_click_explains_an_operator(open_report: Open) -> None:
    page = open_report(samples.report(*samples.example()["pipelines"], repository_url="https://github.com/acme/orders"))
    page.locator('.operator[data-side="base"]', has_text="Totals per customer").click()
    panel = page.locator("#panel")
    text = panel.inner_text()
    for wanted in (
        "Totals per customer",
        "1ecdd4eb106b55064e295efac849b968",
        "4c0ebdfda5460f16d1ef4fdc957d0928",
        "'Valid orders' was inserted before 'Parse'",
        "start fails",
        "from last state",
        "the place in the graph",
        "value Long",
        '.uid("Totals per customer")',
    ):
        assert wanted in text, wanted
    links = panel.locator("a.source").evaluate_all("all => all.map(a => a.href)")
    assert f"https://github.com/acme/orders/blob/{'b' * 40}/{samples.SOURCE}#L33" in links
    assert page.locator(".operator.selected").count() == 2
    page.keyboard.press("Escape")
    assert panel.is_hidden()
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("Totals per customer")


def test_a_repair_is_copied(open_report: Open) -> None:
    page = open_report(samples.example(), permissions=["clipboard-read", "clipboard-write"])
    page.locator("#p0 .findings .copy").first.click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith('.uid("Totals per customer")\n')


def test_what_silences_a_finding_is_one_entry_that_the_tool_takes(open_report: Open, tmp_path: Path) -> None:
    scratch = Scratch(tmp_path / "orders")
    make_repository(scratch.top)
    scratch.git("checkout", "--quiet", "main~1")
    asked = ["check", "--engine", "in-process", "--repo", str(scratch.top), "--base", "v1.0.0", "--head", ":worktree"]
    assert run([*asked, "--output", str(tmp_path / "report.json")]) == 1
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    page = open_report(report, permissions=["clipboard-read", "clipboard-write"])
    silences = page.locator("details.silence")
    assert silences.count() == sum(len(p["findings"]) for p in report["pipelines"]) > 0
    configuration = scratch.top / "savepoint-checker.toml"
    for silence in silences.all():
        silence.locator("summary").click()
        silence.locator(".copy").click()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert [list(tomllib.loads(copied)), len(tomllib.loads(copied)["suppress"])] == [["suppress"], 1]
        with configuration.open("a", encoding="utf-8") as file:
            file.write("\n" + copied.replace('reason = ""', 'reason = "a test"') + "\n")
    assert run([*asked, "--output", str(tmp_path / "silenced.json")]) == 0
    [pipeline] = json.loads((tmp_path / "silenced.json").read_text(encoding="utf-8"))["pipelines"]
    assert (len(pipeline["findings"]), len(pipeline["suppressed"])) == (0, silences.count())


def test_filters_and_search_agree_with_the_report(open_report: Open) -> None:
    report = samples.report(samples.large(120), *samples.example()["pipelines"])
    page = open_report(report)
    rows = page.locator("tr[data-row]:not([hidden])")
    every = sum(len(p["operators"]) for p in report["pipelines"])
    assert rows.count() == every
    failing = report["counts"]["operators"]["fails"]
    page.locator('input[name="verdict"][value="fails"]').check()
    expect(page.locator("tr[data-row]:not([hidden])")).to_have_count(failing)
    assert page.locator("#matches").inner_text().startswith(f"{failing} operators")
    page.locator("button[type=reset]").click()
    expect(page.locator("tr[data-row]:not([hidden])")).to_have_count(every)
    page.locator("#search").fill("1ecdd4eb106b55064e295efac849b968")
    expect(page.locator("tr[data-row]:not([hidden])")).to_have_count(1)
    assert "Totals per customer" in rows.inner_text()
    page.locator("#search").fill("")
    page.locator("#severity").select_option("warning")
    expect(page.locator(".finding:not([hidden])")).to_have_count(1)
    page.locator("#severity").select_option("")
    page.locator("#pipeline").select_option(label="dedup")
    expect(page.locator(".pipeline:not([hidden])")).to_have_count(1)
    expect(page.locator(".pipeline:visible h2")).to_contain_text("dedup")


def test_keys_reach_and_explain_every_operator(open_report: Open) -> None:
    page = open_report(samples.example())
    assert page.locator('#p0 .operator[tabindex="0"]').count() == 1
    page.locator("#p0 .canvas").focus()
    page.keyboard.press("Tab")
    seen = []
    for _ in range(6):
        seen.append(page.evaluate("document.activeElement.getAttribute('aria-label')"))
        page.keyboard.press("ArrowDown")
    assert len(set(seen)) == 6
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.side") == "head"
    page.keyboard.press("Enter")
    assert page.locator("#panel").is_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "search"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(open_report: Open, scheme: str) -> None:
    page = open_report(samples.example(), color_scheme=scheme)
    page.locator("#p2").scroll_into_view_if_needed()
    assert violations(page) == []
    page.locator(".finding .show").first.click()
    assert violations(page) == []
    assert (
        page.evaluate("getComputedStyle(document.body).backgroundColor")
        == {
            "light": "rgb(255, 255, 255)",
            "dark": "rgb(13, 17, 23)",
        }[scheme]
    )


def test_five_hundred_operators_stay_smooth(open_report: Open) -> None:
    page = open_report(samples.report(samples.large(500)))
    page.locator(".canvas").scroll_into_view_if_needed()
    graphs(page).wait_for()
    page.locator('[data-zoom="part"]').click()
    assert page.locator(".operator").count() == 1001
    assert violations(page) == []
    slowest = page.evaluate(
        """async () => {
            let slowest = 0;
            const note = entry => { slowest = Math.max(slowest, entry.duration); };
            const watch = new PerformanceObserver(list => list.getEntries().forEach(note));
            watch.observe({type: 'longtask', buffered: false});
            const canvas = document.querySelector('.canvas');
            for (let i = 0; i < 40; i += 1) {
                canvas.scrollTop += 60;
                await new Promise(requestAnimationFrame);
            }
            document.querySelector('[data-zoom=in]').click();
            document.querySelector('[data-zoom=fit]').click();
            await new Promise(done => setTimeout(done, 100));
            return slowest;
        }"""
    )
    assert slowest < 1000


def test_a_large_graph_opens_with_what_changed_and_folds_the_rest(open_report: Open) -> None:
    report = samples.report(samples.large(310))
    page = open_report(report)
    page.locator(".canvas").scroll_into_view_if_needed()
    graphs(page).wait_for()
    folded = page.locator(".folded text").all_text_contents()
    sides = [len(report["pipelines"][0]["graphs"][side]["nodes"]) for side in ("base", "head")]
    assert page.locator(".operator").count() + sum(int(text.split()[0]) for text in folded) == sum(sides)
    assert folded
    row = next(o for o in range(310) if not shown(page, o))
    page.evaluate("document.querySelector('.operators').open = true")
    page.locator(f'tr[data-row="{row}"] .show').click()
    assert shown(page, row), "an operator that is asked for is drawn"
    page.get_by_role("button", name="Changed part").click()
    assert page.locator(".folded").count() == len(folded)


def shown(page: Any, row: int) -> bool:
    return bool(page.locator(f'.operator[data-row="{row}"]').count())


@pytest.mark.parametrize("operators", [0, 310])
def test_fit_shows_all_of_it_and_the_headings_stay_in_view(open_report: Open, operators: int) -> None:
    page = open_report(samples.report(samples.large(operators)) if operators else samples.example())
    page.locator(".canvas").first.scroll_into_view_if_needed()
    graphs(page).wait_for()
    canvas = "document.querySelector('.canvas')"
    page.locator('[data-zoom="one"]').first.click()
    page.evaluate(f"{canvas}.scrollTop = 1e6; {canvas}.scrollLeft = 100")
    page.wait_for_timeout(100)
    top, bottom = page.evaluate(f"[{canvas}.getBoundingClientRect().top, {canvas}.getBoundingClientRect().bottom]")
    for heading in page.locator("#p0 .canvas .heading").all():
        box = heading.bounding_box()
        assert box is not None
        assert top - 1 <= box["y"] < bottom
    page.locator('[data-zoom="fit"]').first.click()
    wide, high = page.evaluate(
        f"[{canvas}.scrollWidth <= {canvas}.clientWidth, {canvas}.scrollHeight <= {canvas}.clientHeight]"
    )
    assert wide
    assert high


@pytest.mark.parametrize("report", [samples.example(), samples.report(samples.large(310))], ids=["example", "large"])
def test_a_telephone_needs_no_sideways_scrolling(open_report: Open, report: Any) -> None:
    page = open_report(report, viewport={"width": 390, "height": 844})
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_the_page_opens_with_the_gravest_finding_and_what_to_do(open_report: Open) -> None:
    page = open_report(samples.example())
    lead = page.locator(".lead").inner_text()
    assert "Totals per customer" in lead
    assert 'What to do: .uid("Totals per customer").setUidHash("' in lead
    assert page.evaluate(
        "document.querySelector('.graphs').compareDocumentPosition(document.querySelector('.findings'))"
    ) == 4  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_hostile_names_run_nothing(open_report: Open, name: str) -> None:
    page = open_report(hostile(name))
    page.locator(".canvas").first.scroll_into_view_if_needed()
    page.locator(".operator").first.click(force=True)
    assert page.locator("#panel").is_visible()
    assert page.evaluate("window.pwned") is None
    assert page.evaluate("document.scripts.length") == 3


def test_reads_without_scripts(open_report: Open) -> None:
    page = open_report(samples.example(), java_script_enabled=False)
    text = page.locator("body").inner_text()
    assert "State would be lost" in text
    assert "Totals per customer" in text
    assert not page.locator("#filters").is_visible()
    assert not page.locator(".canvas").first.is_visible()


def test_prints_findings_graphs_and_tables(open_report: Open, tmp_path: Path) -> None:
    page = open_report(samples.example())
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert not page.locator("#filters").is_visible()
    assert graphs(page).is_visible()
    assert page.locator("details:not([open]):not(.silence)").count() == 0
    assert page.pdf(format="A4").startswith(b"%PDF")
    large = open_report(samples.report(samples.large(200)))
    large.emulate_media(media="print")
    assert not graphs(large).is_visible()
    assert large.locator(".toolarge").is_visible()


def test_the_policy_refuses_a_foreign_script(chromium: Any, tmp_path: Path) -> None:
    file = tmp_path / "tampered.html"
    html = render_html(samples.example()).replace("</body>", "<script>window.pwned = 1</script></body>")
    file.write_text(html, encoding="utf-8")
    page = chromium.new_page()
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.goto(file.as_uri())
    assert page.evaluate("window.pwned") is None
    assert any("Content Security Policy" in text for text in messages)
    page.close()
