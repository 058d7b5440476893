"""Another computation takes over state: another aggregate, window, join or filter in SQL, or a source of other data."""

from checker.compare.revisions.declared_fit import meaning_changed, read_otherwise, same_but_for_data, taken_for_another
from checker.model.declared_state import COLUMN, LOG_AND_NEW_TABLES
from checker.model.findings import Evidence, Hit, RestorePath, Severity, Verdict
from checker.model.topology import Transformation
from checker.rules.base import Category, Hits, RuleContext, rule, title_of

_OF_OPERATORS = "computes something else and takes over the old state"
_OF_FILTERS = "continues with state of rows that passed a different condition"
_REPAIR_OF_SOURCES = (
    "give the source another uid, so that it starts without the old positions, and say from where it reads; "
    "if the data was only renamed, accept this finding with that reason"
)
_REPAIR_WITHOUT_UID = (
    "give the source a uid, so that it starts without the old positions, or in SQL write the statement as a new job; "
    "if the data was only renamed, accept this finding with that reason"
)

_REPAIR_OF_TABLES = (
    "start the pipeline anew with a snapshot, or move the old rows by hand; if only new events matter, accept this "
    "finding with that reason"
)


@rule("State is taken over by another computation", Severity.ERROR, Category.STATE)
def find(context: RuleContext) -> Hits:
    """One hit per operator whose state restores: where Flink refuses, another rule says so.

    A warning where what is kept is read as what it was, and only goes into another computation; so are positions.
    Where all that changed is what a source reads, the operators behind it follow the source.
    """
    changed = []
    for row in context.pairs:
        base, head = context.base_node(row), context.head_node(row)
        if base is None or head is None or row.head is None or row.id_changed is not False:
            continue
        restores = row.verdict(RestorePath.SAVEPOINT) in (Verdict.MISASSIGNED, Verdict.RESTORES)
        is_kept = restores and base.stateful is not False
        if (is_kept or base.declared.kind.source) and meaning_changed(base.declared, head.declared):
            changed.append((row, base.declared, head.declared, is_kept))
    taken = set[str]()
    for row, before, after, is_kept in sorted(changed, key=lambda found: not found[1].kind.source):
        if row.head is None or before.id in taken:
            continue
        source = before.kind.source
        behind = {
            old.id: follower.head for follower, old, new, _ in changed
            if source and old.id not in taken and same_but_for_data(old, new, before.reads, after.reads)
        }  # fmt: skip
        taken |= behind.keys()
        if not is_kept:
            continue
        misread = taken_for_another(before, after)
        otherwise = _OF_FILTERS if before.computes == after.computes else _OF_OPERATORS
        yield Hit(
            message=f"{title_of(row.head)} {misread or read_otherwise(before, after) or otherwise}: "
            "Flink restores it without an error, because the type of the state is unchanged",
            base=row.base,
            head=row.head,
            evidence=(Evidence("computes", _computed(before), _computed(after)),),
            followers=tuple(side for side in behind.values() if side is not None),
            at_most=None if misread else Severity.WARNING,
            repair=_REPAIR_OF_TABLES
            if (before.reads and not source) or after.operator == LOG_AND_NEW_TABLES
            else _REPAIR_OF_SOURCES
            if source and isinstance(before.uid, str)
            else _REPAIR_WITHOUT_UID
            if source
            else "start the changed statement without the old state: write it as a new job, or compile its plan "
            "and give the operator another id there; if the old values may stand in for the new ones, accept this "
            "finding with that reason",
        )


def _computed(operator: Transformation) -> str:
    filters = () if operator.meaning is None else operator.meaning.filters
    of_rows = "; ".join(found or "all" for found in filters).replace(COLUMN, "")
    computed = f"{operator.computes} of rows {of_rows}" if of_rows else operator.computes
    return " at ".join(filter(None, (computed, ", ".join(operator.reads_at))))
