"""A canonical savepoint restores, but high availability and last-state upgrades refuse the changed job."""

from dataclasses import replace

from checker.compare.fit.unknowns import not_comparable
from checker.compare.revisions.starts import state_backend
from checker.model.comparison import MatchBasis
from checker.model.findings import Evidence, Hit, OperatorSide, RestorePath, Severity, Verdict
from checker.model.unknowns import Maybe, Unknown
from checker.rules.base import Category, Hits, Revision, RuleContext, rule, titles_of

_FORST = "forst"
"""It reads what RocksDB wrote in its own format, and RocksDB its."""


@rule("A restart from the last checkpoint is refused", Severity.INFO, Category.RESTORE)
def find(context: RuleContext) -> Hits:
    """A hit for ids, and one for the state backend, where no deployment says how it upgrades."""
    if context.start.own_format is None:
        for hit in refusals(context):
            yield replace(
                hit,
                message=f"a last-state upgrade is refused{hit.message}",
                repair="deploy this change with a savepoint",
            )


def refusals(context: RuleContext) -> Hits:
    """Why a start from a checkpoint is refused where a canonical savepoint restores: how a sentence on it ends."""
    sides = _refused_only_there(context)
    if sides and context.start.path is not RestorePath.SAVEPOINT:
        yield Hit(
            message=f" although a savepoint restores: the ids of {titles_of(sides)} are gone, and from the "
            "last checkpoint Flink refuses even operators without state, whatever allowNonRestoredState says",
            operator_key="last-state",
            base=sides[0],
            followers=tuple(sides[1:]),
            evidence=tuple(Evidence("not claimed", before=f"{s.name} {s.id}") for s in sides),
        )
    before, after = (_backend(side) for side in (context.base, context.head))
    written = (
        any(n.stateful is not False and n.declared.keeps_keyed for n in context.base.nodes.values())
        and context.comparable
    )
    canonical = context.start.own_format is False
    if written and None not in (before, after) and (why := _unreadable(before, after, canonical=canonical)):
        yield Hit(
            message=why, operator_key="state-backend", evidence=(Evidence("backend", _text(before), _text(after)),)
        )


def _backend(side: Revision) -> Maybe[str] | None:
    return None if side.translation is None else state_backend(side.translation.topology, side.deployment)


def _unreadable(before: Maybe[str] | None, after: Maybe[str] | None, *, canonical: bool) -> str | None:
    """Why one backend does not read what the other wrote, None where it does; all but ForSt read what is canonical."""
    if isinstance(before, Unknown) or isinstance(after, Unknown):
        why = None if canonical else not_comparable(before, after)
        return why and f" if another backend wrote the keyed state: cannot tell which backend is used ({why})"
    if before == after or ({before, after} == {"rocksdb", "forst"} and not canonical):
        return None
    if canonical:
        return f": {_FORST} has no canonical savepoints ({before} → {after})" if _FORST in (before, after) else None
    return f": {before} wrote keyed state in its own format, which {after} can't read"


def _text(backend: Maybe[str] | None) -> str:
    return backend.reason if isinstance(backend, Unknown) else str(backend)


def _refused_only_there(context: RuleContext) -> list[OperatorSide]:
    """The operators whose entries that path refuses; none where a savepoint is refused anyway."""
    rows = context.comparison.operators
    declared = [r for r in rows if r.match.basis is MatchBasis.MAPPING]
    refused = [r for r in rows if r.verdicts and r.verdict(RestorePath.SAVEPOINT) is Verdict.FAILS]
    if not context.comparable or any(r not in declared for r in refused):
        return []
    return [r.base for r in rows if r.base is not None and r.verdict(RestorePath.LAST_STATE) is Verdict.FAILS]
