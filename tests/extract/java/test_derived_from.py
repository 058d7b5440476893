"""Unknown values before and after an edit: what is made differently is never taken for the same."""

import pytest

from checker.compare import compare_pipelines
from checker.extract import java
from checker.flink import translate
from checker.model.findings import Verdict
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.translation import Translation
from tests.extract.tables import made_differently

PROGRAM = """package a;
import java.util.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
public class Job {{
  static final String PREFIX = "sum";
  static String named(String text) {{ return PREFIX + "-" + text; }}
  static class Own {{
    String text;
    Own(String text) {{ this.text = text; }}
    String asked() {{ return new Object() {{ String around() {{ return Own.this.text; }} }}.around(); }}
  }}
  static String told(String text) {{ com.lib.Names n = new com.lib.Names(); n.set(text); return n.get(); }}
  static String looped(String[] all, String text) {{
    String made = "";
    for (String one : all) {{ made = made + text + one; }}
    return made;
  }}
  static List<String> filled(String[] all, String text) {{
    List<String> made = new ArrayList<>();
    for (String one : all) {{ made.add(PREFIX + one); }}
    made.add(text);
    return made;
  }}
  static Properties overridden(String[] all, String text, String more) {{
    Properties made = new Properties();
    made.setProperty("uid", text);
    made.setProperty("more", more);
    for (String one : all) {{ made.setProperty(one, one); }}
    return made;
  }}
  static Properties changed(Properties made, String text) {{ made.setProperty("uid", text); return made; }}
  public static void main(String[] args) throws Exception {{
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    StreamTableEnvironment tables = StreamTableEnvironment.create(env);
    String uid = {uid};
    env.fromSequence(1, 10).uid("numbers").keyBy(x -> x).reduce((a, b) -> a + b).uid(uid).print().uid("out");
    {more}
    env.execute();
  }}
}}
"""


def read(uid: str, more: str = "", prefix: str = "sum", **others: str) -> Translation:
    job = PROGRAM.format(uid=uid, more=more).replace('PREFIX = "sum"', f'PREFIX = "{prefix}"')
    files = {"src/main/java/a/Job.java": job.encode()}
    files |= {f"src/main/java/a/{name}.java": text.encode() for name, text in others.items()}
    entry = PipelineEntry(name="job", extract=ExtractorKind.JAVA, main="a.Job", flink="1.20", parallelism=2)
    return translate(java.extract(MemoryFiles(files), entry))


def verdict_on_sum(base: Translation, head: Translation) -> Verdict:
    found = compare_pipelines("job", base, head)
    (row,) = [r for r in found.operators if r.base is not None and r.base.name == "Keyed Reduce"]
    return row.verdicts[0].verdict


LONG = f'com.lib.Names.of(com.lib.Names.of(new com.lib.Names(new com.lib.Names("{200 * "a"}"))), args[0])'
EDITS = [(edit["before"], edit["after"]) for edit in made_differently("uids of a Java program")]


@pytest.mark.parametrize(("before", "after"), [*EDITS, (LONG, LONG.replace("aaa", "bbb"))])
def test_an_unknown_uid_that_is_made_differently_is_undecided(before: str, after: str) -> None:
    assert verdict_on_sum(read(before), read(before)) is Verdict.RESTORES
    assert verdict_on_sum(read(before), read(before, "// unrelated")) is Verdict.RESTORES
    assert verdict_on_sum(read(before), read(after)) in (Verdict.UNDECIDED, Verdict.FAILS)


@pytest.mark.parametrize("edit", made_differently("uids of a Java program whose code is not computed"))
def test_a_uid_that_is_not_computed_is_undecided(edit: dict[str, str]) -> None:
    assert verdict_on_sum(read(edit["before"]), read(edit["after"])) in (Verdict.UNDECIDED, Verdict.FAILS)


REMOVED = 'null; List<String> l = new ArrayList<>(List.of("a", "b")); l.removeIf(s -> s.equals("b")); uid = l.get(0)'


