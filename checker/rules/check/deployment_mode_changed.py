"""The deployment upgrades in another way than before."""

from checker.model.deployments import UpgradeMode
from checker.model.findings import Evidence, Hit, Severity
from checker.rules.base import Category, Hits, RuleContext, rule

_MEANING = {
    UpgradeMode.SAVEPOINT: "upgrades start from a savepoint that is taken before",
    UpgradeMode.LAST_STATE: "upgrades start from the last checkpoint, which allows no change of the job's ids",
}


@rule("The deployment's upgrade mode changed", Severity.INFO, Category.RESTORE)
def find(context: RuleContext) -> Hits:
    """One hit; a change to ``stateless`` is one of ``deployment-starts-empty``."""
    before, after = context.base.deployment, context.head.deployment
    if before is None or after is None or before.upgrade_mode is None or after.upgrade_mode not in _MEANING:
        return
    if before.upgrade_mode is not after.upgrade_mode:
        was = " (so far they started without state)" if before.upgrade_mode is UpgradeMode.STATELESS else ""
        yield Hit(
            message=f"from now on {_MEANING[after.upgrade_mode]}{was}",
            operator_key="upgrade-mode",
            evidence=(Evidence("upgradeMode", before=before.upgrade_mode, after=after.upgrade_mode),),
            repair="none, if that is intended",
            location=after.place_of("job.upgradeMode"),
        )
