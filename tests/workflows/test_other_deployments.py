"""An edit of a manifest, a configuration or an image concerns the pipelines that run with it, and no others."""

import pytest

from checker.extract.deployments.matching import with_deployment
from checker.model.deployments import Deployment, DeploymentKind
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.unknowns import Location


@pytest.mark.parametrize(
    ("field", "option", "expected"),
    [(None, "true", True), (None, "false", None), (False, "true", False), (True, "false", True), (None, None, None)],
)
def test_the_option_to_drop_state_is_that_of_the_resource(
    field: bool | None, option: str | None, expected: bool | None
) -> None:
    for key in ("execution.state-recovery", "execution.savepoint"):
        started = Deployment(
            kind=DeploymentKind.FLINK_DEPLOYMENT,
            name="o",
            target="",
            location=Location("o.yaml", 1),
            allow_non_restored_state=field,
            configuration=() if option is None else ((f"{key}.ignore-unclaimed-state", option),),
        )
        found = with_deployment(PipelineEntry(name="o", extract=ExtractorKind.JAVA), started).deployment
        assert found is not None
        assert found.allow_non_restored_state is expected
