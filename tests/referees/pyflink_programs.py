"""Random PyFlink programs as people write them: arguments decide, helpers build, Python's own rules apply.

A program is a few files and some command lines. Every program is valid Python, ends soon, and needs nothing but
PyFlink. Snippets give variables of known types, from constants and from what the command line says; the job at the
end makes uids, names, parallelisms and operators of them.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

_WORDS = ("a", "eu", "orders", "clicks-1", "X", "b_2", "raw", "fraud", "z9")
_HEADER = """\
import argparse
import collections
import configparser
import enum
import functools
import itertools
import json
import os
import re
import sys
from collections import Counter, OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass, field

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

import helpers
from helpers import keyed, tag
from lib import NAMES, make
from lib.names import joined as join_names

HERE = os.path.dirname(os.path.abspath(__file__))
"""
_LIBRARY = {
    "lib/__init__.py": "from .names import NAMES\nfrom .base import Base as _Base\n\n\ndef make(name):\n"
    "    return _Base(name).title\n",
    "lib/names.py": "from . import constants\n\nNAMES = [constants.FIRST, *constants.OTHERS]\n\n\n"
    "def joined(*more, by=constants.BY):\n    return by.join([*NAMES, *more])\n",
    "lib/constants.py": "FIRST = 'one'\nOTHERS = ('two', 'three')\nBY = '+'\n",
    "lib/base.py": "class Base:\n    count = 0\n\n    def __init__(self, name):\n        self.name = name\n"
    "        type(self).count += 1\n\n    @property\n    def title(self):\n"
    "        return f'{self.name}#{Base.count}'\n",
    "conf/job.json": '{"name": "orders", "rules": ["r1", "r2"], "limits": {"max": 3, "min": 1}, "on": true}',
    "conf/job.ini": "[DEFAULT]\nprefix = p\n[job]\nname = ini-p\nn = 3\n[other]\nn = 4\n",
}
_HELPERS = """\
STATE = {"count": 0, "names": []}
REGISTRY = {}


def register(name):
    def decorate(function):
        REGISTRY[name] = function
        return function
    return decorate


@register("upper")
def upper(text):
    return text.upper()


@register("twice")
def twice(text):
    return text * 2


def fresh(prefix="op"):
    STATE["count"] += 1
    STATE["names"].append(prefix)
    return f"{prefix}-{STATE['count']}"


def tag(stream, uid=None, parallelism=None, *, name=None):
    made = stream.map(lambda x: x)
    if uid:
        made = made.uid(uid)
    if name is not None:
        made.name(name)
    if parallelism:
        made.set_parallelism(parallelism)
    return made


def keyed(stream, uid=None):
    reduced = stream.key_by(lambda x: x).reduce(lambda a, b: a)
    return reduced.uid(uid) if uid else reduced


class Builder:
    made = []

    def __init__(self, stream, prefix="b"):
        self.stream = stream
        self.prefix = prefix
        self.steps = 0

    @property
    def next_uid(self):
        self.steps += 1
        return f"{self.prefix}:{self.steps}"

    def step(self, wanted=True):
        if not wanted:
            return self
        uid = self.next_uid
        self.made.append(uid)
        self.stream = tag(self.stream, uid)
        return self

    def build(self):
        return self.stream
