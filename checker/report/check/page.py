"""The HTML report: one file that needs no network, under a Content-Security-Policy that allows only what it carries.

Everything that is text stands in the page itself, so that it can be read, searched and printed without scripts; the
script adds the graphs, the filters and the panel that explains one operator.
"""

import json
from collections.abc import Iterator
from typing import Any

from markdown_it import MarkdownIt
from markupsafe import Markup

from checker.model.nested import Json
from checker.report import grouping, wording
from checker.report.pages import asset, render_page
from checker.report.presentable import MARKS, WORDS, WORST_FIRST, presentable, short, source_link

_SCRIPT = ("elements", "graph", "figure", "panel", "filters")
"""Parts of the page's own script, in order: each uses names of those before it."""


def render_html(report: Json) -> str:
    """The whole report as one page."""
    shown = presentable(report)
    shown["pipelines"] = [pipeline for together in grouping.alike_together(shown["pipelines"]) for pipeline in together]
    _mark_repeated(shown["pipelines"])
    for pipeline in shown["pipelines"]:
        _name_operators_once(pipeline)
    _link_locations(shown)
    _link_rows(shown)
    own = "".join(asset(f"script/{name}.js") for name in _SCRIPT)
    scripts = [asset("vendor/dagre.min.js"), f'"use strict";\n(() => {{\n{own}}})();\n']
    return render_page(
        "report.html.j2",
        "report.css",
        scripts=scripts,
        report=shown,
        headline=wording.headline(shown),
        coverage=wording.coverage(shown),
        lead=wording.lead(shown),
        words={v.value: w for v, w in WORDS.items()},
        statuses=wording.STATUS_WORDS,
        icons={v.value: mark for v, mark in MARKS.items()},
        verdicts=[v.value for v in WORST_FIRST],
        flink_of=wording.flink_of,
        reading_of=wording.reading_in_full,
        verdict_of=wording.verdict_of,
        place=wording.place,
        change=wording.change,
        facts=wording.FACTS,
        failures=wording.failures,
        plural=wording.plural,
        unmentioned_unknowns=wording.unmentioned_unknowns,
        short=short,
        drawn=_drawn,
        rules=[(slug, about, _prose(about)) for slug, about in shown["rules"].items()],
        data=_data(shown),
    )


def _data(report: Json) -> Markup:
    """What the script needs, as JSON that can't end its own element."""
    pipelines = [
        {key: pipeline[key] for key in ("name", "status", "operators", "findings", "graphs")}
        for pipeline in report["pipelines"]
    ]
    words = {"verdicts": {v.value: {"word": w, "icon": MARKS[v]} for v, w in WORDS.items()}, "pipelines": pipelines}
    text = json.dumps(words, ensure_ascii=True, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def _prose(about: Json) -> Markup:
    """A rule's own page; HTML in it stays text."""
    return Markup(MarkdownIt("commonmark", {"html": False}).enable("table").render(str(about.get("page") or "")))


def _mark_repeated(pipelines: list[Json]) -> None:
    """Give every pipeline ``repeats``: the number and the name of the first one with the same findings, or None.

    Findings about a pipeline as a whole have the same.
    """
    first: dict[object, Json] = {}
    for number, pipeline in enumerate(pipelines):
        same = tuple((f["rule"], f["message"], f["repair"], wording.place(f["location"])) for f in pipeline["findings"])
        pipeline["repeats"] = first.get(same)
        here = {"number": number, "name": pipeline["name"]}
        first.setdefault(same, here)
        for finding in pipeline["findings"]:
            whole = grouping.of_whole(finding)
            finding["repeats"] = first.get((finding["rule"], finding["message"])) if whole else None
            if whole:
                first.setdefault((finding["rule"], finding["message"]), here)


def _name_operators_once(pipeline: Json) -> None:
    """Take lists of operators out of findings below one that lists the same ones; its ``same_operators`` says so."""
    listed: set[str] = set()
    shown: list[Json] = []
    for finding in pipeline["findings"]:
        finding["excerpts"] = [excerpt for excerpt in finding.get("excerpts", ()) if excerpt not in shown]
        shown += finding["excerpts"]
        own = {side["name"] for side in (finding["head"] or finding["base"], *finding["followers"]) if side}
        finding["same_operators"] = len(own) > 1 and own <= listed
        if finding["same_operators"]:
            finding["followers"] = []
            finding["evidence"] = [  # without what says nothing but the name and the id of a listed operator
                e
                for e in finding["evidence"]
                if e["after"] is not None or str(e["before"]).rpartition(" ")[0] not in listed
            ]
        listed |= own


def _drawn(excerpt: Json) -> str:
    """Lines of source with their numbers, and a caret below the one that counts."""
    last = excerpt["first"] + len(excerpt["lines"]) - 1
    margin = len(str(last))
    drawn = []
    for number, line in enumerate(excerpt["lines"], start=excerpt["first"]):
        drawn.append(f"{number:>{margin}} | {line}".rstrip())
        if number == excerpt["location"]["line"]:
            drawn.append(f"{'':>{margin}} | {' ' * excerpt['caret']}{'^' * excerpt['width']}")
    return "\n".join(drawn)


def _link_rows(report: Json) -> None:
    """Tell every finding which operator's row it is about, and every row its number."""
    for pipeline in report["pipelines"]:
        rows: dict[tuple[str, str], int] = {}
        for number, row in enumerate(pipeline["operators"]):
            row["number"] = number
            for side in ("base", "head"):
                if row[side]:
                    rows.setdefault((side, row[side]["key"]), number)
        for finding in pipeline["findings"]:
            keys = [(side, finding[side]["key"]) for side in ("head", "base") if finding[side]]
            finding["row"] = next((rows[key] for key in keys if key in rows), None)


def _link_locations(report: Json) -> None:
    """Give every location its ``url``, None where the source has no page."""
    for pipeline in report["pipelines"]:
        for side in ("base", "head"):
            for location in _locations(pipeline["graphs"][side]):
                location["url"] = source_link(report, location, side)
        for holder in (*pipeline["operators"], *pipeline["findings"]):
            for side in ("base", "head"):
                for location in _locations(holder.get(side)):
                    location["url"] = source_link(report, location, side)
        for location in _locations(pipeline):
            location.setdefault("url", source_link(report, location, "head"))
    for location in _locations(report["notes"]):
        location["url"] = source_link(report, location, "head")


def _locations(value: Any) -> Iterator[Json]:
    if isinstance(value, dict):
        if value.keys() >= {"file", "line", "column"}:
            yield value
            return
        for item in value.values():
            yield from _locations(item)
    elif isinstance(value, list):
        for item in value:
            yield from _locations(item)
