"""Values given by name: who asks for a name knows them; a program that goes through its arguments itself does not."""

from pathlib import Path

import pytest

from checker.model.pipelines import with_values
from tests.workflows.deployed import BY_ARGUMENT, MAIN, POM, errors, java, manifest, with_uid

DEFAULTS = ("--assume", "defaults", "--arg", "uid=b")
LOOP = """String uid = "a";
    for (int i = 0; i + 1 < args.length; i++) { if (args[i].equals("--uid")) uid = args[i + 1]; }
    """
MAP = """java.util.Map<String, String> m = new java.util.HashMap<>();
    for (String s : args) { String[] parts = s.split("="); m.put(parts[0], parts[1]); }
    String uid = m.getOrDefault("uid", "a");
    """
INDEX = 'String uid = args.length > 0 ? args[0] : "a"; '
CLI = """Options o = new Options(); o.addOption("u", "uid", true, "x"); o.addOption("l", "log", true, "x");
    CommandLine l = new DefaultParser().parse(o, args);
    String uid = l.getOptionValue("uid", "a") + l.getOptionValue("log", "c"); """
SCRIPT = """\
import argparse
import sys
from pyflink.datastream import StreamExecutionEnvironment
uid = "a"
BODY
env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1]).key_by(lambda x: x).reduce(lambda a, b: a).uid(uid).print().uid("out")
env.execute()
"""
PARSED = """\
p = argparse.ArgumentParser()
p.add_argument("--uid", default="a")
p.add_argument("--other", default="x")
a, _ = p.parse_known_args(sys.argv[1:])
uid = a.uid + a.other"""
SEARCHED = """\
for place, argument in enumerate(sys.argv):
    if argument == "--uid":
        uid = sys.argv[place + 1]"""


def program(body: str) -> dict[str, str]:
    return {"pom.xml": POM, MAIN: java(body + with_uid("uid"), imports="import org.apache.commons.cli.*;")}


def script(body: str) -> dict[str, str]:
    return {"requirements.txt": "apache-flink==1.20.0\n", "job.py": SCRIPT.replace("BODY", body)}


@pytest.mark.parametrize(
    ("files", "path", "before", "after"),
    [
        (program(LOOP), MAIN, '"--uid"', '"--id"'),
        (program(MAP), MAIN, 'Default("uid"', 'Default("id"'),
        (program(INDEX), MAIN, "? args[0]", '? args[0] + "x"'),
        (program(CLI), MAIN, '"c"', '"d"'),
        (script(SEARCHED), "job.py", '"--uid"', '"--id"'),
        (script(PARSED), "job.py", 'default="x"', 'default="y"'),
    ],
)
def test_what_becomes_of_an_argument_that_is_given_by_name_counts(
    files: dict[str, str],
    path: str,
    before: str,
    after: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = errors(tmp_path, capsys, files, {path: files[path].replace(before, after)}, *DEFAULTS)
    assert set().union(*found.values())


@pytest.mark.parametrize(
    ("files", "path", "before", "after"),
    [
        (program(LOOP), MAIN, "env.execute();", "env.execute(); // done"),
        (program(CLI), MAIN, '"a"', '"z"'),
        (BY_ARGUMENT, MAIN, '"none"', '"nothing"'),
        (script(SEARCHED), "job.py", "env.execute()", "env.execute()  # done"),
        (script(PARSED), "job.py", 'default="a"', 'default="z"'),
    ],
)
def test_default_of_what_is_given_by_name_does_not_count(
    files: dict[str, str],
    path: str,
    before: str,
    after: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = errors(tmp_path, capsys, files, {path: files[path].replace(before, after)}, *DEFAULTS)
    assert set().union(*found.values()) == set()


def test_element_of_the_arguments_is_given_by_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--assume", "defaults", "--arg", "args[0]=b")
    always = 'String uid = args[0] + "SUFFIX"; '
    renamed = {MAIN: program(always.replace("SUFFIX", "2"))[MAIN]}
    assert errors(tmp_path / "r", capsys, program(always), renamed, *options) == {"Job": {"uid-renamed"}}


def test_values_by_name_replace_the_texts_of_a_deployment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {**program(LOOP), "a.yaml": manifest(args='["--uid", "a", "--log", "x"]')}
    edited = {MAIN: program(LOOP.replace("args[i + 1]", 'args[i + 1].equals("b") ? "c" : "a"'))[MAIN]}
    assert errors(tmp_path / "r", capsys, files, edited, "--arg", "uid=b") == {"Job": {"uid-renamed"}}


def test_only_whole_names_are_replaced() -> None:
    args = ("--uid", "a", "-uid=a", "uid=a", "--uid2", "a", "--uid")
    assert with_values(args, [("uid", "b")]) == ("--uid", "b", "-uid=b", "uid=b", "--uid2", "a", "--uid")
    assert with_values(("--uid", "--x"), [("uid", "b")]) == ("--uid", "--x")
