"""One spelling for texts that code puts together, however it does."""

from __future__ import annotations

import ast

import pytest

from checker.extract.python.texts import with_sums

ALIKE = {
    "a + ':' + b": [
        "f'{a}:{b}'",
        "'{}:{}'.format(a, b)",
        "'{0}:{x}'.format(a, x=b)",
        "':'.join((a, b))",
        "'%s:%s' % (a, b)",
    ],
    "a + '-' + str(len(b))": ["f'{a}-{len(b)}'", "'{}-{}'.format(a, len(b))"],
    "f'{int(a):05d}' + ':' + b": ["f'{int(a):05d}:{b}'", "'{:05d}:{}'.format(int(a), b)", "'%05d:%s' % (int(a), b)"],
    "a or b": ["a if a else b", "b if not a else a"],
    "a if c is None else b": ["b if c is not None else a", "b if not c is None else a"],
    "a.split(':', 1)": ["a.split(':', maxsplit=1)"],
    "'ab' + c": ["'a' + 'b' + c", "f'a{\"b\"}{c}'", "f'ab{c}'"],
}
APART = [
    ("f'{a + b}:'", "f'{a}{b}:'"),
    ("f'{a}{b}'", "a + b"),
    ("f'{a}'", "a"),
    ("f'{a:02d}:'", "f'{a}:'"),
    ("f'{a!r}:'", "f'{a}:'"),
    ("'%05d:' % (a,)", "f'{a:05d}:'"),
    ("'{:{}}:'.format(a, b)", "'{:5}:'.format(a)"),
    ("b if a else a", "a or b"),
    ("a if c == d else b", "b if c == d else a"),
    ("f'{a}:'", "str(a) + ':'"),
    ("'%s:%d' % (a, b)", "f'{a}:{b}'"),
    ("'%s%%' % (a,)", "f'{a}%%'"),
    ("'{}:{}'.format(a, b)", "'{1}:{0}'.format(a, b)"),
]


def spelled(text: str) -> str:
    return ast.unparse(with_sums(ast.parse(text, mode="eval").body))


@pytest.mark.parametrize("whole", ALIKE)
def test_texts_that_are_put_together_alike_are_one(whole: str) -> None:
    assert {spelled(text) for text in (whole, *ALIKE[whole])} == {whole}


@pytest.mark.parametrize("pair", APART)
def test_texts_that_may_differ_stay_apart(pair: tuple[str, str]) -> None:
    assert spelled(pair[0]) != spelled(pair[1])
