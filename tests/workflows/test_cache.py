"""The cache leaves work out and never changes an answer."""

import contextlib
import json
import sqlite3
import zlib
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
import typer

from checker import cache as caching
from checker.commands.while_editing import hook
from checker.engines.choice import judge_pipelines
from checker.extract.asking import consulted
from checker.extract.asking.consulted import ConsultedFiles
from checker.extract.asking.content_facts import RecordsAsJson
from checker.extract.java import program
from checker.extract.java.syntax import compilation_unit
from checker.extract.java.syntax.parse import SourceUnit
from checker.extract.python import discovery as python_discovery
from checker.extract.sql.scripts import discovery as sql_discovery
from checker.model.sources import MemoryFiles
from checker.model.unknowns import Location
from checker.workflows.check.comparing_revisions import plan_check, run_check
from tests.scratch import Scratch

SOURCES = "src/main/java/com/acme"
JOB = """package com.acme;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class %(name)s {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.socketTextStream("h", 1).map(new Shared()).uid(Names.OF_%(name)s).keyBy(x -> x).reduce((a, b) -> a).print();
        env.execute();
    }
}
"""
SHARED = """package com.acme;

public class Shared implements org.apache.flink.api.common.functions.MapFunction<String, String> {
    public String map(String x) { return Helper.clean(x); }
}
"""
FILES = {
    "pom.xml": "<project><properties><flink.version>1.20.1</flink.version></properties></project>\n",
    "README.md": "one\n",
    f"{SOURCES}/First.java": JOB % {"name": "First"},
    f"{SOURCES}/Second.java": JOB % {"name": "Second"},
    f"{SOURCES}/Shared.java": SHARED,
    f"{SOURCES}/Helper.java": "package com.acme;\nclass Helper { static String clean(String x) { return x; } }\n",
    f"{SOURCES}/Names.java": 'package com.acme;\nclass Names { static String OF_First = "a", OF_Second = "b"; }\n',
    f"{SOURCES}/Unused.java": "package com.acme;\nclass Unused { int a = 1; }\n",
}


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Scratch]:
    caching.use_cache(tmp_path / "cache")
    scratch = Scratch(tmp_path / "repo")
    scratch.commit("one", **FILES)
    yield scratch
    caching.use_cache(None)


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    real = program.interpret

    def interpret(*arguments: Any, **more: Any) -> Any:
        found.append(arguments[2].name)
        return real(*arguments, **more)

    monkeypatch.setattr(program, "interpret", interpret)
    monkeypatch.setattr(consulted, "_RECENT", deque(maxlen=0))  # as if each report was of a process of its own
    monkeypatch.setattr(consulted, "_WORTH_KEEPING", -1.0)  # as if every reading took long, on any machine
    return found


def report(scratch: Scratch) -> str:
    plan = plan_check(scratch.folder, base="HEAD~1", head="HEAD")
    return json.dumps(run_check(plan, judge_pipelines), sort_keys=True)


def with_dependency(group: str) -> str:
    added = f"<dependency><groupId>{group}</groupId><artifactId>a</artifactId><version>1</version></dependency>"
    return FILES["pom.xml"].replace("</project>", f"<dependencies>{added}</dependencies></project>")


def edit(scratch: Scratch, path: str, old: str, new: str) -> None:
    text = (scratch.folder / path).read_text(encoding="utf-8")
    assert old in text
    scratch.commit("edit", **{path: text.replace(old, new)})


def test_an_unrelated_edit_interprets_nothing(repository: Scratch, interpreted: list[str]) -> None:
    edit(repository, "README.md", "one", "two")
    report(repository)
    assert interpreted
    interpreted.clear()
    edit(repository, "README.md", "two", "three")
    report(repository)
    edit(repository, f"{SOURCES}/Unused.java", "int a = 1", "int a = 2")
    report(repository)
    repository.commit("new", **{f"{SOURCES}/Fresh.java": "package com.acme;\nclass Fresh { }\n"})
    report(repository)
    assert interpreted == []


