"""What a pattern keeps is known by its stages: conditions and the time within which they match are not part of it."""

from checker.extract import registry
from checker.model.sources import MemoryFiles
from checker.model.unknowns import Unknown
from checker.settings import Settings

JOB = """package jobs;
import org.apache.flink.cep.CEP;
import org.apache.flink.cep.pattern.Pattern;
import org.apache.flink.cep.pattern.conditions.SimpleCondition;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Fraud {
  static Pattern<String, ?> pattern(int times) {
    return Pattern.<String>begin("first").where(SimpleCondition.of(x -> x.length() > 1)).times(times)
        .next("second (\\"2\\")").within(java.time.Duration.ofMinutes(10));
  }
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    CEP.pattern(env.socketTextStream("h", 1).uid("s").keyBy(x -> x), pattern(3))
        .process(new Found()).uid("cep").print();
    env.execute();
  }
}
"""


def stages(job: str) -> object:
    """The type of the partial matches."""
    files = MemoryFiles({"src/main/java/jobs/Fraud.java": job.encode()})
    (entry,) = registry.discover(files, Settings()).entries
    extracted = registry.extract(files, entry)
    assert extracted is not None
    assert extracted.topology is not None
    (cep,) = (t for t in extracted.topology.operators() if t.uid == "cep")
    assert isinstance(cep.state, tuple)
    return next(s.value_type for s in cep.state if s.name == "nfaStateName")


def test_stages_are_read_through_helpers() -> None:
    assert isinstance(stages(JOB), str)
    assert stages(JOB) == stages(JOB.replace("> 1", "> 2").replace("ofMinutes(10)", "ofMinutes(20)"))
    for before, after in (('"first"', '"start"'), ("pattern(3)", "pattern(4)"), (".next(", ".followedBy(")):
        assert stages(JOB) != stages(JOB.replace(before, after))


def test_a_stage_that_is_not_known_leaves_the_pattern_unknown() -> None:
    assert isinstance(
        stages(JOB.replace('"first"', "args[0]").replace("int times", "int times, String[] args")), Unknown
    )
