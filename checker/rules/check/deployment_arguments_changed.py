"""The deployment gives the program other arguments."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping

from checker.model.deployments import Deployment
from checker.model.findings import Evidence, Severity
from checker.model.secrets import masked_arguments
from checker.rules.base import Category, Hit, RuleContext, rule


@rule("The deployment's arguments changed", Severity.INFO, Category.RESTORE)
def find(context: RuleContext) -> Iterable[Hit]:
    """One hit where arguments, environment variables or property groups differ; only arguments are shown."""
    before, after = context.base.deployment, context.head.deployment
    if before is None or after is None or context.base.translation is None:
        return
    evidence = []
    if before.args != after.args and before.args is not None and after.args is not None:
        old_args, new_args = (shlex.join(masked_arguments(side.args or ())) for side in (before, after))
        evidence.append(Evidence("arguments", before=old_args, after=new_args))
    for what, old, new in (
        ("environment variables", dict(before.environment), dict(after.environment)),
        ("properties", _properties(before), _properties(after)),
    ):
        names = sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
        evidence += [Evidence(what, after=", ".join(names))] if names else []
    if evidence:
        yield Hit(
            message=f"the deployment gives the program other {' and '.join(e.name for e in evidence)}: "
            "both revisions are read with their own",
            operator_key="arguments",
            evidence=tuple(evidence),
            repair="no action is needed as long as no other finding names an operator",
            location=after.place_of("job.args"),
        )


def _properties(deployment: Deployment) -> Mapping[str, str | None]:
    return {f"{group}.{key}": value for group, values in deployment.properties for key, value in values}
