"""What is a pipeline at all, and what nobody reads of one."""

import pytest

from checker.extract import registry
from checker.extract.interpreting.memory import Trace
from checker.model.sources import MemoryFiles
from checker.settings import Settings
from tests.edits.pairs import DATA, files_below
from tests.judging import judged

EXPLAINED = DATA / "pairs" / "graph" / "explained-edits" / "files"
JOB = "src/main/java/acme/Job.java"


STARTED = """package acme;
import org.apache.flink.streaming.api.environment.*;
public class Job {
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    %s
  }
}
"""
RUNS = 'env.socketTextStream("h", 1).keyBy(x -> x).reduce((a, b) -> a).print(); env.execute();'


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("System.exit(args.length);", False),
        ("env.enableCheckpointing(5000);", False),
        (f"if (args.length < 1) System.exit(1); {RUNS}", True),
        ("if (com.lib.Starts.all(env)) System.exit(1);", True),
        ('throw new IllegalStateException("not yet");', True),
    ],
)
def test_a_program_that_executes_no_job_is_no_pipeline(body: str, found: bool) -> None:
    """Where all that it does was followed: what unknown code is given the environment for is not known."""
    files = MemoryFiles({JOB: (STARTED % body).encode()})
    (entry,) = registry.discover(files, Settings()).entries
    assert (registry.extract(files, entry, Trace()) is not None) is found


POM = """<project><properties><flink.version>1.20.1</flink.version></properties><dependencies><dependency>
<groupId>org.apache.flink</groupId><artifactId>flink-clients</artifactId><version>${flink.version}</version>
</dependency></dependencies></project>"""
NO_XML = POM.replace("</properties>", "</propertes>")


def test_a_version_that_could_not_be_read_may_be_given() -> None:
    (pipeline,) = judged(*({JOB: STARTED % RUNS, "pom.xml": pom} for pom in (NO_XML, POM)))
    (finding,) = [f for f in pipeline["findings"] if f["rule"] == "edit-not-understood"]
    assert "the Flink version, which could not be read" in finding["message"]
    assert "settle it with --flink 1.20, or flink = " in finding["repair"]


def test_a_large_class_is_read_by_nobody() -> None:
    files = {path: content.decode() for path, content in files_below(EXPLAINED).items()}
    keys = "src/main/java/acme/Keys.java"
    base, head = ({**files, keys: "class Keys { } //" + digit * 3_000_000} for digit in "12")
    (pipeline,) = judged(base, head)
    assert [e["why"] for e in pipeline["account"]["edits"] if e["explanation"] == "not-understood"] == ["file"]
    assert "edit-not-understood" in {f["rule"] for f in pipeline["findings"]}
