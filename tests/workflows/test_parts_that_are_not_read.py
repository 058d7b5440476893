"""Parts of a program that are not read: what they may use counts, and what nothing of them can name does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workflows.deployed import POM, errors, java

FOLDER = "src/main/java/"
STEP = (
    'env.fromSequence(0, 9).uid("in").keyBy(x -> x % 5).reduce((a, b) -> a + Maths.one()).uid("n").print().uid("out");'
)
MATHS = "public class Maths {\n  static int one() { return 1; }\n}\n"
OF_LIBRARY = {
    "pom.xml": POM,
    FOLDER + "Maths.java": MATHS,
    FOLDER + "Job.java": java(STEP).replace("StreamExecutionEnvironment.getExec", "com.vendor.Environments.getExec"),
}
SPRING = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ApplicationContext;
@SpringBootApplication
public class Job implements CommandLineRunner {
  private final ApplicationContext context;
  public Job(ApplicationContext context) { this.context = context; }
  public static void main(String[] args) { SpringApplication.run(Job.class, args); }
  public void run(String... args) throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    ((Part) context.getBean(args[0])).build(env);
    env.execute("job");
  }
}
"""
PART = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
@org.springframework.stereotype.Component
public class Orders implements Part {
  public void build(StreamExecutionEnvironment env) {
    %s
  }
}
"""
HEALTH = """@org.springframework.stereotype.Service
public class Health {
  public String status() { return "up " + System.nanoTime(); }
}
"""
OF_SPRING = {
    "pom.xml": POM,
    FOLDER + "Job.java": SPRING,
    FOLDER + "Part.java": "public interface Part {\n  void build("
    "org.apache.flink.streaming.api.environment.StreamExecutionEnvironment env);\n}\n",
    FOLDER + "Orders.java": PART % STEP,
    FOLDER + "Health.java": HEALTH,
    FOLDER + "Maths.java": MATHS,
}
UNPARSED = {
    "requirements.txt": "apache-flink==1.20.1\n",
    "job.py": """from pyflink.datastream import StreamExecutionEnvironment
from maths import one

def main(:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_collection([1]).uid("in").key_by(lambda v: v).reduce(lambda a, b: a + b).uid("n").print().uid("out")
    env.execute()
""",
    "maths.py": "def one():\n    return 1\n",
    "tool.py": "def two():\n    return 2\n",
}
STOPPED = {
    "requirements.txt": "apache-flink==1.20.1\n",
    "job.py": """from vendor import Enricher
from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
enricher = Enricher.of(env)
numbers = env.from_collection([1])
out = enricher.apply(numbers, key=lambda v: v.a).to_stream()
out.print()
env.execute()
""",
}
"""A script that hands its environment to a library, and what that makes of it on later lines."""


@pytest.mark.parametrize(
    ("files", "path", "before", "after", "fails"),
    [
        (OF_LIBRARY, FOLDER + "Job.java", '"n"', '"m"', True),
        (OF_LIBRARY, FOLDER + "Job.java", "x % 5", "x % 7", True),
        (OF_LIBRARY, FOLDER + "Maths.java", "return 1", "return 2", False),
        (OF_SPRING, FOLDER + "Orders.java", '"n"', '"m"', True),
        (OF_SPRING, FOLDER + "Health.java", "up", "well", False),
        (UNPARSED, "job.py", '"n"', '"m"', True),
        (UNPARSED, "maths.py", "return 1", "return 3", True),
        (UNPARSED, "tool.py", "return 2", "return 3", False),
        (STOPPED, "job.py", "lambda v: v.a", "lambda v: v.b", True),
        (STOPPED, "job.py", "out.print()", "out.print()  # seen", False),
    ],
)
def test_edits_beside_and_inside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], files: dict[str, str], path: str, before: str, after: str,
    fails: bool,
) -> None:  # fmt: skip
    assert before in files[path]
    found = errors(tmp_path, capsys, files, {path: files[path].replace(before, after)})
    assert any(found.values()) is fails
