"""Unknown values before and after an edit: what a script makes differently is never taken for the same."""

import pytest

from checker.compare import compare_pipelines
from checker.extract import python
from checker.flink import translate
from checker.model.findings import Verdict
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.topology import Mode, Transformation
from checker.model.translation import Translation
from checker.model.unknowns import Cause, Unknown
from tests.extract.python.record_pyflink import programs
from tests.extract.python.test_recorded_pyflink import TRUTH, entry_of, files_of
from tests.extract.tables import made_differently

SCRIPT = """
import argparse, functools, importlib, json, os, sys
import configparser, lib, lib.config, omegaconf
from pathlib import Path
from pyflink.common import Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.number_seq import NumberSequenceSource
from pyflink.table import StreamTableEnvironment
import steps
PREFIX = "sum"
class Settings:
    def __init__(self, name): self.name = name
    def uid(self): return f"{self.name}-{os.environ['A']}"
def named(text):
    return PREFIX + "-" + text
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
parser = argparse.ArgumentParser()
SETUP
numbers = env.from_source(NumberSequenceSource(1, 9), WatermarkStrategy.no_watermarks(), "Numbers").uid("numbers")
numbers.key_by(lambda x: x).reduce(lambda a, b: a + b).name("sums").uid(UID).disable_chaining().print().uid("out")
env.execute()
"""


def read(uid: str, setup: str = "", prefix: str = "sum", **others: str) -> Translation:
    job = SCRIPT.replace("UID", uid).replace("SETUP", setup).replace('PREFIX = "sum"', f'PREFIX = "{prefix}"')
    files = {"job.py": job.encode(), "steps.py": b""}
    files |= {name.replace("_", "."): text.encode() for name, text in others.items()}
    entry = PipelineEntry(
        name="job", extract=ExtractorKind.PYTHON, main="job.py", file="job.py", flink="1.20", parallelism=2,
        discovered=True,
    )  # fmt: skip
    return translate(python.extract(MemoryFiles(files), entry))


def sums(translation: Translation) -> Transformation:
    (found,) = [t for t in translation.topology.transformations if isinstance(t.name, str) and "sums" in t.name]
    return found


def verdict_on_sums(base: Translation, head: Translation) -> Verdict:
    found = compare_pipelines("job", base, head)
    (row,) = [r for r in found.operators if r.base is not None and "sums" in r.base.name]
    return row.verdicts[0].verdict


def stays(base: Translation, head: Translation) -> bool:
    return verdict_on_sums(base, head) is Verdict.RESTORES and not compare_pipelines("job", base, head).undecided


def open_or_lost(base: Translation, head: Translation) -> bool:
    if verdict_on_sums(base, head) in (Verdict.UNDECIDED, Verdict.FAILS):
        return True
    return bool(compare_pipelines("job", base, head).undecided)


EDITS = [(edit["before"], edit["after"]) for edit in made_differently("uids of a script")]


@pytest.mark.parametrize(("before", "after"), EDITS)
def test_an_unknown_uid_that_is_made_differently_is_undecided(before: str, after: str) -> None:
    base = read(before)
    assert isinstance(sums(base).uid, Unknown)
    assert stays(base, read(before))
    assert open_or_lost(base, read(after))


@pytest.mark.parametrize("uid", [before for before, _ in EDITS if "lambda" not in before and "for x" not in before])
def test_an_edit_that_has_no_part_in_it_changes_nothing(uid: str) -> None:
    assert stays(read(uid), read(uid, "unrelated = 1  # a comment\nlib.log('x') if False else None"))


def test_what_a_logger_is_told_has_no_part_in_it() -> None:
    setup = "import logging\nlog = logging.getLogger('job')\nparser.add_argument('--a')\nargs = parser.parse_args()\n"
    logged = (f"{setup}log.info(f'of {{args.a}}')\nlog.info('{text}')" for text in "ab")
    assert stays(*(read("args.a + '-m'", each) for each in logged))


