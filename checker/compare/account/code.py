"""Explains the edits of code, declaration by declaration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from checker.compare.account.both_sides import BothSides, Pair, differing, reached_names
from checker.compare.account.facts import Facts
from checker.compare.account.openings import Openings
from checker.compare.account.questions import DataClasses, Edited, PickledClasses, Questions
from checker.model import findings
from checker.model.account import READ, SAME_PROGRAM, UNUSED, Account, Edit, Explanation, Thing, Verdict, Why
from checker.model.comparison import OperatorComparison
from checker.model.program_code import Declaration, Detail, Part, ProgramCode, Statement, simple_name
from checker.model.unknowns import Location


def code_edits(base: ProgramCode, head: ProgramCode, facts: Facts) -> Iterator[Edit]:
    """Every edit of the code that either revision can reach."""
    explainer = _Explainer(BothSides(base, head, facts))
    for pair in differing(base, head):
        yield explainer.edit(pair)


class _Explainer:
    def __init__(self, sides: BothSides) -> None:
        self.sides = sides
        self.data = DataClasses(sides)
        self.pickled = PickledClasses(sides)
        self.questions = Questions(sides, self.data)
        self.openings = Openings(sides)
        self.unplanned = _unplanned(sides)

    def edit(self, pair: Pair) -> Edit:
        before, after = self.sides.details(pair)
        edited = Edited(pair, before, after, *_changed(before, after))
        verdict = self._beside_statements(pair) or self._of_whole(pair, before, after) or self.questions.answer(edited)
        verdict = self.openings.explained(pair, verdict, edited.statements)
        base, head = _place(edited.old, pair.base), _place(edited.new, pair.head)
        found = verdict.edit(Thing.DECLARATION, _name(pair.any), base, head)
        of_body = verdict.why is Why.BODY
        if of_body or verdict.why is Why.UNUSED:
            found = replace(found, aside=self.openings.beside(pair, edited.statements))
        return replace(found, run_by=self.sides.facts.run_by(pair.any.key[0], found.location)) if of_body else found

    def _beside_statements(self, pair: Pair) -> Verdict | None:
        """What counts wherever the class of a declaration is written, taken out or renamed."""
        owner = simple_name(pair.any.key[0])
        if self.sides.facts.pickles and self.pickled.changed_by(pair):
            return Verdict(Why.TYPE, "state may hold objects that Python pickled with it")
        if owner in self.unplanned:
            return Verdict(Why.UNREAD, "tables use it that could not be planned")
        if pair.moved:
            return UNUSED
        if self.data.written_subclass(pair):
            return Verdict(Why.TYPE, f"a super class of {owner} lies in state, and objects of it are found by its name")
        return None

    def _of_whole(self, pair: Pair, before: Detail | None, after: Detail | None) -> Verdict | None:
        """What counts of a declaration as a whole."""
        if self.sides.class_of_one_side(pair):
            return UNUSED
        same = before is not None and after is not None and before.normal == after.normal
        return SAME_PROGRAM if same else None


def _place(statements: Sequence[Statement], declaration: Declaration | None) -> Location | None:
    """Where to look: at the first statement that differs, else at the declaration."""
    if statements:
        return statements[0].location
    return declaration.location if declaration is not None else None


def _changed(before: Detail | None, after: Detail | None) -> tuple[tuple[Statement, ...], tuple[Statement, ...]]:
    """The statements of each side that the other does not have; all of them where only their order differs."""
    sides = [detail.statements if detail is not None else () for detail in (before, after)]
    old, new = _without(sides[0], sides[1]), _without(sides[1], sides[0])
    return (old, new) if old or new else (sides[0], sides[1])


def _without(some: Sequence[Statement], others: Sequence[Statement]) -> tuple[Statement, ...]:
    left = Counter(statement.code for statement in others)
    found = []
    for statement in some:
        if left[statement.code]:
            left[statement.code] -= 1
        else:
            found.append(statement)
    return tuple(found)


_FUNCTIONS = frozenset({"SourceFunction", "RichSourceFunction", "RichParallelSourceFunction",
                        "ParallelSourceFunction", "SinkFunction", "RichSinkFunction"})  # fmt: skip
"""What connectors make that keeps no state, unless it is checkpointed: its code only gives and takes records."""


def _unplanned(sides: BothSides) -> set[str]:
    """Classes that tables use which were not planned, and all that the code of these mentions."""
    if not sides.facts.unplanned:
        return set()
    mentioned: dict[str, set[str]] = {}
    plain: set[str] = set()
    for code in sides.both:
        for key, declaration in code.declarations.items():
            mentioned.setdefault(simple_name(key[0]), set()).update(declaration.names)
            checkpointed = any("Checkpointed" in name for name in declaration.names)
            if declaration.part is Part.HEADER and declaration.names & _FUNCTIONS and not checkpointed:
                plain.add(simple_name(key[0]))
    return reached_names(sides.facts.unplanned, {name: of - plain for name, of in mentioned.items()}) - plain


def _name(declaration: Declaration) -> str:
    owner, name = declaration.key
    return owner if name == "<header>" else f"{owner}.{name}"


_AS_BEFORE = frozenset({findings.Verdict.RESTORES, findings.Verdict.STATELESS})


def with_causes(account: Account, operators: Iterable[OperatorComparison]) -> Account:
    """The account beside a comparison: an operator that does not keep its state does so for an edit.

    States and keys are followed through code by other ways than graphs. Where no edit is known to be compared, any of
    the code is.
    """
    counted = account.count(Explanation.WITHOUT_EFFECT)
    if counted < len(account.edits) or not any(map(_is_another, operators)):
        return account
    return replace(account, edits=tuple(map(_compared, account.edits)))


def _is_another(row: OperatorComparison) -> bool:
    judged = row.base is not None and bool(row.verdicts)
    return judged and row.verdict(findings.RestorePath.SAVEPOINT) not in _AS_BEFORE


def _compared(edit: Edit) -> Edit:
    if edit.thing is not Thing.DECLARATION or edit.why not in (Why.BODY, Why.UNUSED):
        return edit
    return READ.edit(edit.thing, edit.name, edit.base, edit.head)
