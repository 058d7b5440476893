"""Functions of the user: declared from source for Flink's own type inference, never run."""

import pytest

from checker.extract.runtime.execution import Execution
from checker.extract.sql.functions import function_sources
from checker.model.declared_state import StateDescriptor
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.unknowns import Unknown
from checker.workflows.check.records import ReadPipeline, SideToRead
from checker.workflows.planning_scripts import plan_scripts
from tests.flinks import jars_of

SOURCES = {
    "src/com/acme/Total.java": b"""package com.acme;
import com.fasterxml.jackson.databind.ObjectMapper;
import javax.annotation.Nullable;
import org.apache.flink.table.annotation.*;
import org.apache.flink.table.api.dataview.MapView;
public class Total extends Base<Long, Total.Acc> {
  private static final String PRICE = "DECIMAL(" + Sizes.PRECISION + ", 3)";
  private final ObjectMapper mapper = new ObjectMapper();
  public static class Acc {
    public long sum;
    public @DataTypeHint(PRICE) java.math.BigDecimal price;
    public MapView<String, Long> seen = new MapView<>();
  }
  @Override public Acc createAccumulator() { return new Acc(); }
  public void accumulate(Acc acc, @Nullable Long v, String s) { acc.sum += mapper.hashCode(); }
  @Override public Long getValue(Acc acc) { return acc.sum; }
}
""",
    "src/com/acme/Base.java": b"""package com.acme;
abstract class Base<T, A> extends org.apache.flink.table.functions.AggregateFunction<T, A> { }
""",
    "src/com/acme/Sizes.java": b"package com.acme;\nclass Sizes {\n static final int PRECISION = 30; }\n",
    "src/com/acme/Upper.java": b"""package com.acme;
public class Upper extends org.apache.flink.table.functions.ScalarFunction {
  public String eval(String... words) { return words[0].toUpperCase(); }
}
""",
}
SOURCES["src/com/acme/Both.java"] = b"""package com.acme;
import org.apache.flink.table.functions.ScalarFunction;
public class Both {
  public static class Low extends ScalarFunction { public String eval(String s) { return s; } }
  public static class Len extends ScalarFunction { public Long eval(String s) { return 1L; } }
  public static class Json extends ScalarFunction { public String eval(com.other.Json s) { return ""; } }
}
"""
TABLES = """
CREATE TABLE t (k STRING, v BIGINT) WITH ('connector'='kafka');
CREATE TABLE o (k STRING, v BIGINT) WITH ('connector'='print');
"""


def planned(script: str) -> list[ReadPipeline]:
    jars_of("1.20.5")
    files = MemoryFiles({"job.sql": script.encode(), **SOURCES})
    entry = PipelineEntry(name="job", extract=ExtractorKind.SQL, file="job.sql", flink="1.20.5")
    side = SideToRead(name="head", files=files, entries=[entry])
    return list(plan_scripts([side], Execution(fetch=False))["head"])


def test_a_declaration_keeps_signatures_hints_and_constants_and_no_body() -> None:
    found = function_sources(MemoryFiles(SOURCES), [("com.acme.Total", "java")], "job.sql")[0]
    units = dict(found.units)
    assert found.failure is None
    assert set(units) == {"com/acme/Base.java", "com/acme/Sizes.java", "com/acme/Total.java"}
    assert "ObjectMapper" not in units["com/acme/Total.java"]
    assert "accumulate(Acc acc, Long v, String s) { throw" in units["com/acme/Total.java"]
    assert "@DataTypeHint(PRICE)" in units["com/acme/Total.java"]
    assert "PRECISION = 30" in units["com/acme/Sizes.java"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("public TypeInference getTypeInference(DataTypeFactory f) { return null; }", "getTypeInference"),
        ("public boolean isDeterministic() { return System.nanoTime() > 0; }", "isDeterministic"),
    ],
)
def test_what_only_the_body_decides_is_not_declared(body: str, reason: str) -> None:
    source = f"package a;\npublic class F extends org.apache.flink.table.functions.ScalarFunction {{ {body} }}\n"
    found = function_sources(MemoryFiles({"a/F.java": source.encode()}), [("a.F", "java")], "job.sql")[0]
    assert found.failure is not None
    assert reason in found.failure


@pytest.mark.parametrize(
    ("script", "result"), [("one/sql/job.sql", "Long"), ("two/src/main/resources/job.sql", "String"), ("job.sql", None)]
)
def test_of_two_classes_of_one_name_that_of_the_scripts_own_module_counts(script: str, result: str | None) -> None:
    source = """package a;
    public class F extends org.apache.flink.table.functions.ScalarFunction { public %s eval(%s v) { return v; } }
    """
    files = MemoryFiles(
        {f"{m}/src/main/java/a/F.java": (source % (r, r)).encode() for m, r in (("one", "Long"), ("two", "String"))}
    )
    (found,) = function_sources(files, [("a.F", "java")], script)
    if result is None:
        assert found.failure is not None
        assert "one/src/main/java/a/F.java and in two/src/main/java/a/F.java" in found.failure
    else:
        assert f"public {result} eval" in dict(found.units)["a/F.java"]


