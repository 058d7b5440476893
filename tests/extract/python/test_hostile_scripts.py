"""Source that was made to hurt: every case ends soon, with a topology, an unknown with its reason, or a clear error."""

import contextlib

import pytest

from checker.errors import CheckerError
from checker.extract import python
from checker.flink import translate
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles

HEAD = """from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
s = env.from_collection([1])
"""
TAIL = "\ns.print()\nenv.execute()\n"

CASES = {
    "while true": "while True:\n    pass",
    "while true append": "x=[]\nwhile True:\n    x.append(x)",
    "for huge": "for i in range(10**11):\n    pass",
    "nested for": "for i in range(10**4):\n  for j in range(10**4):\n    pass",
    "recursion": "def f(x):\n    return f(x)\nf(1)",
    "big comp": "x=[i for i in range(10**9)]",
    "list range": "x=list(range(10**9))",
    "sum range": "x=sum(range(10**11))",
    "in range": "x=1.5 in range(10**11)",
    "star range": "a,*b=range(10**10)",
    "star call": "print(*range(10**10))",
    "pow": "x=10**10**10",
    "powf": "x=2.0**100000",
    "mul": "x=7\nfor i in range(100):\n    x=x*x",
    "str double": "x='a'\nfor i in range(100):\n    x=x+x",
    "list extend": "x=[1]\nfor i in range(100):\n    x.extend(x)",
    "fmt": "x=f'{1:>1000000000}'",
    "fmt3": "x='%999999999d' % 1",
    "fmt4": "w=10**9\nx=f'{1:>{w}}'",
    "replace": "x='a'*50000\ny=x.replace('a',x)",
    "int str": "x=int('9'*50000)",
    "str int": "x=str(10**1200)*50",
    "rec dict": "x={}\nx['a']=x\ny=str(x)\nz=f'{x}'",
    "rec eq": "x=[]\nx.append(x)\ny=[]\ny.append(y)\nz=(x==y)",
    "class rec": "class A:\n    def __init__(self):\n        self.a=A()\nA()",
    "property rec": "class A:\n    @property\n    def p(self):\n        return self.p\nA().p",
    "inherit self": "class A: pass\nclass A(A): pass\nA()",
    "generator inf": "def g():\n    while True:\n        yield 1\nfor x in g():\n    pass",
    "py2": "print 'a'",
    "many ops": "for i in range(20000):\n    s=s.map(f)",
    "union doubling": "for i in range(60):\n    s=s.union(s)",
    "decor": "def d(f):\n    return d\n@d\n@d\ndef g(): pass\ng()()()",
    "setattr": "class A: pass\nfor i in range(10**6):\n    setattr(A(),'x',i)",
    "match": "match s:\n    case [*x, *y]:\n        pass",
    "exec": "exec('x'*10)",
    "del": "del s",
    "global": "global zz\nzz=1",
    "nonlocal": "nonlocal zz",
    "return": "return",
    "yield": "yield s",
    "await": "await s",
    "sort key": "x=sorted([3,1],key=lambda v: s)",
    "json": "import json\nx=json.loads('['*100000)",
    "yaml": "import yaml\nx=yaml.safe_load('['*5000)",
    "arguments": "from argparse import ArgumentParser as A"
    "\np=A()\np.add_argument('--a',nargs='*',type=eval)\np.parse_args(['--a','1'])",
    "arguments twice": "from argparse import ArgumentParser as A"
    "\np=A()\np.add_argument('--a')\np.add_argument('--a')\np.parse_args([])",
    "slice": "x=list(range(10))[::0]\ny='a'[10**30]\nz=[1][-5:]",
    "hash": "x={[]:1}\ny={(1,[]):2}\nz={s:1}",
    "percent": "x='%s'%s\ny='%(a)s'%{'b':1}\nz='%d'%'a'",
    "round": "x=round(1e308*10)\ny=int(1e400)",
    "next": "x=next(iter([]))",
    "nan": "x=int(float('nan'))",
    "surrogate": "s.map(f).uid('\\ud800').name('\\x00')",
    "neg par": "env.set_parallelism(-5)\ns.map(f).set_parallelism(0).set_max_parallelism(10**9)",
    "bool par": "s.map(f).set_parallelism(True)",
    "none uid": "s.map(f).uid(None).name(5)",
}
SHAPES = {
    "deep parentheses": HEAD + "x=" + "(" * 5000 + "1" + ")" * 5000 + TAIL,
    "deep sum": HEAD + "x=" + "1+" * 20000 + "1" + TAIL,
    "deep chain": HEAD + "s" + ".map(f)" * 3000 + ".print()\nenv.execute()\n",
    "deep attributes": HEAD + "x=s" + ".a" * 20000 + TAIL,
    "many cases": HEAD + "if 0:\n    pass\n" + "elif 0:\n    pass\n" * 3000 + TAIL,
    "many lines": HEAD + "x=1\n" * 400000 + TAIL,
    "long list": HEAD + "x=[" + "1," * 200000 + "]" + TAIL,
    "many conditions": HEAD
    + "import os\n"
    + "".join(f"if os.environ.get('A{n}'):\n    s=s.map(f).uid('{n}')\n" for n in range(40))
    + TAIL,
    "nothing": "",
    "Python 2": "print 'a'\n" + HEAD + TAIL,
    "bad coding": "# -*- coding: klingon -*-\n" + HEAD + TAIL,
}


def outcome(files: MemoryFiles) -> str:
    try:
        python.discover(files)
        entry = PipelineEntry(name="j", extract=ExtractorKind.PYTHON, file="job.py")
        topology = python.extract(files, entry)
    except CheckerError as error:
        return str(error)
    translate(topology)
    reasons = (t.unknown.reason for t in topology.transformations if t.unknown)
    return next(reasons, f"{len(topology.transformations)} steps")


@pytest.mark.parametrize("case", [*CASES, *SHAPES])
def test_hostile_source_ends_with_a_reason_or_a_topology(case: str) -> None:
    source = SHAPES[case] if case in SHAPES else HEAD + CASES[case] + TAIL
    assert outcome(MemoryFiles({"job.py": source.encode("utf-8", "surrogatepass")}))


@pytest.mark.parametrize("data", [bytes(range(256)) * 100, b"\0", (HEAD + TAIL).encode("utf-16")])
def test_binary_files_do_not_parse(data: bytes) -> None:
    assert "parse" in outcome(MemoryFiles({"job.py": data}))


def test_modules_that_import_each_other_end() -> None:
    first = HEAD + "from b import g\ndef f(x):\n    return g(x)\nf(s).print()\nenv.execute()\n"
    second = "from job import f\ndef g(x):\n    return x.map(f)\n"
    with contextlib.suppress(CheckerError):
        outcome(MemoryFiles({"job.py": first.encode(), "b.py": second.encode()}))


def test_old_python_is_named() -> None:
    assert "Python 2" in outcome(MemoryFiles({"job.py": b"print 'a'\n"}))


def test_a_broken_module_is_named_by_its_own_file() -> None:
    files = MemoryFiles({"job.py": b"import helper\n", "helper.py": b"\n\ndef (\n"})
    assert "helper.py:3: does not parse" in outcome(files)
