"""Base and head of one pipeline: every pair of possible programs compared, and what holds in all of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from checker.compare.fit.unknowns import explained, same_unknown
from checker.compare.revisions.causes import Explainer
from checker.compare.revisions.identities import Identities
from checker.compare.revisions.mapping import MappingEntry
from checker.compare.revisions.matching import Matching, match_operators
from checker.compare.revisions.programs import MAX_PAIRS, AcceptedProgram, choices_of, id_shape, pairs_of, programs_of
from checker.compare.revisions.states import state_changes
from checker.compare.revisions.verdicts import Judge, everywhere
from checker.model.comparison import Comparison, Match, MatchBasis, OperatorComparison, PathVerdict
from checker.model.findings import OperatorSide, RestorePath, Verdict
from checker.model.nested import gathered
from checker.model.stream_graph import NodeKey, StreamNode
from checker.model.translation import Question, Translation, Undecided
from checker.model.unknowns import Unknown


def compare_pipelines(
    name: str, base: Translation | None, head: Translation | None, mapping: Iterable[MappingEntry] = ()
) -> Comparison:
    """What happens to every operator's state when the head starts from what the base left.

    None stands for a pipeline that is not there (or could not be read: the caller knows). ``mapping`` are the
    entries of a mapping file that concern this pipeline.
    """
    base_programs = programs_of(base) if base else ()
    head_programs = programs_of(head) if head else ()
    rows: tuple[OperatorComparison, ...] = ()
    gaps: tuple[Unknown, ...] = ()
    if all(t.topology.takes_no_savepoints for t in (base, head) if t is not None):
        pass  # there is nothing to restore, whatever the ids
    elif base and head and base_programs and head_programs:
        rows, gaps = _compare(base, head, base_programs, head_programs, tuple(mapping))
    elif base_programs and head is not None:
        rows = _one_sided(base_programs[0], _no_job(head))
    elif base_programs:
        rows = _one_sided(base_programs[0], "the head has no such pipeline", Verdict.DROPPED)
    elif head_programs:
        rows = tuple(_added(head_programs[0], n) for n in head_programs[0].nodes)
    opened = (u for row in rows if Verdict.UNDECIDED in {v.verdict for v in row.verdicts} for u in row.undecided)
    return Comparison(
        pipeline=name,
        operators=rows,
        base_flink=base.topology.flink if base else None,
        head_flink=head.topology.flink if head else None,
        undecided=tuple(dict.fromkeys((*gaps, *opened))),
        gaps=gaps,
    )


def _no_job(head: Translation) -> str:
    return f"Flink refuses to build the head: {head.refusal.message}" if head.refusal else "the head makes no job"


@dataclass(frozen=True, slots=True)
class _Compared:
    """The rows of one pair of programs, and the choices that made the pair."""

    choices: dict[tuple[str, Question], str]
    """By side, ``base`` or ``head``, and question."""
    rows: tuple[OperatorComparison, ...]


def _compare(
    base: Translation,
    head: Translation,
    base_programs: tuple[AcceptedProgram, ...],
    head_programs: tuple[AcceptedProgram, ...],
    mapping: tuple[MappingEntry, ...],
) -> tuple[tuple[OperatorComparison, ...], tuple[Unknown, ...]]:
    compared: list[_Compared] = []
    unknowns: dict[Question, Unknown] = {}
    for base_program, head_program in pairs_of(base, head, base_programs, (*head_programs, *head.refused)):
        if len(compared) == MAX_PAIRS:
            break
        sides = (("base", base_program), ("head", head_program))
        choices = {(side, c.question): c.value for side, program in sides for c in choices_of(program)}
        unknowns |= {c.question: c.unknown for _, program in sides for c in choices_of(program)}
        if isinstance(head_program, AcceptedProgram):
            rows = _compare_programs(base_program, head_program, mapping)
        else:
            rows = _one_sided(base_program, _no_job(head_program))
        compared.append(_Compared(choices, rows))
    unknowns |= {
        u.question: u.unknown
        for t in (base, head)
        for translation in (*t.refused[:1], t)
        for u in translation.undecided
        if u.question
    }
    return _merged(compared, unknowns) if len(compared) > 1 else compared[0].rows, _whole_pipeline(base, head)


def _whole_pipeline(base: Translation, head: Translation) -> tuple[Unknown, ...]:
    """What keeps the pipeline open although no row says so: operators that could not be read."""
    gaps = [[u for u in t.undecided if not u.question] for t in (base, head)]
    pairs = zip(gaps, gaps[::-1], strict=True)
    gaps = [  # without settings of the whole pipeline (such as its runtime mode) that are one unknown in both
        [u for u in side if u.nodes or not any(not b.nodes and same_unknown(u.unknown, b.unknown) for b in beside)]
        for side, beside in pairs
    ]
    unreadable = [_unreadable(t, u) for t, u in zip((base, head), gaps, strict=True)]
    if not unreadable[0] and not unreadable[1]:
        return ()
    if id_shape(base.topology) == id_shape(head.topology):
        return ()
    before, after = unreadable
    gone = [u for u in before if not any(same_unknown(u, counterpart) for counterpart in after)]
    new = [u for u in after if not any(same_unknown(counterpart, u) for counterpart in before)]
    if len(gone) == len(new) == 1:
        return (explained(gone[0], new[0]),)
    return tuple(dict.fromkeys((*new, *gone) or (*after, *before)))


def _unreadable(translation: Translation, undecided: list[Undecided]) -> tuple[Unknown, ...]:
    reasons = [u.unknown for u in undecided if not u.nodes]
    for program in programs_of(translation):
        reasons.extend(n.declared.unknown or Unknown("operators that could not be read") for n in program.unreadable)
    return tuple(dict.fromkeys(reasons))


def _compare_programs(
    base: AcceptedProgram, head: AcceptedProgram, mapping: tuple[MappingEntry, ...]
) -> tuple[OperatorComparison, ...]:
    identities = Identities(base, head)
    matching = match_operators(identities, mapping)
    judge = Judge(identities, matching)
    explainer = Explainer(identities, matching)
    rows = [_removed(n, judge, explainer) for n in base.nodes if n.number not in matching.head_of]
    for node in head.nodes:
        counterpart = matching.base_of.get(node.number)
        if counterpart is None:
            rows.append(_new(head, node, judge.judge_new(node).verdicts))
        else:
            rows.append(_matched(base.graph.nodes[counterpart], node, judge, explainer, matching))
    return tuple(rows)


def _matched(
    base: StreamNode, head: StreamNode, judge: Judge, explainer: Explainer, matching: Matching
) -> OperatorComparison:
    identities = judge.identities
    outcome = judge.judge(base)
    verdicts = outcome.verdicts
    on_savepoint = {v.verdict for v in verdicts if v.path is RestorePath.SAVEPOINT}
    if base.stateful is False and head.stateful is not False and Verdict.FAILS not in on_savepoint:
        verdicts = tuple(
            replace(v, verdict=Verdict.STARTS_EMPTY, reason="the operator kept no state before")
            if v.path is RestorePath.SAVEPOINT or v.verdict is Verdict.STATELESS
            else v
            for v in verdicts
        )
    same = identities.same(base, head)
    taker = outcome.claimed_by
    return OperatorComparison(
        base=identities.base.side(base),
        head=identities.head.side(head),
        match=matching.matches[base.number],
        stateful=_either(base.stateful, head.stateful),
        verdicts=verdicts,
        id_changed=None if same is None else not same,
        cause=None if same else explainer.explain(head),
        claimed_by=identities.head.side(taker) if taker is not None and taker.number != head.number else None,
        state_changes=state_changes(base, head, identities.releases),
        undecided=outcome.undecided,
    )


def _either(base: bool | Unknown, head: bool | Unknown) -> bool | Unknown:
    if base is True or head is True:
        return True
    return base if isinstance(base, Unknown) else head


def _removed(node: StreamNode, judge: Judge, explainer: Explainer) -> OperatorComparison:
    outcome = judge.judge(node)
    taker, row = outcome.claimed_by, _gone(judge.identities.base, node, outcome.verdicts)
    by_mapping = node.number in judge.matching.dropped
    return replace(
        row,
        match=replace(row.match, basis=MatchBasis.MAPPING) if by_mapping else row.match,
        claimed_by=None if taker is None else judge.identities.head.side(taker),
        cause=None if taker is None else explainer.taken_by(taker),
        undecided=outcome.undecided,
    )


def _added(head: AcceptedProgram, node: StreamNode) -> OperatorComparison:
    stateless = Verdict.STATELESS, "the operator keeps no state"
    empty = Verdict.STARTS_EMPTY, "the pipeline is new"
    return _new(head, node, everywhere(*(stateless if node.stateful is False else empty)))


def _one_sided(base: AcceptedProgram, reason: str, verdict: Verdict = Verdict.FAILS) -> tuple[OperatorComparison, ...]:
    """Every operator of a base whose head is not a job at all."""
    stateless = Verdict.STATELESS if verdict is Verdict.DROPPED else verdict
    return tuple(
        _gone(base, node, everywhere(stateless if node.stateful is False else verdict, reason)) for node in base.nodes
    )


_ALONE = Match(basis=MatchBasis.NONE)


def _gone(base: AcceptedProgram, node: StreamNode, verdicts: tuple[PathVerdict, ...]) -> OperatorComparison:
    return OperatorComparison(
        base=base.side(node), head=None, match=_ALONE, stateful=node.stateful, verdicts=verdicts, id_changed=None
    )


def _new(head: AcceptedProgram, node: StreamNode, verdicts: tuple[PathVerdict, ...]) -> OperatorComparison:
    return OperatorComparison(
        base=None, head=head.side(node), match=_ALONE, stateful=node.stateful, verdicts=verdicts, id_changed=None
    )


def _merged(compared: Sequence[_Compared], unknowns: dict[Question, Unknown]) -> tuple[OperatorComparison, ...]:
    """The rows of the first pair, their verdicts kept where every pair agrees."""
    by_key = [{_row_key(r): r for r in comparison.rows} for comparison in compared]
    merged = []
    for key in dict.fromkeys(k for rows in by_key for k in rows):
        rows = [view.get(key) for view in by_key]
        row = next(r for r in rows if r is not None)
        merged.append(_merge_row(row, rows, compared, unknowns))
    return tuple(merged)


def _row_key(row: OperatorComparison) -> tuple[bool, NodeKey]:
    """A base operator is one row whatever it is matched to; new operators are rows of their own."""
    return row.base is None, (row.base or row.side).key


def _merge_row(
    row: OperatorComparison,
    rows: list[OperatorComparison | None],
    compared: Sequence[_Compared],
    unknowns: dict[Question, Unknown],
) -> OperatorComparison:
    present = [r for r in rows if r is not None]
    verdicts, reasons = [], [u for r in present for u in r.undecided]
    for first in row.verdicts:
        path = first.path, first.allow_non_restored_state
        values = [None if r is None else r.verdict(*path) for r in rows]
        seen = {v for v in values if v is not None}
        if len(seen) == 1:
            verdicts.append(first)
            continue
        if seen == {Verdict.RESTORES, Verdict.STATELESS}:  # whatever it keeps, if anything, is found again
            restored = next(r for r in present if r.verdict(*path) is Verdict.RESTORES)
            verdicts.extend(v for v in restored.verdicts if (v.path, v.allow_non_restored_state) == path)
            continue
        deciding = _deciding(values, compared, unknowns)
        reasons.extend(deciding)
        text = "; ".join(dict.fromkeys(u.reason for u in deciding)) or "it depends on what could not be read"
        possible = tuple(sorted(seen))
        reason = f"{' or '.join(possible)}, depending on this: {text}"
        verdicts.append(replace(first, verdict=Verdict.UNDECIDED, reason=reason, possible=possible))
    changed = {r.id_changed for r in present}
    causes = [r.cause for r in present if r.cause is not None]
    return replace(
        row,
        base=_with_known_id([r.base for r in present]),
        head=_with_known_id([r.head for r in present]),
        verdicts=tuple(verdicts),
        id_changed=row.id_changed if len(changed) == 1 else None,
        cause=causes[0] if causes else None,
        undecided=tuple(dict.fromkeys(reasons)),
    )


def _with_known_id(sides: Sequence[OperatorSide | None]) -> OperatorSide | None:
    """The operator of the first pair; its id is dropped if other pairs give it a different id."""
    first = sides[0]
    ids = {side.id for side in sides if side is not None}
    return first if first is None or len(ids) == 1 else replace(first, id=None)


def _deciding(
    values: list[Verdict | None], compared: Sequence[_Compared], unknowns: dict[Question, Unknown]
) -> list[Unknown]:
    """The unknowns whose value alone can change the verdict, all of them when only several together can."""
    questions = list(dict.fromkeys(question for comparison in compared for _, question in comparison.choices))
    found = []
    for question in questions:
        others = [tuple((k, v) for k, v in pair.choices.items() if k[1] != question) for pair in compared]
        if any(len(set(group)) > 1 for group in gathered(zip(others, values, strict=True)).values()):
            found.append(question)
    return list(dict.fromkeys(unknowns[q] for q in found or questions))
