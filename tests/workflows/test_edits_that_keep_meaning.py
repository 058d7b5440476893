"""Edits of Java programs that keep their meaning say nothing, and the edits beside them that lose state are seen."""

from __future__ import annotations

import pytest

from checker.workflows.check.records import Json
from tests.judging import judged

FOLDER = "src/main/java/acme/"
FILES = {
    "pom.xml": "<project><dependencies><dependency><groupId>org.apache.flink</groupId>"
    "<artifactId>flink-streaming-java</artifactId><version>1.20.3</version></dependency></dependencies></project>",
    FOLDER + "Job.java": """package acme;
import org.apache.flink.streaming.api.datastream.*;
import org.apache.flink.streaming.api.environment.*;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    DataStream<Reading> readings = env.addSource(new Meters()).uid("meters");
    new Cleaning("c").process(readings).keyBy(r -> r.key()).process(new Last()).uid("last").print().uid("out");
    env.execute();
  }
}
""",
    FOLDER + "Cleaning.java": """package acme;
import org.apache.flink.streaming.api.datastream.*;
public class Cleaning {
  private final String name;
  public Cleaning(String name) { this.name = name; }
  public SingleOutputStreamOperator<Reading> process(DataStream<Reading> readings) {
    return readings.map(r -> r).returns(Reading.class).uid(name);
  }
}
""",
    FOLDER + "Meters.java": """package acme;
import org.apache.flink.streaming.api.functions.source.SourceFunction;
public class Meters implements SourceFunction<Reading> {
  @Override public void run(SourceContext<Reading> out) { out.collect(new Reading()); }
  @Override public void cancel() { }
}
""",
    FOLDER + "Reading.java": """package acme;
public class Reading {
  public String meter; public Place place; public int watts;
  public Place key() { return place == null ? new Place() : place; }
}
""",
    FOLDER + "Place.java": """package acme;
import java.util.Objects;
public class Place {
  public String town; public int floor;
  @Override public boolean equals(Object o) {
    if (this == o) return true;
    if (o == null || getClass() != o.getClass()) return false;
    Place that = (Place) o;
    return floor == that.floor && Objects.equals(town, that.town);
  }
  @Override public int hashCode() { return Objects.hash(town, floor); }
}
""",
    FOLDER + "Last.java": """package acme;
import org.apache.flink.api.common.state.*;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
public class Last extends KeyedProcessFunction<Place, Reading, Integer> {
  private transient ValueState<Integer> last;
  @Override public void open(Configuration c) {
    last = getRuntimeContext().getState(new ValueStateDescriptor<>("last", Integer.class));
  }
  @Override public void processElement(Reading r, Context ctx, Collector<Integer> out) throws Exception {
    last.update(r.watts);
    out.collect(r.watts);
  }
}
""",
}


Edits = dict[str, tuple[str, str]]


def edited(files: dict[str, str], edits: Edits) -> dict[str, str]:
    """Files with one text replaced in some of them."""
    after = dict(files)
    for name, (old, new) in edits.items():
        assert old in after[FOLDER + name], (name, old)
        after[FOLDER + name] = after[FOLDER + name].replace(old, new)
    return after


def checked(edits: Edits, before: Edits | None = None) -> Json:
    """The pipeline as one edit leaves it, where another one may have come before."""
    old = edited(FILES, before or {})
    (pipeline,) = judged(old, edited(old, edits))
    return pipeline