@pytest.mark.parametrize("edit", made_differently("statements of a script"), ids=lambda edit: edit["after"])
def test_statements_that_go_into_it_count(edit: dict[str, str]) -> None:
    base = read(edit["uid"], edit["before"])
    assert stays(base, read(edit["uid"], edit["before"]))
    assert open_or_lost(base, read(edit["uid"], edit["after"]))


@pytest.mark.parametrize(("folder", "stays_alike"), [("/opt/flink/lib", True), ("conf", False), (".", False)])
def test_what_lies_in_a_folder_of_the_machine_rests_on_no_file_of_the_repository(
    folder: str, stays_alike: bool
) -> None:
    uid = f"','.join(os.listdir('{folder}'))"
    base, head = (read(uid, conf_json=content) for content in ("{}", "[]"))
    assert stays(base, head) is stays_alike


@pytest.mark.parametrize("uid", ["kind + '-uid'", "kind.upper()", "'{}'.format(kind)", "lib.of(kind)", "f'{kind}x'"])
def test_what_is_made_of_one_of_a_few_is_none_of_these(uid: str) -> None:
    found = sums(read(uid, "kind = 'a' if sys.argv[1] == 'x' else 'b'")).uid
    assert isinstance(found, Unknown)
    assert found.options == ()


def test_one_of_a_few_keeps_them() -> None:
    found = sums(read("named(kind)", "kind = 'a' if sys.argv[1] == 'x' else 'b'\ndef named(kind): return kind")).uid
    assert isinstance(found, Unknown)
    assert found.options == ("a", "b")


@pytest.mark.parametrize(("changed", "stays_alike"), [("other_json", True), ("conf_json", False)])
@pytest.mark.parametrize(
    "path",
    [
        "path = 'conf.json' if sys.argv[1] == 'x' else '/etc/conf.json'",
        "path = '/etc/conf.json'\nif sys.argv[1] == 'x':\n    path = 'conf.json'",
    ],
)
def test_a_file_of_a_few_names_is_none_of_another_name(changed: str, stays_alike: bool, path: str) -> None:
    setup = f"{path}\nconf = json.load(open(path))"
    base, head = (
        read("conf['a']", setup, **{"conf_json": "{}", "other_json": "{}", changed: json_text}) for json_text in "[{"
    )
    assert stays(base, head) is stays_alike


def test_a_constant_that_goes_into_it_counts() -> None:
    base, head = read("named(sys.argv[1])"), read("named(sys.argv[1])", prefix="total")
    assert verdict_on_sums(base, head) is Verdict.UNDECIDED
    reasons = {u.reason for u in compare_pipelines("job", base, head).undecided}
    assert any("'sum-'" in reason and "'total-'" in reason for reason in reasons)


@pytest.mark.parametrize(
    ("uid", "name"),
    [
        ("getattr(steps, sys.argv[1])()", "steps_py"),
        ("importlib.import_module(sys.argv[1]).uid()", "steps_py"),
        ("__import__(sys.argv[1]).uid()", "steps_py"),
        ("importlib.import_module(sys.argv[1]).uid()", "others_py"),
        ("omegaconf.OmegaConf.load('conf.yaml').uid", "conf_yaml"),
        ("omegaconf.OmegaConf.load(sys.argv[1]).uid", "conf_yaml"),
        ("json.load(open(sys.argv[1]))['uid']", "conf_json"),
        ("open('a.txt').readlines()[0]", "a_txt"),
        ("Path(sys.argv[1]).read_text()", "a_txt"),
        ("(Path(__file__).parent / sys.argv[1]).read_text()", "a_txt"),
    ],
)
def test_files_that_may_decide_count(uid: str, name: str) -> None:
    text = "def uid(): return 'x'" if name.endswith("py") else "x"
    base = read(uid, **{name: text})
    assert stays(base, read(uid, **{name: text}))
    assert open_or_lost(base, read(uid, **{name: text.replace("x", "y")}))
    assert name.replace("_", ".") in base.topology.files


