"""Which files can reach an edit, told from names: never fewer than a program can use."""

import sqlite3
from collections.abc import Mapping
from pathlib import Path

import pytest

from checker import cache as caching
from checker.extract.asking.content_facts import Facts
from checker.model.sources import MemoryFiles
from checker.workflows import unreached
from checker.workflows.unreached import Reaching, reaching

MAIN = """package app;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
%(imports)s
public class Job { public static void main(String[] args) { %(body)s } }
"""
RULES = "package com.acme.rules;\npublic class Outer { public static class Config { int n = %d; } }\n"
EDITED = "src/com/acme/rules/Outer.java"


def reached(files: Mapping[str, str], edited: str = EDITED) -> Reaching | None:
    base, head = ({path: text.encode() for path, text in {**files, EDITED: RULES % n}.items()} for n in (1, 2))
    return reaching([edited], MemoryFiles(base), MemoryFiles(head))


def program(imports: str = "", body: str = "") -> dict[str, str]:
    return {"src/app/Job.java": MAIN % {"imports": imports, "body": body}}


@pytest.mark.parametrize(
    ("files", "reaches"),
    [
        (program("import com.acme.rules.*;", "new Outer.Config();"), True),
        (program("import static com.acme.rules.Outer.Config;", "new Config();"), True),
        (program("", "new com.acme.rules.Outer();"), True),
        (program("import com.acme.other.Config;", "new Config();"), False),
        (program("// com.acme.rules.Outer", "/* rules.Outer */"), False),
        (program("", 'Class.forName("com.acme.rules.Outer");'), True),
        (program("", 'Class.forName(PACKAGE + "Outer");'), True),
        (
            program("", "com.acme.mid.Middle.make();")
            | {"src/com/acme/mid/Middle.java": "package com.acme.mid;\nclass Middle extends com.acme.rules.Outer {}\n"},
            True,
        ),
        (
            program("", "new Child();")
            | {"src/app/Child.java": "package app;\nclass Child extends com.acme.rules.Outer { Config own; }\n"},
            True,
        ),
        (
            program("", "kotlin.code.Step.run();")
            | {"src/kotlin/code/Step.kt": "package kotlin.code\nobject Step { fun run() = com.acme.rules.Outer() }\n"},
            True,
        ),
        (
            program("", "java.util.ServiceLoader.load(api.Plugin.class);")
            | {"src/META-INF/services/api.Plugin": "com.acme.rules.Outer\n"},
            True,
        ),
    ],
)
def test_a_program_that_can_use_what_is_edited_is_not_spared(files: dict[str, str], reaches: bool) -> None:
    found = reached(files)
    assert found is not None
    assert found.programs is reaches
    assert found.spares("src/app/Job.java") is not reaches


@pytest.mark.parametrize(
    "files",
    [
        {"etl.sql": "CREATE FUNCTION f AS 'udf.Clean';"},
        {"etl.py": "import steps\n", "steps.py": "t.create_java_temporary_function('f', 'udf.Clean')  # pyflink\n"},
    ],
)
def test_scripts_reach_what_their_functions_use(files: dict[str, str]) -> None:
    clean = "package udf;\nimport com.acme.rules.Outer; // flink\nclass Clean { Outer.Config eval(flink.X x) {} }\n"
    found = reached({**files, "src/udf/Clean.java": clean})
    assert found is not None
    assert found.programs
    assert set(files) <= found.files


@pytest.mark.parametrize(
    ("path", "text", "body", "known"),
    [
        ("conf/job.yaml", "fn: com.acme.rules.Outer\n", "", False),
        ("conf/job.yaml", "fn: Outer\n", "", True),
        ("conf/job.yaml", "fn: Outer\n", 'Class.forName("com.acme." + args[0]);', False),
        ("pom.xml", "<a>Config</a>", 'Class.forName("com.acme." + args[0]);', True),
        ("src/test/resources/job.yaml", "fn: com.acme.rules.Outer\n", "", True),
        ("buildSrc/src/Versions.java", "class Versions { }", "", True),
    ],
)
def test_a_resource_may_bring_a_class_into_a_program(path: str, text: str, body: str, known: bool) -> None:
    assert (reached(program(body=body) | {path: text}) is not None) is known


def test_code_of_the_build_is_no_code_of_a_program() -> None:
    assert (
        reached(program() | {"buildSrc/src/Versions.java": "class Versions { }"}, "buildSrc/src/Versions.java") is None
    )


class Counted:
    """Files that count what is read of them."""

    def __init__(self, contents: Mapping[str, str]) -> None:
        self._files = MemoryFiles({path: text.encode() for path, text in contents.items()})
        self.paths = self._files.paths
        self.content_id = self._files.content_id
        self.looked_at: list[str] = []

    def read(self, path: str) -> bytes:
        self.looked_at.append(path)
        return self._files.read(path)


def test_what_a_text_says_is_looked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = program("import com.acme.rules.*;") | {"conf/a.yaml": "a: 1\n", "src/B.java": "class B {}\n"}
    answers = []
    for change, expected in (({}, {*files, EDITED}), ({}, set()), ({"src/B.java": "class C {}\n"}, {"src/B.java"})):
        for facts in (unreached._JAVA, unreached._OTHER_SOURCE, unreached._ANY):
            monkeypatch.setattr(facts, "_known", {})
        caching.use_cache(tmp_path)
        revision = Counted({**files, EDITED: RULES % 1, **change})
        answers.append(reaching([EDITED], revision, revision))
        caching.use_cache(None)
        assert set(revision.looked_at) == expected
    assert answers[0] == answers[1]


def test_facts_that_are_damaged_are_found_again(tmp_path: Path) -> None:
    files = MemoryFiles({"a": b"class A {}"})
    for value in (b"", b"\0\1", b"{}"):
        caching.use_cache(tmp_path)
        facts = Facts("lengths", lambda data: (len(data),))
        assert facts.of(files, ["a"]) == {"a": (10,)}
        caching.use_cache(None)
        with sqlite3.connect(tmp_path / "cache.sqlite") as rows:
            rows.execute("update entries set value = ?", (value,))
        rows.close()
