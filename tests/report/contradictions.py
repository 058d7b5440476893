"""What a report must not say beside each other: its headline, rows, account and findings tell of one thing."""

import html
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from checker.report.formats import Report, renderer
from checker.report.presentable import escaped
from checker.report.wording import REPORT_WORDS, coverage, headline, tally, verdict_of

Json = Mapping[str, Any]
_AS_BEFORE = ("restores", "stateless")


def contradictions(report: dict[str, Any]) -> list[str]:
    """All of them in a document of ``check``."""
    found = [f"{p['name']}: {why}" for p in report["pipelines"] for why in _of_pipeline(p)]
    wrong = any(f["severity"] == "error" for p in report["pipelines"] for f in p["findings"])
    if wrong and headline(report) in (REPORT_WORDS["passes"], REPORT_WORDS["nothing-checked"]):
        found.append(f"'{headline(report)}' above errors")
    return [*found, *_of_counts(report), *_of_formats(report)]


def _of_counts(report: dict[str, Any]) -> Iterator[str]:
    """Numbers that differ from what is listed."""
    pipelines, counts = report["pipelines"], report["counts"]
    listed = {
        "pipelines": len(pipelines),
        "findings": Counter(f["severity"] for p in pipelines for f in p["findings"]),
        "operators": Counter(verdict_of(row) for p in pipelines for row in p["operators"] if row["verdicts"]),
    }
    for what, number in listed.items():
        counted = counts[what] if what == "pipelines" else Counter(counts[what])
        if counted != number:
            yield f"{what}: {counted} counted and {number} listed"
    for pipeline in pipelines:
        account = pipeline["account"]
        if account and Counter(account["counts"]) != Counter(e["explanation"] for e in account["edits"]):
            yield f"{pipeline['name']}: {account['counts']} edits counted, and others listed"
    if report["blocking"] and report["verdict"] in ("passes", "nothing-checked"):
        yield f"{report['blocking']} findings block, and the verdict is '{report['verdict']}'"


def _of_formats(report: dict[str, Any]) -> Iterator[str]:
    """Formats that say another verdict, or leave out what is wrong."""
    written = {name: renderer(Report.CHECK, name)(report) for name in ("text", "markdown", "html", "json")}
    if json.loads(written["json"])["verdict"] != report["verdict"]:
        yield "json: another verdict"
    words = {"text": str, "markdown": escaped, "html": html.escape}
    wording = {name: [spelled(headline(report)), spelled(tally(report))] for name, spelled in words.items()}
    errors = report["counts"]["findings"]["error"]
    wording["html"][1] = html.escape(coverage(report))
    wording["html"].append(f"<dt>error{'' if errors == 1 else 's'}</dt><dd>{errors}</dd>")
    for name, sentences in wording.items():
        yield from (f"{name} does not say '{sentence}'" for sentence in sentences if sentence not in written[name])
    rules = {f["rule"] for p in report["pipelines"] for f in p["findings"] if f["severity"] == "error"}
    for name in words:
        yield from (f"{name} does not list '{rule}'" for rule in rules if rule not in written[name])


def _of_pipeline(pipeline: Json) -> Iterator[str]:
    errors = [f for f in pipeline["findings"] if f["severity"] == "error"]
    if errors and pipeline["status"] in ("unchanged", "batch"):
        yield f"'{pipeline['status']}' above errors"
    named = _keys(errors)
    for row in pipeline["operators"]:
        sides = [side for side in (row["base"], row["head"]) if side is not None]
        if verdict_of(row) == "restores" and any(side["key"] in named for side in sides):
            yield f"'{sides[-1]['name']}' restores, and an error speaks of it"
    yield from _of_edits(pipeline, errors)
    decided = _keys([f for f in errors if f["rule"] not in ("undecided", "edit-not-understood")])
    for finding in errors:
        operators = _keys([{**finding, "base": None if finding["head"] else finding["base"]}])
        if finding["rule"] == "undecided" and operators and operators <= decided:
            yield "undecided beside an error that decides the same operators"


def _of_edits(pipeline: Json, errors: list[Json]) -> Iterator[str]:
    edits = pipeline["account"]["edits"] if pipeline["account"] else []
    paired = [row for row in pipeline["operators"] if row["base"] and row["head"] and row["id_changed"] is False]
    code = any(edit["why"] in ("body", "unused") for edit in edits)
    differs = any(verdict_of(row) not in _AS_BEFORE for row in paired)
    if edits and (errors or (code and differs)) and all(edit["explanation"] == "without-effect" for edit in edits):
        yield "no edit counts, and the state of an operator does not restore"
    open_ = {_line(e["head"] or e["base"]) for e in edits if e["explanation"] == "not-understood"}
    places = {_line(f["location"]) for f in errors if f["rule"] != "edit-not-understood"} - {None}
    if open_ and open_ <= places and any(f["rule"] == "edit-not-understood" for f in errors):
        yield "edits are not understood that other errors speak of"


def _keys(findings: list[Json]) -> set[str]:
    sides = (side for f in findings for side in (f["base"], f["head"], *f["followers"]))
    return {side["key"] for side in sides if side is not None}


def _line(place: Json | None) -> tuple[str, int] | None:
    return (place["file"], place["line"]) if place else None
