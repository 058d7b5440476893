"""Command lines of commons-cli, JCommander, picocli and args4j: options are arguments with names and defaults.

Recorded are answers of commons-cli 1.9.0, JCommander 1.71, picocli 4.7.7 and args4j 2.33. What our readers answer must
be theirs; what they leave open is fine, but not for everything.
"""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from checker.extract import registry
from checker.extract.java.interpreter.plugins import commons_cli
from checker.extract.java.machine.call_record import Call, Site
from checker.extract.java.machine.values import ExternalObject, ListValue, string
from checker.extract.java.syntax.class_index import External
from checker.model.pipelines import Extracted
from checker.model.sources import MemoryFiles
from checker.model.unknowns import Unknown
from checker.settings import parse_settings
from checker.workflows.check.environments import deployed_entries

RECORDED = json.loads((Path(__file__).parents[2] / "data" / "java" / "command_lines.json").read_text())


def declared(short: str | None, long: str | None = None, many: int = 0, *, required: bool = False) -> Any:
    made = commons_cli.OptionValue(short, long, many)
    made.required = required
    return made


OPTIONS = commons_cli.OptionsValue()
OPTIONS.members = (
    declared("p", "parallelism", 1), declared("n", "name", 1, required=True), declared("v"), declared(None, "dry-run"),
    declared("t", "topics", 1), declared("m", "many", 2),
)  # fmt: skip
ASKED = ("p", "parallelism", "n", "name", "v", "dry-run", "t", "topics", "m", "zz")
ENTRY = SimpleNamespace(arguments_assumed=False, arguments_by_name=False, values=(), unset=())
RUN: Any = SimpleNamespace(entry=ENTRY, location=lambda site: None, may_throw_any=lambda *of: None)


def answer(given: list[str]) -> Any:
    """What our model answers in the recording's spelling, None where it leaves the answer open."""

    def called(receiver: Any, name: str, *arguments: Any) -> Any:
        return commons_cli.call(RUN, receiver, Call(name, arguments, Site(None, None)))  # type: ignore[arg-type]

    parser = ExternalObject(External(("org.apache.commons.cli.DefaultParser",)))
    line = called(parser, "parse", OPTIONS, ListValue(tuple(map(string, given))))
    assert isinstance(line, commons_cli.LineValue)
    if line.rest is None:
        return None
    forms = (("hasOption",), ("getOptionValue",), ("getOptionValue", string("dd")))
    asked = [[called(line, name, string(key), *more).value for name, *more in forms] for key in ASKED]
    return [*asked, [*line.rest]]


@pytest.mark.parametrize("case", RECORDED["commons-cli"], ids=lambda c: " ".join(c["given"]) or "nothing")
def test_commons_cli(case: dict[str, Any]) -> None:
    ours = answer(case["given"])
    assert ours is None or ours == case["answer"]


def test_few_command_lines_are_left_open() -> None:
    accepted = [c for c in RECORDED["commons-cli"] if isinstance(c["answer"], list)]
    assert len([c for c in accepted if answer(c["given"]) is None]) <= len(accepted) * 3 // 4


HEAD = "import java.util.*;\nimport org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"
JOB = """
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromElements(1).map(x -> x).uid(UID).setParallelism(SLOTS).print();
    env.execute();
"""
COMMONS = (
    HEAD
    + """import org.apache.commons.cli.*;
public class Job {
  private static final Option SLOTS = new Option("s", "slots", true, "how many");
  public static void main(String[] args) throws Exception {
    Options options = new Options().addOption(SLOTS);
    options.addOption(Option.builder("u").longOpt("uid").hasArg().required().desc("its name").build());
    options.addOption("v", "verbose", false, "");
    CommandLine line = null;
    try {
      line = new DefaultParser().parse(options, args);
    } catch (ParseException e) {
      new HelpFormatter().printHelp("job", options);
      System.exit(1);
    }
    if (line.hasOption("verbose")) System.out.println("verbose");
"""
    + JOB.replace("UID", 'line.getOptionValue("uid")').replace(
        "SLOTS", 'Integer.parseInt(line.getOptionValue(SLOTS.getOpt(), "3"))'
    )
    + "}}"
)


PROGRAMS = {"commons-cli": COMMONS}


def extracted(text: str, **configured: Any) -> Extracted:
    files = MemoryFiles({"src/main/java/Job.java": text.encode()})
    settings = parse_settings({"flink": "1.20", "parallelism": 1, **configured}, "here")
    (entry,) = deployed_entries(registry.discover(files, settings).entries, files, settings)
    found = registry.extract(files, entry)
    assert found is not None
    return found


def uid_and_slots(text: str, **configured: Any) -> tuple[Any, Any]:
    topology = extracted(text, **configured).topology
    assert topology is not None
    (mapped,) = [t for t in topology.transformations if t.id.endswith("map") or t.uid]
    return mapped.uid, mapped.parallelism


def deployed(*args: str) -> dict[str, Any]:
    return {"deployment": [{"pipeline": "Job", "args": list(args)}]}


@pytest.mark.parametrize("name", PROGRAMS)
def test_options_are_named(name: str) -> None:
    text = PROGRAMS[name]
    uid, slots = uid_and_slots(text)
    assert isinstance(uid, Unknown)
    assert isinstance(slots, Unknown)
    assert (uid.settled_by, slots.settled_by) == ("--arg uid=VALUE", "--arg slots=VALUE")
    assert uid_and_slots(text, values={"uid": "a", "s": "5"}) == ("a", 5)
    uid, slots = uid_and_slots(text, assume=["defaults"])
    assert isinstance(uid, Unknown)
    assert slots == 3
    assert uid_and_slots(text, unset=["slots"], values={"uid": "a"}) == ("a", 3)


@pytest.mark.parametrize(
    "branch",
    [
        'if (Library.asked()) options.addOption("w", "wide", false, "");',
        "if (Library.asked()) options.addOption(Library.option());",
        "if (Library.asked()) SLOTS.setArgs(2);",
    ],
)
def test_options_that_an_unknown_condition_adds_are_not_known(branch: str) -> None:
    text = COMMONS.replace("    CommandLine line", f"    {branch}\n    CommandLine line")
    uid, slots = uid_and_slots(text, **deployed("--uid", "a", "-s", "5"))
    assert isinstance(uid, Unknown)
    assert isinstance(slots, Unknown)


@pytest.mark.parametrize("call", ['SLOTS.setLongOpt("spread")', "SLOTS.setLongOpt(null)"])
def test_a_name_that_an_unknown_condition_gives_an_option_is_not_known(call: str) -> None:
    text = COMMONS.replace("    CommandLine line", f"    if (Library.asked()) {call};\n    CommandLine line")
    found = extracted(text, **deployed("--uid", "a", "-s", "5"))
    topology = found.topology
    assert topology is None or any(isinstance(t.uid, Unknown) for t in topology.transformations)


@pytest.mark.parametrize("name", PROGRAMS)
def test_arguments_of_a_deployment_are_read(name: str) -> None:
    text = PROGRAMS[name]
    assert uid_and_slots(text, **deployed("--uid", "a", "-s", "5")) == ("a", 5)
    assert uid_and_slots(text, **deployed("--uid", "a")) == ("a", 3)


@pytest.mark.parametrize("name", PROGRAMS)
def test_refused_arguments_leave_it_open(name: str) -> None:
    uid, _ = uid_and_slots(PROGRAMS[name], **deployed("-s", "5"))
    assert isinstance(uid, Unknown)
