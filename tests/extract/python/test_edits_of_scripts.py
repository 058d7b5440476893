"""Edits of PyFlink scripts that are not followed to their end, or whose modules set variables of others."""

import pytest

from checker.extract import python
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from tests.referees.pyflink_reading import UNCHANGED, UNDECIDED, compared

NOT_FOLLOWED = """\
import logging, sys
from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ValueStateDescriptor
log = logging.getLogger(__name__)
uids = []
class Count(KeyedProcessFunction):
    def open(self, context):
        self.count = context.get_state(ValueStateDescriptor(self.state(), Types.LONG()))
    def state(self):
        return "count"
    def process_element(self, value, ctx):
        yield from self.counted(value)
    def counted(self, value):
        self.count.update(1)
        yield value
def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    s = env.from_collection(["a"], Types.STRING())
    for uid in sys.argv[1].split(","):
        uids.append(uid)
        s = s.key_by(str, Types.STRING()).process(Count(), Types.STRING()).uid(uid)
    s.print()
    env.execute()
main()
"""
AROUND_A_LOOP = {
    "what runs with records": ("self.count.update(1)", "self.count.update(2)", UNCHANGED),
    "a log call": ("    s.print()", '    log.info("built")\n    s.print()', UNCHANGED),
    "a state's name": ('return "count"', 'return "seen"', UNDECIDED),
    "a state's type": ("Types.LONG()", "Types.INT()", UNDECIDED),
    "the loop": (".uid(uid)", ".uid(uid.upper())", UNDECIDED),
    "a list that is called as loggers are": ("uids.append(uid)", "log.append(uid)", UNDECIDED),
}  # fmt: skip


@pytest.mark.parametrize("case", AROUND_A_LOOP)
def test_only_code_that_may_build_the_graph_counts_where_a_script_is_not_followed(case: str) -> None:
    before, after, expected = AROUND_A_LOOP[case]
    assert before in NOT_FOLLOWED
    assert compared({"job.py": NOT_FOLLOWED}, {"job.py": NOT_FOLLOWED.replace(before, after)}, None) == expected


PACKAGE = {
    "job.py": """\
from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pipeline import settings
from pipeline.settings import uid

env = StreamExecutionEnvironment.get_execution_environment()
numbers = env.from_collection([(1, "a")], type_info=Types.TUPLE([Types.INT(), Types.STRING()])).uid(uid("in"))
numbers.key_by(lambda x: x[1], key_type=Types.STRING()).reduce(lambda a, b: b).uid(uid("last")).print()
env.execute()
""",
    "pipeline/__init__.py": "",
    "pipeline/settings.py": 'PREFIX = "meter"\n\n\ndef uid(name):\n    return f"{PREFIX}-{name}"\n',
}


@pytest.mark.parametrize(
    ("text", "prefix"),
    [
        ('from . import settings\n\nsettings.PREFIX = "m"\n', "m"),
        ('import pipeline.settings as chosen\n\nsetattr(chosen, "PREFIX", "m")\n', "m"),
        ('from . import settings\n\nsettings.PREFIX += "s"\n', "meters"),
        ('from . import settings\n\nsettings.OTHER = "m"\n', "meter"),
    ],
)
def test_a_module_may_set_variables_of_another_one(text: str, prefix: str) -> None:
    files = {path: content.encode() for path, content in {**PACKAGE, "pipeline/__init__.py": text}.items()}
    topology = python.extract(
        MemoryFiles(files), PipelineEntry(name="job", extract=ExtractorKind.PYTHON, file="job.py")
    )
    assert [t.uid for t in topology.transformations if t.uid] == [f"{prefix}-in", f"{prefix}-last"]
