"""A hook looks only at the pipelines that a change reaches."""

import shutil
import sys
from pathlib import Path

import pytest

from tests.hooks.conftest import MOVED, PINNED, Scratch, new_repository
from tests.hostile.commands import command

JOB = """\
package com.acme;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class %(name)s {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.socketTextStream("h", 1).map(new Shared()).keyBy(x -> x).reduce((a, b) -> a).name("count %(name)s").print();
        env.execute();
    }
}
"""
SHARED = """\
package com.acme;

public class Shared implements org.apache.flink.api.common.functions.MapFunction<String, String> {
    public String map(String x) { return x; }
}
"""
SOURCES = "src/main/java/com/acme"


@pytest.fixture(scope="module")
def looked_at(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two jobs that share a class, and a topology document; everything looked at once."""
    scratch = new_repository(tmp_path_factory.mktemp("jobs") / "repository")
    for name in ("First", "Second"):
        scratch.write(JOB % {"name": name}, f"{SOURCES}/{name}.java")
    scratch.write(SHARED, f"{SOURCES}/Shared.java")
    scratch.write(PINNED)
    scratch.git("add", "-A")
    assert hook(scratch)[0] == 0
    scratch.git("commit", "-qm", "one", "--no-verify")
    return scratch.top


@pytest.fixture
def jobs(looked_at: Path, tmp_path: Path) -> Scratch:
    return Scratch(shutil.copytree(looked_at, tmp_path / "repository", symlinks=True))


def hook(scratch: Scratch) -> tuple[int, str]:
    """Exit code and everything said, in this process: ``test_plain_git`` has git start it."""
    ended = command(scratch.top, "hook", "pre-commit")
    return ended.code, ended.output + ended.complaints


def edit(scratch: Scratch, name: str, old: str, new: str) -> None:
    text = (scratch.top / name).read_text(encoding="utf-8")
    assert old in text
    scratch.write(text.replace(old, new), name)
    scratch.git("add", "-A")


def test_only_the_pipeline_that_is_reached_is_looked_at(jobs: Scratch) -> None:
    edit(jobs, f"{SOURCES}/Second.java", ".map(", ".filter(x -> true).map(")
    code, output = hook(jobs)
    assert code == 1, output
    assert "count Second" in output
    assert "1 pipeline" in output.splitlines()[-1]


def test_programs_that_are_not_read_are_named_where_the_change_reaches_them(jobs: Scratch) -> None:
    program = (JOB % {"name": "Third"}).replace("execution.StreamExecutionEnvironment", "StreamExecutionEnvironment")
    program = program.replace(".socketTextStream", ".fromSource").replace("streaming.api", "datastream.api")
    jobs.write(program.replace("new Shared()", "Names.OF"), f"{SOURCES}/Third.java")
    jobs.write("package com.acme;\nclass Names { static String OF = null; }\n", f"{SOURCES}/Names.java")
    jobs.write((JOB % {"name": "InTests"}).replace("new Shared()", "Names.OF"), "src/test/java/com/acme/InTests.java")
    jobs.git("add", "-A")
    jobs.git("commit", "-qm", "two", "--no-verify")
    edit(jobs, f"{SOURCES}/Second.java", ".map(", ".filter(x -> true).map(")
    assert "not read" not in hook(jobs)[1]
    edit(jobs, f"{SOURCES}/Names.java", "null", '"one"')
    assert "Third  could not be read" in hook(jobs)[1]


def test_a_shared_class_reaches_both_where_it_is_read(jobs: Scratch) -> None:
    edit(jobs, f"{SOURCES}/Shared.java", "return x", "return x + x")
    assert "2 pipelines" in hook(jobs)[1].splitlines()[-1]


def test_other_arguments_reach(jobs: Scratch) -> None:
    edit(jobs, f"{SOURCES}/Second.java", "env.execute()", "env.execute( )")
    jobs.write("parallelism = 7\n", "savepoint-checker.toml")
    jobs.git("add", "-A")
    assert "3 pipelines" in hook(jobs)[1].splitlines()[-1]


def test_a_finding_is_not_forgotten_when_it_is_tried_again(jobs: Scratch) -> None:
    jobs.write(MOVED)
    jobs.git("add", "-A")
    assert [hook(jobs)[0] for _ in range(3)] == [1, 1, 1]


def test_a_hook_that_is_done_at_once_waits_for_no_command_line(jobs: Scratch) -> None:
    jobs.write("package com.acme;\npublic class Other {}\n", f"{SOURCES}/Other.java")
    jobs.git("add", "-A")
    program = (
        "import sys; from checker.cli import run; code = run(['hook', 'pre-commit', '--repo', '.']);"
        "print(code, {'typer', 'pydantic', 'rich', 'checker.extract.java.program'} & sys.modules.keys())"
    )
    assert jobs.run(sys.executable, "-c", program) == (0, "0 set()\n")
    assert jobs.run(sys.executable, "-m", "checker.cli", "hook", "pre-commit", "--nonsense")[0] == 2
    assert (
        "Do the work of a git hook" in jobs.run(sys.executable, "-m", "checker.cli", "hook", "pre-commit", "--help")[1]
    )


SCRIPT = """-- one
CREATE TABLE t (a INT) WITH ('connector' = 'kafka', 'topic' = 't');
CREATE TABLE s (a INT) WITH ('connector' = 'blackhole');
INSERT INTO s SELECT SUM(a) FROM t;
"""


def test_edits_of_sql_on_a_machine_that_lacks_the_planner(jobs: Scratch) -> None:
    jobs.write(SCRIPT, "sums.sql")
    jobs.git("add", "-A")
    jobs.git("commit", "-qm", "two", "--no-verify")
    edit(jobs, "sums.sql", "-- one", "-- another")
    assert hook(jobs) == (0, "")
    edit(jobs, "sums.sql", "SUM", "MAX")
    code, output = hook(jobs)
    assert code == 2
    assert output.count("savepoint-checker flink fetch 1.20'") == 1
    assert "understood" not in output
    plan = '{"flinkVersion": "1.20", "nodes": [], "edges": []}'
    jobs.write(plan, "plan.json")
    jobs.git("add", "-A")
    jobs.git("commit", "-qm", "three", "--no-verify")
    edit(jobs, "plan.json", "[]}", '[{"source": 1, "target": 2}]}')
    code, output = hook(jobs)
    assert (code, "compiled plan" in output) == (2, False)
    edit(jobs, f"{SOURCES}/Second.java", ".map(", ".filter(x -> true).map(")
    assert hook(jobs)[0] == 1
