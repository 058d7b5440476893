"""The deployment starts the changed job from a snapshot that Flink refuses, where another kind of it restores."""

from dataclasses import replace

from checker.model.findings import RestorePath, Severity
from checker.rules.base import Category, Hits, RuleContext, rule
from checker.rules.check.last_state_refused import refusals


@rule("The deployment's upgrade mode is refused for this change", Severity.ERROR, Category.RESTORE)
def find(context: RuleContext) -> Hits:
    """A hit for ids, and one for the state backend."""
    start, after = context.start, context.head.deployment
    if start.own_format is None or after is None:
        return
    way = "starts from a checkpoint or a native savepoint" if start.own_format else "starts from a canonical savepoint"
    way = "upgrades by last-state" if start.path is RestorePath.LAST_STATE else way
    for hit in refusals(context):
        of_ids = hit.operator_key == "last-state"
        yield replace(
            hit,
            message=f"the deployment {way}, which is refused{hit.message}",
            operator_key="upgrade-mode" if of_ids else hit.operator_key,
            repair="upgradeMode: savepoint for this change, in the format CANONICAL"
            if start.own_format
            else "kubernetes.operator.savepoint.format.type: NATIVE before this change",
            location=after.place_of(*() if of_ids else ("state.backend.type", "state.backend"), "job.upgradeMode"),
        )
