"""Explains the edits of code, declaration by declaration."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from difflib import SequenceMatcher

from checker.compare.account.both_sides import BothSides, reached_names
from checker.compare.account.data_classes import DataClasses
from checker.compare.account.facts import Facts
from checker.compare.account.inlined_locals import inlined
from checker.compare.account.members import Members
from checker.compare.account.pairs import Pair, differing
from checker.compare.account.pickled_classes import PickledClasses
from checker.compare.account.registrations import Registrations
from checker.compare.account.statements import Statements
from checker.compare.account.verdicts import OTHER_CLASS, UNREAD, Verdict, harmless, undecided
from checker.model.account import Edit, Explanation, Thing, Why
from checker.model.program_code import Declaration, Detail, Part, ProgramCode, Role, simple_name

_RESTS_ON_READING = frozenset({Why.STATIC_FIELD, Why.NOT_CALLED, Why.IN_NO_STATE, Why.NEW_CLASS, Why.PROCESSES_RECORDS})
"""Reasons that say nothing where no graph was read."""


def code_edits(base: ProgramCode, head: ProgramCode, facts: Facts) -> Iterator[Edit]:
    """Every edit of the code that either revision can reach."""
    explainer = _Explainer(BothSides(base, head, facts))
    for pair in differing(base, head):
        yield from explainer.edits(pair)


class _Explainer:
    def __init__(self, sides: BothSides) -> None:
        self.sides = sides
        self.data = DataClasses(sides)
        self.pickled = PickledClasses(sides)
        self.members = Members(sides, self.data)
        self.statements = Statements(sides, self.data)
        self.registrations = Registrations(sides)
        self.unplanned = _unplanned(sides)

    def edits(self, pair: Pair) -> Iterator[Edit]:
        if self.sides.facts.pickles and self.pickled.changed_by(pair):
            owner, name = pair.any.key
            pickled = f"made by {name}" if owner.endswith(".py") else f"of {simple_name(owner)}"
            yield self._edit(pair, undecided(Why.MAY_LIE_IN_STATE, f"state may hold pickled objects {pickled}"))
            return
        if simple_name(pair.any.key[0]) in self.unplanned:
            yield self._edit(pair, undecided(Why.PIPELINE_UNREADABLE, "tables use it that could not be planned"))
            return
        if pair.moved:
            yield self._edit(pair, harmless(Why.MOVED, "the same code stands elsewhere"))
            return
        if self.data.written_subclass(pair):
            owner = simple_name(pair.any.key[0])
            why = f"a super class of {owner} lies in state, and objects of it are found by its name"
            yield self._edit(pair, undecided(Why.MAY_LIE_IN_STATE, why))
            return
        asked = self.registrations.edited(pair)
        if asked is not None:
            yield self._edit(pair, asked)
            return
        if self.sides.class_of_one_side(pair):
            yield self._edit(pair, OTHER_CLASS)
            return
        before, after = self.sides.details(pair)
        if before is not None and after is not None and before.normal == after.normal:
            yield self._edit(pair, harmless(Why.RENAMED_LOCAL, "only local variables have other names"))
            return
        if before is not None and after is not None and inlined(before.normal) == inlined(after.normal):
            yield self._edit(pair, harmless(Why.RENAMED_LOCAL, "only a local variable was added or taken out"))
            return
        if before is not None and after is not None and _changed_places(before.normal, after.normal):
            why = "names of a row's fields changed places: what lies in state would be read under other names"
            yield self._edit(pair, undecided(Why.MAY_LIE_IN_STATE, why))
            return
        if before is not None and after is not None and self._changed_slots(pair, before, after):
            why = "slots of an accumulator may have changed places: what lies in state would be read as another one"
            yield self._edit(pair, undecided(Why.MAY_LIE_IN_STATE, why))
            return
        if pair.any.part in (Part.HEADER, Part.FIELD, Part.CONSTANT):
            yield self._edit(pair, self.members.edited(pair, before, after))
            return
        yield from self._statements(pair, before, after)

    def _changed_slots(self, pair: Pair, before: Detail, after: Detail) -> bool:
        """Whether an aggregate function says the same of its accumulator in another order, inside of a statement."""
        owner = pair.any.key[0]
        if "AggregateFunction" not in self.sides.base.ancestors(owner) & self.sides.head.ancestors(owner):
            return False
        texts = [sorted(statement.tokens for statement in detail.statements) for detail in (before, after)]
        words = [sorted(_WORD.findall(detail.normal)) for detail in (before, after)]
        return texts[0] != texts[1] and words[0] == words[1] and _SLOT.search(before.normal) is not None

    def _statements(self, pair: Pair, before: Detail | None, after: Detail | None) -> Iterator[Edit]:
        left = before.statements if before is not None else ()
        right = after.statements if after is not None else ()
        matcher = SequenceMatcher(None, [s.tokens for s in left], [s.tokens for s in right], autojunk=False)
        found = False
        for kind, i, j, k, m in matcher.get_opcodes():
            if kind == "equal":
                continue
            found = True
            old, new = left[i:j], right[k:m]
            verdict = self.statements.edited(pair, before, after, old, new)
            base, head = (part[0].location if part else None for part in (old, new))
            yield replace(self._edit(pair, verdict), thing=Thing.STATEMENT, base=base, head=head)
        if not found:
            yield self._edit(pair, self.statements.edited(pair, before, after, left, right))

    def _edit(self, pair: Pair, verdict: Verdict) -> Edit:
        if self.sides.facts.unread and self._rests_on_reading(pair, verdict):
            verdict = UNREAD
        base, head = (side.location if side is not None else None for side in (pair.base, pair.head))
        return verdict.edit(Thing.DECLARATION, _name(pair.any), base, head)

    def _rests_on_reading(self, pair: Pair, verdict: Verdict) -> bool:
        if verdict.why is Why.PROCESSES_RECORDS and self.sides.role(pair.any.key[0]) is Role.FUNCTION:
            return False
        return verdict.explanation is Explanation.COMPARED or verdict.why in _RESTS_ON_READING


def _changed_places(before: str, after: str) -> bool:
    """Whether a row's type has the same names in another order. ``RowSerializer`` writes fields by their place only."""
    rows = [[_NAME.findall(row) for row in _ROW.findall(code)] for code in (before, after)]
    return len(rows[0]) == len(rows[1]) and any(
        old != new and sorted(old) == sorted(new) for old, new in zip(*rows, strict=True)
    )


