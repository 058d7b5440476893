"""Every recorded restore attempt gets Flink's verdict, its reason, and a warning for what happened silently."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from checker.model.findings import RestorePath, Severity, Verdict
from checker.model.restore import Attempt, Moment, RestoreRule, WarningRule
from checker.savepoint.places import PathMapping
from checker.workflows.gate.judging import GateOptions, NamedSavepoint, judge_savepoint
from tests.gate.lab_states import with_states
from tests.gate.made import judge
from tests.gate.recorded_jobs import recorded_job

UNREADABLE = {"broken/truncated", "broken/bad_version", "nowhere/savepoint"}

EFFECTS = {
    "max-adopt": set(),  # it keeps all state
    "uid-renamed-allow": {WarningRule.STATE_DROPPED},
    "uid-removed-source-allow": {WarningRule.STATE_DROPPED, WarningRule.SOURCE_STARTS_OVER},
    "nouid-uid-and-uidhash": {WarningRule.COORDINATOR_STARTS_FRESH},
    "max-adopted-unset": {WarningRule.MIXED_MAX_PARALLELISM},
    "multi-drop-allow": {WarningRule.STATE_DROPPED},
    "async-canonical": set(),  # of later savepoints
    "window-size": set(),
    "sink-drop-allow": {WarningRule.STATE_DROPPED},
    "fin-drop": set(),
    "ua2-chained": {WarningRule.IN_FLIGHT_DATA_LOST},
}
LEFT_OPEN = {"state-renamed", "state-removed-rocksdb", "orphan-revived", "op-bc-to-list", "op-renamed"}
"""What only the states that a job registers decide."""
SEEN_WITH_STATES = {
    "state-renamed": {WarningRule.STATE_ORPHANED},
    "state-removed-rocksdb": {WarningRule.STATE_ORPHANED},
    "op-bc-to-list": {WarningRule.LIST_BROADCAST_SWAPPED},
    "op-renamed": {WarningRule.STATE_ORPHANED},
}


def attempt_of(
    case: dict[str, Any], graph: dict[str, Any], snapshots: Path, mappings: tuple[PathMapping, ...]
) -> Attempt:
    backend = "rocksdb" if "rocksdb" in case.get("job_config", "") else "hashmap"
    job = recorded_job(graph, flink=case["flink_version"], state_backend=backend)
    path = str(snapshots / case["savepoint"])
    attempts, _provenance = judge_savepoint(NamedSavepoint(path=path), [job], GateOptions(mappings=mappings))
    allow = case["allow_non_restored_state"]
    (attempt,) = [a for a in attempts if a.path is RestorePath.SAVEPOINT and a.allow_non_restored_state is allow]
    return attempt


def base_name(case: dict[str, Any]) -> str:
    return str(case["id"]).removesuffix("-" + case["flink_version"])


def test_job_initialization_is_exact(
    recorded: dict[str, Any], snapshots: Path, mappings: tuple[PathMapping, ...]
) -> None:
    compared = 0
    for case in recorded["verdicts"]:
        attempt = attempt_of(case, recorded["graphs"][case["job_graph"]], snapshots, mappings)
        refused = case["verdict"] == "FAILED" and case["phase"] == "job_initialization"
        assert (attempt.moment is Moment.JOB_INITIALIZATION) == refused, case["id"]
        if case["savepoint"] in UNREADABLE:
            assert attempt.rule is RestoreRule.UNREADABLE_METADATA
        elif refused:
            assert attempt.verdict is Verdict.FAILS
            expected = case["message"].replace("file:/var/flink/state", str(snapshots))
            assert attempt.message == expected, case["id"]
            assert attempt.operator is None or attempt.operator in expected
            assert attempt.vertex is None or attempt.vertex in expected
            compared += 1
        elif case["verdict"] == "RESTORED":
            assert attempt.verdict is Verdict.RESTORES, case["id"]
    assert compared == 40


def test_what_only_descriptors_decide_is_never_passed_in_silence(
    recorded: dict[str, Any], snapshots: Path, mappings: tuple[PathMapping, ...]
) -> None:
    for case in recorded["verdicts"]:
        if case.get("phase") != "task_runtime":
            continue
        attempt = attempt_of(case, recorded["graphs"][case["job_graph"]], snapshots, mappings)
        assert attempt.verdict is Verdict.FAILS or attempt.open_questions, case["id"]


def test_every_recorded_attempt_gets_flinks_verdict(
    recorded: dict[str, Any], snapshots: Path, mappings: tuple[PathMapping, ...]
) -> None:
    """With the states that each job registers: what fails in a task is decided too."""
    decided: Counter[str | None] = Counter()
    for case in recorded["verdicts"]:
        bare = recorded["graphs"][case["job_graph"]]
        graph = with_states(bare, case["job"], case.get("options", ""), case["pojo_variant"])
        attempt = attempt_of(case, graph or bare, snapshots, mappings)
        name = base_name(case)
        if case["savepoint"] in UNREADABLE:
            assert attempt.rule is RestoreRule.UNREADABLE_METADATA
        expected = Verdict.FAILS if case["verdict"] == "FAILED" else Verdict.RESTORES
        assert attempt.verdict is expected, (case["id"], attempt.message)
        decided[case.get("phase")] += 1
        if attempt.moment is Moment.STATE_REGISTRATION:
            stable = case["message"].removeprefix("For heap backends, the").removeprefix("The").split("(")[0]
            assert stable.strip()[:30] in attempt.message.removeprefix("The").strip(), case["id"]
        for rule in SEEN_WITH_STATES.get(name, ()):
            assert rule in {w.rule for w in attempt.warnings}, case["id"]
    assert decided == {"job_initialization": 49, "task_runtime": 53, None: 102}


def test_silent_effects_are_warned_of(
    recorded: dict[str, Any], snapshots: Path, mappings: tuple[PathMapping, ...]
) -> None:
    silent = [case for case in recorded["verdicts"] if case.get("effect")]
    assert len(silent) == 33
    for case in silent:
        attempt = attempt_of(case, recorded["graphs"][case["job_graph"]], snapshots, mappings)
        rules = {w.rule for w in attempt.warnings}
        name = base_name(case)
        if name == "multi-swap-source-uids":
            named = case["flink_version"] == "2.3.0"  # 1.20 stores no names
            assert (WarningRule.OPERATOR_MISASSIGNED if named else WarningRule.IDENTITY_NOT_VERIFIABLE) in rules
        elif name in LEFT_OPEN:
            assert attempt.open_questions, case["id"]
        else:
            assert EFFECTS[name] <= rules, (case["id"], rules)


def test_unchanged_jobs_give_no_error_level_warning(
    recorded: dict[str, Any], snapshots: Path, mappings: tuple[PathMapping, ...]
) -> None:
    quiet = 0
    for case in recorded["verdicts"]:
        if not case.get("options") and case["verdict"] == "RESTORED" and not case.get("effect"):
            attempt = attempt_of(case, recorded["graphs"][case["job_graph"]], snapshots, mappings)
            loud = [w for w in attempt.warnings if w.severity is Severity.ERROR]
            assert not loud, (case["id"], loud)
            quiet += 1
    assert quiet > 20


@pytest.mark.parametrize("flag", [False, True])
def test_last_state_refuses_every_unclaimed_entry(
    recorded: dict[str, Any], snapshots: Path, mappings: tuple[PathMapping, ...], flag: bool
) -> None:
    from checker.savepoint.reader import read_savepoint

    (case,) = [v for v in recorded["verdicts"] if v["id"] == "drop-stateless-2.3.0"]
    job = recorded_job(recorded["graphs"][case["job_graph"]], flink="2.3")
    savepoint = read_savepoint(str(snapshots / case["savepoint"]))
    assert judge(savepoint, job, RestorePath.SAVEPOINT).verdict is Verdict.RESTORES
    attempt = judge(savepoint, job, RestorePath.LAST_STATE, flag)
    assert attempt.verdict is Verdict.FAILS
    assert attempt.rule is RestoreRule.NO_OPERATOR_FOR_STATE
    assert attempt.message == f"There is no operator for the state {attempt.operator}"


def test_further_attempts_get_flinks_verdict(more: Path) -> None:
    """Flink 1.18.1 among them, and cases that the first recording does not hold."""
    recorded = json.loads((more / "verdicts.json").read_text())
    assert len(recorded["verdicts"]) == 34
    mappings = (PathMapping("/var/flink/state", str(more)),)
    for case in recorded["verdicts"]:
        attempt = attempt_of(case, recorded["graphs"][case["job_graph"]], more, mappings)
        if base_name(case) == "kryo-to-long":
            assert attempt.open_questions  # needs the descriptor
            continue
        assert attempt.verdict.value == ("fails" if case["verdict"] == "FAILED" else "restores"), case["id"]
        if case.get("phase") == "job_initialization":
            assert attempt.message == case["message"].replace("file:/var/flink/state", str(more))
    by_name = {
        w: {x.rule for x in attempt_of(v, recorded["graphs"][v["job_graph"]], more, mappings).warnings}
        for v in recorded["verdicts"]
        if (w := v["id"]) in ("twins-swap-2.3.0", "ua-drop-slow-allow-2.3.0")
    }
    assert WarningRule.OPERATOR_MISASSIGNED in by_name["twins-swap-2.3.0"]
    assert WarningRule.STATE_DROPPED in by_name["ua-drop-slow-allow-2.3.0"]
