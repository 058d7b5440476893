"""No state is lost without an error that names the operator, and no change that loses nothing is an error."""

import pytest

from checker.compare import compare_pipelines
from checker.model.findings import Finding, RestorePath, Severity, Verdict
from checker.rules import Revision, RuleContext, run_rules
from tests.compare.test_edit_scripts import accepted

GOOD = (Verdict.RESTORES, Verdict.STATELESS, Verdict.STARTS_EMPTY)


def keys(finding: Finding) -> set[str]:
    sides = (finding.base, finding.head, *finding.followers)
    return {side.key for side in sides if side is not None}


@pytest.mark.parametrize("edits", [1, 2, 4])
def test_every_loss_is_an_error_and_nothing_else_is(edits: int) -> None:
    losses = silent = 0
    for base, head, made in accepted(50 + edits, 150, edits):
        comparison = compare_pipelines("p", base, head)
        context = RuleContext(
            pipeline="p",
            base=Revision(translation=base),
            head=Revision(translation=head),
            comparison=comparison,
        )
        errors = [f for f in run_rules(context) if f.severity is Severity.ERROR]
        reported = {key for f in errors for key in keys(f)}
        lost = [r for r in comparison.operators if r.base and r.verdict(RestorePath.SAVEPOINT) not in GOOD]
        for row in lost:
            sides = {side.key for side in (row.base, row.head) if side is not None}
            assert sides & reported, (row, made)
        losses += len(lost)
        if not lost:
            # A head may still configure more subtasks than key groups: it would not start at all.
            assert {f.rule for f in errors} <= {"parallelism-above-max"}, made
            silent += 1
    assert losses > 50
    assert silent > 10
