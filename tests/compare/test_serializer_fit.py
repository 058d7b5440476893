from __future__ import annotations

import pytest

from checker.compare.fit.serializers import serializer_fit
from checker.compare.fit.types import Fit
from checker.model.declared_state import SerializerTree as Tree


def row(*types: str, nested: tuple[Tree, ...] = ()) -> Tree:
    return Tree(name="RowData", types=types, nested=nested)


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        (row("INT"), row("BIGINT"), "INT → BIGINT"),
        (row("INT", "STRING"), row("INT", "STRING NOT NULL"), "column 2 of 2: STRING → STRING NOT NULL"),
        (row("INT"), row("INT", "INT"), "RowData(INT) → RowData(INT, INT)"),
        (Tree(name="Int"), Tree(name="Long"), "Int → Long"),
    ],
)
def test_sql_types_are_compared_as_they_are(before: Tree, after: Tree, why: str) -> None:
    found = serializer_fit(before, after)
    assert (found.fit, found.why) == (Fit.INCOMPATIBLE, why)


def test_an_external_serializer_compares_what_it_nests() -> None:
    before, after = (Tree(name="External", types=(t,), nested=(Tree(name="StringData"),)) for t in ("a", "b"))
    assert serializer_fit(before, after).fit is Fit.SAME
    foreign = Tree(name="External", types=("a",), nested=(Tree(name="Int"),))
    assert serializer_fit(before, foreign).fit is Fit.INCOMPATIBLE


def test_time_to_live_is_no_matter_of_types() -> None:
    plain = row("INT")
    expiring = Tree(name="Ttl", nested=(Tree(name="Long"), plain))
    assert serializer_fit(plain, expiring).fit is Fit.SAME
    assert serializer_fit(expiring, row("BIGINT")).fit is Fit.INCOMPATIBLE
