"""When two unknown values count as equal: the one rule, for everything that is compared.

Unknown is never equal by default. Two unknowns are one value only where both say what the program makes them of
(``Unknown.derived_from``) and say the same. So whoever makes an ``Unknown`` owes it a ``derived_from`` that changes
whenever the value may change:

- the whole expression that computes the value, with the code it calls and the content of the resources it reads, or a
  digest of these; a default that an argument is asked for with belongs to the expression;
- for what a deployment decides (the parallelism it passes) that it does, since no edit of the program changes it;
- nothing (None) where the reader can't say. Then the value counts as changed, and what depends on it is undecided.

One and the same object is equal to itself: where both sides of a comparison were read from the same files once.
A value that is different in every run (``Cause.NON_DETERMINISTIC``) equals nothing; callers that compare values between
two runs ask for that as well.
"""

import re
from dataclasses import replace
from typing import Any

from checker.model.unknowns import CODE, Maybe, Unknown

_READABLE = 60
"""Characters of an expression that a sentence can hold."""
_DIGEST = re.compile(r"\b[0-9a-f]{12,}\b")
"""What stands for an expression that is longer still."""


def same_unknown(before: Unknown, after: Unknown) -> bool:
    """Whether two unknowns are certainly one value."""
    made = before.derived_from
    return before is after or (made is not None and made == without_new_constants(made, after.derived_from or ""))


ENUM = re.compile(r"enum ([\w.]+)\(([^()]*)\)")
"""How ``derived_from`` spells an enumeration: ``enum Name(CONSTANT, …)``, with values or places where these count."""


def without_new_constants(before: str, after: str) -> str:
    """What a value is made of, as if its enumerations had the constants of before, where all of these are there."""
    was = dict(ENUM.findall(before))
    for name, constants in ENUM.findall(after):
        if set(was.get(name, "").split(", ")) <= set(constants.split(", ")):
            after = after.replace(f"enum {name}({constants})", f"enum {name}({was[name]})")
    return after


def not_comparable(before: Maybe[object] | None, after: Maybe[object] | None) -> str | None:
    """Why it is open whether two values are equal; None where both are known, or are one unknown.

    None as a value means that a reader did not look or that there is none: that equals itself only.
    """
    if isinstance(before, Unknown) and isinstance(after, Unknown):
        return None if same_unknown(before, after) else explained(before, after).reason
    for value in (after, before):
        if isinstance(value, Unknown):
            return value.reason
    return "it is known on one side only" if (before is None) != (after is None) else None


def explained(before: Unknown, after: Unknown) -> Unknown:
    """The later of two unknowns that are not known to be one value, its reason saying what is known of that."""
    if not before.derived_from or not after.derived_from:
        how = "it may have changed"
    elif (before.derived_from + after.derived_from).startswith(CODE):
        how = "the code behind it changed"
    elif before.bounded and after.bounded:
        how = "the definition of its table changed"
    elif max(len(before.derived_from), len(after.derived_from)) > _READABLE or _DIGEST.search(after.derived_from):
        how = "it is computed differently"
    else:
        how = f"the expression changed from {before.derived_from} to {after.derived_from}"
    return replace(after, reason=f"{after.reason.removesuffix('.')}, and {how}")


def comparable(value: Any) -> Any:
    """A value for comparing whole records with ``==``: an unknown as what it is derived from, else as itself only."""
    if not isinstance(value, Unknown):
        return value
    return Unknown(
        "", derived_from=f"object {id(value)}" if value.derived_from is None else f"made of {value.derived_from}"
    )
