"""Local variables that only name what the next statement takes."""

from __future__ import annotations

import pytest

from checker.compare.account.inlined_locals import inlined


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "( T $0 , D $1 ) { $1 . writeUTF ( $0 . code ( ) ) ; $1 . writeLong ( $0 . at ( ) ) ; }",
            "( T $0 , D $1 ) { String $2 = $0 . code ( ) ; $1 . writeUTF ( $2 ) ; $1 . writeLong ( $0 . at ( ) ) ; }",
        ),
        ("{ $1 . writeLong ( $0 . at ( ) ) ; }", "{ long $2 = $0 . at ( ) ; $1 . writeLong ( $2 ) ; }"),
        ("{ return $0 . a ( ) . trim ( ) ; }", "{ String $1 = $0 . a ( ) ; String $2 = $1 . trim ( ) ; return $2 ; }"),
        ("{ T $0 = f ( g ( ) ) ; $0 . h ( ) ; $0 . i ( ) ; }", "{ var $0 = g ( ) ; T $1 = f ( $0 ) ; $1 . h ( ) ; $1 . i ( ) ; }"),  # noqa: E501
    ],
)  # fmt: skip
def test_an_extracted_variable_reads_as_its_value(before: str, after: str) -> None:
    assert before != after
    assert inlined(before) == inlined(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{ $0 . write ( h ( ) ) ; }", "{ int $1 = h ( ) ; $0 . write ( $1 ) ; }"),
        ("{ $0 . f ( ) ; $0 . g ( h ( ) ) ; }", "{ String $1 = h ( ) ; $0 . f ( ) ; $0 . g ( $1 ) ; }"),
        ("{ $0 . f ( g ( ) , h ( ) ) ; }", "{ String $1 = h ( ) ; $0 . f ( g ( ) , $1 ) ; }"),
        ("{ while ( h ( ) . ok ( ) ) { } }", "{ String $0 = h ( ) ; while ( $0 . ok ( ) ) { } }"),
        ("{ return a + b . trim ( ) ; }", "{ String $0 = a + b ; return $0 . trim ( ) ; }"),
        ("{ f ( $0 ++ ) ; }", "{ var $1 = $0 ++ ; f ( $1 ) ; }"),
        ("{ $0 . writeUTF ( $1 . a ( ) ) ; }", "{ String $2 = $1 . b ( ) ; $0 . writeUTF ( $2 ) ; }"),
    ],
)
def test_what_may_be_evaluated_otherwise_does_not(before: str, after: str) -> None:
    assert inlined(before) != inlined(after)