def test_what_is_looked_up_by_name_is_told_as_that() -> None:
    for uid in ("getattr(steps, sys.argv[1])", "importlib.import_module(sys.argv[1]).UID"):
        unknown = sums(read(uid)).uid
        assert isinstance(unknown, Unknown)
        assert unknown.cause is Cause.REFLECTION


TABLES = "t = StreamTableEnvironment.create(env)\nt.to_data_stream(t.sql_query(QUERY)).print().uid('rows')"


@pytest.mark.parametrize("query", ["'SELECT a FROM t'", "open('q.sql').read()", "Path('q.sql').read_text()"])
def test_a_query_is_part_of_what_the_planner_makes(query: str) -> None:
    def read_text(text: str) -> Translation:
        return read("'sum'", TABLES.replace("QUERY", query.replace("SELECT a", text)), q_sql=f"{text} FROM t")

    assert not compare_pipelines("job", read_text("SELECT a"), read_text("SELECT a")).undecided
    assert compare_pipelines("job", read_text("SELECT a"), read_text("SELECT b")).undecided


@pytest.mark.parametrize(
    "setup",
    [
        "lib.build(env, 'a')",
        "exec(\"print('a')\")",
        "for x in sys.argv: env.from_collection([x]).print().uid('a' + x)",
        "while sys.argv: steps.a(env)\nx = 'a'",
    ],
)
def test_a_script_that_was_not_followed_to_its_end_is_undecided_after_any_edit(setup: str) -> None:
    base = read("'sum'", setup)
    assert not compare_pipelines("job", base, read("'sum'", setup)).undecided
    assert compare_pipelines("job", base, read("'sum'", setup.replace("'a'", "'b'"))).undecided
    assert compare_pipelines("job", base, read("'total'", setup)).undecided


def test_modules_and_files_behind_the_place_where_it_stops_count() -> None:
    def stopped(module: str, query: str) -> Translation:
        setup = "lib.build(env)\ndef f():\n  from below import g\n  g(open('sql/' + 'q.sql'))"
        return read("'sum'", setup, below_py=module, q_sql=query)

    base = stopped("def g(x): pass", "SELECT 1")
    assert not compare_pipelines("job", base, stopped("def g(x): pass", "SELECT 1")).undecided
    assert compare_pipelines("job", base, stopped("def g(x): return x", "SELECT 1")).undecided
    assert compare_pipelines("job", base, stopped("def g(x): pass", "SELECT 2")).undecided


BRANCH = "if TEST:\n  env.from_collection([1]).uid('more').print().uid('rows')"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("os.environ.get('A')", "os.environ.get('B')"),
        ("os.environ.get('A') == 'x'", "os.environ.get('A') == 'y'"),
        ("os.environ.get('A') == 'x' * 90", "os.environ.get('A') == 'x' * 90 + 'y'"),
        ("lib.wants('a')", "lib.wants('b')"),
        ("steps.A in sys.argv", "steps.B in sys.argv"),
    ],
)
def test_a_condition_ties_two_shapes_only_if_it_is_the_same(before: str, after: str) -> None:
    code = "A = 'a'\nB = 'b'"
    base = read("'sum'", BRANCH.replace("TEST", before), steps_py=code)
    assert not compare_pipelines("job", base, read("'sum'", BRANCH.replace("TEST", before), steps_py=code)).undecided
    assert compare_pipelines("job", base, read("'sum'", BRANCH.replace("TEST", after), steps_py=code)).undecided


def test_an_unknown_parallelism_counts_like_a_uid() -> None:
    def with_parallelism(number: str) -> Translation:
        return read("'sum'", f"env.set_parallelism({number})")

    base = with_parallelism("int(sys.argv[1])")
    assert not compare_pipelines("job", base, with_parallelism("int(sys.argv[1])")).undecided
    assert derived_from(base) != derived_from(with_parallelism("int(sys.argv[1]) * 2"))