@pytest.mark.parametrize("mentioned", ["TableEnvironment", "Environment"])
def test_programs_are_read_once_where_the_revision_mentions_tables(
    repository: Scratch, interpreted: list[str], mentioned: str
) -> None:
    """They are read to see whether they make tables, and that reading is used."""
    repository.commit("tables", **{f"{SOURCES}/Unused.java": f"package com.acme;\nclass Unused {{ {mentioned} e; }}\n"})
    edit(repository, "README.md", "one", "two")
    report(repository)
    assert sorted(interpreted) == ["First", "Second"]


def test_an_edit_of_one_job_interprets_that_job(repository: Scratch, interpreted: list[str]) -> None:
    edit(repository, "README.md", "one", "two")
    report(repository)
    interpreted.clear()
    edit(repository, f"{SOURCES}/Second.java", ".map(", ".rebalance().map(")
    report(repository)
    assert set(interpreted) == {"Second"}


def as_another_process(scratch: Scratch) -> None:
    """Write what was left for the end, and forget what this process knows of files."""
    caching.use_cache(scratch.folder.parent / "cache")
    compilation_unit._units.clear()


@pytest.mark.parametrize("kept", [None, b"", b"[]", b'["", [], [[0]]]'], ids=["as it was", "none", "no", "other"])
def test_a_body_is_compared_without_the_trees_of_other_files(
    repository: Scratch, monkeypatch: pytest.MonkeyPatch, kept: bytes | None
) -> None:
    """What a file declares is kept by its content; what is kept and is not that is as good as nothing."""
    deep = "package com.acme;\nclass Deep { static String least(String x) { return x; } }\n"
    repository.commit("deep", **{f"{SOURCES}/Deep.java": deep})
    edit(repository, f"{SOURCES}/Helper.java", "return x", "return Deep.least(x)")
    edit(repository, f"{SOURCES}/Helper.java", "return Deep", 'return "" + Deep')
    before = report(repository)
    as_another_process(repository)
    if kept is not None:
        with sqlite3.connect(repository.folder.parent / "cache" / "cache.sqlite") as rows:
            rows.execute("update entries set value = ? where substr(value, 1, 1) <> x'78'", (kept,))  # but packed ones
        rows.close()
    parsed: set[str] = set()
    real = SourceUnit.root.func
    read = cached_property(lambda unit: parsed.add(unit.path) or real(unit))
    read.__set_name__(SourceUnit, "root")
    monkeypatch.setattr(SourceUnit, "root", read)
    assert report(repository) == before
    assert (f"{SOURCES}/Deep.java" in parsed) is (kept is not None)
    assert f"{SOURCES}/Helper.java" in parsed


def test_a_dependency_of_another_module_interprets_nothing(repository: Scratch, interpreted: list[str]) -> None:
    build = "<project><dependencies>%s</dependencies></project>\n"
    added = "<dependency><groupId>org.%s</groupId><artifactId>a</artifactId><version>1</version></dependency>"
    repository.commit("module", **{"other/pom.xml": build % "", "moved/pom.xml": build % ""})
    repository.commit("edit", **{"other/pom.xml": build % (added % "one")})
    report(repository)
    interpreted.clear()
    repository.commit("edit", **{"other/pom.xml": build % (added % "two")})
    report(repository)
    repository.commit("edit", **{"moved/pom.xml": build % (added % "one")})
    report(repository)
    assert interpreted == []


