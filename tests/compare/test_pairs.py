"""Which declarations of two revisions belong together."""

from itertools import permutations
from types import SimpleNamespace
from typing import Any

from checker.compare.account.both_sides import differing
from checker.model.program_code import Declaration, Part
from checker.model.unknowns import Location


def declaration(owner: str) -> Declaration:
    key = (owner, "cancel()")
    return Declaration(
        key=key,
        part=Part.METHOD,
        location=Location(f"{owner}.java", 1),
        written=lambda: "void cancel() { }",
        names=frozenset(),
    )


def code(*owners: str) -> Any:
    return SimpleNamespace(reached=SimpleNamespace(declarations={d.key: d for d in map(declaration, owners)}))


def test_which_of_several_methods_moved_does_not_depend_on_the_order_in_which_they_were_found() -> None:
    """Found code is a set: its order is another one in each process."""
    answers = {
        tuple((pair.base.key if pair.base else None, pair.head.key if pair.head else None, pair.moved)
              for pair in differing(code(*base), code(*head)))
        for base in permutations(("Fares", "Rides", "Trips"))
        for head in permutations(("Sources", "Events"))
    }  # fmt: skip
    assert len(answers) == 1
    assert sum(moved for *_, moved in next(iter(answers))) == 2
