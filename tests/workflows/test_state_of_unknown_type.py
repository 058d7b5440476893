"""Edits beside state whose type nobody can read: they count where such state was there before."""

from __future__ import annotations

from dataclasses import replace

import pytest

from checker.compare.account.builds import build_edits
from checker.extract.changed_files import changed_files
from checker.extract.changed_files.entries import build_entries
from checker.model.account import BuildUse, Explanation
from checker.model.changed_files import ChangedFile, Entry, FileKind
from checker.model.sources import MemoryFiles
from tests.workflows.edited_jobs import errors

IMPORTS = """package jobs;
import org.apache.flink.api.common.functions.*;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.*;
import org.apache.flink.streaming.api.windowing.assigners.*;
import com.lib.Payload;
"""
JOB = """
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    var payloads = env.fromSequence(1, 9).uid("numbers")
        .map((MapFunction<Long, Payload>) n -> Payload.of(n)).uid("parse");
    WINDOW
    payloads.map(p -> "" + p).uid("texts").print();
    env.execute();
  }
}
"""
WINDOW = (
    "payloads.windowAll(TumblingProcessingTimeWindows.of(java.time.Duration.ofSeconds(5)))"
    '.process(new Count()).uid("w").print();'
)
COUNT = """
public class Count extends org.apache.flink.streaming.api.functions.windowing.ProcessAllWindowFunction<Payload, Long,
    org.apache.flink.streaming.api.windowing.windows.TimeWindow> {
  public void process(Context context, Iterable<Payload> all, org.apache.flink.util.Collector<Long> out) {
    long n = 0;
    for (Payload ignored : all) { n++; }
    out.collect(n);
  }
}
"""


def test_a_window_of_unknown_elements_that_is_new_leaves_the_rest_decided() -> None:
    files = {"Job": JOB.replace("WINDOW", "//"), "Count": COUNT}
    lines = JOB.splitlines()
    before = "\n".join(lines[lines.index("    WINDOW") - 1 :]).replace("WINDOW", "//")
    after = before.replace("//", WINDOW).replace("MapFunction<Long, Payload>", "MapFunction<Long, com.lib.Event>")
    assert errors(IMPORTS, files, "Job", before, after) == set()


def test_other_elements_of_a_window_of_an_unknown_class_are_to_check() -> None:
    files = {"Job": JOB.replace("WINDOW", WINDOW), "Count": COUNT}
    after = "MapFunction<Long, com.lib.Event>"
    assert errors(IMPORTS, files, "Job", "MapFunction<Long, Payload>", after) == {"type-change-to-check"}


USE = BuildUse(
    folders=frozenset({"jobs/src/main/java/"}), libraries=frozenset({"com.acme.avro.Order"}), connectors=frozenset(),
    elements_read=True, polymorphic=False, versions_read=True, all_known=False, one_program=False,
)  # fmt: skip


@pytest.mark.parametrize(
    ("path", "explanation"),
    [
        ("<relativePath>../pom.xml</relativePath>", Explanation.WITHOUT_EFFECT),
        ("<relativePath/>", Explanation.NOT_UNDERSTOOD),
    ],
)
def test_another_name_of_a_parent_in_the_repository_is_no_other_library(path: str, explanation: Explanation) -> None:
    def side(name: str) -> tuple[Entry, ...]:
        return (Entry(f"parent com.acme:{name}", f"<parent><artifactId>{name}</artifactId>{path}</parent>", 4),)

    file = ChangedFile(path="jobs/pom.xml", kind=FileKind.BUILD, base=side("jobs"), head=side("platform"))
    assert {edit.explanation for edit in build_edits(file, USE)} == {explanation}


@pytest.mark.parametrize(
    ("root", "path", "explanation"),
    [
        ("2", "", Explanation.WITHOUT_EFFECT),
        ("2", "<relativePath/>", Explanation.NOT_UNDERSTOOD),
        ("3", "", Explanation.NOT_UNDERSTOOD),
        (None, "", Explanation.NOT_UNDERSTOOD),
    ],
)
def test_a_parent_in_another_version_is_no_other_library_where_maven_finds_it_in_the_repository(
    root: str | None, path: str, explanation: Explanation
) -> None:
    def side(version: str, above: str | None) -> MemoryFiles:
        named = f"<groupId>com.acme</groupId><artifactId>all</artifactId><version>{version}</version>"
        parent = f"<parent>{named}{path}</parent>"
        files = {"jobs/pom.xml": f"<project>{parent}</project>".encode()}
        if above is not None:
            files["pom.xml"] = f"<project><artifactId>all</artifactId><version>{above}</version></project>".encode()
        return MemoryFiles(files)

    changed = changed_files(side("1", root and "1"), side("2", root), ".java")
    edits = [edit for file in changed if file.path == "jobs/pom.xml" for edit in build_edits(file, USE)]
    assert [edit.explanation for edit in edits] == [explanation]