"""


@dataclass(frozen=True)
class Program:
    """Files by path (``job.py`` is the script), and command lines to run it with."""

    seed: int
    files: dict[str, str]
    vectors: tuple[tuple[str, ...], ...]


@dataclass
class _Writer:
    """The program so far: its lines, and the names of variables by the type of their value."""

    random: random.Random
    lines: list[str] = field(default_factory=list)
    indent: int = 1
    names: dict[str, list[str]] = field(default_factory=lambda: {"s": [], "i": [], "b": [], "l": [], "d": []})
    count: int = 0

    def fresh(self, kind: str = "v") -> str:
        self.count += 1
        return f"{kind}{self.count}"

    def line(self, text: str, deeper: int = 0) -> None:
        for row in text.split("\n"):
            self.lines.append("    " * (self.indent + deeper) + row)

    def knows(self, kind: str, name: str) -> None:
        self.names[kind].append(name)

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def var(self, kind: str) -> str | None:
        names = self.names[kind]
        return self.random.choice(names) if names else None

    # expressions

    def s(self, depth: int = 2) -> str:
        stream = self.var("s")
        if stream and self.random.random() < 0.45:
            return stream
        if depth <= 0 or self.random.random() < 0.25:
            return repr(self.random.choice(_WORDS))
        d = depth - 1
        s, i, b, ls, t = self.s, self.i, self.b, self.l, self.dd
        return self.random.choice([
            lambda: f'f"{{{self.atom("s")}}}-{{{self.atom("i")}}}"',
            lambda: f'f"{{{self.atom("i")}:03d}}/{{{self.atom("s")}:>4}}"',
            lambda: f'f"{{{self.atom("s")}!r:.6}}"',
            lambda: f'f"{{{self.atom("i")}=}}"',
            lambda: f"({s(d)}).upper()",
            lambda: f"({s(d)}).replace('-', {self.pick(repr('_'), repr(''))})",
            lambda: f"({s(d)})[::-1]",
            lambda: f"({s(d)})[:{self.random.randint(1, 4)}]",
            lambda: f"({s(d)}).zfill({self.random.randint(1, 6)})",
            lambda: f"({s(d)}).center(7, '*')",
            lambda: f"({s(d)}).title()",
            lambda: f"({s(d)}).partition('-')[{self.random.randint(0, 2)}]",
            lambda: f"'-'.join({ls(d)})",
            lambda: f"'+'.join(sorted({t(d)}))",
            lambda: f"'.'.join(map(str, {t(d)}.values()))",
            lambda: f"str({i(d)})",
            lambda: f"({s(d)} if {b(d)} else {s(d)})",
            lambda: f"({s(d)} or {s(d)})",
            lambda: f"'%s-%02d' % ({s(d)}, {i(d)})",
            lambda: f"'{{}}:{{:>3}}'.format({s(d)}, {i(d)})",
            lambda: f"'{{0}}{{0}}{{x}}'.format({s(d)}, x={i(d)})",
            lambda: f"max({ls(d)}, key=len, default='none')",
            lambda: f"next(iter({ls(d)}), 'empty')",
            lambda: f"({s(d)} + {s(d)})",
            lambda: f"({s(d)} * 2)",
            lambda: f"re.sub(r'[0-9]+', '#', {s(d)})",
            lambda: f"{t(d)}.get({s(d)}, {s(d)})",
            lambda: f"json.dumps({ls(d)})",
            lambda: f"os.path.basename({s(d)})",
            lambda: f"({s(d)}).lstrip('a').removesuffix('1')",
            lambda: f"helpers.REGISTRY[{self.pick(repr('upper'), repr('twice'))}]({s(d)})",
            lambda: f"({ls(d)} or ['fall'])[{self.pick('0', '-1')}]",
        ])()  # fmt: skip

    def atom(self, kind: str) -> str:
        stream = self.var(kind)
        if stream:
            return stream
        return str(self.random.randint(0, 9)) if kind == "i" else "'q'" if kind == "s" else "True"

    def i(self, depth: int = 2) -> str:
        stream = self.var("i")
        if stream and self.random.random() < 0.45:
            return stream
        if depth <= 0 or self.random.random() < 0.25:
            return str(self.random.randint(0, 9))
        d = depth - 1
        s, i, b, ls = self.s, self.i, self.b, self.l
        return self.random.choice([
            lambda: f"len({s(d)})",
            lambda: f"len({ls(d)})",
            lambda: f"({i(d)} + {i(d)})",
            lambda: f"({i(d)} * {i(d)} % 7)",
            lambda: f"({i(d)} // 3)",
            lambda: f"(-({i(d)}) % 5)",
            lambda: f"abs({i(d)} - {i(d)})",
            lambda: f"max({i(d)}, {i(d)})",
            lambda: f"min({i(d)}, 4)",
            lambda: f"sum(len(x) for x in {ls(d)})",
            lambda: f"({ls(d)}).count({s(d)})",
            lambda: f"({i(d)} if {b(d)} else {i(d)})",
            lambda: f"round({i(d)} / 2)",
            lambda: f"int({b(d)})",
            lambda: f"divmod({i(d)}, 3)[{self.pick('0', '1')}]",
            lambda: f"({s(d)}).find({s(d)})",
            lambda: f"sum({b(d)} for x in range(3))",
            lambda: f"({i(d)} & 3 | 4)",
            lambda: f"int('{self.random.randint(0, 9)}' or {i(d)})",
            lambda: f"({i(d)} or {i(d)})",
        ])()  # fmt: skip

    def b(self, depth: int = 2) -> str:
        stream = self.var("b")
        if stream and self.random.random() < 0.35:
            return stream
        d = depth - 1
        s, i, b, ls, t = self.s, self.i, self.b, self.l, self.dd
        if depth <= 0:
            return f"{self.i(0)} {self.pick('<', '>', '==', '!=', '<=')} {self.i(0)}"
        return self.random.choice([
            lambda: f"({i(d)} {self.pick('<', '>', '==', '!=', '<=', '>=')} {i(d)})",
            lambda: f"({s(d)} in {ls(d)})",
            lambda: f"({s(d)} not in {t(d)})",
            lambda: f"(not {b(d)})",
            lambda: f"({b(d)} and {b(d)})",
            lambda: f"({b(d)} or {b(d)})",
            lambda: f"any(x > 'm' for x in {ls(d)})",
            lambda: f"all(len(x) < 5 for x in {ls(d)})",
            lambda: f"({s(d)}).startswith({s(d)})",
            lambda: f"bool({ls(d)})",
            lambda: f"(1 < {i(d)} < 5)",
            lambda: f"({s(d)} == {s(d)})",
            lambda: f"({s(d)} < {s(d)})",
            lambda: f"isinstance({s(d)}, str)",
            lambda: f"({i(d)} % 2 == 0)",
            lambda: f"(set({ls(d)}) <= set({ls(d)}))",
        ])()  # fmt: skip

    def l(self, depth: int = 2) -> str:  # noqa: E743 - one letter a type
        stream = self.var("l")
        if stream and self.random.random() < 0.45:
            return stream
        if depth <= 0 or self.random.random() < 0.2:
            return repr(self.random.sample(_WORDS, self.random.randint(0, 4)))
        d = depth - 1
        s, i, b, ls, t = self.s, self.i, self.b, self.l, self.dd
        return self.random.choice([
            lambda: f"[x + {s(d)} for x in {ls(d)} if x != {s(d)}]",
            lambda: f"sorted({ls(d)})",
            lambda: f"sorted({ls(d)}, key=lambda x: (-len(x), x))",
            lambda: f"({ls(d)})[{self.pick('1:', ':-1', '::2', '-2:')}]",
            lambda: f"({ls(d)} + {ls(d)})",
            lambda: f"[*{ls(d)}, {s(d)}]",
            lambda: f"({s(d)}).split('-')",
            lambda: f"list(map(str.upper, {ls(d)}))",
            lambda: f"list(filter(None, {ls(d)}))",
            lambda: f"list(reversed({ls(d)}))",
            lambda: f"list({t(d)})",
            lambda: f"sorted(set({ls(d)}))",
            lambda: f"[f'{{i}}{{x}}' for i, x in enumerate({ls(d)}, {self.random.randint(0, 2)})]",
            lambda: f"[a + b for a, b in zip({ls(d)}, {ls(d)})]",
            lambda: f"list(dict.fromkeys({ls(d)}))",
            lambda: f"list(itertools.chain({ls(d)}, {ls(d)}))",
            lambda: f"list(itertools.islice({ls(d)}, 2))",
            lambda: f"[str(n) for n in range({i(d)} % 4)]",
            lambda: f"({ls(d)} if {b(d)} else {ls(d)})",
            lambda: f"[k + str(v) for k, v in sorted({t(d)}.items())]",
            lambda: f"re.split('[-_]', {s(d)})",
            lambda: f"json.loads('[\"j\", \"k\"]') + {ls(d)}",
        ])()  # fmt: skip

    def dd(self, depth: int = 2) -> str:
        stream = self.var("d")
        if stream and self.random.random() < 0.5:
            return stream
        d = depth - 1
        if depth <= 0 or self.random.random() < 0.4:
            keys = self.random.sample(_WORDS, self.random.randint(1, 3))
            return "{" + ", ".join(f"{key!r}: {self.s(0)}" for key in keys) + "}"
        return self.random.choice([
            lambda: f"{{x: x * 2 for x in {self.l(d)}}}",
            lambda: f"{{**{self.dd(d)}, {self.s(d)}: {self.s(d)}}}",
            lambda: f"dict(zip({self.l(d)}, {self.l(d)}))",
            lambda: f"({self.dd(d)} | {self.dd(d)})",
            lambda: f"{{v: k for k, v in {self.dd(d)}.items()}}",
        ])()  # fmt: skip


Snippet = Callable[[_Writer], None]


def _let(w: _Writer) -> None:
    kind = w.random.choice("siblld")
    name = w.fresh()
    w.line(f"{name} = {getattr(w, 'dd' if kind == 'd' else kind)(3)}")
    w.knows(kind, name)


def _if(w: _Writer) -> None:
    name = w.fresh()
    w.line(f"{name} = {w.s()}\nif {w.b()}:\n    {name} = {w.s()}")
    if w.random.random() < 0.5:
        w.line(f"elif {w.b()}:\n    {name} += {w.s()}")
    if w.random.random() < 0.5:
        w.line(f"else:\n    {name} = {name} + '!'")
    w.knows("s", name)


def _loop(w: _Writer) -> None:
    name, x = w.fresh(), w.fresh("x")
    w.line(f"{name} = []\nfor {x} in {w.l()}:")
    if w.random.random() < 0.5:
        w.line(f"if {x} {w.pick('==', '<', '!=')} {w.s(1)}:\n    {w.pick('continue', 'break')}", 1)
    w.line(f"{name}.append({x} + {w.s(1)})", 1)
    if w.random.random() < 0.4:
        w.line(f"if {w.b(1)}:\n    break", 1)
    if w.random.random() < 0.4:
        w.line(f"else:\n    {name}.append('else')")
    w.knows("l", name)


def _while(w: _Writer) -> None:
    name, n = w.fresh(), w.fresh("n")
    w.line(f"{name}, {n} = '', 0\nwhile {n} < {w.i(1)} % 6:\n    {n} += {w.pick('1', '2')}")
    if w.random.random() < 0.5:
        w.line(f"    if {w.b(1)}:\n        continue")
    w.line(f"    {name} += str({n})")
    w.knows("s", name)
    w.knows("i", n)


def _try(w: _Writer) -> None:
    name = w.fresh()
    w.line(
        f"{name} = 0\ntry:\n    {name} = 1\n    {name} = int({w.s()}) % 10\n    {name} += 1\nexcept ValueError:\n"
        f"    {w.pick('pass', f'{name} += 5', f'{name} = -1')}"
    )
    if w.random.random() < 0.4:
        w.line(f"else:\n    {name} += 100")
    if w.random.random() < 0.4:
        w.line(f"finally:\n    {name} += 2")
    w.knows("i", name)


def _late_binding(w: _Writer) -> None:
    name, fs = w.fresh(), w.fresh("f")
    keep = w.pick("", ", x=x")
    w.line(f"{fs} = [lambda y{keep}: x + y for x in {w.l()} or ['only']]\n{name} = {fs}[0]({w.s(1)})")
    w.knows("s", name)


def _default_argument(w: _Writer) -> None:
    f, name = w.fresh("f"), w.fresh()
    w.line(f"def {f}(x, seen=[]):\n    seen.append(x)\n    return '.'.join(seen)")
    w.line(f"{f}({w.s(1)})\n{name} = {f}({w.s(1)}){w.pick('', f' + {f}({w.s(0)}, [])')}")
    w.knows("s", name)


def _shared_attribute(w: _Writer) -> None:
    c, name, n = w.fresh("C"), w.fresh(), w.fresh()
    w.line(
        f"class {c}:\n    items = []\n    total = 0\n    def add(self, x):\n        self.items.append(x)\n"
        f"        self.total += 1\n        return self"
    )
    w.line(f"{c}().add({w.s(1)})\n{n} = {c}().add({w.s(1)}).total + len({c}().items)\n{name} = list({c}.items)")
    w.knows("l", name)
    w.knows("i", n)


def _nonlocal(w: _Writer) -> None:
    f, g, name = w.fresh("f"), w.fresh("g"), w.fresh()
    w.line(
        f"def {f}(start):\n    def inner(by=1):\n        nonlocal start\n        start += by\n        return start\n"
        f"    return inner\n{g} = {f}({w.i(1)})\n{g}()\n{name} = {g}({w.i(1)})"
    )
    w.knows("i", name)


def _dataclass(w: _Writer) -> None:
    c, name = w.fresh("C"), w.fresh()
    w.line(
        f"@dataclass\nclass {c}:\n    name: str\n    size: int = {w.random.randint(0, 5)}\n"
        f"    tags: list = field(default_factory=list)\n    def __post_init__(self):\n"
        f"        self.tags.append(self.name)\n    @property\n    def uid(self):\n"
        f"        return f'{{self.name}}@{{self.size}}'\n    @classmethod\n    def of(cls, text):\n"
        f"        return cls(*text.split('-')[:1])"
    )
    made = w.pick(f"{c}({w.s(1)})", f"{c}({w.s(1)}, size={w.i(1)})", f"{c}.of({w.s(1)})")
    w.line(f"{name} = {made}")
    w.names["s"].append(f"{name}.uid")
    w.names["l"].append(f"{name}.tags")


def _enum(w: _Writer) -> None:
    c, name, ls = w.fresh("C"), w.fresh(), w.fresh()
    w.line(f"class {c}(enum.Enum):\n    LOW = 'low'\n    HIGH = 'high'\n    MID = 'mid'")
    w.line(f"{ls} = [one.{w.pick('name', 'value')} for one in {c}]\n{name} = {c}.HIGH.name if {w.b(1)} else "
           f"{c}.{w.pick('LOW', 'MID')}.value")  # fmt: skip
    w.knows("l", ls)
    w.knows("s", name)


def _walrus(w: _Writer) -> None:
    name, n = w.fresh(), w.fresh()
    w.line(f"{name} = 'none'\nif ({n} := {w.i()}) > {w.i(0)}:\n    {name} = str({n} - 1)")
    w.knows("s", name)
    w.knows("i", n)


def _alias(w: _Writer) -> None:
    row, second = w.fresh(), w.fresh()
    grown = w.pick(
        f"{row} += [{w.s(0)}]",
        f"{row} = {row} + [{w.s(0)}]",
        f"{row}.extend({w.s(0)})",
        f"{row}[0:1] = [{w.s(0)}, 'p']",
        f"{row}.insert({w.i(0)}, 'q')",
    )
    w.line(f"{row} = {second} = list({w.l()})\n{grown}")
    if w.random.random() < 0.5:
        w.line(f"({row} if {w.b(1)} else {second}).append({w.s(0)})")
    w.knows("l", row)
    w.knows("l", second)


def _side_effects(w: _Writer) -> None:
    name, m = w.fresh(), w.fresh()
    w.line(f"{name} = ['s1', 's2']")
    w.line(
        w.pick(
            f"{w.b()} and {name}.append({w.s(0)})",
            f"{w.b()} or {name}.append({w.s(0)})",
            f"{name}.append('c') if {w.b()} else {name}.clear()",
            f"{m} = {name}.pop() if {w.b()} else 'kept'",
            f"for _ in range({w.i(1)} % 3): {name}.append(helpers.fresh('g'))",
            f"{name} += [helpers.fresh(x) for x in {w.l(1)}]",
            f"0 < {w.i(1)} < len({name}) > 1 and {name}.reverse()",
        )
    )
    w.knows("l", name)


def _collections(w: _Writer) -> None:
    name, n = w.fresh(), w.fresh()
    which = w.random.randint(0, 4)
    if which == 0:
        w.line(f"{n} = defaultdict(list)\nfor x in {w.l()}:\n    {n}[len(x) % 2].append(x)")
        w.line(f"{name} = {n}[0] + {n}[1]")
        w.knows("l", name)
    elif which == 1:
        w.line(f"{n} = Counter(''.join({w.l()}))\n{name} = [k for k, _ in sorted({n}.items())]")
        w.knows("l", name)
    elif which == 2:
        w.line(f"{n} = collections.deque({w.l()}, maxlen=3)\n{n}.appendleft({w.s(0)})\n{name} = list({n})")
        w.knows("l", name)
    elif which == 3:
        w.line(f"{n} = namedtuple('P', 'x y')\n{name} = {n}({w.s(1)}, y={w.i(1)})")
        w.names["s"].append(f"{name}.x")
        w.names["i"].append(f"{name}[1]")
    else:
        w.line(f"{n} = {{}}\nfor x in {w.l()}:\n    {n}.setdefault(x[:1], []).append(x)")
        w.line(f"{name} = ['/'.join(v) for v in {n}.values()]")
        w.knows("l", name)


def _functional(w: _Writer) -> None:
    name, f = w.fresh(), w.fresh("f")
    w.line(
        w.pick(
            f"{name} = functools.reduce(lambda a, b: a + '/' + b, {w.l()}, 'r')",
            f"{f} = functools.partial(lambda a, b, c='c': a + b + c, {w.s(1)}, c={w.s(1)})\n{name} = {f}({w.s(1)})",
            f"{name} = ''.join(itertools.accumulate({w.l()}))[:12]",
            f"{name} = '|'.join(''.join(p) for p in itertools.product({w.l(1)}[:2], 'xy'))",
            f"{name} = ','.join(f'{{k}}{{len(list(g))}}' for k, g in itertools.groupby(sorted({w.l()}), key=len))",
        )
    )
    w.knows("s", name)


def _decorated(w: _Writer) -> None:
    d, f, name = w.fresh("d"), w.fresh("f"), w.fresh()
    w.line(
        f"def {d}(prefix):\n    def wrap(function):\n        @functools.wraps(function)\n"
        f"        def inner(*args, **named):\n            return prefix + function(*args, **named)\n"
        f"        return inner\n    return wrap\n@{d}({w.s(1)})\ndef {f}(x, *more, y='y', **rest):\n"
        f"    return x + ''.join(more) + y + ''.join(rest)"
    )
    w.line(f"{name} = {f}({w.s(0)}, *{w.l(1)}, **{{'k': 1}}) + {f}.__name__[:1]")
    w.knows("s", name)


def _inherit(w: _Writer) -> None:
    a, b, c, name = w.fresh("A"), w.fresh("B"), w.fresh("C"), w.fresh()
    w.line(
        f"class {a}:\n    kind = 'a'\n    def __init__(self, x):\n        self.x = x\n    def name(self):\n"
        f"        return self.kind + self.x\n    @staticmethod\n    def join(*xs):\n        return '_'.join(xs)\n"
        f"class {b}({a}):\n    kind = 'b'\n    def name(self):\n        return 'B' + super().name()\n"
        f"class {c}({b}, {a}):\n    def __init__(self, x, y):\n        super().__init__(x)\n        self.y = y"
    )
    w.line(f"{name} = {c}({w.s(1)}, 1).name() + {a}.join({w.s(0)}, 'j') + str(isinstance({b}('u'), {a}))")
    w.knows("s", name)


def _raise(w: _Writer) -> None:
    e, f, name = w.fresh("E"), w.fresh("f"), w.fresh()
    w.line(
        f"class {e}(Exception):\n    pass\ndef {f}(x):\n    try:\n        if {w.b(1)}:\n            raise {e}(x)\n"
        f"        return 'fine'\n    except {w.pick(e, 'Exception', f'(KeyError, {e})')} as error:\n"
        f"        return 'caught'\n    finally:\n        helpers.STATE['count'] += 1"
    )
    w.line(f"{name} = {f}({w.s(1)})")
    w.knows("s", name)


def _mutate(w: _Writer) -> None:
    name = w.fresh()
    w.line(f"{name} = [*{w.l()}, 'm', 'n']")
    w.line(
        w.pick(
            f"{name}.sort(key=len, reverse=True)",
            f"del {name}[{w.pick('0', '-1', '1:')}]",
            f"{name}.remove('m')",
            f"{name}.pop({w.pick('0', '-2', '')})",
            f"first, *{name} = {name}",
            f"{name}[0], {name}[-1] = {name}[-1], {name}[0]",
            f"{name} *= 2",
            f"for x in list({name}): x == {w.s(1)} and {name}.remove(x)",
        )
    )
    w.knows("l", name)


def _json_file(w: _Writer) -> None:
    conf, name, n = w.fresh("conf"), w.fresh(), w.fresh()
    w.line(f"with open(os.path.join(HERE, 'conf', 'job.json')) as file:\n    {conf} = json.load(file)")
    w.line(f"{name} = [*{conf}['rules'], {conf}.get('name', 'none')]\n{n} = {conf}['limits']['max'] * {w.i(1)}")
    w.knows("l", name)
    w.knows("i", n)


def _ini_file(w: _Writer) -> None:
    conf, name, n = w.fresh("conf"), w.fresh(), w.fresh()
    w.line(f"{conf} = configparser.ConfigParser()\n{conf}.read(os.path.join(HERE, 'conf/job.ini'))")
    section = w.pick("job", "other", "missing")
    w.line(f"{name} = [{conf}['job']['name'], *{conf}.sections()]")
    w.line(f"{n} = {conf}.getint({section!r}, 'n', fallback={w.i(0)})")
    w.knows("l", name)
    w.knows("i", n)


def _package(w: _Writer) -> None:
    name = w.fresh()
    w.line(f"{name} = {w.pick(f'make({w.s(1)})', f'join_names({w.s(1)})', 'NAMES[-1]')} + make({w.s(0)})")
    w.knows("s", name)


_SNIPPETS: tuple[Snippet, ...] = (
    _let, _let, _let, _if, _if, _loop, _loop, _while, _try, _late_binding, _default_argument, _shared_attribute,
    _nonlocal, _dataclass, _enum, _walrus, _alias, _side_effects, _side_effects,
    _json_file, _ini_file, _package, _collections, _functional, _decorated, _inherit, _raise, _mutate,
)  # fmt: skip


def _arguments(w: _Writer) -> None:
    style = w.random.randint(0, 3)
    if style == 0:
        w.line("argv = sys.argv[1:]\nn = int(argv[0]) if argv else 2")
        w.line("mode = argv[1] if len(argv) > 1 else 'dev'\nflag = 'x' in argv\nitems = argv[2:]")
    else:
        w.line("parser = argparse.ArgumentParser(description='job')")
        w.line(f"parser.add_argument('n', nargs='?', type=int, default={w.random.randint(1, 3)})")
        w.line("parser.add_argument('mode', nargs='?', default='dev')\nparser.add_argument('items', nargs='*')")
        w.line("args, rest = parser.parse_known_args()\nn, mode, items = args.n, args.mode, args.items")
        w.line("flag = n > 2" if style == 1 else "flag = 'x' in items" if style == 2 else "flag = bool(items)")
    for kind, name in (("i", "n"), ("s", "mode"), ("b", "flag"), ("l", "items")):
        w.knows(kind, name)


def _vectors(r: random.Random) -> tuple[tuple[str, ...], ...]:
    found: list[tuple[str, ...]] = [()]
    for _ in range(3):
        vector = [str(r.randint(0, 6))]
        if r.random() < 0.8:
            vector.append(r.choice(("dev", "prod", "a", "x")))
            vector.extend(r.sample(("x", "eu", "raw", "7"), r.randint(0, 3)))
        found.append(tuple(vector))
    return tuple(dict.fromkeys(found))


def _job(w: _Writer) -> None:
    w.line("s = env.from_collection(['a', 'b'], type_info=Types.STRING())")
    for _ in range(w.random.randint(2, 5)):
        _operator(w)
    w.line(w.pick("s.print()", "s.map(lambda x: x).print()", f"keyed(s, {w.s(1)}).print()"))
    w.line("env.execute('job')")


def _operator(w: _Writer) -> None:
    u = lambda: f"'u{w.fresh('')}-' + {w.s()}"  # noqa: E731 - evaluated anew for each use
    w.line(
        w.random.choice([
            lambda: f"s = tag(s, {u()})",
            lambda: f"s = tag(s, name={w.s()})",
            lambda: f"s = keyed(s, {u()})",
            lambda: "s = keyed(s)",
            lambda: f"if {w.b()}:\n    s = s.filter(lambda x: True)",
            lambda: f"if {w.b()}:\n    s = tag(s, {u()})\nelse:\n    s = s.map(lambda x: x).name({w.s()})",
            lambda: f"for i, x in enumerate({w.l()}):\n    s = tag(s, f'{{i}}-{{x}}-{w.fresh('u')}')",
            lambda: f"for x in {w.l()}:\n    if x {w.pick('>', '==', '!=')} {w.s(1)}:\n"
            f"        {w.pick('continue', 'break')}\n"
            f"    s = s.map(lambda y: y)",
            lambda: f"s = tag(s, {u()}, {w.i()} % 3)",
            lambda: f"s.set_parallelism({w.i()} % 3 + 1) if {w.b()} else None",
            lambda: f"parts = [s.filter(lambda y: True).uid(f'{{k}}!{w.fresh('p')}') for k in dict.fromkeys({w.l()})]\n"
            "s = functools.reduce(lambda a, b: a.union(b), parts, s)",
            lambda: f"s = helpers.Builder(s, 'b{w.fresh()}').step().step({w.b()}).step().build()",
            lambda: f"steps = {{'f': lambda t: t.filter(lambda x: True), 'm': lambda t: t.map(lambda x: x)}}\n"
            f"s = steps['f' if {w.b()} else 'm'](s)",
            lambda: f"s = ({w.b()} and tag(s, {u()})) or s",
            lambda: f"s = tag(s, {u()}) if {w.b()} else s",
            lambda: f"env.set_parallelism({w.i()} % 2 + 1)",
            lambda: f"env.disable_operator_chaining() if {w.b()} else None",
            lambda: f"s = tag(s, helpers.fresh({w.s()}))",
        ])()
    )  # fmt: skip


def program(seed: int) -> Program:
    """The program of a seed."""
    r = random.Random(seed)
    w = _Writer(r)
    w.line("env = StreamExecutionEnvironment.get_execution_environment()")
    _arguments(w)
    for _ in range(r.randint(2, 7)):
        r.choice(_SNIPPETS)(w)
    _job(w)
    body = "\n".join(w.lines)
    text = f"{_HEADER}\n\ndef main():\n{body}\n\n\nif __name__ == '__main__':\n    main()\n"
    return Program(seed, {"job.py": text, "helpers.py": _HELPERS, **_LIBRARY}, _vectors(r))
