"""What counts as the same program."""

import pytest

from checker.extract.texts import same_code

POM = b"<project>\n  <properties>\n    <flink.version>1.20.1</flink.version>\n  </properties>\n</project>\n"


@pytest.mark.parametrize(
    "after",
    [
        POM.replace(b"  <properties>", b"\n\n  <!-- versions -->\n  <properties>"),
        POM.replace(b"\n    ", b"\n\t"),
        POM.replace(b"1.20.1<", b" 1.20.1 <"),
    ],
)
def test_comments_and_layout_of_a_pom_change_nothing(after: bytes) -> None:
    assert same_code("module/pom.xml", POM, after)


@pytest.mark.parametrize(
    "after",
    [
        POM.replace(b"1.20.1", b"1.20.2"),
        POM.replace(b"<project>", b'<project child.project.url.inherit.append.path="false">'),
        POM.replace(b"<flink.version>1.20.1</flink.version>", b"<!-- <flink.version>1.20.1</flink.version> -->"),
        POM.replace(b"<project>", b'<!DOCTYPE project [<!ENTITY v "2">]><project>'),
        POM[:40],
    ],
)
def test_what_a_pom_says_counts(after: bytes) -> None:
    assert not same_code("pom.xml", POM, after)


def test_every_byte_of_another_file_counts() -> None:
    assert not same_code("build.gradle", b"a", b"a ")
    assert not same_code("notes.xml", POM, POM + b"\n")


@pytest.mark.parametrize(
    ("path", "before", "after", "same"),
    [
        ("a.yaml", b"# one\nkey: 1\n", b"# two\n\nkey:   1  # that\n", True),
        ("a.yml", b"key: 1\n", b"key: '1'\n", False),
        ("a.yml", b"key: 1\n", b"key: 2\n", False),
        ("a.yml", b"a:\n  b: 1\n", b"a:\nb: 1\n", False),
        ("a.yml", b"key: {{ one }}: #\n", b"key: {{ one }}: # more\n", False),
        ("a.yml", b"text: |\n  # one\n", b"text: |\n  # two\n", False),
        ("a.properties", b"# one\nkey=1\n", b"! two\n\nkey=1\n", True),
        ("a.properties", b"key=1\n", b"key=1#\n", False),
        ("a.properties", b"key=1\\\n#2\n", b"key=1\\\n#3\n", False),
        ("a.properties", b"key=1\n", b"key = 1\n", False),
        ("a.py", b"def f():\n    return 1\n", b"def f():\n    'says one'\n    return 1  # one\n", True),
        ("a.py", b"def f():\n    return f.__doc__\n", b"def f():\n    'says one'\n    return f.__doc__\n", False),
        ("a.py", b"def f(x): return x\n", b"def f(x: str) -> str: return x\n", True),
        ("a.py", b"def f(x: int): return x\n", b"def f(x: str): return x\n", False),
        ("a.py", b"def f(x) -> int: return x\n", b"def f(x: int) -> str: return x\n", False),
        ("a.py", b"@command\ndef f(x: int): return x\n", b"@command\ndef f(x: str): return x\n", False),
        ("a.py", b"class A:\n    x: int\n", b"class A:\n    x: str\n", False),
        ("a.py", b"def f(x: int): return x\n", b"def f(x: made()): return x\n", False),
        ("a.sql", b"-- one\nSELECT a,'b  c';", b"# two\nSELECT  a, /* three */\n'b  c' ;", True),
        ("a.sql", b"SELECT 'b  c'", b"SELECT 'b c'", False),
        ("a.sql", b"SELECT 'b -- c'", b"SELECT 'b -- d'", False),
        ("a.sql", b"SELECT a FROM t /*+ OPTIONS('a'='b') */", b"SELECT a FROM t /*+ OPTIONS('a'='c') */", False),
        ("a.sql", b"SELECT a b", b"SELECT ab", False),
    ],
)
def test_comments_of_configuration_change_nothing(path: str, before: bytes, after: bytes, same: bool) -> None:
    assert same_code(path, before, after) is same


