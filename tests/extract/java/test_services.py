"""``ServiceLoader`` over the providers that a repository names."""

import pytest

from checker.extract import registry
from checker.model.sources import MemoryFiles
from checker.model.topology import Kind, Topology
from checker.model.unknowns import Unknown
from checker.settings import Settings

NAMED = "src/main/resources/META-INF/services/a.Step"
FILES = {
    "pom.xml": "<project><properties><flink.version>1.20.0</flink.version></properties></project>",
    "src/main/java/a/Step.java": "package a; public interface Step { String id(); }",
    "src/main/java/a/One.java": 'package a; public class One implements Step { public String id() { return "one"; } }',
    "src/main/java/a/Two.java": "package a; public class Two implements Step { private final String x;\n"
    '  public Two() { x = "two"; } public String id() { return x; } }',
    NAMED: "# steps\na.Two # first\n\na.One\na.Two\n",
    "src/test/resources/META-INF/services/a.Step": "a.One\n",
}
JOB = """\
package a;
import java.util.*;
import java.util.stream.*;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {{
  public static void main(String[] args) throws Exception {{
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.setParallelism(1);
    DataStream<Integer> s = env.fromElements(1, 2).uid("in");
    {body}
    s.print().uid("out");
    env.execute();
  }}
}}
"""
LOOP = "for (Step x : ServiceLoader.load(Step.class)) s = s.map(i -> i).uid(x.id());"


def read(body: str, **changed: str | None) -> Topology:
    texts = {**FILES, "src/main/java/a/Job.java": JOB.format(body=body), **changed}
    files = MemoryFiles({path: text.encode() for path, text in texts.items() if text is not None})
    (entry,) = registry.discover(files, Settings()).entries
    extracted = registry.extract(files, entry)
    assert extracted is not None
    assert extracted.topology is not None
    return extracted.topology


def test_providers_come_in_the_order_of_their_file() -> None:
    assert [t.uid for t in read(LOOP).transformations] == ["in", "two", "one", "out"]


@pytest.mark.parametrize(
    "changed",
    [
        {NAMED: "a.Two\norg.elsewhere.Three\n"},
        {"plugins/src/main/resources/META-INF/services/a.Step": "a.One\n"},
        {NAMED: None},
        {"src/main/java/a/Two.java": "package a; public class Two implements Step { public Two(int x) { } }"},
    ],
)
def test_what_jars_or_other_modules_may_add_is_unknown(changed: dict[str, str | None]) -> None:
    topology = read(LOOP, **changed)
    assert any(t.kind is Kind.UNKNOWN or isinstance(t.uid, Unknown) for t in topology.transformations)
