"""How deployments start the head, as the operator does it."""

from dataclasses import replace
from typing import Any

import pytest

from checker.compare.revisions.starts import Start, start_of
from checker.model.deployments import Deployment, DeploymentKind, UpgradeMode
from checker.model.findings import RestorePath
from checker.model.unknowns import Location

BY_HIGH_AVAILABILITY = Start(RestorePath.LAST_STATE, own_format=True)
BY_CHECKPOINT = Start(RestorePath.SAVEPOINT, own_format=True, drops_unclaimed=True)
CANONICAL = Start(RestorePath.SAVEPOINT, own_format=False, drops_unclaimed=True)
OLD = Deployment(
    kind=DeploymentKind.FLINK_DEPLOYMENT, name="orders", target="", location=Location("d.yaml", 1), flink="1.20",
    upgrade_mode=UpgradeMode.LAST_STATE, allow_non_restored_state=True,
)  # fmt: skip
SAVEPOINTS = ("execution.checkpointing.savepoint-dir", "s3://state/savepoints")
NATIVE = ("kubernetes.operator.savepoint.format.type", "NATIVE")
CANCELS = ("kubernetes.operator.job.upgrade.last-state.job-cancel.enabled", "true")


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        ({}, {}, BY_HIGH_AVAILABILITY),
        ({"upgrade_mode": UpgradeMode.SAVEPOINT}, {}, BY_HIGH_AVAILABILITY),
        ({}, {"upgrade_mode": UpgradeMode.SAVEPOINT}, CANONICAL),
        ({"configuration": (NATIVE,)}, {"upgrade_mode": UpgradeMode.SAVEPOINT}, BY_CHECKPOINT),
        ({}, {"upgrade_mode": UpgradeMode.SAVEPOINT, "configuration": (NATIVE,)}, CANONICAL),
        ({}, {"upgrade_mode": UpgradeMode.STATELESS}, Start()),
        ({"kind": DeploymentKind.FLINK_SESSION_JOB}, {"kind": DeploymentKind.FLINK_SESSION_JOB}, BY_CHECKPOINT),
        ({"kind": DeploymentKind.BLUE_GREEN}, {"kind": DeploymentKind.BLUE_GREEN}, CANONICAL),
        ({"configuration": (CANCELS,)}, {}, BY_CHECKPOINT),
        ({"configuration": (SAVEPOINTS,)}, {"flink": "2.0"}, CANONICAL),
        ({}, {"flink": "2.0"}, BY_HIGH_AVAILABILITY),
    ],
)
def test_what_the_operator_starts_from(base: dict[str, Any], head: dict[str, Any], expected: Start) -> None:
    assert start_of(replace(OLD, **base), replace(OLD, **head)) == expected


@pytest.mark.parametrize(
    ("savepoint", "expected"),
    [("s3://s/savepoint-1", None), ("s3://c/4f/chk-12", True), (None, None)],
)
def test_flink_run_starts_from_what_it_names(savepoint: str | None, expected: bool | None) -> None:
    run = replace(OLD, kind=DeploymentKind.COMMAND, upgrade_mode=None, savepoint=savepoint)
    assert start_of(run, run) == Start(RestorePath.SAVEPOINT, expected, drops_unclaimed=True)


def test_nothing_is_said_without_a_deployment() -> None:
    assert start_of(None, None) == Start()
