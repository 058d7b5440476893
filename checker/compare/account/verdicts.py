"""Explanations that several kinds of edits of code share."""

from __future__ import annotations

from dataclasses import dataclass

from checker.model.account import Edit, Explanation, Thing, Why
from checker.model.unknowns import Location


@dataclass(frozen=True, slots=True)
class Verdict:
    """The explanation of an edit: its kind, the reason in words, and what would settle an edit without explanation."""

    explanation: Explanation
    why: Why
    reason: str
    settled_by: str | None = None

    def edit(self, thing: Thing, name: str, base: Location | None, head: Location | None) -> Edit:
        """The edit of a thing that is explained so; a place is None where a revision does not have it."""
        return Edit(
            thing=thing, name=name, base=base, head=head,
            explanation=self.explanation, why=self.why, reason=self.reason, settled_by=self.settled_by,
        )  # fmt: skip


def compared(why: Why, reason: str) -> Verdict:
    """What it became was compared."""
    return Verdict(Explanation.COMPARED, why, reason)


def harmless(why: Why, reason: str) -> Verdict:
    """It has no effect on restored state."""
    return Verdict(Explanation.WITHOUT_EFFECT, why, reason)


def undecided(why: Why, reason: str, settled_by: str | None = None) -> Verdict:
    """Nothing explains it."""
    return Verdict(Explanation.NOT_UNDERSTOOD, why, reason, settled_by)


RUN = "--allow-exec"
"""What settles an edit of code that can't be followed: real Flink runs the program."""
FOLLOWED = compared(Why.FOLLOWED, "it was followed while the graph was built: its result was compared")
STATE_READ = compared(Why.STATE_READ, "the states that it registers were read in both revisions and compared")
CLASS_READ = compared(Why.CLASS_READ, "its class lies in state and was compared field by field")
RECORDS = harmless(Why.PROCESSES_RECORDS, "it only runs while records are processed, and registers no state")
OTHER_CLASS = harmless(Why.NEW_CLASS, "only one revision has its class: what uses it is an edit of its own")
KEY_READ = compared(Why.KEY_READ, "the key that it chooses was read in both revisions and compared")
VERSION_READ = compared(Why.VERSION_READ, "the Flink versions of both revisions were read and compared")
UNREAD = undecided(Why.PIPELINE_UNREADABLE, "the pipeline could not be read, so nothing that it became was compared")
NOT_TAKEN = compared(Why.NOT_TAKEN, "the program does not come to it with these arguments")

GRAVITY = {Explanation.WITHOUT_EFFECT: 0, Explanation.COMPARED: 1, Explanation.NOT_UNDERSTOOD: 2}
"""Which of several explanations of one edit counts: the greatest."""
