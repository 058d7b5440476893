"""The configuration: read from the head revision, strict about what it does not know."""

from datetime import date

import pytest

from checker.errors import SettingsError
from checker.model.findings import Severity
from checker.model.pipelines import ExtractorKind
from checker.model.sources import MemoryFiles
from checker.settings import Overrides, Settings, read_settings

FULL = """
flink = "1.20"
parallelism = 8
fail_on = "warning"
exclude = ["legacy/*"]
[values]
env = "prod"
retries = 3
[rules]
uid-missing = "off"
[[pipeline]]
name = "orders"
main = "com.acme.OrdersJob"
args = ["--env", "prod"]
parallelism = 4
[[suppress]]
rule = "uid-missing"
operator = "debug-*"
reason = "stateless tap"
expires = 2027-03-31
"""


def settings(text: str, name: str = "savepoint-checker.toml") -> Settings:
    return read_settings(MemoryFiles({name: text.encode()}))


def test_no_configuration_is_fine() -> None:
    assert read_settings(MemoryFiles({})) == Settings()


def test_everything_is_read() -> None:
    read = settings(FULL)
    assert (read.flink, read.parallelism, read.fail_on) == ("1.20", 8, Severity.WARNING)
    assert dict(read.values) == {"env": "prod", "retries": "3"}
    assert read.severities == {"uid-missing": None}
    (pipeline,) = read.pipelines
    assert (pipeline.extract, pipeline.main, pipeline.parallelism) == (ExtractorKind.AUTO, "com.acme.OrdersJob", 4)
    assert read.complete(pipeline).flink == "1.20"
    (suppression,) = read.suppressions
    assert suppression.expires == date(2027, 3, 31)


def test_the_command_line_wins() -> None:
    read = settings(FULL).overridden(Overrides(flink="2.3", parallelism=2, values=(("env", "test"),)))
    (pipeline,) = read.pipelines
    assert (read.complete(pipeline).flink, read.complete(pipeline).parallelism) == ("2.3", 2)
    assert dict(read.complete(pipeline).values)["env"] == "test"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nonsense = 1", "unknown key 'nonsense'; known are flink"),
        ("flink = '1.20'\nparallelizm = 2", "unknown key 'parallelizm'; did you mean 'parallelism'? (line 2)"),
        ("[[pipeline]]\nname = 'a'\nmian = 'A'", "pipeline 1: unknown key 'mian'; did you mean 'main'? (line 3)"),
        ("flink = 1.20", "flink must be text"),
        ("parallelism = true", "parallelism must be a whole number"),
        ("parallelism = 0", "parallelism must be 1 or more"),
        ("flink = ", "not TOML"),
        ("[[pipeline]]\nmain = 'A'", "pipeline 1: name is required"),
        ("[[pipeline]]\nname = 'a'\nextract = 'cobol'", "extract must be one of auto, document"),
        ("[[pipeline]]\nname = 'a'", 'needs main = "the.main.Class" or file = "PATH"'),
        ("[[pipeline]]\nname = 'a'\nextract = 'sql'", 'needs file = "PATH"'),
        ("[[pipeline]]\nname = 'a'\nmain = 'A'\n[[pipeline]]\nname = 'a'\nmain = 'B'", "two pipelines are called 'a'"),
        ("[[suppress]]\nrule = 'x'", "reason is required"),
        ("[[suppress]]\nrule = 'x'\nreason = ' '", "reason is required"),
        ("[[suppress]]\nrule = 'x'\nreason = 'y'\nexpires = 'soon'", "expires must be a date"),
        ("[rules]\nuid-missing = 'loud'", "rules.uid-missing: must be error, warning, info or off"),
        ("fail_on = 'sometimes'", "fail_on: must be error, warning, info or never"),
        ("pipeline = 3", r"pipeline must be a list of tables"),
    ],
)
def test_errors_name_the_key(text: str, says: str) -> None:
    with pytest.raises(SettingsError) as raised:
        settings(text)
    assert "savepoint-checker.toml" in str(raised.value)
    assert says in str(raised.value)


def test_bytes_that_are_no_text() -> None:
    with pytest.raises(SettingsError, match="not UTF-8"):
        read_settings(MemoryFiles({"savepoint-checker.toml": b"flink = '\xff'"}))
