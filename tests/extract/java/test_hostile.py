"""Source that nobody would write, or that is not source: bounded, one diagnostic, other pipelines unaffected."""

from contextlib import suppress

import pytest

from checker.errors import ExtractionError, NotFollowedError
from checker.extract import java
from checker.extract.java import program
from checker.extract.java.machine.run_state import Limits
from checker.flink import translate
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.topology import Kind
from checker.model.unknowns import Cause
from tests.extract.java.programs import HEAD, files, physical, read, uids

GOOD = files('env.fromSequence(1, 2).uid("good").print();').contents["src/main/java/acme/Job.java"]
MAIN = (
    HEAD + "public class Bad { public static void main(String[] args) throws Exception {"
    " StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(); "
)


def beside(data: bytes, name: str = "Bad") -> MemoryFiles:
    return MemoryFiles({"src/main/java/acme/Job.java": GOOD, f"src/main/java/acme/{name}.java": data})


HOSTILE = {
    "broken": (MAIN + "env.fromSequence(1, 2).map(x -> .print( ; ").encode(),
    "binary": bytes(range(256)) * 500,
    "empty": b"",
    "utf-16": (MAIN + "env.fromSequence(1,2).print(); env.execute(); } }").encode("utf-16"),
    "four megabytes": (MAIN + "int a = 1;\n" * 400_000 + "} }").encode(),
    "open comment": (MAIN + "/* ").encode(),
    "open string": (MAIN + 'String s = "').encode(),
    "only braces": b"{" * 20_000,
    "nul bytes": MAIN.encode().replace(b" ", b"\0"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_other_pipelines_are_unaffected(name: str) -> None:
    revision = beside(HOSTILE[name])
    discovery = java.discover(revision)
    good = next(entry for entry in discovery.entries if entry.name == "Job")
    assert uids(java.extract(revision, good)) == ["good"]
    for entry in discovery.entries:
        if entry.name != "Job":
            with suppress(ExtractionError):
                java.extract(revision, entry)


def test_a_file_too_large_is_named() -> None:
    notes = java.discover(beside(HOSTILE["four megabytes"])).notes
    assert any("more than the 3,000,000" in note.message for note in notes)


def test_broken_syntax_in_main_is_openly_unsure() -> None:
    body = 'env.fromSequence(1, 2).uid("a").print(); int = = 3; env.fromSequence(1, 2).uid("b").print();'
    topology = read(body)
    unknown = [t.unknown for t in topology.transformations if t.kind is Kind.UNKNOWN]
    assert unknown
    assert unknown[0] is not None
    assert unknown[0].cause is Cause.SYNTAX


def test_broken_syntax_elsewhere_does_not_matter() -> None:
    assert uids(read('env.fromSequence(1, 2).uid("a").print();', others={"Other": "class Other { void x( { "})) == ["a"]


def test_ten_thousand_statements() -> None:
    topology = read("env.fromSequence(1, 2).map(x -> x).print();" * 3_400)
    assert len(topology.transformations) == 10_200


def test_a_chain_of_three_thousand_calls() -> None:
    topology = read("env.fromSequence(1, 2)" + ".map(x -> x)" * 3_000 + ".print();")
    assert len(topology.transformations) == 3_002
    assert topology.transformations[-1].inputs == (topology.transformations[-2].id,)


@pytest.mark.parametrize(
    ("body", "members"),
    [
        ("int x = " + "(" * 4_000 + "1" + ")" * 4_000 + ";", ""),
        ("Object x = " + "f(" * 2_000 + "1" + ")" * 2_000 + ";", "static Object f(Object o) { return o; }"),
        ("{" * 3_000 + "}" * 3_000, ""),
        ("String s = " + " + ".join(['"a"'] * 10_000) + ";", ""),
        ('String s = "x"; for (int i = 0; i < 60; i++) s = s + s;', ""),
        ("int n = 0; " + "".join(f'if (System.getenv("v{i}") != null) n = n + 1;' for i in range(200)), ""),
        ("new A();", "static class A extends B { } static class B extends A { }"),
        ("int i = 0; while (i >= 0) { i++; if (i < 0) break; }", ""),
    ],
)
def test_depth_and_size_leave_the_rest_readable(body: str, members: str) -> None:
    topology = read(body + ' env.fromSequence(1, 2).uid("end").print();', members)
    assert "end" in uids(topology)


def test_cyclic_calls_that_take_the_environment_along() -> None:
    members = (
        "static void f(StreamExecutionEnvironment e) { g(e); } static void g(StreamExecutionEnvironment e) { f(e); }"
    )
    topology = read("f(env);", members)
    assert [t.kind for t in physical(topology)] == [Kind.UNKNOWN]
    unknown = physical(topology)[0].unknown
    assert unknown is not None
    assert unknown.cause is Cause.LIMIT


def test_exponential_recursion_ends_with_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """At a tenth of the steps here, and at all of them among the bombs of ``tests.hostile``."""
    monkeypatch.setattr(program, "Limits", lambda steps, trace: Limits(steps // 10, trace=trace))
    members = "static int f(int n) { return n < 1 ? 1 : f(n - 1) + f(n - 2); }"
    with pytest.raises(NotFollowedError, match="more steps than are followed"):
        read('env.fromSequence(1, 2).uid("a" + f(60)).print();', members)


def test_endless_declarations_are_cut_off_openly() -> None:
    topology = read("for (int i = 0; i < 100_000_000; i++) { env.fromSequence(1, 2).print(); }")
    assert topology.transformations[0].kind is Kind.UNKNOWN
    assert not translate(topology, "1.20").certain


def test_latin_1_source_is_read() -> None:
    source = GOOD.replace(b"good", b"g\xf6\xf6d")
    revision = MemoryFiles({"src/main/java/acme/Job.java": source})
    entry = PipelineEntry(name="Job", extract=ExtractorKind.JAVA, main="acme.Job")
    topology = java.extract(revision, entry)
    assert uids(topology) == ["gööd"]
    location = topology.transformations[0].uid_location
    assert location is not None
