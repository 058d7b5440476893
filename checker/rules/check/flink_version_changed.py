"""An upgrade or downgrade of Flink whose effects on this job are known."""

from collections.abc import Iterator

from checker.flink.versions import Semantics, semantics_of
from checker.model.findings import Evidence, Hit, Severity
from checker.model.flink_releases import SUPPORTED
from checker.model.unknowns import Unknown
from checker.rules.base import Category, Hits, RuleContext, rule, title_of


@rule("The Flink version changed, with known effects on state", Severity.WARNING, Category.RESTORE)
def find(context: RuleContext) -> Hits:
    """At most one hit per pipeline."""
    if context.base.translation is None or context.head.translation is None:
        return
    before, after = context.comparison.base_flink, context.comparison.head_flink
    effects = tuple(_effects(context, semantics_of(before), semantics_of(after)))
    if before is None or after is None or not effects:
        return
    yield Hit(
        message=f"Flink changed from {before} to {after}: {effects[0]}",
        operator_key="flink",
        evidence=(Evidence("flink", before, after), *(Evidence("effect", after=e) for e in effects)),
        repair="take a canonical savepoint with the old version, and restore a copy of it with the new one first",
    )


def _effects(context: RuleContext, old: Semantics, new: Semantics) -> Iterator[str]:
    if SUPPORTED.index(new.version) < SUPPORTED.index(old.version):
        if (old.newest_metadata or 0) > (new.newest_metadata or 0) > 0:
            yield f"savepoints of {old.version} have a format that {new.version} can not read"
        else:
            yield "Flink promises nothing for restoring savepoints of a newer version"
        return
    if old.kryo != new.kryo and (where := _not_read(context)) is not None:
        yield (
            f"Kryo {new.kryo} misreads or refuses what Kryo {old.kryo} wrote, and cannot tell whether the state of "
            f"{where} has types that Kryo writes"
        )


def _not_read(context: RuleContext) -> str | None:
    """The first operator that keeps state of types that were not read."""
    for row in context.pairs:
        node = context.base_node(row)
        state = node.declared.state if node is not None and node.stateful is not False else ()
        if row.base is not None and (
            isinstance(state, Unknown) or any(isinstance(s.value_type, Unknown) for s in state)
        ):
            return title_of(row.base)
    return None
