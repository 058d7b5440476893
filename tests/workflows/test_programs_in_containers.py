"""Jobs that no main method reaches by name, as in a Spring application: said, and each edit of them is seen."""

from dataclasses import replace

import pytest

from checker.extract import registry
from checker.model.sources import MemoryFiles
from checker.model.unknowns import Unknown
from checker.settings import Settings
from checker.workflows.unreached import reaching
from tests.edits.pairs import pairs

POM = (
    "<project><dependencies><dependency><groupId>org.apache.flink</groupId>"
    "<artifactId>flink-streaming-java</artifactId><version>1.20.1</version></dependency></dependencies></project>"
)
ENVIRONMENT = "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
SPRING = "import org.springframework.stereotype.*; import org.springframework.context.annotation.*;\n"
MAIN = """package app;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
@SpringBootApplication
public class Application {
  public static void main(String[] args) { SpringApplication.run(Application.class, args); }
}
"""


def memory(files: dict[str, str]) -> MemoryFiles:
    return MemoryFiles({path: text.encode() for path, text in files.items()})


def notes(files: dict[str, str]) -> list[str]:
    found = registry.discover(memory(files), Settings())
    assert not found.entries
    return [note.location.file for note in found.notes if note.unread and note.location]


RUNNER = "app/src/main/java/app/jobs/Runner.java"
REACHING = {
    name: pair
    for name, pair in pairs("pipelines", prefixed=True).items()
    if name.startswith("started-by-a-container") and "rules" in pair.row
    for path, *_ in pair.row["edits"]
    if path.startswith("app/") and path.endswith(".java")
}


@pytest.mark.parametrize("name", REACHING)
def test_what_the_container_may_bring_into_the_job_reaches_it(name: str) -> None:
    base, head = (MemoryFiles(files) for files in REACHING[name].sides())
    reached = reaching([path for path, *_ in REACHING[name].row["edits"]], base, head)
    assert reached is None or (reached.programs and not reached.spares(RUNNER))


def _in(folder: str, head: str, files: dict[str, str]) -> dict[str, str]:
    return {f"{folder}/{name}.java": head + text for name, text in files.items()}


HEAD = f"package a;\n{ENVIRONMENT}"


def program(name: str, then: str) -> dict[str, str]:
    return {name: f"class {name} {{ void go() {{ StreamExecutionEnvironment.getExecutionEnvironment(){then}; }} }}"}


OF_A_FRAMEWORK = "package a;\nimport com.acme.Job;\nimport org.apache.flink.streaming.api.datastream.DataStream;\n"
MAIN_OF_A_FRAMEWORK = (
    "public class Main extends Job { public static void main(String[] a) { new Main().start(a); } "
    'void setup() { DataStream<Long> s = source(); s.map(x -> x).uid("u").print(); } }'
)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (_in("src/main/java/a", HEAD, program("Started", ".execute()")), ["src/main/java/a/Started.java"]),
        (_in("src/main/java/a", HEAD, program("Library", ".setParallelism(2)")), []),
        (_in("src/main/java/a", HEAD + SPRING, program("Bean", ".x()")), ["src/main/java/a/Bean.java"]),
        (_in("src/test/java/a", HEAD, program("Started", ".execute()")), []),
        (_in("src/main/java/a", OF_A_FRAMEWORK, {"Main": MAIN_OF_A_FRAMEWORK}), ["src/main/java/a/Main.java"]),
        (_in("src/main/java/a", "package a; // flink ", program("Off", ".execute()")), []),
        (
            {
                "src/main/kotlin/a/Bean.kt": f"package a\n{ENVIRONMENT}class Bean(val env: StreamExecutionEnvironment) "
                "{ fun go() = env.execute() }",
                "src/main/kotlin/a/Start.kt": "package a\nfun main() { runApplication<App>() }",
            },
            ["src/main/kotlin/a/Bean.kt"],
        ),
    ],
    ids=["started elsewhere", "a library", "a bean", "a test", "of a framework", "a comment", "Kotlin"],
)
def test_a_program_that_nothing_is_seen_to_start_is_said(files: dict[str, str], expected: list[str]) -> None:
    assert notes(files) == expected
    found = registry.discover(memory(files), Settings()).notes
    assert all(note.unread == "in Kotlin" for note in found if ".kt " in note.message)


def test_what_a_main_method_uses_is_no_program_of_its_own() -> None:
    main = {"Main": "public class Main { public static void main(String[] a) { new Started().go(); } }"}
    files = _in("src/main/java/a", HEAD, main | program("Started", ".fromData(1).print()"))
    found = registry.discover(memory(files), Settings())
    assert [entry.name for entry in found.entries] == ["Main"]
    assert not found.notes


STEPS = 'env.fromData(1).map(x -> x).uid("m" + %s).setParallelism(slots).print(); env.execute();'
CALLED = (
    "@Component public class %s implements org.springframework.boot.CommandLineRunner { int slots; "
    "public void run(String... args) throws Exception { StreamExecutionEnvironment env = "
    "StreamExecutionEnvironment.getExecutionEnvironment(); %s } }\n"
)


STARTS = (
    "SpringApplication.run(Application.class, args);",
    "SpringApplication app = new SpringApplication(Application.class); app.setHeadless(true); app.run(args);",
)


@pytest.mark.parametrize("start", STARTS)
def test_the_only_runner_of_a_container_is_read_and_what_is_set_in_it_is_unknown(start: str) -> None:
    first, second = "app/src/main/java/app/Start.java", "app/src/main/java/app/Other.java"
    runner = f"package app;\n{ENVIRONMENT}{SPRING}" + CALLED % ("Start", STEPS % "args[0]")
    main = MAIN.replace(STARTS[0], start)
    files = {"app/pom.xml": POM, "app/src/main/java/app/Application.java": main, first: runner}
    found = registry.discover(memory(files), Settings())
    assert [entry.name for entry in found.entries] == ["Application"]
    assert not found.notes
    read = registry.extract(memory(files), replace(found.entries[0], args=("x",)))
    assert read is not None
    assert read.topology is not None
    mapped = next(t for t in read.topology.transformations if t.uid is not None)
    assert mapped.uid == "mx"
    assert isinstance(mapped.parallelism, Unknown)
    assert notes({**files, second: runner.replace("Start", "Other")}) == [second, first]
    assert notes({**files, first: runner.replace("int slots;", "@PostConstruct void more() {} int slots;")}) == [first]
