"""Expressions and statements of a script have the value that Python gives them, or none that is certain."""

from typing import Any

import pytest

from checker.extract import python
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.unknowns import Unknown

SNIPPETS = [
    """x=[]
for i in range(3):
    x.append(lambda: i)
r=str([f() for f in x])""",
    """class A:
    def __setattr__(self,k,v):
        object.__setattr__(self,k,v*2)
a=A()
a.x=2
r=str(a.x)""",
    """class A:
    @property
    def p(self): return self._p
    @p.setter
    def p(self,v): self._p=v+1
a=A()
a.p=1
r=str(a.p)""",
    """from functools import cached_property
class A:
    n=0
    @cached_property
    def p(self):
        A.n+=1
        return A.n
a=A()
r=str((a.p,a.p,A.n))""",
    """from functools import lru_cache
c=[]
@lru_cache(None)
def f(x):
    c.append(x)
    return x
f(1);f(1)
r=str(c)""",
    """class M(type):
    def __new__(m,n,b,d):
        d['z']='zz'
        return super().__new__(m,n,b,d)
class A(metaclass=M): pass
r=A.z""",
    """class A:
    subs=[]
    def __init_subclass__(cls,**k):
        A.subs.append(cls.__name__)
class B(A): pass
r=','.join(A.subs)""",
    """def f():
    try:
        return 'a'
    finally:
        g.append(1)
g=[]
r=f()+str(g)""",
    """def f():
    for i in range(3):
        try:
            continue
        finally:
            g.append(i)
g=[]
f()
r=str(g)""",
    """def f():
    while True:
        try:
            return 'x'
        finally:
            break
    return 'y'
r=f()""",
    """a=[1,2,3]
for x in a:
    if x==1:
        a.remove(x)
r=str(a)""",
    """d={'a':1}
try:
    for k in d:
        d[k+'x']=1
    r='no'
except RuntimeError:
    r='changed'""",
    """a=b=[]
a+=[1]
b=b+[2]
r=str((a,b))""",
    """t=([],)
try:
    t[0]+=[1]
except TypeError:
    pass
r=str(t)""",
    """r=f'{3.14159:.2f}{1000000:,}{"a":^5}{255:#x}{0.5:%}'""",
    """def f(a,/,b,*,c): return a+b+c
try:
    r=f('1','2','3')
except TypeError:
    r='te'""",
    """def f(**k): return ','.join(f'{a}={b}' for a,b in k.items())
r=f(**{'b':1},a=2)""",
    """x=[1,2,3,4]
x[1:3]=[9]
del x[0]
r=str(x)""",
    """class A:
    x=1
    y=[x for _ in range(2)] if False else 'k'
r=A.y""",
    """x='g'
class A:
    x='c'
    def f(self): return x
r=A().f()""",
    """r='{0}:{1:>5}{name!r}{{x}} {}'.replace('{}','').format('localhost:9092',3,name='n')""",
    """r='SELECT * FROM %s WHERE a %% 2 = %05d' % ('t_20240101', 7)""",
    """a,(b,*c),d=1,(2,3,4),5
r=str((a,b,c,d))""",
    """r=[(x,y) for x in 'ab' for y in range(2) if y][1][0]""",
    """r=str([i for i in range(5) if (j:=i*2)>4])+str(j)""",
    """try:
    raise ValueError('m') from KeyError('k')
except (TypeError,ValueError) as e:
    r=str(e)""",
    """def deco(cls):
    cls.tag='t'
    return cls
@deco
class A: pass
r=A.tag""",
    """class A:
    def __init__(self): self.__x=1
    def g(self): return self.__x
r=str(A().g())""",
    """x=5
del x
try:
    x
    r='a'
except NameError:
    r='gone'""",
    """s={3,1,2}
r=str(sorted(s))+str(len(s|{4}))+str(2 in s)""",
    """def f(x:int=3)->str: return str(x)
r=f()+str(f.__name__)""",
    """r=str((lambda *a,**k:(a,k))(1,b=2))""",
    """import itertools
r=str(list(itertools.chain.from_iterable([[1],[2]])))+str(list(itertools.zip_longest([1],[2,3],fillvalue=0)))""",
    """a=1 if [] else 2
b=[] or {} or 'z'
r=str((a,b,not a,1<2<3,1<3>2))""",
    """class A:
    def __len__(self): return 0
r='t' if A() else 'f'""",
    """class A:
    n=0
    def inc(self): self.n+=1
a=A();a.inc();a.inc()
r=str((A.n,a.n))""",
    """x=10
def f():
    global x
    x+=1
    return x
f()
r=str(x)""",
    """import os
r=os.path.join('a','../b')+os.path.splitext('x.tar.gz')[1]+os.sep""",
    """import abc
class A(abc.ABC):
    @abc.abstractmethod
    def f(self): ...
class B(A):
    def f(self): return 'bf'
r=B().f()""",
    """class A:
    def f(self): return 'A'
class B(A):
    def f(self): return 'B'+super().f()
class C(A):
    def f(self): return 'C'+super().f()
class D(B,C):
    def f(self): return 'D'+super().f()
r=D().f()""",
    """r=str([{"a", "b"} <= {"a", "b", "c"}, {"a", "b"} == {"b", "a"}, set(["a", "b"]) & set(["b", "c"]) == {"b"}])""",
]
"""Each gives ``r`` a text."""


OPEN = 8
"""How many of them are not followed: fewer is better, more is a step back."""
_HEAD = "from pyflink.datastream import StreamExecutionEnvironment\n"
_TAIL = """
env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1]).map(lambda q: q).uid(r).print()
env.execute()
"""


def uid_of(snippet: str) -> Any:
    """What the reader says of ``r``: the text, or why it is not known."""
    entry = PipelineEntry(name="job", extract=ExtractorKind.PYTHON, file="job.py")
    topology = python.extract(MemoryFiles({"job.py": (_HEAD + snippet + _TAIL).encode()}), entry)
    found = [transformation.uid for transformation in topology.transformations if transformation.uid is not None]
    return (
        found[0]
        if found
        else next(transformation.unknown for transformation in topology.transformations if transformation.unknown)
    )


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_values_are_pythons(snippet: str) -> None:
    variables: dict[str, Any] = {"__name__": __name__}
    exec(snippet, variables)
    found = uid_of(snippet)
    assert isinstance(found, Unknown) or found == variables["r"]


def test_few_are_not_followed() -> None:
    assert sum(isinstance(uid_of(snippet), Unknown) for snippet in SNIPPETS) <= OPEN
