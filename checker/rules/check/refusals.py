"""Flink's refusal to build a job, as hits: shared by the rules about single kinds of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from checker.model.findings import Evidence, OperatorSide
from checker.model.translation import RefusalKind
from checker.rules.base import Hit, Revision


def refusal_hits(revision: Revision, kinds: frozenset[RefusalKind] | set[RefusalKind]) -> Iterable[Hit]:
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
    yield Hit(
        message=f"Flink refuses to build this job: {refusal.message}",
        operator_key=" ".join((refusal.kind.value, *sorted(map(str, refusal.operators)))),
        head=first,
        followers=tuple(s for s in sides if s is not first),
        evidence=(Evidence("refused", after=refusal.message),),
        location=(first.uid_location or first.location) if first is not None else None,
    )


def with_repair(hits: Iterable[Hit], repair: str) -> Iterable[Hit]:
    """The same hits with what to do."""
    return (replace(hit, repair=repair) for hit in hits)