RETURN = "return place == null ? new Place() : place;"
EQUALS = "return floor == that.floor && Objects.equals(town, that.town);"
CHECK = "if (o == null || getClass() != o.getClass()) return false;\n    Place that = (Place) o;"
HASH = "return Objects.hash(town, floor);"
PROCESS = 'new Cleaning("c").process(readings)'
HARMLESS = {
    "a ternary turned round": {"Reading.java": (RETURN, "return place != null ? place : new Place();")},
    "a ternary as if and else": {
        "Reading.java": (RETURN, "Place k; if (place == null) { k = new Place(); } else { k = place; } return k;")
    },
    "equals field by field": {
        "Place.java": (
            EQUALS,
            "if (floor != that.floor) return false;\n"
            "    return town != null ? town.equals(that.town) : that.town == null;",
        )
    },
    "equals in one expression": {
        "Place.java": (
            f"if (this == o) return true;\n    {CHECK}\n    {EQUALS}",
            "return this == o || o != null && getClass() == o.getClass() && Objects.equals(((Place) o).town, town)"
            " && Integer.compare(floor, ((Place) o).floor) == 0;",
        )
    },
    "a hash code as a sum": {
        "Place.java": (
            HASH,
            "int result = 1; result = 31 * result + (town == null ? 0 : town.hashCode());"
            " result = 31 * result + floor; return result;",
        )
    },
    "a step inlined": {"Job.java": (PROCESS, 'readings.map(r -> r).returns(Reading.class).uid("c")')},
    "a graph in one statement split": {
        "Job.java": (
            f"{PROCESS}.keyBy(r -> r.key()).process",
            f"DataStream<Reading> clean = {PROCESS};\n    "
            "KeyedStream<Reading, Place> keyed = clean.keyBy(r -> r.key());"
            "\n    keyed.process",
        )
    },
    "a step inlined whose class other code uses": {
        "Job.java": (PROCESS, 'readings.map(r -> r).returns(Reading.class).uid(new Cleaning("c").name())'),
        "Cleaning.java": ("  public SingleOutput", "  public String name() { return name; }\n  public SingleOutput"),
    },
}  # fmt: skip
INLINED = HARMLESS["a step inlined whose class other code uses"]
LOSING = {
    "a ternary with its values turned round": {
        "Reading.java": (RETURN, "return place != null ? new Place() : place;")
    },
    "if and else turned round": {
        "Reading.java": (RETURN, "Place k; if (place == null) { k = place; } else { k = new Place(); } return k;")
    },
    "equals without a field": {"Place.java": (EQUALS, "return floor == that.floor;")},
    "equals of subclasses": {
        "Place.java": (CHECK, "if (!(o instanceof Place)) return false;\n    Place that = (Place) o;")
    },
    "equals by identity": {"Place.java": (EQUALS, "return floor == that.floor && town == that.town;")},
    "a hash code in another order": {"Place.java": (HASH, "return Objects.hash(floor, town);")},
    "a hash code with another start": {
        "Place.java": (HASH, "int result = town.hashCode(); result = 31 * result + floor; return result;")
    },
    "a step inlined with another uid": {
        "Job.java": ("new Last()).uid(\"last\")", "new Last()).uid(\"final\")")
    },
}  # fmt: skip


@pytest.mark.parametrize("case", HARMLESS)
def test_an_edit_that_keeps_the_meaning_says_nothing(case: str) -> None:
    pipeline = checked(HARMLESS[case])
    assert [(f["rule"], f["message"]) for f in pipeline["findings"]] == []


def test_a_method_that_is_called_as_one_of_flinks_is_not_called() -> None:
    """``KeyedStream.process`` is followed, and the step's ``process`` is dead code."""
    check = "if (name.isEmpty()) throw new IllegalStateException();\n    return readings"
    assert checked({"Cleaning.java": ("return readings", check)}, INLINED)["findings"] == []


@pytest.mark.parametrize("case", LOSING)
def test_an_edit_beside_it_that_loses_state_is_an_error(case: str) -> None:
    assert "error" in {f["severity"] for f in checked(LOSING[case])["findings"]}


BY_LIBRARY = {"Job.java": ("r -> r.key()", 'new com.lib.ByPlace("town")')}


def test_a_key_that_is_not_read_and_differs_is_said_once() -> None:
    """By the comparison of states: that the edit was not understood would be the same again."""
    found = checked({"Job.java": ('"town"', '"floor"')}, BY_LIBRARY)["findings"]
    assert [f["rule"] for f in found if f["severity"] == "error"] == ["type-change-to-check"]