def test_a_hook_that_finds_several_errors_ends_with_one(
    repository: Scratch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = FILES[f"{SOURCES}/Names.java"].replace('"a"', '"y"').replace('"b"', '"z"')
    repository.write(f"{SOURCES}/Names.java", names)
    for name in ("First", "Second"):
        path = f"{SOURCES}/{name}.java"
        repository.write(path, FILES[path].replace("(a, b) -> a)", f"(a, b) -> a).uid(args[{len(name)}])"))
    repository.git("add", "-A")
    with pytest.raises(typer.Exit) as ended:
        hook("pre-commit", None, repository.folder)
    assert capsys.readouterr().out.count("error:") > 1
    assert ended.value.exit_code == 1


UNKNOWN = (
    (JOB % {"name": "Third"})
    .replace("Names.OF_Third", "args[0]")
    .replace(".reduce(", ".process(new Gone()).uid(args[1]).reduce(")
)
SCRIPT = """from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1]).map(lambda x: x).uid("a").key_by(lambda x: x).reduce(lambda a, b: a).print()
env.execute()
"""
KRYO = (
    "<dependency><groupId>com.esotericsoftware</groupId><artifactId>kryo</artifactId><version>5</version></dependency>"
)
SERIES: list[dict[str, str | None]] = [
    {"README.md": "two\n"},
    {f"{SOURCES}/First.java": (JOB % {"name": "First"}).replace(".map(", "\n    .map( /* a\nmap */ ")},
    {f"{SOURCES}/First.java": "// first\n" + (JOB % {"name": "First"})},
    {f"{SOURCES}/Third.java": UNKNOWN, "job.py": SCRIPT},
    {"README.md": "three\n"},
    {f"{SOURCES}/Third.java": UNKNOWN.replace("    public", "    // the main\n    public"), "job.py": "# a\n" + SCRIPT},
    {f"{SOURCES}/Third.java": UNKNOWN.replace(".keyBy(", "\n .keyBy(\n "), "job.py": SCRIPT.replace("\n\n", "\n")},
    {f"{SOURCES}/Third.java": "// more\n" + UNKNOWN, "job.py": SCRIPT.replace('"a"', '"b"')},
    {f"{SOURCES}/Third.java": UNKNOWN, "job.py": "#\n" + SCRIPT.replace('"a"', '"b"')},
    {f"{SOURCES}/Third.java": None, "job.py": None},
    {f"{SOURCES}/First.java": (JOB % {"name": "First"}).replace(".map(", ".rebalance().map(")},
    {f"{SOURCES}/Names.java": 'package com.acme;\nclass Names { static String OF_First = "a", OF_Second = "c"; }\n'},
    {f"{SOURCES}/Names.java": FILES[f"{SOURCES}/Names.java"]},
    {f"{SOURCES}/Second.java": "// above\n" + JOB % {"name": "Second"}},
    {f"{SOURCES}/Helper.java": "package com.acme;\nclass Helper { static String clean(String x) { return x + 1; }}\n"},
    {"pom.xml": FILES["pom.xml"] + "\n"},
    {"pom.xml": "<!-- above -->\n" + FILES["pom.xml"]},
    {"pom.xml": FILES["pom.xml"].replace("1.20.1", "1.18.1")},
    {"pom.xml": "\n" + FILES["pom.xml"].replace("1.20.1", "1.18.1")},
    {
        f"{SOURCES}/Other.java": "package com.acme;\n"
        'class Other {\n static class Names { static String OF_First = "z"; }}\n'
    },
    {f"{SOURCES}/Names.java": None},
    {f"{SOURCES}/Names.java": FILES[f"{SOURCES}/Names.java"]},
    {"savepoint-checker.toml": "parallelism = 7\n"},
    {f"{SOURCES}/Second.java": None},
    {f"{SOURCES}/Second.java": JOB % {"name": "Second"}},
    {f"{SOURCES}/Shared.java": SHARED.replace("package com.acme;", "package com.acme.inner;")},
    {"src/main/resources/application.yaml": "pipeline.force-kryo: true\n"},
    {"other/pom.xml": "<project><dependencies><!-- none --></dependencies></project>\n"},
    {"other/pom.xml": f"<project><dependencies>{KRYO}</dependencies></project>\n"},
    {f"{SOURCES}/Helper.java": None, "other/" + f"{SOURCES}/Helper.java": FILES[f"{SOURCES}/Helper.java"]},
    {"other/pom.xml": "<project><dependencies><!-- none --></dependencies></project>\n"},
    {"other/pom.xml": f"<project><dependencies>{KRYO}</dependencies></project>\n"},
    {"src/main/resources/META-INF/services/com.acme.Shared": "com.acme.Unused\n"},
    {f"{SOURCES}/Unused.java": "package com.acme;\nclass Unused { int a = 3; }\n"},
    {"other/pom.xml": None},
    {"pom.xml": with_dependency("org.unrelated")},
    {"pom.xml": with_dependency("com.library")},
    {f"{SOURCES}/Third.java": UNKNOWN.replace("new Gone()", "com.library.Gone.make(env)"), "job.py": SCRIPT},
    {"README.md": "four\n"},
    {"pom.xml": FILES["pom.xml"], "requirements.txt": "numpy==1\n"},
    {"pom.xml": with_dependency("com.library")},
    {"pom.xml": with_dependency("org.unrelated"), "requirements.txt": "numpy==2\n"},
    {"pom.xml": with_dependency("org.apache.avro")},
    {"README.md": "five\n", f"{SOURCES}/Shared.java": SHARED},
    {"pom.xml": with_dependency("org.junit")},
    {"pom.xml": with_dependency("org.other")},
    {"pom.xml": with_dependency("org.apache.flink").replace("1.18.1", "1.20.1")},
    {"pom.xml": with_dependency("org.other").replace("flink.version", "unrelated.version")},
]


def test_answers_are_those_without_a_cache(
    repository: Scratch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where readings that take no time are kept, as if each report was of a process of its own."""
    for files in SERIES:
        for path, text in files.items():
            if text is None:
                repository.git("rm", "-q", path)
            else:
                repository.write(path, text)
        repository.commit("next")
        caching.use_cache(None)
        plain = report(repository)
        with monkeypatch.context() as quick:
            quick.setattr(consulted, "_WORTH_KEEPING", -1.0)
            quick.setattr(consulted, "_RECENT", deque(maxlen=0))
            caching.use_cache(tmp_path / "quick")
            assert report(repository) == plain, files


def test_scripts_are_looked_at_once_for_their_content(repository: Scratch, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[str] = []
    for module, name in ((python_discovery, "_submitted"), (sql_discovery, "_scripts")):
        real = getattr(module, name)

        def counting(files: Any, *arguments: Any, _real: Any = real, _name: str = name, **more: Any) -> Any:
            looked_at.append(more.get("path", _name))
            return _real(files, *arguments, **more)

        monkeypatch.setattr(module, name, counting)
    monkeypatch.setattr(consulted, "_RECENT", deque(maxlen=0))
    repository.commit("scripts", **{"a.py": SCRIPT, "b.py": SCRIPT.replace('"a"', '"c"')})
    report(repository)
    assert {"a.py", "b.py"} <= set(looked_at)
    fresh = {f"{SOURCES}/Fresh.java": "class Fresh { }\n"}
    for edits in ({"README.md": "two\n"}, fresh):
        looked_at.clear()
        monkeypatch.setattr(consulted, "_RECENT", deque(maxlen=0))
        repository.commit("edited", **edits)
        report(repository)
        assert looked_at == [], edits
    repository.commit("edited", **{"a.py": SCRIPT.replace('"a"', '"z"')})
    report(repository)
    assert set(looked_at) == {"a.py"}


@pytest.mark.parametrize("damage", ["file", "row", "shape", "folder"])
def test_a_damaged_cache_is_as_good_as_none(repository: Scratch, tmp_path: Path, damage: str) -> None:
    edit(repository, "README.md", "one", "two")
    expected = report(repository)
    caching.use_cache(None)
    file = tmp_path / "cache" / "cache.sqlite"
    if damage == "file":
        file.write_bytes(b"no database" * 500)
        for ending in ("-wal", "-shm"):
            file.with_name(file.name + ending).unlink(missing_ok=True)
    elif damage == "folder":
        file.rename(tmp_path / "elsewhere")
        file.mkdir()
    else:
        value = b"\0\1" if damage == "row" else zlib.compress(json.dumps([[1, 2, 3, 4], "x", None, [[], {}]]).encode())
        with sqlite3.connect(file) as rows:
            rows.execute("update entries set value = ?", (value,))
        rows.close()
    caching.use_cache(tmp_path / "cache")
    assert report(repository) == expected


def test_what_one_revision_says_is_not_found_out_again_for_another_one_alike() -> None:
    asked: list[str] = []

    def read(files: ConsultedFiles) -> bytes:
        asked.append("again")
        return files.read("a")

    revisions = [MemoryFiles(files) for files in ({"a": b"1", "b": b"1"}, {"a": b"1", "b": b"2"}, {"a": b"2"}, {})]
    assert [consulted.once(files, "a", read) for files in revisions[:3]] == [b"1", b"1", b"2"]
    assert len(asked) == 2
    with pytest.raises(KeyError):
        consulted.once(revisions[3], "a", read)
    watched = ConsultedFiles(revisions[1])
    assert consulted.once(watched, "a", read) == b"1"
    assert watched.consulted.contents == {"a": revisions[1].content_id("a")}


@pytest.mark.parametrize(
    ("files", "same"),
    [
        ({"a": b"1", "b": b"2"}, True),
        ({"a": b"2"}, False),
        ({"a": b"1", "a.sql": b""}, False),
        ({"a": b"1", "sought": b""}, False),
        ({}, False),
    ],
)
def test_what_is_kept_is_used_where_all_that_was_asked_has_the_same_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, bytes], same: bool
) -> None:
    asked: list[str] = []

    def read(watched: ConsultedFiles) -> Location:
        asked.append("again")
        with suppress(KeyError):
            watched.content_id("a")
            watched.content_id("sought")
        watched.answer("ending", ".sql")
        return Location("a", len(asked))

    keeping = consulted.Keeping(RecordsAsJson(Location), lambda _: True)
    monkeypatch.setattr(consulted, "_WORTH_KEEPING", -1.0)
    monkeypatch.setattr(consulted, "_RECENT", deque(maxlen=0))
    caching.use_cache(tmp_path)
    assert consulted.once(MemoryFiles({"a": b"1", "b": b"1"}), "key", read, keeping) == Location("a", 1)
    assert consulted.once(MemoryFiles(files), "key", read, keeping) == Location("a", 1 if same else 2)
    assert len(asked) == (1 if same else 2)
    caching.use_cache(None)


def test_a_base_that_was_read_before_is_not_read_again(repository: Scratch, interpreted: list[str]) -> None:
    edit(repository, f"{SOURCES}/First.java", ".map(", ".rebalance().map(")
    report(repository)
    assert sorted(interpreted) == ["First", "First", "Second"]
    for number in range(3):
        interpreted.clear()
        edit(
            repository, f"{SOURCES}/First.java", ".rebalance().map(", f'.rebalance().name("{number}").rebalance().map('
        )
        report(repository)
        assert interpreted == ["First"]


def test_what_is_kept_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caching, "MOST_BYTES", 200_000)
    kept = caching.Cache(tmp_path)
    noise = [str(hash((n, "noise"))) for n in range(2_000)]
    for n in range(60):
        kept.keep(f"key {n}", [n, noise])
    with contextlib.closing(sqlite3.connect(kept.file)) as rows:
        pages, bytes_each = (rows.execute(f"pragma {name}").fetchone()[0] for name in ("page_count", "page_size"))
    assert pages * bytes_each < 400_000
    assert sum(bool(kept.rows(f"key {n}")) for n in range(60)) < 60
    assert kept.rows("key 59")[0][0] == 59


def test_other_code_gets_other_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = caching.Cache(tmp_path)
    kept.keep("key", "old")
    monkeypatch.setattr(caching, "this_code", lambda: "newer code")
    assert kept.rows("key") == []
