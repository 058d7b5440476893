"""Edits of the code that makes accumulators."""

from __future__ import annotations

import pytest

from checker.extract.consulted import ConsultedFiles
from checker.extract.sql.functions.accumulating import edited_accumulation, look_at_accumulation
from checker.model.sources import MemoryFiles
from checker.model.topology import Kind, Topology, Transformation

JAVA = """package acme;
public class Total extends AggregateFunction<Long, Sum> {
  public Sum createAccumulator() { return new Sum(); }
  public void accumulate(Sum sum, Long value) { sum.value += value; }
}
class Names { String name = "a"; }
"""
LOGS = JAVA.replace(
    "{ sum.value += value; }",
    "{ long total = sum.value; total += value; LOG.info(value); sum.value = value + total; }"
    " static final Logger LOG = logger();",
)
PYTHON = '''class Total(AggregateFunction):
    """Sums."""

    def create_accumulator(self):
        return [0, 0]

    def accumulate(self, accumulator, value):
        accumulator[0] += value

NAME = "a"
'''


def edited(path: str, before: str, after: str, head: str | None = None) -> frozenset[str]:
    return edited_accumulation(
        MemoryFiles({path: before.encode()}), MemoryFiles({head or path: after.encode()}), {path, head or path}
    )


@pytest.mark.parametrize(
    ("path", "text", "losing", "harmless"),
    [
        ("src/Total.java", JAVA, ("+= value", "= value"), ("{ sum.value", "{ /* adds */ sum.value")),
        ("src/Total.java", JAVA, ("new Sum()", "new Sum(1)"), ('"a"', '"b"')),
        ("total.py", PYTHON, ("[0] +=", "[1] +="), ('"a"', '"b"')),
        ("total.py", PYTHON, ("+= value", "= value"), ("Sums.", "Adds.")),
        ("src/Total.java", JAVA, ("sum.value += value", "value += sum.value"), ("sum", "kept")),
        ("src/Total.java", LOGS, ("total += value;", "total = value;"), ("LOG.info(value);", "")),
        ("src/Total.java", LOGS, ("LOG.info(value);", "LOG.info(sum.n++);"), ("total", "all")),
        ("src/Total.java", LOGS, ("value + total", "total + value"), ("static final Logger LOG = logger();", "")),
        ("total.py", PYTHON, ("[0] += value", "[value] += 0"), ("value", "amount")),
        ("total.py", PYTHON, ("return [0, 0]", "return [0, 1]"), ("        acc", "        print(value)\n        acc")),
        ("total.py", PYTHON + "add(value=1)\n", ("value", "amount"), ("add(value=1)", "add(value=2)")),
        ("src/Total.kt", "class Total { fun accumulate(s: Sum) { s.a += 1 } }", ("+= 1", "= 1"), ("", "")),
    ],
)
def test_code_that_makes_accumulators_counts(
    path: str, text: str, losing: tuple[str, str], harmless: tuple[str, str]
) -> None:
    assert edited(path, text, text.replace(*losing)) == {path}
    assert edited(path, text, text.replace(*harmless)) == frozenset()


def test_a_function_that_moves_is_the_same_and_a_new_one_has_no_state() -> None:
    moved = JAVA.replace("package acme", "package acme.sums")
    assert edited("src/Total.java", JAVA, moved, "src/sums/Total.java") == frozenset()
    assert edited("src/Total.java", "class Names {}", JAVA) == frozenset()


def test_what_a_function_uses_counts_and_nothing_else() -> None:
    total = JAVA.replace("sum.value += value;", "Sums.add(sum, value);").encode()
    sums = (
        "package acme; class Sums { static void add(Sum s, long v) { s.value += v; } static int other() { return 1; } }"
    )
    old = {
        "src/Total.java": total,
        "src/Sums.java": sums.encode(),
        "src/Web.java": b"package acme; class Web { int n = 1; }",
    }
    for path, before, after, found in (
        ("src/Sums.java", b"+= v", b"= v", {"src/Sums.java"}),
        ("src/Web.java", b"n = 1", b"n = 2", set()),
    ):
        head = {**old, path: old[path].replace(before, after)}
        assert edited_accumulation(MemoryFiles(old), MemoryFiles(head), {"src/Total.java"}) == found
    renamed = {**old, "src/Total.java": total.replace(b"class Total", b"class Sum2")}
    assert edited_accumulation(MemoryFiles(old), MemoryFiles(renamed), {"src/Total.java"}) == {"src/Total.java"}