_WORD = re.compile(r"\w+|[^\w\s]")
_SLOT = re.compile(r"\[ ?\d+ ?\]|\. ?f\d+\b")
"""A part of a tuple by its place."""
_ROW = re.compile(r"\bROW_NAMED\b[^\[{]*((?:\[ \] )?[\[{][^\]}]*[\]}])")
_NAME = re.compile(r""""[^"]*"|'[^']*'""")
_FUNCTIONS = frozenset({"SourceFunction", "RichSourceFunction", "RichParallelSourceFunction",
                        "ParallelSourceFunction", "SinkFunction", "RichSinkFunction"})  # fmt: skip
"""What connectors make that keeps no state, unless it is checkpointed: its code only gives and takes records."""


def _unplanned(sides: BothSides) -> set[str]:
    """Classes that tables use which were not planned, and all that the code of these mentions."""
    if not sides.facts.unplanned:
        return set()
    mentioned: dict[str, set[str]] = {}
    plain: set[str] = set()
    for code in (sides.base, sides.head):
        for key, declaration in code.declarations.items():
            mentioned.setdefault(simple_name(key[0]), set()).update(declaration.names)
            checkpointed = any("Checkpointed" in name for name in declaration.names)
            if declaration.part is Part.HEADER and declaration.names & _FUNCTIONS and not checkpointed:
                plain.add(simple_name(key[0]))
    return reached_names(sides.facts.unplanned, {name: of - plain for name, of in mentioned.items()}) - plain


def _name(declaration: Declaration) -> str:
    owner, name = declaration.key
    return owner if name == "<header>" else f"{owner}.{name}"