JAVA = """package a;
import b.Used;
import c.*;
import java.util.List;
import static d.E.f;
class A { Used u = f(1); List<String> all; }
"""


@pytest.mark.parametrize(
    ("written", "becomes", "same"),
    [
        ("import b.Used;\n", "import b.Used;\nimport b.Idle;\nimport static b.Other.idle;\n", True),
        ("import b.Used;\nimport c.*;\n", "import c.*;\nimport b.Used;\nimport b.Used;\n", True),
        ("import b.Used;\n", "import b.other.Used;\n", False),
        ("import b.Used;\n", "", False),
        ("import c.*;\n", "", False),
        ("import static d.E.f;\n", "", False),
        ("import static d.E.f;\n", "import d.E.f;\n", False),
        ("import b.Used;\n", "import b.Used;\nimport b.Idle;\nimport b.String;\n", False),
        ("all; }", 'all; /* Idle */ String s = "Idle"; }', False),
        ("List<String> all", "\\u004cist<String> all", False),
    ],
)
def test_imports_that_nothing_mentions_and_their_order_change_nothing(written: str, becomes: str, same: bool) -> None:
    assert same_code("A.java", JAVA.encode(), JAVA.replace(written, becomes).encode()) is same


@pytest.mark.parametrize(
    ("statement", "same"),
    [
        ('LOG.info("{} of {}", list.size(), name);', True),
        ('System.out.println("at " + user.getName() + String.format("%s", x));', True),
        ("log.debug(env.execute());", False),
        ("LOG = other(1);", False),
        ("logs.add(x);", False),
        ('log.addSink(new Lines<>("out"));', False),
        ("log.print();", False),
        ("log.info(stream.uid(x));", False),
        ("log.info(x).after();", False),
        ('LOG.info("{}", getRuntimeContext().getMapState(counts));', False),
        ('LOG.info("{}", count.getAndIncrement());', False),
        ('LOG.info("{}", count++);', False),
        ('LOG.info("{}", name = other);', False),
    ],
)
@pytest.mark.parametrize(("around", "apart"), [("a(); {} b();", True), ("if (c) {} b();", False)])
def test_what_java_logs_changes_nothing(statement: str, same: bool, around: str, apart: bool) -> None:
    texts = [f"class A {{ void f() {{ {around.replace('{}', text)} }} }}".encode() for text in (statement, "")]
    assert same_code("A.java", *texts) is (same and apart)


def test_an_import_may_be_used_by_an_escaped_name() -> None:
    before = b"import b.List;\nclass A { \\u004cist all; }"
    assert not same_code("A.java", before, before.replace(b"b.List", b"c.List"))
    assert not same_code("A.java", before, before.replace(b"import b.List;", b""))


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("x.keyBy(x % 3)", "x.keyBy(x   %  3)", True),
        ("  x.uid(1)  // one", "x.uid(1)", True),
        ("{ x\n  .uid(1) }", "{ x.uid(1) }", True),
        ("{ x.uid(1)\n(2) }", "{ x.uid(1)(2) }", False),
        ('x.uid("a b")', 'x.uid("a  b")', False),
        ('x.uid(s"${y("a b")}")', 'x.uid(s"${y("a  b")}")', False),
        ("x.uid('a')", "x.uid('b')", False),
        ("val a = x y", "val a = xy", False),
        ('"""\na b"""', '"""\na  b"""', False),
    ],
)
@pytest.mark.parametrize("path", ["A.scala", "A.kt"])
def test_space_between_words_of_scala_and_kotlin_changes_nothing(
    path: str, before: str, after: str, same: bool
) -> None:
    assert same_code(path, before.encode(), after.encode()) is same