NORM = """package acme;
public class Norm extends ScalarFunction { public String eval(String s) { return s.trim(); } }
class Tax extends ScalarFunction { public String eval(String s) { return s; } }
"""
LAMBDA = "shorter = udf(lambda s: s.strip(), result_type='STRING')\nt.create_temporary_function('norm', shorter)\n"
INLINE = "t.create_temporary_function('norm', udf(lambda s: s.strip(), result_type='STRING'))\n"
DECORATED = (
    "@udf(result_type='STRING')\ndef norm(s):\n    return s.strip()\nt.create_temporary_function('norm', norm)\n"
)


@pytest.mark.parametrize(
    ("meaning", "path", "text", "edit", "counts"),
    [
        ("groupBy=[norm(city)]", "src/Norm.java", NORM, ("trim()", "strip()"), True),
        ("groupBy=[norm(city)]", "src/Norm.java", NORM, ("{ return s; }", '{ return s + "x"; }'), False),
        (
            "groupBy=[norm(city)]",
            "src/Norm.java",
            NORM,
            ("String s) { return s.trim", "String t) { return t.trim"),
            False,
        ),
        ("groupBy=[city]", "src/Norm.java", NORM, ("trim()", "strip()"), False),
        ("groupBy=[norm(city)]", "job.py", LAMBDA, ("strip()", "lower()"), True),
        ("groupBy=[city]", "job.py", LAMBDA, ("strip()", "lower()"), False),
        ("groupBy=[norm(city)]", "job.py", INLINE, ("strip()", "lower()"), True),
        ("groupBy=[city]", "job.py", INLINE, ("strip()", "lower()"), False),
        ("groupBy=[norm(city)]", "job.py", DECORATED, ("strip()", "lower()"), True),
        ("groupBy=[norm(city)]", "job.py", DECORATED, ("(s):\n    return s", "(t):\n    return t"), False),
    ],
)
def test_a_function_that_an_operator_means_counts_like_one_that_accumulates(
    meaning: str, path: str, text: str, edit: tuple[str, str], counts: bool
) -> None:
    script = b"CREATE FUNCTION norm AS 'acme.Norm'; CREATE FUNCTION tax AS 'acme.Tax';"
    base, head = (MemoryFiles({"job.sql": script, path: code.encode()}) for code in (text, text.replace(*edit)))
    operator = Transformation(id="a", kind=Kind.OPERATOR, meaning=f"GroupAggregate({meaning})")
    topology = Topology(name="job", flink="1.20.5", transformations=(operator,))
    assert edited_accumulation(base, head, {"job.sql", path}, [topology]) == ({path} if counts else frozenset())


@pytest.mark.parametrize(
    ("registered", "counts"),
    [
        ('t.createTemporarySystemFunction("norm", Norm.class);', True),
        ('t.registerFunction("norm", new Norm());', True),
        ('Norm f = new Norm(); t.createTemporaryFunction("norm", f);', True),
        ('t.createTemporaryFunction("norm", made());', True),
        ("t.createTemporaryFunction(NAME, Norm.class);", True),
        ("t.executeSql(\"CREATE TEMPORARY FUNCTION IF NOT EXISTS c.d.norm AS 'acme.Norm'\");", True),
        ('t.createTemporaryFunction("norm", Tax.class); String[] c = {"norm", "count"}; use(norm, count);', False),
        ('t.createTemporaryFunction("norm", Tax.class); t.createTemporaryFunction("clean", Norm.class);', False),
    ],
)
def test_a_function_has_the_name_by_which_a_program_registers_it(registered: str, counts: bool) -> None:
    job = f"package acme; class Job {{ void run(TableEnvironment t) {{ {registered} }} }}".encode()
    base, head = (
        MemoryFiles({"src/Job.java": job, "src/Norm.java": code.encode()})
        for code in (NORM, NORM.replace("trim()", "strip()"))
    )
    operator = Transformation(id="a", kind=Kind.OPERATOR, meaning="GroupAggregate(groupBy=[norm(city)])")
    topology = Topology(name="job", flink="1.20.5", transformations=(operator,))
    found = edited_accumulation(base, head, {"src/Job.java", "src/Norm.java"}, [topology])
    assert found == ({"src/Norm.java"} if counts else frozenset())


def test_who_keeps_an_answer_knows_the_files_that_a_function_uses() -> None:
    total = JAVA.replace("sum.value += value;", "Sums.add(sum, value);").encode()
    sums = b"package acme; class Sums { static void add(Sum s, long v) { s.value += v; } }"
    files = ConsultedFiles(
        MemoryFiles({"src/Total.java": total, "src/Sums.java": sums, "src/Web.java": b"class Web {}"})
    )
    look_at_accumulation(files, ["src/Total.java"])
    assert "src/Sums.java" in files.consulted.contents
