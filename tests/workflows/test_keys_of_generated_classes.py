"""Keys are members of classes without source, made by Avro for example: who sets these makes other keys."""

from __future__ import annotations

import pytest

from tests.workflows.edited_jobs import errors

IMPORTS = """package jobs;
import com.acme.avro.Position;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
"""
FILES = {
    "Job": """public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromData(new Position()).uid("s").map(new Plausible()).uid("p")
        .keyBy(p -> p.getVehicle().toString()).reduce((a, b) -> a).uid("r").print();
    env.execute();
  }
}
""",
    "Plausible": """public class Plausible implements MapFunction<Position, Position> {
  @Override public Position map(Position p) {
    if (p.getSpeed() > 300) p.setSpeed(300);
    return p;
  }
}
""",
}


@pytest.mark.parametrize(
    ("after", "lost"),
    [
        ("p.setVehicle(p.getVehicle().toString().trim());\n    return p;", True),
        ('p.put("vehicle", "v" + p.getVehicle());\n    return p;', True),
        ("p.setSpeed(Math.max(0, p.getSpeed()));\n    return p;", False),
        ("System.out.println(p.getVehicle());\n    return p;", False),
    ],
)
def test_an_element_is_changed_before_it_is_keyed(after: str, lost: bool) -> None:
    assert errors(IMPORTS, FILES, "Plausible", "return p;", after) == ({"edit-not-understood"} if lost else set())
