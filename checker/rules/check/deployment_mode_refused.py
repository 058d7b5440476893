"""The deployment upgrades from the last checkpoint, and on that path Flink refuses the changed job."""

from __future__ import annotations

from collections.abc import Iterable

from checker.model.deployments import UpgradeMode
from checker.model.findings import Evidence, Severity
from checker.rules.base import Category, Hit, RuleContext, rule
from checker.rules.check.last_state_refused import refused_only_there, sentence


@rule("The deployment's upgrade mode is refused for this change", Severity.ERROR, Category.RESTORE)
def find(context: RuleContext) -> Iterable[Hit]:
    """At most one hit per pipeline, where a savepoint would restore."""
    after = context.head.deployment
    if after is None or after.upgrade_mode is not UpgradeMode.LAST_STATE:
        return
    sides = refused_only_there(context)
    if sides:
        yield Hit(
            message=f"the deployment upgrades by last-state, which is refused although {sentence(sides)}",
            operator_key="upgrade-mode",
            base=sides[0],
            followers=tuple(sides[1:]),
            evidence=tuple(Evidence("not claimed", before=f"{s.name} {s.id}") for s in sides),
            repair="upgradeMode: savepoint for this change",
            location=after.place_of("job.upgradeMode"),
        )
