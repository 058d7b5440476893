"""How an edit is explained: a reason with the words of the table, and what they leave open in this case."""

from __future__ import annotations

from dataclasses import dataclass

from checker.model.account import SENTENCES, Edit, Explanation, Thing, Why
from checker.model.unknowns import Location


@dataclass(frozen=True, slots=True)
class Verdict:
    """A reason, what else there is to say of this edit, and what would settle it where that is not the usual."""

    why: Why
    detail: str = ""
    settled_by: str | None = None

    @property
    def explanation(self) -> Explanation:
        """What became of the edit."""
        return SENTENCES[self.why].explanation

    def edit(self, thing: Thing, name: str, base: Location | None, head: Location | None) -> Edit:
        """The edit of a thing that is explained so; a place is None where a revision does not have it."""
        sentence = SENTENCES[self.why]
        return Edit(
            thing=thing, name=name, base=base, head=head, explanation=sentence.explanation, why=self.why,
            reason=f"{sentence.text} ({self.detail})" if self.detail else sentence.text,
            settled_by=self.settled_by or sentence.settled_by,
        )  # fmt: skip


FOLLOWED = Verdict(Why.FOLLOWED)
NOT_TAKEN = Verdict(Why.FOLLOWED, "the program does not come to it")
READ = Verdict(Why.READ)
BODY = Verdict(Why.BODY)
UNUSED = Verdict(Why.UNUSED)
SAME_PROGRAM = Verdict(Why.SAME_PROGRAM)
UNREAD = Verdict(Why.UNREAD)

GRAVITY = {Explanation.WITHOUT_EFFECT: 0, Explanation.COMPARED: 1, Explanation.NOT_UNDERSTOOD: 2}
"""Which of several explanations of one edit counts: the greatest."""
