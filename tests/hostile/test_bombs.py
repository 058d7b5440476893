"""What grows without end stalls nothing: its own pipeline is undecided, the others get their verdict."""

import contextlib
import json
import re
import resource
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checker.extract import registry
from checker.extract.interpreting.bounds import MAX_BITS, MAX_ELEMENTS, MAX_MADE, MAX_TEXT, MOST_TRIED, steps_of
from checker.extract.python.interpreter import imports
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import RaiseSignal, StoppedError
from checker.extract.sql.planner import planning
from checker.extract.sql.planner.child_process import ChildRun
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.time_limits import Allowance, OverspentError, at_most
from tests.hostile import bombs
from tests.hostile.commands import command
from tests.scratch import CLEAN, Scratch, topology

JAVA = """package a;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class %s {
  static String deep(int n) { return "(" + deep(n - 1) + deep(n - 1) + ")"; }
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    %s
    env.fromElements(1, 2).keyBy(x -> x).reduce((x, y) -> x + y).uid("u" + s).print();
    env.execute("job");
  }
}
"""
PYTHON = """from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
%s
env.from_collection([1, 2]).key_by(lambda x: x).reduce(lambda x, y: x + y).uid("u" + str(s)).print()
env.execute("job")
"""
MEMORY = 3 << 30