AVRO = "<dependency><groupId>org.apache.avro</groupId><artifactId>avro</artifactId>{}</dependency>"


@pytest.mark.parametrize(
    ("before", "after", "explanations"),
    [
        ("", "<scope>test</scope>", {Explanation.WITHOUT_EFFECT, Explanation.NOT_UNDERSTOOD}),
        ("<scope>test</scope>", "", {Explanation.WITHOUT_EFFECT, Explanation.NOT_UNDERSTOOD}),
        ("<version>1</version><scope>test</scope>", "<version>2</version><scope>test</scope>",
         {Explanation.WITHOUT_EFFECT}),
        ("<scope>test</scope>", "<scope> test </scope>", {Explanation.WITHOUT_EFFECT}),
        ("<version>1</version>", "<version>2</version>", {Explanation.NOT_UNDERSTOOD}),
    ],
)  # fmt: skip
def test_a_library_that_only_tests_use_from_now_on_is_no_edit_of_tests(
    before: str, after: str, explanations: set[Explanation]
) -> None:
    base, head = (
        build_entries("pom.xml", f"<project>{AVRO.format(text)}</project>".encode()) for text in (before, after)
    )
    file = ChangedFile(path="jobs/pom.xml", kind=FileKind.BUILD, base=base, head=head)
    assert {edit.explanation for edit in build_edits(file, replace(USE, polymorphic=True))} == explanations


FEED = """
import com.lib.Feed;
import com.lib.Unused;
import java.util.Properties;
public class Feeds {
  static Feed made() {
    try {
      Properties properties = new Properties();
      properties.load(Feeds.class.getResourceAsStream("feed.properties"));
      return new Feed(properties);
    } catch (java.io.IOException e) { throw new RuntimeException(e); }
  }
}
"""
ASYNC = """
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    var feed = env.addSource(Feeds.made()).uid("s");
    AsyncDataStream.unorderedWait(feed, new com.lib.Asks(), 5, null).uid("asks").print();
    env.execute();
  }
}
"""


@pytest.mark.parametrize(
    ("before", "after", "rules"),
    [
        ("import com.lib.Unused;\n", "", set()),
        ("import com.lib.Feed;\nimport com.lib.Unused;", "import com.lib.Unused;\nimport com.lib.Feed;", set()),
        ("import com.lib.Feed;", "import com.other.Feed;", {"type-change-to-check"}),
        ("import com.lib.Feed;\nimport com.lib.Unused;", "import com.other.*;", {"type-change-to-check"}),
    ],
)
def test_only_imports_that_code_mentions_change_what_it_makes(before: str, after: str, rules: set[str]) -> None:
    assert errors(IMPORTS, {"Job": ASYNC, "Feeds": FEED}, "Feeds", before, after) == rules


CAPTURE = """
import com.ververica.cdc.connectors.mysql.MySQLSource;
import org.apache.flink.streaming.api.functions.source.SourceFunction;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    SourceFunction<String> source = MySQLSource.<String>builder().deserializer(new com.lib.Texts()).build();
    DataStream<String> texts = env.addSource(SOURCE);
    texts.map(new Parse()).uid("p").print().uid("sink");
    env.execute();
  }
}
"""
OWN = """
import org.apache.flink.streaming.api.functions.source.SourceFunction;
public class Own extends com.lib.Base implements SourceFunction<String> {
  public void run(SourceContext<String> context) { }
  public void cancel() { }
}
"""


@pytest.mark.parametrize(("source", "typed"), [("source", False), ("new Own()", True)])
def test_sources_of_libraries_keep_no_elements(source: str, typed: bool) -> None:
    function = "public class {} implements MapFunction<String, {}> {{ public {} map(String t) {{ return null; }} }}"
    functions = {name: function.format(name, to, to) for name, to in (("Parse", "Payload"), ("Trim", "String"))}
    files = {"Job": CAPTURE.replace("SOURCE", source), "Own": OWN, **functions}
    before = f"DataStream<String> texts = env.addSource({source});\n    texts.map(new Parse())"
    after = f"DataStreamSource<String> texts = env.addSource({source});\n    texts.map(new Trim())"
    assert bool(errors(IMPORTS, files, "Job", before, after)) == typed
