"""Steps of an audit that say the same."""

from typing import Any

from checker.report.audits import together


def _step(pipeline: str, place: int, shown: str, cause: str, **lost: Any) -> dict[str, Any]:
    return {"repository": "orders", "series": "history", "pipeline": pipeline, "place": place, "shown": shown,
            "cause": cause, "lost": [], **lost}  # fmt: skip


def test_a_reason_for_which_programs_are_not_read_is_said_once() -> None:
    scala = "{} is a program in Scala, which is not read from source"
    steps = [
        _step(n, p, "unreadable", scala.format(f"jobs/src/{n}.scala")) for p in (4, 3) for n in ("A", "B", "C", "D")
    ]
    entry, no_job = together([*steps, _step("E", 2, "unreadable", "the program executes no job")])
    assert entry["pipeline"] == "A, B, C and 1 more"
    assert entry["cause"] == "… is a program in Scala, which is not read from source"
    assert (entry["place"], entry["steps"]) == (4, " in 2 steps")
    assert (no_job["pipeline"], no_job["cause"], no_job["steps"]) == ("E", "the program executes no job", "")


def test_equal_undecided_steps_are_one_for_each_commit() -> None:
    undecided = [_step(name, place, "undecided", "an edit was not understood") for place in (2, 1) for name in "AB"]
    assert [(entry["pipeline"], entry["place"]) for entry in together(undecided)] == [("A, B", 2), ("A, B", 1)]


def test_what_broke_or_lost_state_stands_alone() -> None:
    broke = [_step(name, 1, "broke", "a filter was added", lost=[f"sum of {name}"]) for name in "AB"]
    undecided = [_step(name, 1, "undecided", "a filter was added", lost=[f"sum of {name}"]) for name in "CD"]
    assert [entry["pipeline"] for entry in together([*broke, *undecided])] == ["A", "B", "C", "D"]
