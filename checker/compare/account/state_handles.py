"""Through which handles a function reads and writes its states: fields, local variables, and calls on what it asks for.

A state that stays registered is lost all the same where nothing reads it any more, nothing writes it any more, or where
the handle that the code works with holds another state.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from checker.compare.account.erased_states import Name
from checker.compare.account.object_members import forgets_members
from checker.compare.account.traded_states import Effects, traded
from checker.model.used_states import WRITE, PlaceUse, StateHandle


@dataclass(frozen=True, slots=True)
class Handles:
    """All handles of one revision's function."""

    by_name: dict[Name, StateHandle]
    effects: Effects = field(default_factory=Effects)

    @property
    def followed(self) -> bool:
        """Whether it is known what the function does with each of them."""
        return all(handle.followed for handle in self.by_name.values())

    def states(self) -> set[str]:
        """All states that a handle holds."""
        return {state for handle in self.by_name.values() for state in handle.states}

    def renamed(self, own: frozenset[str]) -> Handles:
        """The same for a function whose classes are called otherwise in the other revision: ``own`` are these."""
        plain: dict[Name, StateHandle] = {}
        for (owner, name), handle in self.by_name.items():
            of_class = owner if isinstance(owner, str) else owner[0]
            anew = "" if of_class in own else of_class
            plain[anew if isinstance(owner, str) else (anew, owner[1]), name] = handle
        return Handles(plain, self.effects)

    def uses(self, state: str, known: AbstractSet[str]) -> set[str]:
        """What is done with a state, by handles that hold nothing but it and ``known`` ones."""
        holding = (h for h in self.by_name.values() if state in h.states and h.states <= known)
        return {use for handle in holding for use in handle.uses}

    def beside(self, state: str) -> set[str]:
        """The states that handles of a state hold, it among them."""
        holding = (handle.states for handle in self.by_name.values() if state in handle.states)
        return set().union(*holding)

    def accumulates(self, state: str) -> bool:
        """Whether something is added to what a state holds."""
        return any(handle.accumulates for handle in self.by_name.values() if state in handle.states)

    def folds(self, state: str) -> bool:
        """Whether what is written to a state is made of what it holds."""
        return any(handle.folds for handle in self.by_name.values() if state in handle.states)

    def changes(self, state: str) -> bool:
        """Whether what lies in a state is changed, or something else is written."""
        return any(handle.changes for handle in self.by_name.values() if state in handle.states)

    def sets_to_a_number(self, state: str, base: Handles) -> bool:
        """Whether a state is set to numbers only, and to one which the base did not write as it stands there."""
        sides = [[h for h in side.by_name.values() if state in h.states] for side in (base, self)]
        before, after = (frozenset[str]().union(*(h.numbers for h in side)) for side in sides)
        return all(handle.only_numbers for handle in sides[1]) and len(after - before) == 1

    def places(self, state: str) -> dict[str, PlaceUse]:
        """What is done with the members of what lies in a state."""
        holding = [handle.places for handle in self.by_name.values() if state in handle.states]
        return {path: use for places in holding for path, use in places.items()}

    def in_methods(self, state: str, which: Callable[[StateHandle], set[str]]) -> set[str]:
        """Some methods of the handles of a state."""
        return set().union(*(which(handle) for handle in self.by_name.values() if state in handle.states))


def left(base: Handles, head: Handles, adds_state: Callable[[], bool]) -> bool:
    """Whether a state that the base's function reads, or writes, is no longer read, or written, by the head's.

    A state that is asked for in other words is distinguished from another state by what was read of the program:
    ``adds_state`` says whether the function has a state that it did not have.
    """
    if traded(base.effects, head.effects):
        return True
    before, after = base.states(), head.states()
    new = {use for h in head.by_name.values() if not h.states <= before for use in h.uses}
    for state in before & after:
        beside = base.beside(state)
        missing = base.uses(state, beside) - head.uses(state, beside)
        if missing and not (missing <= new and not adds_state()):
            return True
        kept = any(h.may_accumulate for h in head.by_name.values() if state in h.states)
        if WRITE in head.uses(state, beside) and not kept and base.accumulates(state):
            return True
        folding = any(h.may_fold for h in head.by_name.values() if state in h.states)
        folding = folding and not head.sets_to_a_number(state, base)
        if WRITE in head.uses(state, beside) and not folding and base.folds(state):
            return True
        changing = any(h.may_change for h in head.by_name.values() if state in h.states)
        if WRITE in head.uses(state, beside) and not changing and base.changes(state):
            return True  # what lies there is only put back
        if forgets_members(base.places(state), head.places(state)):
            return True
        written_before, written_after = (side.in_methods(state, lambda h: h.written_in) for side in (base, head))
        unwritten = (written_before - written_after) & head.in_methods(state, lambda h: h.touched_in)
        if unwritten and (WRITE not in new or adds_state()):
            return True  # a method that works with it no longer writes it
        added_before, added_after = (side.in_methods(state, lambda handle: handle.added_in) for side in (base, head))
        set_before, set_after = (side.in_methods(state, lambda handle: handle.replaced_in) for side in (base, head))
        if (added_before - added_after) & (set_after - set_before):
            return True  # a method that added to it sets it to something else
        erased = head.in_methods(state, lambda handle: handle.erased_in)
        known = base.in_methods(state, lambda handle: handle.erased_in)
        if (erased - known) & base.in_methods(state, lambda handle: handle.used_in):
            return True
        given_before, given_after = (side.in_methods(state, lambda handle: handle.given_in) for side in (base, head))
        if erased & known & (given_before - given_after):
            return True  # what was made use of is only erased
    for name in base.by_name.keys() & head.by_name.keys():
        old, now = base.by_name[name], head.by_name[name]
        if not old.states or not now.states or old.states & now.states:
            continue
        if old.states <= after and now.states <= before and old.states | now.states <= before & after:
            return True  # the handles changed places
        if not old.states & after and not now.states & before and not old.uses <= now.uses:
            return True
    return False
