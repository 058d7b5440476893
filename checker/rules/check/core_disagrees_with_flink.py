"""A real Flink built the program and computed something other than this tool: then nothing here can be trusted."""

from checker.model.findings import Evidence, Hit, Severity
from checker.rules.base import Category, Hits, Revision, revision_rule


@revision_rule("A real Flink computed a different result", Severity.ERROR, Category.BUILD, always=True)
def find(revision: Revision) -> Hits:
    """One hit per pipeline with everything that differs."""
    against = revision.translation.topology.disagreements if revision.translation is not None else ()
    if against:
        yield Hit(
            message=f"a real Flink computed something other than this tool, in {len(against)} "
            f"value{'s' if len(against) > 1 else ''}: do not rely on the verdicts of this pipeline",
            operator_key="core-disagrees",
            evidence=tuple(Evidence("disagreement", after=text) for text in against[:20]),
            repair="please report it with the topology document that 'savepoint-checker extract' prints",
        )