@pytest.mark.parametrize(
    "uid", ["args[0]", '"a-" + args[0]', 'com.lib.Names.of(new Own("a"))', 'told("a")', LONG, REMOVED]
)
def test_an_edit_elsewhere_does_not_open_it(uid: str) -> None:
    assert verdict_on_sum(read(uid), read(uid, "int unrelated = 1;")) is Verdict.RESTORES
    before = f"null; Object unrelated = new com.lib.Other(args[0]).made(); uid = {uid}"
    assert verdict_on_sum(read(f"null; uid = {uid}"), read(before)) is Verdict.RESTORES


def test_a_default_may_be_said_in_two_ways() -> None:
    asked = 'System.getenv("A") != null ? System.getenv("A") : "x"'
    assert verdict_on_sum(read('System.getenv().getOrDefault("A", "x")'), read(asked)) is Verdict.RESTORES
    assert verdict_on_sum(read('System.getenv().getOrDefault("A", "y")'), read(asked)) is Verdict.UNDECIDED


def test_a_constant_that_goes_into_it_counts() -> None:
    base = read("named(args[0])")
    assert verdict_on_sum(base, read("named(args[0])", prefix="total")) is Verdict.UNDECIDED
    reasons = {u.reason for u in compare_pipelines("job", base, read("named(args[0])", prefix="total")).undecided}
    assert any("'sum" in reason and "'total" in reason for reason in reasons)
    in_loop = 'String.join("-", filled(args, "a"))'
    assert verdict_on_sum(read(in_loop), read(in_loop, prefix="total")) is Verdict.UNDECIDED


def test_what_is_set_before_and_after_a_loop_of_unknown_length_counts() -> None:
    def read_uid(uid: str, then: str = "") -> Translation:
        made = f'overridden(args, "{uid}", "m")'
        return read(f'{made}.getProperty("uid") + "-x"', f"Properties p = {made}; {then}")

    base = read_uid("a")
    assert verdict_on_sum(base, read_uid("a", "int unrelated = 1;")) is Verdict.RESTORES
    assert verdict_on_sum(base, read_uid("b")) is Verdict.UNDECIDED

    def set_after(text: str) -> Translation:
        return read(f'changed(overridden(args, "a", "m"), "{text}").getProperty("uid")')

    assert verdict_on_sum(set_after("b"), set_after("b")) is Verdict.RESTORES
    assert verdict_on_sum(set_after("b"), set_after("c")) is Verdict.UNDECIDED


def test_a_class_that_is_looked_up_by_name_may_be_any() -> None:
    uid = '(String) Class.forName(args[0]).getMethod("uid").invoke(null)'
    reads_x = read(uid, Names='package a; public class Names { public static String uid() { return "x"; } }')
    reads_y = read(uid, Names='package a; public class Names { public static String uid() { return "y"; } }')
    assert verdict_on_sum(reads_x, reads_x) is Verdict.RESTORES
    assert verdict_on_sum(reads_x, reads_y) is Verdict.UNDECIDED
    assert "src/main/java/a/Names.java" in reads_x.topology.files


def test_a_query_is_part_of_what_the_planner_makes() -> None:
    def query(condition: str, comment: str = "") -> Translation:
        select = f'"SELECT f0 FROM numbers WHERE {condition}"'
        return read('"sum"', f'{comment}\n tables.toDataStream(tables.sqlQuery({select})).print().uid("rows");')

    assert not compare_pipelines("job", query("f0 > 1"), query("f0 > 1")).undecided
    assert not compare_pipelines("job", query("f0 > 1"), query("f0 > 1", "/* as ordered */  // by Ann")).undecided
    changed = compare_pipelines("job", query("f0 > 1"), query("f0 > 2"))
    assert any("the definition of its table changed" in u.reason for u in changed.undecided)


def test_what_a_library_is_told_is_part_of_what_it_makes() -> None:
    def read_text(text: str) -> Translation:
        return read('"sum"', f'com.lib.Flows.extend(env, env.fromSequence(1, 2).uid("more"), "{text}");')

    assert not compare_pipelines("job", read_text("a"), read_text("a")).undecided
    assert compare_pipelines("job", read_text("a"), read_text("b")).undecided