def derived_from(translation: Translation) -> set[object]:
    found = {t.parallelism for t in translation.topology.transformations}
    return {value.derived_from for value in found if isinstance(value, Unknown)}


@pytest.mark.parametrize("script", sorted(programs()))
def test_every_recorded_script_without_its_arguments_is_what_it_was(script: str) -> None:
    files, main = files_of(programs()[script])
    for place in range(len(TRUTH["1.20.5"][script]["jobs"])):
        entry = entry_of(script, main, "1.20.5", place)
        entry = entry.__class__(**{**{f: getattr(entry, f) for f in entry.__slots__}, "args": (), "discovered": True})
        base, head = (translate(python.extract(files, entry)) for _ in range(2))
        assert not compare_pipelines(script, base, head).undecided


def test_comments_and_layout_are_no_edits() -> None:
    assert stays(read("uid()", "@lib.retry\ndef uid(): return 'a'"),
                 read("uid()", "@lib.retry  # again\ndef uid():\n\n    return ('a')"))  # fmt: skip


@pytest.mark.parametrize("source", ["lib.source(os.environ['A'])", "NumberSequenceSource(1, 5)"])
def test_whether_a_job_ends_depends_on_its_sources_only(source: str) -> None:
    def automatic(source: str, more: str = "") -> Translation:
        setup = f"env.set_runtime_mode(RuntimeExecutionMode.AUTOMATIC)\nenv.from_source({source}, None, 's').print()"
        return read("'sum'", f"from pyflink.datastream import RuntimeExecutionMode\n{setup}\n{more}")

    base = automatic(source)
    assert not compare_pipelines("job", base, automatic(source, "unrelated = 1")).undecided
    assert compare_pipelines("job", base, automatic("NumberSequenceSource(1, 6)")).undecided


@pytest.mark.parametrize(
    ("source", "known"),
    [
        ("add_source(FlinkKafkaConsumer('a', None, {}))", True),
        ("from_source(KafkaSource.builder().build(), None, 's')", False),
    ],
)
def test_a_source_function_makes_a_job_a_streaming_one(source: str, known: bool) -> None:
    made = read("'sum'", "from pyflink.datastream import RuntimeExecutionMode\n"
                "from pyflink.datastream.connectors.kafka import FlinkKafkaConsumer, KafkaSource\n"
                f"env.set_runtime_mode(RuntimeExecutionMode.AUTOMATIC)\nenv.{source}.print()")  # fmt: skip
    assert (made.topology.mode is Mode.STREAMING) is known


def test_shapes_that_split_anew_are_all_compared() -> None:
    setup = """
flag = []
def extra(): BODY
if os.environ.get('A'):
    flag.append(1)
    env.from_collection([1]).uid('more').print().uid('rows')
if os.environ.get('B'):
    extra()
"""

    def with_body(body: str) -> Translation:
        return read("'lost' if len(flag) == 2 else 'sum'", setup.replace("BODY", body))

    base = with_body("pass")
    assert not compare_pipelines("job", base, with_body("pass")).undecided
    assert open_or_lost(base, with_body("flag.append(1)"))


@pytest.mark.parametrize(
    "uid",
    [
        "'one' if 'x' in [sys.argv[1]] else 'two'",
        "'one' if [sys.argv[1]] == ['x'] else 'two'",
        "'%s-%s' % ('a', sys.argv[1])",
        "str([sys.argv[1]].index('x'))",
        "str([sys.argv[1]])",
    ],
)
def test_an_unknown_value_in_a_collection_is_no_other_value(uid: str) -> None:
    found = sums(read(uid)).uid
    assert isinstance(found, Unknown)
    assert found.cause is Cause.ARGUMENT
