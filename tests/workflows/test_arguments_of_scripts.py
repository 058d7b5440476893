"""Arguments and variables of PyFlink scripts: those that a start needs anew, and defaults that say what is read."""

from __future__ import annotations

import pytest

from tests.workflows.test_edits_of_script_modules import findings

JOB = """\
import argparse, os, sys
from pyflink.common import WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaSource
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--topic", default="orders")
    parser.add_argument("--host", required=True)
    # an option
    args = parser.parse_args()
    prefix = os.environ["PREFIX"]
    mode = os.environ.get("MODE", "full")
    first = sys.argv[1]
    # more
    topic = args.topic
    env = StreamExecutionEnvironment.get_execution_environment()
    source = KafkaSource.builder().set_topics(topic).build()
    lines = env.from_source(source, WatermarkStrategy.no_watermarks(), "lines").uid("lines")
    lines.key_by(lambda x: x).reduce(lambda a, b: a + b).uid("sum").print()
    env.execute()
main()
"""
MORE, OPTION, TOPIC = "# more", "# an option", "topic = args.topic"


def found(before: str, after: str, base: str = JOB) -> list[tuple[str, str]]:
    assert before in base
    edited = findings({"job.py": base}, {"job.py": base.replace(before, after)})
    return [(f["rule"], f["message"].partition(",")[0]) for f in edited]


@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        (OPTION, 'parser.add_argument("--region", required=True)', "--region"),
        (OPTION, 'parser.add_argument("region")', "argument 1"),
        ('default="orders"', "required=True", "--topic"),
        ('"--host"', '"--hostname"', "--hostname"),
        (MORE, 'region = os.environ["REGION"]', "REGION"),
        (MORE, 'days = int(os.getenv("DAYS"))', "DAYS"),
        (MORE, 'region = os.getenv("REGION")\n    if not region:\n        sys.exit("REGION is missing")', "REGION"),
        (MORE, "if 'REGION' not in os.environ:\n        raise ValueError('REGION')", "REGION"),
        (MORE, "region = sys.argv[2]", "sys.argv[2]"),
        ('os.environ.get("MODE", "full")', 'os.environ["MODE"]', "MODE"),
    ],
)
def test_what_a_start_needs_anew(before: str, after: str, name: str) -> None:
    assert found(before, after) == [("argument-needed", f"the program now needs '{name}'")]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (OPTION, 'parser.add_argument("--region")'),
        (OPTION, 'parser.add_argument("region", nargs="?")'),
        (MORE, 'region = os.environ.get("REGION")'),
        (MORE, 'try:\n        region = os.environ["REGION"]\n    except KeyError:\n        region = "eu"'),
        (MORE, 'region = os.environ["REGION"] if "REGION" in os.environ else "eu"'),
        (MORE, 'print(os.environ["PREFIX"])'),
        ("first = sys.argv[1]", "given = sys.argv[1:]\n    first = given[0]"),
        ("first = sys.argv[1]", 'first = sys.argv[1] if len(sys.argv) > 1 else "x"'),
    ],
)
def test_what_a_start_can_do_without(before: str, after: str) -> None:
    assert found(before, after) == []


@pytest.mark.parametrize(
    ("topic", "written"),
    [
        (TOPIC, 'topic = os.environ.get("TOPIC", "{}")'),
        (TOPIC, 'topic = os.getenv("TOPIC") or "{}"'),
        (TOPIC, 'topic = "shop-" + os.environ.get("TOPIC", "{}")'),
        ('"--topic", default="orders"', '"--topic", default="{}"'),
    ],
)
def test_what_a_source_reads_by_default(topic: str, written: str) -> None:
    base = JOB.replace(topic, written.format("orders"))
    assert [rule for rule, _ in found('"orders"', '"payments"', base)] == ["meaning-changed"]
    assert found('"full"', '"part"', base) == []
