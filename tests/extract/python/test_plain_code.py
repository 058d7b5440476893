"""Functions that are one expression, however many statements they have."""

from __future__ import annotations

import ast

import pytest

from checker.extract.python.plain_code import expression_of

ALIKE = {
    "f'{a}:{b or 1}'": ["part: int = b or 1\nkey = a\nreturn f'{key}:{part}'"],
    "1 if a else 2 if b else 3": [
        "if a:\n    return 1\nif b:\n    return 2\nreturn 3",
        "if a:\n    return 1\nelif b:\n    return 2\nelse:\n    return 3",
        "if a:\n    found = 1\nelif b:\n    found = 2\nelse:\n    found = 3\nreturn found",
    ],
    "a.split('/')[0] + a.split('/')[1]": ["b, c = a.split('/')\nreturn b + c"],
    "b + a": ["a, b = b, a\nreturn a + b"],
}
APART = [
    ("if a:\n    return 1\nreturn 2", "if b:\n    return 1\nreturn 2"),
    ("if a:\n    b = 1\nreturn b", "b = 1\nreturn b"),
]
NOT_PLAIN = [
    "if a:\n    return 1",
    "for b in a:\n    return b",
    "if a:\n    raise ValueError\nreturn a",
    "a, *b = c\nreturn b",
    "a.pop()\nreturn a",
    "\n".join(f"if b{n}:\n    a = f(a, a)" for n in range(20)) + "\nreturn a",
]


def expression(code: str) -> str | None:
    """What statements give."""
    found = expression_of(ast.parse(code).body)
    return None if found is None else ast.unparse(found)


@pytest.mark.parametrize("whole", ALIKE)
def test_statements_that_give_the_same_are_one_expression(whole: str) -> None:
    assert {expression(f"return {whole}")} == {expression(code) for code in ALIKE[whole]}


@pytest.mark.parametrize("pair", APART)
def test_statements_that_give_something_else_stay_apart(pair: tuple[str, str]) -> None:
    assert expression(pair[0]) != expression(pair[1])


@pytest.mark.parametrize("code", NOT_PLAIN)
def test_what_does_more_is_no_expression(code: str) -> None:
    assert expression(code) is None