def _program(kind: str, number: int, body: str) -> tuple[str, str]:
    if kind == "java":
        return f"src/main/java/a/Bomb{number}.java", JAVA % (f"Bomb{number}", body)
    return f"bomb{number}.py", PYTHON % body


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _checked(repository: Scratch, seconds: int) -> dict[str, dict[str, object]]:
    command = [sys.executable, "-P", "-m", "checker.cli", "check", "--base", "HEAD~1", "--format", "json"]
    top = Path(__file__).parents[2]
    done = subprocess.run(
        command, cwd=repository.folder, capture_output=True, text=True, timeout=seconds, preexec_fn=_limited,
        env={**CLEAN, "PYTHONPATH": str(top), "XDG_CACHE_HOME": str(repository.folder.parent / "cache")},
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr[-2000:]
    assert "defect of this tool" not in done.stdout
    return {pipeline["name"]: pipeline for pipeline in json.loads(done.stdout)["pipelines"]}


@pytest.mark.parametrize("part", range(3))
@pytest.mark.parametrize("kind", ["java", "python"])
def test_bombs_leave_a_neighbour_its_verdict(tmp_path: Path, kind: str, part: int) -> None:
    every = bombs.JAVA if kind == "java" else bombs.PYTHON
    repository = Scratch(tmp_path / "repository")
    good = (JAVA % ("Good", 'String s = "%s";')) if kind == "java" else (PYTHON % 's = "%s"')
    path = "src/main/java/a/Good.java" if kind == "java" else "good.py"
    repository.commit(**{path: good % "old"})
    files = dict(_program(kind, number, body) for number, body in list(enumerate(every.values()))[part::3])
    repository.commit(**files, **{path: good % "new"})
    found = _checked(repository, 240)
    named = found["Good" if kind == "java" else "good"]
    assert {finding["rule"] for finding in named["findings"]} & {"uid-renamed", "state-lost", "uid-changed"}, named


FILES = {
    "yaml": ('new org.yaml.snakeyaml.Yaml().load(Bomb0.class.getResourceAsStream("/a.yaml"))', "a.yaml",
             "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30))),
    "manifest": ('"x"', "../../../job.yaml", "kind: FlinkDeployment\nm0: &m0 {a: b}\n" + "".join(
        f"m{n}: &m{n} {{<<: [{', '.join([f'*m{n - 1}'] * 9)}]}}\n" for n in range(1, 30))),
    "deep": ('"x"', "../../../job.yaml", "kind: FlinkDeployment\n" + "- " * 50_000 + "x"),
    "values": ('"x"', "../../../compose.yaml", "services: &s\n  a: *s\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_files_that_stand_for_much_are_not_written_out(tmp_path: Path, name: str) -> None:
    value, path, text = FILES[name]
    repository = Scratch(tmp_path / "repository")
    good = JAVA % ("Good", 'String s = "%s";')
    repository.commit(**{"src/main/java/a/Good.java": good % "old"})
    program = JAVA % ("Bomb0", f"Object s = {value};")
    where = str(Path("src/main/resources") / path).replace("src/main/resources/../../../", "")
    repository.commit(**{"src/main/java/a/Bomb0.java": program, "src/main/java/a/Good.java": good % "new", where: text})
    assert _checked(repository, 60)["Good"]["findings"]


KEY = ".".join(["a"] * 200_000)
ENTITIES = "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(9))
CONFIGURATIONS = {
    "a key of many parts": ("savepoint-checker.toml", f"{KEY} = 1\n"),
    "a key of many parts of a lock file": ("poetry.lock", f"{KEY} = 1\n"),
    "a key of many parts over lines": ("savepoint-mapping.toml", KEY.replace("a.a.a.", '"a\u2028".a.') + " = 1\n"),
    "a value that is deep": ("savepoint-checker.toml", f"flink.{KEY[:599]} = 1\n"),
    "many patterns": ("savepoint-checker.toml", f"exclude = {[f'a*b{n}*c*d*e' for n in range(20_000)]}\n"),
    "some patterns": ("savepoint-checker.toml", f"exclude = {[f'*a*b*c*d*e*{n}' for n in range(2_000)]}\n"),
    "entities": ("pom.xml", f'<!DOCTYPE x [<!ENTITY a0 "x">{ENTITIES}]><project><x>&a9;</x></project>'),
}


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_a_configuration_costs_no_more_than_it_is_long(kind: str, tmp_path: Path) -> None:
    path, text = CONFIGURATIONS[kind]
    repository = Scratch(tmp_path / "repository")
    files = {f"{'ab' * 20}{n}.txt": "" for n in range(500)}
    repository.commit(**files, **{"pom.xml": "<project/>", "a.topology.yaml": topology()})
    repository.commit(**{path: text, "a.topology.yaml": topology(uid="a")})
    began = process_time()
    assert command(repository.folder, "check", "--base", "HEAD~1", "--engine", "in-process").code in (1, 2)
    assert process_time() - began < 20


def test_scripts_without_end_are_not_all_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []

    def late(_: object, version: str, *__: object, **___: object) -> ChildRun:
        started.append(version)
        return ChildRun([], None, "", late=True)

    monkeypatch.setattr(planning, "run_child", late)
    tasks = [planning.PlannerTask(key=str(n), flink=f"1.{15 + n % 5}.0", statements=({"n": n},)) for n in range(50)]
    found = planning.plan(tasks, Path, lambda _: pytest.fail("none"))
    assert len(found) == 50
    assert all("did not come to an end" in str(answer.failure) for answer in found.values())
    assert len(started) == 2


def test_reading_ends_when_it_takes_too_long() -> None:
    def endless() -> None:
        while True:
            try:
                sum(range(1000))
            except Exception:
                raise AssertionError from None

    with pytest.raises(OverspentError, match="longer than 0 s"):
        at_most(Allowance(seconds=0), endless)
    assert at_most(Allowance(), lambda: at_most(Allowance(), lambda: 1)) == 1


def test_a_call_ends_under_a_debugger() -> None:
    program = "import sys; from checker.time_limits import *; sys.settrace(lambda *_: None); at_most(Allowance(), int)"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_a_search_ends_when_it_takes_too_long() -> None:
    """No other thread runs while it searches."""
    with pytest.raises(OverspentError, match="longer than 0 s"):
        at_most(Allowance(seconds=0), lambda: re.search("(a|a)*$", "a" * 100 + "b"))


def test_reading_ends_when_it_takes_too_much_memory() -> None:
    def growing() -> None:
        kept = []
        while True:
            kept.append(bytearray(1 << 20))

    with pytest.raises(OverspentError, match="more than 50 MB"):
        at_most(Allowance(megabytes=50), growing)


def test_a_pipeline_beyond_its_allowance_says_how_to_raise_it() -> None:
    path, text = _program("python", 0, "t = list(range(90000))\nfor i in range(30000):\n    s = sorted(t, key=str)")
    entry = PipelineEntry(name="slow", extract=ExtractorKind.PYTHON, main=path, file=path, allowance=Allowance(0))
    found = registry.extract(MemoryFiles({path: text.encode()}), entry)
    assert found is not None
    assert found.failure is not None
    assert "pipeline_seconds" in found.failure
    assert registry.extract(MemoryFiles({path: PYTHON.encode() % b"s = 1"}), replace(entry, allowance=Allowance()))


@pytest.mark.parametrize(
    "pattern", ["(a|a)*$", "(a+)+", "a*a*a*b", "(a?a?a?)*c", "((a){9}){999}", "(a|aa)" * 60 + "c", "(.*)(.*)(.*)(.*)x"]
)
def test_patterns_that_take_long_are_not_searched_with(pattern: str) -> None:
    assert steps_of(pattern, 1_900) > MOST_TRIED


@pytest.mark.parametrize("pattern", ["[^a-z0-9]+", r"\s+", "([a-z])([A-Z])", r"^(\w+)-(\d+)$", "x", r"\."])
def test_patterns_of_everyday_programs_are(pattern: str) -> None:
    assert steps_of(pattern, 100) <= MOST_TRIED


GROWING = st.sampled_from([
    "s = s + s", "s = s * 7", "s += s", "s = [s, s]", "s = str(s)", "s = (s, t)", "s = repr(s)", "t = list(str(s))",
    "s = ''.join([str(s)] * 9)", "s = str(s).replace('x', 'xxxx')", "s = str(s).replace('', str(t))", "t = t + [s]",
    "s = f'{s}{s}{t}'", "s = '%s%s' % (s, s)", "s = '{0}{0}{0}'.format(s)", "t.append(t)", "t.extend(t)", "t = {s: t}",
    "s = len(str(s)) ** 99", "s = 1 << len(str(s))", "s = str(s).zfill(9 ** 9)", "t = [t for x in range(99)]",
    "s = str(s).center(len(str(s)) * 9)", "t = sorted([t, t])", "s = s == [s]", "t = dict.fromkeys(str(s), t)",
    "import re; s = re.sub('x|y', str(s), str(s))", "import copy; t = copy.deepcopy([t, t])",
    "s = str(s).translate({120: str(s)})", "import json; s = json.dumps([t, t])", "t = (*t, *t)", "t = [*str(s), *t]",
    "s = max(str(s), str(t)).join(str(t))", "t = set(str(s))", "s = bytes(str(s), 'utf-8').hex()",
])  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(GROWING, min_size=1, max_size=5), st.integers(1, 60))
def test_no_value_of_a_script_is_beyond_its_bound(statements: list[str], rounds: int) -> None:
    body = "".join(f"    {statement}\n" for statement in statements)
    files = MemoryFiles({"a.py": f"s = 'x'\nt = []\nfor i in range({rounds}):\n{body}".encode()})
    entry = PipelineEntry(name="a", extract=ExtractorKind.PYTHON, main="a.py", file="a.py")
    run = Run(files, entry)
    with contextlib.suppress(StoppedError, RaiseSignal):
        imports.run_file(run, "a.py", "__main__")
    assert run.limits.budget.left > -MAX_MADE
    for value in run.modules["__main__"].scope.names.values() if "__main__" in run.modules else ():
        if isinstance(value, str | bytes | list | tuple | dict | set):
            assert len(value) <= max(MAX_TEXT, MAX_ELEMENTS)
        elif type(value) is int:
            assert value.bit_length() <= MAX_BITS


STATEMENTS = st.sampled_from([
    "s = s + s;", "s = s.concat(s);", 's = s.replace("x", s);', 's = s.replaceAll("x", "xxxx");', "s += t;",
    's = String.join(s, "a", "b", s);', 's = String.format("%s%s", s, t);', "t.add(s);",
    "t.addAll(new ArrayList<>(t));",
    "s = t.toString();", "s = s.repeat(7);", "s = new StringBuilder(s).append(s).insert(0, s).toString();",
    "u = List.of(u, u);",
    "s = u.toString();", 's = s.replaceAll("(x+)+y", s);', "t = new ArrayList<>(List.of(s, s, s));", "s = s.indent(9);",
    "s = s.substring(s.length() / 2) + s;", "s = String.valueOf(u.hashCode()) + s;",
    "s = String.valueOf(u.equals(List.of(u)));",
])  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(st.lists(STATEMENTS, min_size=1, max_size=5), st.integers(1, 60))
def test_no_text_of_a_program_is_beyond_its_bound(statements: list[str], rounds: int) -> None:
    body = (
        'String s = "x"; List<String> t = new ArrayList<>(); Object u = "x";'
        f"for (int i = 0; i < {rounds}; i++) {{ {' '.join(statements)} }}"
    )
    path, text = _program("java", 0, body)
    text = text.replace("package a;", "package a; import java.util.*;")
    entry = PipelineEntry(name="a", extract=ExtractorKind.JAVA, main="a.Bomb0", file=path)
    found = registry.extract(MemoryFiles({path: text.encode()}), entry)
    assert found is not None
    assert "defect" not in (found.failure or "")
    assert "took" not in (found.failure or "")
    for transformation in found.topology.transformations if found.topology else ():
        assert not isinstance(transformation.uid, str) or len(transformation.uid) <= MAX_TEXT
