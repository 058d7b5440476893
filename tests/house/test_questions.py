"""The map answers a stranger's questions: the first line that speaks of a thing names the place that decides it.

The questions were written before anybody looked for the answers. A reader searches the map for the words of the
question; the first line that has them names a file, or the folder of it, and the symbol stands in that file.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINES = (ROOT / "ARCHITECTURE.md").read_text().splitlines()
QUESTIONS = [
    ("Where is decided what a uid is hashed to?", "hashed", "flink/operator_ids.py", "def operator_id"),
    ("Where is decided whether an operator chains to its input?", "chain", "flink/chaining.py", "ChainDecision"),
    ("Where is decided that a POJO with a new field still fits?", "compatible", "compare/fit/classes.py", "def fit_of"),
    ("Where is decided that a pipeline was renamed?", "renamed", "workflows/check/pairing.py", "def follow_renames"),
    ("Where is decided that Flink refuses a savepoint's metadata version?", "start from",
     "compare/restore/initialization.py", "METADATA_VERSION"),
    ("Where is decided which arguments a deployment passes?", "arguments", "extract/deployments/matching.py",
     "def with_deployment"),
    ("Where is decided that a suppression has expired?", "suppress", "rules/suppressions.py", "expires"),
    ("Where is decided what an executor of Spark is sent?", "executor", "workflows/carried_files.py", "def pack"),
    ("Where is decided when the exit code is 1?", "exit code", "report/check/document.py", '"blocking"'),
    ("Where is decided what `repair --add-uids` calls an operator?", "uids", "repair/repairs.py", "def readable_name"),
    ("Where is decided what a serializer snapshot's bytes mean?", "savepoint hold", "savepoint/serializer_snapshots.py",
     "class"),
    ("What do I change to add a Flink version?", "releases", "model/flink_releases.py", "RELEASES"),
    ("What do I change to add an output format?", "format", "report/formats.py", "FORMATS"),
    ("What do I change so that a method of the JDK is computed?", "java's library", "extract/java/library/strings.py",
     '"substring"'),
    ("What do I change so that a connector's class is known?", "connector", "extract/connectors/kafka.toml",
     "[[class]]"),
    ("What do I change so that a statement of a PyFlink script is followed?", "pyflink",
     "extract/python/interpreter/language.py", "def if_statement"),
    ("Where is decided which values are masked as secrets?", "secrets", "model/secrets.py", "MASK"),
    ("Where is decided whether two key selectors compute the same key?", "key selector",
     "compare/revisions/declared_fit.py", "def key_fit"),
    ("Where is decided which code a Java pipeline reaches?", "reach, so", "extract/java/reached/code.py",
     "class JavaCode"),
    ("Where is decided which max parallelism an operator gets when none is set?", "max parallelism",
     "model/translation.py", "def default_max_parallelism"),
    ("Where is decided which states a function registers?", "which states does a java function register",
     "extract/java/flink_api/states/functions.py", "states_of"),
    ("Where is a finding's fingerprint computed?", "fingerprint", "model/findings.py", "def fingerprint"),
    ("Where is a job of a Spring application noted?", "spring", "extract/java/discovery.py",
     "def _without_main"),
    ("Where is decided which Avro schema a class has?", "avro", "extract/schemas.py", "def"),
    ("Where is decided that an exception in a branch ends its path?", "exceptions",
     "extract/java/machine/speculation.py", "ThrowSignal"),
    ("Where is decided which charts start Flink and are not rendered?", "chart", "extract/deployments/unrendered.py",
     "class Unrendered"),
    ("Where does `ask` have its questions?", "ask`", "workflows/audit/questions.py", "class Question"),
    ("Where is the mapping file read?", "savepoint-mapping", "compare/revisions/mapping.py", "def read_mapping"),
    ("Where are equal findings put together?", "findings and pipelines", "report/grouping.py", "def grouped"),
    ("Where is decided what becomes of a program in Kotlin?", "kotlin", "workflows/check/edited_programs.py", "def"),
    ("Where is the file system of a savepoint on S3 opened?", "s3", "savepoint/remote_files.py", "def"),
    ("What do I change so that another annotation of Lombok counts?", "lombok",
     "extract/java/interpreter/generated_members.py", "Lombok"),
    ("Where is decided that Flink writes a class by Kryo?", "kryo", "extract/java/state/class_shapes.py",
     "Serialization.GENERIC"),
    ("Where is a time-to-live read of the source?", "time-to-live", "extract/java/flink_api/states/records.py", "def"),
    ("Where is decided that an edited log call has no effect?", "without effect", "compare/account/questions.py",
     "logs"),
    ("Where is a step of an audit called repaired?", "repaired", "workflows/audit/judging.py", "repair"),
    ("Where is a comment on a pull request cut to GitHub's limit?", "pull request", "report/check/markdown.py",
     "LIMIT"),
    ("Where are options of commons-cli read?", "commons-cli",
     "extract/java/interpreter/plugins/commons_cli.py", "commons-cli"),
    ("Where is decided that a source reads another topic?", "topics", "compare/revisions/declared_fit.py",
     "def meaning_changed"),
    ("Where is decided whether open windows still fire?", "window", "compare/revisions/declared_fit.py",
     "def old_windows_fire"),
    ("Where is decided which operators of Python run in one node?", "fuse", "extract/python/flink_api/jobs.py",
     "def fuse"),
    ("Where are properties files read?", "properties", "extract/java/library/resources.py", "def properties"),
    ("Where is decided how long a server may take to answer?", "how long", "time_limits.py", "def within"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "words", "file", "symbol"), QUESTIONS, ids=[q[0] for q in QUESTIONS])
def test_the_first_line_that_speaks_of_it_names_the_place(question: str, words: str, file: str, symbol: str) -> None:
    line = next((line for line in LINES if re.search(rf"\b{words}", line.lower()) and "`" in line), "")
    places = re.findall(r"`([\w./*-]+(?:/|\.py|\.toml))`", line)
    named = (("/" in p and file.startswith(p.removesuffix("*.toml"))) or f"/{file}".endswith(f"/{p}") for p in places)
    assert any(named), line
    assert symbol in (ROOT / "checker" / file).read_text()
