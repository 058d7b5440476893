"""Paths are followed again by the choices that led down them; where they meet other ones, that is said."""

import pytest

from checker.extract.interpreting.shapes import DivergedError, PathChoices
from checker.model.unknowns import Cause, Location, Unknown

UNKNOWN = Unknown("an argument", Cause.ARGUMENT, "--arg a")


def first() -> PathChoices:
    choices = PathChoices()
    assert choices.choose("a#1 == 0", ("no", "yes"), UNKNOWN) == 0
    assert choices.choose("b@7", ("x", "y", "z"), UNKNOWN) == 0
    return choices


def test_choices_are_made_again_and_the_last_one_goes_on() -> None:
    again = PathChoices(forced=first().next_path() or ())
    assert again.choose("a#2 == 0", ("no", "yes"), UNKNOWN) == 0
    assert again.choose("b@9", ("x", "y", "z"), UNKNOWN) == 1


@pytest.mark.parametrize(("symbol", "labels"), [("b@9", ("x",)), ("c@9", ("x", "y", "z"))])
def test_a_path_that_meets_other_choices_has_diverged(symbol: str, labels: tuple[str, ...]) -> None:
    again = PathChoices(forced=first().next_path() or ())
    again.choose("a#1 == 0", ("no", "yes"), UNKNOWN)
    with pytest.raises(DivergedError) as raised:
        again.choose(symbol, labels, UNKNOWN)
    unknown = raised.value.unknown("the program", Location("a/Job.java", 3))
    assert (unknown.cause, unknown.settled_by, str(unknown.location)) == (Cause.LIMIT, "--arg a", "a/Job.java:3")
