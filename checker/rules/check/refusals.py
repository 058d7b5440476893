"""Flink's refusal to build a job, and the rules that report some kinds of it."""

from collections.abc import Set
from dataclasses import replace

from checker.model.findings import Evidence, Hit, OperatorSide, Severity
from checker.model.translation import RefusalKind
from checker.rules.base import Category, Hits, Revision, Rule, revision_rule


def refusal_hits(revision: Revision, kinds: Set[RefusalKind]) -> Hits:
    """A hit for the refusal of a revision, if it is of one of the kinds. At most one: Flink stops at the first."""
    if revision.refused and revision.failure is not None and RefusalKind.INVALID in kinds:
        yield Hit(
            message=f"Flink refuses to build this job: {revision.failure}",
            operator_key=f"{RefusalKind.INVALID.value} program",
            location=revision.failure_location,
        )
    translation = revision.translation
    if translation is None or translation.refusal is None or translation.refusal.kind not in kinds:
        return
    refusal = translation.refusal
    declared = {t.id: t for t in translation.topology.operators()}
    sides = tuple(
        OperatorSide.of_declaration(declared[key.declaration], key)
        for key in refusal.operators
        if key.declaration in declared
    )
    first = sides[-1] if sides else None
    empty = refusal.kind is RefusalKind.NO_OPERATORS
    yield Hit(
        message=f"Flink refuses to build this job: {refusal.message}",
        operator_key=" ".join((refusal.kind.value, *sorted(map(str, refusal.operators)))),
        head=first,
        followers=tuple(s for s in sides if s is not first),
        evidence=(Evidence("refused", after=refusal.message),),
        location=(first.uid_location or first.location) if first is not None else None,
        # An execute() behind the statements that did it all, as programs of tables have it; a new one has no state.
        at_most=Severity.WARNING if empty and revision.certainly_new else None,
    )


def refusal_rule(module: str, title: str, kinds: Set[RefusalKind], repair: str | None = None) -> Rule:
    """The rule of a module that reports refusals of some kinds."""

    def find(revision: Revision) -> Hits:
        return (replace(hit, repair=repair) for hit in refusal_hits(revision, kinds))

    find.__module__ = module
    return revision_rule(title, Severity.ERROR, Category.BUILD)(find)
