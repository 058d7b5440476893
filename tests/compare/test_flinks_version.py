"""Which entries of build files are about Flink's own version."""

import pytest

from checker.compare.account.builds import build_edits
from checker.model.account import BuildUse, Explanation
from checker.model.changed_files import ChangedFile, Entry, FileKind

USE = BuildUse(
    folders=frozenset({"jobs/src/main/java/"}), libraries=frozenset({"com.acme.ledger.Sink"}), connectors=frozenset(),
    elements_read=True, polymorphic=False, versions_read=True, all_known=False,
)  # fmt: skip


@pytest.mark.parametrize(
    ("line", "explanation"),
    [
        ('ext { flinkVersion = "1.20.3" }', Explanation.COMPARED),
        ("def flink_version = '1.20.3'", Explanation.COMPARED),
        ("ext.flinkVersion = '1.20.3'", Explanation.COMPARED),
        ('extra["flinkVersion"] = "1.20.3"', Explanation.COMPARED),
        ('set("flinkVersion", "1.20.3")', Explanation.COMPARED),
        ('flink = "1.20.3"', Explanation.COMPARED),
        ("apache-flink==1.20.3", Explanation.COMPARED),
        ("property flink.version", Explanation.COMPARED),
        ('implementation "org.apache.flink:flink-clients:1.20.3"', Explanation.COMPARED),
        ('implementation "com.acme:flink-ledger:2.1-${flinkVersion}"', Explanation.NOT_UNDERSTOOD),
        ("dependency com.acme.flink:ledger-connector", Explanation.NOT_UNDERSTOOD),
        ('description = "Jobs of Flink"', Explanation.WITHOUT_EFFECT),
        ('implementation "com.google.guava:guava:33.0.0-jre"', Explanation.WITHOUT_EFFECT),
    ],
)
def test_what_is_about_flinks_version(line: str, explanation: Explanation) -> None:
    sides = [(Entry(line, value, 1),) for value in ("1", "2")]
    file = ChangedFile(path="jobs/build.gradle", kind=FileKind.BUILD, base=sides[0], head=sides[1])
    assert {edit.explanation for edit in build_edits(file, USE)} == {explanation}
