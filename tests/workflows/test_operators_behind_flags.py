"""Operators that a program declares under conditions that are not known: both revisions meet the same conditions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workflows.deployed import MAIN, POM, errors, java
from tests.workflows.test_edits_of_script_modules import findings

PRELUDE = """ParameterTool params = ParameterTool.fromArgs(args);
    String mode = params.get("mode");
    var in = env.socketTextStream("h", 1).uid("in");
    in.print();
    """
FLAGS = {name: f'params.getBoolean("{name}", false)' for name in "abc"}


def when(condition: str, uid: str) -> str:
    return f'if ({condition}) {{ in.keyBy(s -> s).sum(0).uid("{uid}").print(); }}\n    '


A, B = when(FLAGS["a"], "first"), when(FLAGS["b"], "second")
EDITS = [
    (A, A + B, set()),
    (A, B + A, set()),
    (A, A + when(FLAGS["b"] + " && " + FLAGS["c"], "second"), set()),
    (A + B, when(FLAGS["a"], "first") + when(FLAGS["c"], "second"), {"undecided"}),
    (A, when(FLAGS["b"], "first"), {"undecided"}),
    (A, when(FLAGS["a"] + " && " + FLAGS["b"], "first"), {"undecided"}),
    (A, when("!" + FLAGS["a"], "first") + B, {"uid-renamed"}),
    (A + B, B, {"stateful-operator-removed"}),
    (when('mode.equals("a")', "first"), when('mode.equals("b")', "first"), {"undecided"}),
    (when('mode.equals("a")', "first"), when('mode.equals("b")', "first") + B, {"undecided"}),
    (when('mode.equals("a")', "first"), when('mode.equals("a")', "first") + B, set()),
]


@pytest.mark.parametrize(("before", "after", "rules"), EDITS)
def test_a_condition_that_stands_in_both_revisions_goes_one_way(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: str, after: str, rules: set[str]
) -> None:
    sides = [{"pom.xml": POM, MAIN: java(PRELUDE + body)} for body in (before, after)]
    assert errors(tmp_path, capsys, *sides) == {"Job": rules}


COPIED = """Properties given = KinesisAnalyticsRuntime.getApplicationProperties().get("Group");
    Map<String, String> map = new HashMap<>(given.size());
    given.forEach((k, v) -> map.put((String) k, (String) v));
    ParameterTool copied = ParameterTool.fromMap(map);
    """
IMPORTS = "import java.util.*;\nimport com.amazonaws.services.kinesisanalytics.runtime.KinesisAnalyticsRuntime;"
COUNT = when('copied.has("counts")', "first")


@pytest.mark.parametrize(
    ("before", "after", "rules"),
    [
        (COUNT, COUNT + "in.map(x -> x).print();", set()),
        (COUNT, COUNT.replace("copied", "!copied"), {"stateful-operator-removed"}),
        ("Group", "Others", {"undecided"}),
        ("(String) k,", "k + mode,", {"undecided"}),
    ],
)
def test_parameters_from_a_map_are_known_by_what_filled_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: str, after: str, rules: set[str]
) -> None:
    program = java(PRELUDE + COPIED + COUNT, imports=IMPORTS)
    assert before in program
    sides = [{"pom.xml": POM, MAIN: text} for text in (program, program.replace(before, after))]
    assert errors(tmp_path, capsys, *sides) == {"Job": rules}


def test_what_shapes_do_not_depend_on_is_not_what_decides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    checked = 'if (!"on".equals(mode) && !"off".equals(mode)) { throw new IllegalArgumentException(mode); }\n    '
    checked += 'if ("on".equals(mode)) { env.enableCheckpointing(1000); }\n    '
    sides = [{"pom.xml": POM, MAIN: java(PRELUDE + checked + body)} for body in (A, when(FLAGS["b"], "first"))]
    assert errors(tmp_path, capsys, *sides) == {"Job": {"undecided"}}


SCRIPT = """import os
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
stream = env.from_collection([1]).uid("in")
stream.print()
{body}
env.execute()
"""


def if_set(condition: str, uid: str) -> str:
    return f'if {condition}:\n    stream.key_by(lambda x: x).reduce(lambda a, b: a).uid("{uid}").print()\n'


P, Q = if_set('os.getenv("A") == "1"', "first"), if_set('os.getenv("B") == "1"', "second")


@pytest.mark.parametrize(
    ("before", "after", "rules"),
    [
        (P, P + Q, set()),
        (P, Q + P, set()),
        (P, if_set('os.getenv("B") == "1"', "first"), {"undecided"}),
        (P, if_set('os.getenv("A") == "2"', "first") + Q, {"undecided"}),
        (P, if_set('not os.getenv("A") == "1"', "first") + Q, {"undecided"}),
        (P + Q, Q, {"stateful-operator-removed"}),
    ],
)
def test_so_do_conditions_of_scripts(before: str, after: str, rules: set[str]) -> None:
    sides = [{"job.py": SCRIPT.replace("{body}", body)} for body in (before, after)]
    assert {found["rule"] for found in findings(*sides) if found["severity"] == "error"} == rules
