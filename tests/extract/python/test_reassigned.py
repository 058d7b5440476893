"""Local variables that are set again stand for one value each."""

from __future__ import annotations

import ast

import pytest

from checker.extract.python.reached.reassigned import with_single_values


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = f(x); return x", "xʹ2 = f(x); return xʹ2"),
        ("y = 1; y = g(y); y = h(y); return y", "y = 1; yʹ2 = g(y); yʹ3 = h(yʹ2); return yʹ3"),
        ("x, y = y, x; return x", "xʹ2, y = (y, x); return xʹ2"),
        ("x: int = f(x); return x", "xʹ2: int = f(x); return xʹ2"),
        ("y = 1; y += x; return y", "y = 1; y += x; return y"),
        ("x = 1; g = lambda: x; x = 2; return g", "x = 1; g = lambda: x; x = 2; return g"),
        ("global x; x = 1; x = 2", "global x; x = 1; x = 2"),
    ],
)
def test_each_value_has_a_name(body: str, expected: str) -> None:
    assert _lines(body) == expected


def test_branches_and_loops_set_the_value_that_is_there() -> None:
    code = "def f(x):\n    x = g(x)\n    if x:\n        x = 1\n    for x in x:\n        x = 2\n    return x"
    assert _renamed(code).count("xʹ2") == 7


def _lines(body: str) -> str:
    lines = _renamed("def f(x):\n    " + body.replace("; ", "\n    ")).splitlines()[1:]
    return "; ".join(line.strip() for line in lines)


def _renamed(code: str) -> str:
    function = ast.parse(code).body[0]
    assert isinstance(function, ast.FunctionDef)
    with_single_values(function)
    return ast.unparse(function)
