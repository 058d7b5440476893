"""An upgrade or downgrade of Flink whose effects on this job are known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from checker.flink.versions import semantics_of
from checker.model.findings import Evidence, Severity
from checker.model.topology import Kind
from checker.rules.base import Category, Hit, RuleContext, rule


@rule("The Flink version changed, with known effects on state", Severity.WARNING, Category.RESTORE)
def find(context: RuleContext) -> Iterable[Hit]:
    """At most one hit per pipeline."""
    if context.base.translation is None or context.head.translation is None:
        return
    before, after = context.comparison.base_flink, context.comparison.head_flink
    old, new = semantics_of(before).version, semantics_of(after).version
    effects = tuple(_effects(context, old, new))
    if before is None or after is None or not effects:
        return
    yield Hit(
        message=f"Flink changed from {before} to {after}: {effects[0]}",
        operator_key="flink",
        evidence=(Evidence("flink", before, after), *(Evidence("effect", after=e) for e in effects)),
        repair="take a canonical savepoint with the old version, and restore a copy of it with the new one first",
    )


def _effects(context: RuleContext, old: str, new: str) -> Iterator[str]:
    before, after = _number(old), _number(new)
    assert context.head.translation is not None
    sinks = any(t.kind is Kind.SINK for t in context.head.translation.topology.operators())
    if after < before:
        if before >= (2, 0) > after:
            yield "savepoints of 2.x have a format that 1.x can not read"
        else:
            yield "Flink promises nothing for restoring savepoints of a newer version"
        return
    if sinks and before < (1, 15) <= after:
        yield "sinks are expanded to other operators, so ids of sinks without uid, and of what comes after them, move"
    if sinks and before < (1, 14) <= after:
        yield "sink writers no longer chain behind a SourceFunction, which moves the ids of operators without uid"
    if before < (2, 0) <= after:
        yield "types without a serializer of their own are written by Kryo 5 instead of 2: their state may not restore"


def _number(version: str) -> tuple[int, int]:
    major, minor = version.split(".")
    return int(major), int(minor)
