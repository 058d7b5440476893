"""Which classes are pipelines: mains that reach an environment, in any module, with unique names."""

import pytest

from checker.extract import java
from checker.model.sources import MemoryFiles

IMPORTS = (
    "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;"
    " import org.apache.flink.streaming.api.datastream.DataStream;"
)


def job(package: str, name: str) -> bytes:
    return (
        f"package {package}; {IMPORTS} public class {name} {{"
        " public static void main(String[] args) throws Exception {"
        " StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();"
        " env.fromSequence(1, 2).print(); env.execute(); } }"
    ).encode()


def discover(contents: dict[str, bytes]) -> tuple[list[str], list[str]]:
    discovery = java.discover(MemoryFiles(contents))
    return [entry.name for entry in discovery.entries], [note.message for note in discovery.notes]


def test_modules_and_ambiguous_names() -> None:
    names, notes = discover(
        {
            "a/src/main/java/com/a/Orders.java": job("com.a", "Orders"),
            "a/src/main/java/com/a/Main.java": job("com.a", "Main"),
            "b/src/main/java/com/b/Main.java": job("com.b", "Main"),
            "c/src/main/java/com/b/Main.java": job("com.b", "Main"),
        }
    )
    assert names == [
        "Orders", "com.a.Main", "com.b.Main (b/src/main/java/com/b/Main.java)",
        "com.b.Main (c/src/main/java/com/b/Main.java)",
    ]  # fmt: skip
    assert notes == []


def test_a_main_that_reaches_an_environment_through_other_classes() -> None:
    main = (
        b"package x; public class Main { public static void main(String[] a) throws Exception { new Runner().go(); } }"
    )
    runner = (
        f"package x; {IMPORTS} class Runner {{ static void go() throws Exception {{ StreamExecutionEnvironment e ="
        " StreamExecutionEnvironment.getExecutionEnvironment(); e.fromSequence(1, 2).print(); e.execute(); } }"
    ).encode()
    tool = b"package x; public class Tool { public static void main(String[] args) { System.out.println(1); } }"
    names, notes = discover({"src/x/Main.java": main, "src/x/Runner.java": runner, "src/x/Tool.java": tool})
    assert names == ["Main"]
    assert notes == []


def test_what_is_recognised_but_not_read_is_noted() -> None:
    kotlin = b"import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment\nfun main() { }"
    scala = b"import org.apache.flink.streaming.api.scala.StreamExecutionEnvironment\nobject A extends App { }"
    table = (
        b"package x; import org.apache.flink.table.api.*; public class T { public static void main(String[] a)"
        b" { TableEnvironment.create(EnvironmentSettings.newInstance().build())"
        b'.executeSql("INSERT INTO b TABLE a"); } }'
    )
    names, notes = discover(
        {
            "k.kt": kotlin,
            "s.scala": scala,
            "src/main/java/x/T.java": table,
            "src/test/java/x/Fake.java": job("x", "Fake"),
            "src/main/java/x/Job.java": job("x", "Job"),
        }
    )
    assert names == ["Job", "T"]
    assert any("k.kt" in note and "Kotlin" in note for note in notes)
    assert any("s.scala" in note and "Scala" in note for note in notes)
    assert any("Fake.java" in note and "test class" in note for note in notes)


def test_source_sets_of_tests_hold_no_pipelines() -> None:
    folders = ("src/integrationtest/java/x", "src/functionalTest/java/x", "src/it/java/x", "tests/a/src/main/java/x")
    sets = {**dict.fromkeys(folders, 0), "src/main/java/x": 1, "src/contest/java/x": 1, "src/main/java/x/test": 1}
    found = {folder: discover({f"{folder}/Job.java": job("x", "Job")})[0] for folder in sets}
    assert {name: len(names) for name, names in found.items()} == sets


def test_a_revision_without_flink() -> None:
    assert discover({"src/A.java": b"class A { public static void main(String[] a) { } }"}) == ([], [])


@pytest.mark.parametrize("steps", [15_000, 3])
def test_jobs_behind_much_other_code_are_pipelines(monkeypatch: pytest.MonkeyPatch, steps: int) -> None:
    monkeypatch.setattr("checker.extract.java.discovery._LOOK_STEPS", steps)
    two = (
        f"/* {steps} */"
        f"package x; {IMPORTS} public class Main {{ public static void main(String[] args) throws Exception {{"
        " StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();"
        ' env.fromSequence(1, 2).executeAndCollect(); env.fromSequence(1, 3).uid("s").print(); env.execute(); } }'
    ).encode()
    names, notes = discover({"src/x/Main.java": two})
    assert names == ["Main", "Main #2"]
    assert notes == []
    monkeypatch.setattr("checker.extract.java.discovery._LOOK_ON_STEPS", steps)
    names, notes = discover({"src/x/Main.java": two + b"// again"})
    assert (names, len(notes)) == ((["Main"], 1) if steps == 3 else (["Main", "Main #2"], 0))


def test_code_of_flink_itself_is_no_program() -> None:
    started = b"""package org.apache.flink.sources;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Helper { void run(StreamExecutionEnvironment env) throws Exception { env.execute(); } }
"""
    library = "flink/flink-streaming-java/src/main/java/org/apache/flink/"
    environment = f"{library}streaming/api/environment/StreamExecutionEnvironment.java"
    contents = {
        "jobs/src/main/java/a/Job.java": job("a", "Job"),
        f"{library}sources/Helper.java": started,
        environment: b"package org.apache.flink.streaming.api.environment; public class StreamExecutionEnvironment { }",
    }
    assert discover(contents) == (["Job"], [])
    own = {"jobs/src/main/java/b/Helper.java": started.replace(b"org.apache.flink.sources", b"b")}
    names, notes = discover({**contents, **own})
    assert names == ["Job"]
    assert len(notes) == 1
