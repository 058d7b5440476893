"""The report on a terminal."""

import io
import re

from checker.model.findings import Verdict
from checker.report.check.text import render_text
from checker.report.formats import Report, renderer
from checker.report.presentable import Terminal, is_prose, terminal_of
from checker.rules.base import title
from tests.report import samples


class _Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_says_what_is_lost_where_why_and_what_to_do() -> None:
    text = render_text(samples.example())
    flat = " ".join(text.split())
    assert "error: State of 'Totals per customer' is lost" in flat
    assert f"at {samples.SOURCE}:33" in text
    assert "same cause: Sink: Alerts out" in text
    assert '.uid("Totals per customer")\n' in text
    assert "settle it with --arg suffix=VALUE" in flat
    assert "suppressed: uid-missing on sink: stateless tap, removed in Q1" in flat
    assert (
        text.splitlines()[-1]
        == "State would be lost  1 of 3 pipelines read whole, 1 in part, 1 not read, 1 error, 1 warning"
    )


def test_lines_keep_to_the_width() -> None:
    for width in (60, 80, 120):
        text = render_text(samples.example(), Terminal(width=width))
        unbroken = [line for line in text.splitlines() if len(line) > width]
        # What is copied or looked up is never broken: ids, paths, lines of a repair.
        assert all(re.search(r"[0-9a-f]{32}|/|[.\[(]", line) for line in unbroken)


def test_colour_only_where_a_terminal_shows_it() -> None:
    assert terminal_of(_Tty(), {"TERM": "xterm"}).colour
    assert not terminal_of(_Tty(), {"TERM": "dumb"}).colour
    assert not terminal_of(_Tty(), {"TERM": "xterm", "NO_COLOR": "1"}).colour
    assert not terminal_of(io.StringIO(), {"TERM": "xterm"}).colour
    assert terminal_of(io.StringIO(), {"FORCE_COLOR": "1"}).colour
    assert not terminal_of(io.StringIO(), {"FORCE_COLOR": "1", "NO_COLOR": "1"}).colour


def test_colours_change_nothing_but_colour() -> None:
    coloured = render_text(samples.example(), Terminal(colour=True))
    assert re.sub(r"\x1b\[[\d;]+m", "", coloured) == render_text(samples.example())


def test_the_last_line_is_true_to_what_decided_it() -> None:
    same = samples.orders(filtered=False)
    wrong = samples.pipeline(same, same, {"regions": Verdict.MISASSIGNED})
    assert "State would land in the wrong operator" in render_text(samples.report(wrong)).splitlines()[-1]
    lost = samples.pipeline(same, samples.orders(filtered=True))
    warned = samples.report(lost, fail_on=None)
    assert "Nothing stops this, but not all state restores" in render_text(warned).splitlines()[-1]
    accepted = samples.pipeline(same, same, {"regions": Verdict.FAILS}) | {"findings": []}
    assert "not all state restores" in render_text(samples.report(accepted)).splitlines()[-1]
    removed = accepted | {"status": "removed"}
    assert "1 pipeline is gone  " in render_text(samples.report(removed)).splitlines()[-1]
    others = samples.report(removed, samples.pipeline(same, same))
    assert "1 pipeline is gone; state of the others restores" in render_text(others).splitlines()[-1]
    assert "nothing was checked" in render_text(samples.report()).splitlines()[-1]
    assert "Undecided" in render_text(samples.report(samples.undecided())).splitlines()[-1]


def test_says_how_each_pipeline_was_read() -> None:
    text = " ".join(render_text(samples.report(samples.reflective(), samples.captured())).split())
    why = "--allow-exec is not given; --allow-exec settles what is undecided by running it"
    assert f"read from source (java): {why}" in text
    assert '1 pipeline unchanged, read by real Flink 1.20.5 (build "mvn -q -DskipTests package")' in text


def test_programs_that_are_not_read_are_one_line_until_somebody_asks() -> None:
    report = samples.example()
    place = {"file": "a.kt", "line": 1, "column": 1}
    report["notes"] = [
        {"message": f"{name} is in Kotlin", "location": place, "unread": reason, "pipeline": None}
        for name, reason in (("a.kt", "in Kotlin"), ("b.kt", "in Kotlin"), ("t", "without operators"))
    ]
    short = renderer(Report.CHECK, "text", io.StringIO())(report)
    note = "note: 3 programs not read (2 in Kotlin, 1 without operators): --verbose says more"
    assert note in " ".join(short.split())
    assert "b.kt is in Kotlin" not in short
    assert "b.kt is in Kotlin" in renderer(Report.CHECK, "text", io.StringIO(), verbose=True)(report)