SCALA = """object Job {
  def main(args: Array[String]): Unit = {
    val env = StreamExecutionEnvironment.getExecutionEnvironment
    log.info(s"starting with ${env.parallelism}")
    if (debug)
      log.warn("so far")
    env.execute()
  }
}
"""


@pytest.mark.parametrize(
    ("written", "becomes", "same"),
    [
        ("starting with", "starts (with", True),
        ('    log.info(s"starting with ${env.parallelism}")\n', "", True),
        ("    env.execute()", '    LOG.debug("ready")\n    println("go")\n    env.execute()', True),
        ('"so far"', 'name + " so far"', True),
        ('      log.warn("so far")\n', "", False),
        ("    env.execute()\n", '    env.execute()\n    log.info("done")\n', False),
        ("    if (debug)", '    log.info("more")\n    if (debug)', True),
        ("starting with ${env.parallelism}", "started ${make(env)}", False),
        ("starting with ${env.parallelism}", "started ${ids.next}", False),
        ("log.warn(", "log.audit(", False),
        ('"so far"', '"so far", add(env)', False),
        ("    env.execute()", "    print()\n    env.execute()", False),
    ],
)
def test_what_scala_and_kotlin_log_changes_nothing(written: str, becomes: str, same: bool) -> None:
    assert written in SCALA
    after = SCALA.replace(written, becomes)
    for before, now in ((SCALA, after), (after, SCALA)):
        assert same_code("A.scala", before.encode(), now.encode()) is same


FUNCTIONS = {
    "A.scala": """class Counts(x: Int) extends KeyedProcessFunction[String, Event, Out] {
  lazy val seen: ValueState[Int] = getRuntimeContext.getState(new ValueStateDescriptor("seen", classOf[Int]))
  override def processElement(e: Event, ctx: Context, out: Collector[Out]): Unit = { seen.update(seen.value + 1) }
  def name: String = "counts"
}
class Keys extends KeySelector[Event, String] { override def getKey(e: Event): String = e.id }
""",
    "A.kt": """class Counts(val x: Int) : KeyedProcessFunction<String, Event, Out>() {
  private lateinit var seen: ValueState<Int>
  override fun open(c: OpenContext) { seen = runtimeContext.getState(ValueStateDescriptor("seen", Int::class.java)) }
  override fun processElement(e: Event, ctx: Context, out: Collector<Out>) { seen.update(seen.value() + 1) }
  fun name(): String = "counts"
}
class Keys : KeySelector<Event, String> {
  override fun getKey(e: Event): String = e.id
}
""",
}


@pytest.mark.parametrize("path", FUNCTIONS)
@pytest.mark.parametrize(
    ("written", "becomes", "same"),
    [
        ("+ 1)", "+ 1); out.collect(Out(e.id))", True),
        ("+ 1)", '+ 1); stateOf("more").update(1)', False),
        ("+ 1)", '+ 1); x.getState(ValueStateDescriptor("more"))', False),
        ('"seen"', '"all"', False),
        ('"counts"', '"all"', False),
        ("e.id", "e.name", False),
        ("Event, Out", "Event, In", False),
        ("KeyedProcessFunction", "KeyedProcessor", False),
        ("+ 1)", '+ 1); all.keyBy(x).uid("more")', False),
    ],
)
def test_what_functions_of_scala_and_kotlin_compute_is_not_judged(
    path: str, written: str, becomes: str, same: bool
) -> None:
    before = FUNCTIONS[path]
    assert same_code(path, before.encode(), before.replace(written, becomes).encode()) is same
    if not same:
        given = before.replace("KeyedProcessFunction", "KeyedProcessor").replace("x: Int)", "x: MapFunction)")
        helped = before.replace(" name", " value").replace('"counts"', "stateOf(x)")
        for program in (given, helped, before.replace("KeyedProcessFunction", "KeyFunction")):
            assert not same_code(path, program.encode(), program.replace("+ 1)", "+ 2)").encode())