def test_a_class_of_another_language_is_named() -> None:
    found = function_sources(MemoryFiles({"a/F.scala": b"class F"}), [("a.F", "java")], "job.sql")[0]
    assert found.failure == "the function 'a.F' is written in Scala, which is not read"


@pytest.mark.flink
@pytest.mark.usefixtures("_one_planner")
def test_an_accumulator_is_state_with_the_types_that_flink_infers() -> None:
    (read,) = planned(
        "CREATE FUNCTION total AS 'com.acme.Total' USING JAR '/opt/functions.jar';\n"
        "CREATE TEMPORARY SYSTEM FUNCTION up AS 'com.acme.Upper' LANGUAGE JAVA;\n"
        f"{TABLES}INSERT INTO o SELECT up(k, 'x'), total(v, k) FROM t GROUP BY up(k, 'x');\n"
    )
    assert read.failure is None
    assert read.topology is not None
    states: dict[str, StateDescriptor] = {
        state.name: state
        for transformation in read.topology.transformations
        if isinstance(transformation.state, tuple)
        for state in transformation.state
    }
    assert "price DECIMAL(30, 3)" in (states["accState"].value_type or "")
    assert states["agg0$seen"].value_type == "Map<External<StringData>, External<Long>>"


@pytest.mark.flink
@pytest.mark.usefixtures("_one_planner")
def test_rows_that_flink_itself_would_make_never_reach_a_function() -> None:
    read = planned(
        f"CREATE FUNCTION total AS 'com.acme.Total';\n{TABLES}"
        "CREATE TABLE g (k STRING, v BIGINT) WITH ('connector' = 'datagen', 'fields.v.kind' = 'sequence', "
        "'fields.v.start' = '1', 'fields.v.end' = '10000000');\n"
        "INSERT INTO o SELECT k, total(v, k) FROM g GROUP BY k;\n"
        "INSERT INTO o SELECT k, total(v, k) FROM (VALUES ('a', CAST(1 AS BIGINT))) AS x(k, v) GROUP BY k;\n"
    )
    for job in read:
        assert job.topology is not None
        states = {t.id: t.state for t in job.topology.transformations if t.stateful}
        kept = states["GroupAggregate"]
        assert isinstance(kept, tuple)
        assert "accState" in {state.name for state in kept}
        assert not any(isinstance(state, Unknown) for state in states.values())
    assert read[0].topology is not None
    names = {s.name for t in read[0].topology.transformations if isinstance(t.state, tuple) for s in t.state}
    assert "v-sequence-state" in names


@pytest.mark.flink
@pytest.mark.usefixtures("_one_planner")
def test_what_follows_a_definition_that_fails_is_undecided_and_what_is_before_it_is_planned() -> None:
    jobs = planned(
        f"CREATE FUNCTION up AS 'com.acme.Upper';\n{TABLES}INSERT INTO o SELECT k, SUM(v) FROM t GROUP BY k;\n"
        "INSERT INTO o SELECT up('a'), v FROM t;\nCREATE FUNCTION nowhere AS 'com.other.G';\n"
        "INSERT INTO o SELECT nowhere(k), v FROM t;\nINSERT INTO o SELECT k, v FROM t;\n"
    )
    assert [job.failure is None for job in jobs] == [True, False, False, False]
    assert "that runs the function" in (jobs[1].failure or "")
    for job in jobs[2:]:
        assert "the function 'com.other.G' is not in the repository" in (job.failure or "")


@pytest.mark.flink
@pytest.mark.usefixtures("_one_planner")
def test_functions_of_one_file_are_declared_together_and_a_broken_one_breaks_only_its_file() -> None:
    ((job,), (broken,)) = (
        planned(
            f"CREATE FUNCTION low AS 'com.acme.Both$Low';\nCREATE FUNCTION len AS 'com.acme.Both$Len';\n"
            f"CREATE FUNCTION up AS 'com.acme.Upper';\n{more}{TABLES}"
            "INSERT INTO o SELECT low(k), SUM(len(k)) FROM t GROUP BY low(k), up(k);\n"
        )
        for more in ("", "CREATE FUNCTION json AS 'com.acme.Both$Json';\n")
    )
    assert job.failure is None
    assert "package com.other does not exist" in (broken.failure or "")