def test_programs_that_are_not_read_and_that_no_edit_concerns_are_shown_where_nothing_else_was_found() -> None:
    report = samples.example()
    place = {"file": "a.kt", "line": 1, "column": 1}
    report["notes"] = [{"message": "a.kt is in Kotlin", "location": place, "unread": "in Kotlin", "pipeline": "a.kt"}]
    assert "Kotlin" not in render_text(report)
    assert "a.kt is in Kotlin" in render_text(report, verbose=True)
    assert "1 program not read (1 in Kotlin)" in render_text({**report, "pipelines": []})


def test_pipelines_that_fail_for_one_reason_are_shown_once() -> None:
    report = samples.example()
    unread = next(p for p in report["pipelines"] if p["status"] == "unreadable")
    report["pipelines"] += [{**unread, "name": f"other {n}"} for n in range(3)]
    text = " ".join(renderer(Report.CHECK, "text", io.StringIO())(report).split())
    assert text.count(unread["failure"]["head"] or unread["failure"]["base"]) == 1
    assert "and so 3 others: other 0, other 1, other 2" in text


def test_a_warning_that_changed_pipelines_share_is_said_once() -> None:
    version = samples.of_whole("flink-version-changed", "warning", "Flink changed from 1.17 to 1.15")
    plain = samples.pipeline(samples.orders(filtered=False), samples.orders(filtered=False))
    lost = samples.pipeline(samples.orders(filtered=False), samples.orders(filtered=True))
    report = samples.report(
        {**lost, "name": "a", "findings": [*lost["findings"], version]},
        *({**plain, "name": name, "findings": [version]} for name in ("b", "c")),
    )
    text = " ".join(render_text(report).split())
    assert text.count("Flink changed from 1.17 to 1.15") == 1
    assert "3 pipelines a, b, c warning: Flink changed" in text
    assert "2 pipelines unchanged" in text
    assert render_text(report, verbose=True).count("Flink changed from 1.17 to 1.15") == 3


def test_operators_with_one_finding_and_new_pipelines_with_one_warning_are_said_together() -> None:
    def warning(name: str, number: int) -> dict[str, object]:
        side = {"key": name, "name": name, "id": None, "uid": None, "uid_hash": None, "vertex": None,
                "location": None, "uid_location": None}  # fmt: skip
        return {
            "rule": "uid-missing", "severity": "warning", "message": f"{title(name)} has no uid", "operator_key": name,
            "fingerprint": f"{number:012x}", "base": None, "head": side, "evidence": [], "followers": [],
            "repair": "add one", "location": {"file": "src/Job.java", "line": number, "column": 1},
            "suppression": {"configuration": "", "comment": None}, "pipeline": "p",
        }  # fmt: skip

    plain = samples.pipeline(samples.orders(filtered=False), samples.orders(filtered=False))
    new = [
        {**plain, "name": f"p{n}", "status": "added", "findings": [warning("a", 10 * n), warning("b" * 90, 10 * n + 1)]}
        for n in (1, 2, 3)
    ]
    bare = {**plain, "name": "bare", "status": "added", "findings": []}
    report = samples.report(*new, bare)
    text = " ".join(render_text(report).split())
    assert "p1 new pipeline" in text
    assert "and so 2 others: p2, p3" in text
    assert "(Job.java:11 00000000000b)" in text
    assert text.count("add one") == 1
    assert "1 new pipeline: bare" in text
    every = " ".join(render_text(report, verbose=True).split())
    assert every.count("has no uid") == 3, "one line for a pipeline and its like operators"
    assert "bare new pipeline" in every


def test_notes_of_pipelines_stand_where_there_is_more_to_say_of_these() -> None:
    report = samples.example()
    shown = next(p["name"] for p in report["pipelines"] if p["findings"] and p["status"] != "unreadable")
    report["notes"] = [
        {"message": f"{name}: as deployed by x", "location": None, "unread": None, "pipeline": name}
        for name in (shown, "somebody else")
    ]
    text = render_text(report)
    assert f"note: {shown}: as deployed by x" in text
    assert "somebody else" not in text
    assert "somebody else: as deployed by x" in render_text(report, verbose=True)


def test_what_one_value_settles_at_one_place_is_said_once() -> None:
    report = samples.report(samples.undecided())
    (pipeline, *_) = report["pipelines"]
    place = {"file": "job.py", "line": 3, "column": 1}
    unknown = {"cause": "argument", "settled_by": "args in [[pipeline]]", "location": place}
    reasons = ("it depends on what nobody gave", "nobody gave it", "another place")
    pipeline["undecided"] = [{**unknown, "reason": reason} for reason in reasons[:2]]
    pipeline["undecided"].append({**unknown, "reason": reasons[2], "location": {**place, "line": 9}})
    text = " ".join(render_text(report).split())
    assert [text.count(f": {reason};") for reason in reasons] == [0, 1, 1]


def test_names_with_colons_before_a_call_are_no_sentence() -> None:
    assert not is_prose("paid orders archive: Writer, paid orders archive: Committer: sinkTo(sink)")
    assert is_prose("savepoint-checker repair makes the edits that this needs")
