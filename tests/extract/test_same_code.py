"""What counts as the same program."""

from __future__ import annotations

import pytest

from checker.extract.changed_files.same_code import same_code

POM = b"<project>\n  <properties>\n    <flink.version>1.20.1</flink.version>\n  </properties>\n</project>\n"


@pytest.mark.parametrize(
    "after",
    [
        POM.replace(b"  <properties>", b"\n\n  <!-- versions -->\n  <properties>"),
        POM.replace(b"\n    ", b"\n\t"),
        POM.replace(b"1.20.1<", b" 1.20.1 <"),
    ],
)
def test_comments_and_layout_of_a_pom_change_nothing(after: bytes) -> None:
    assert same_code("module/pom.xml", POM, after)


@pytest.mark.parametrize(
    "after",
    [
        POM.replace(b"1.20.1", b"1.20.2"),
        POM.replace(b"<project>", b'<project child.project.url.inherit.append.path="false">'),
        POM.replace(b"<flink.version>1.20.1</flink.version>", b"<!-- <flink.version>1.20.1</flink.version> -->"),
        POM.replace(b"<project>", b'<!DOCTYPE project [<!ENTITY v "2">]><project>'),
        POM[:40],
    ],
)
def test_what_a_pom_says_counts(after: bytes) -> None:
    assert not same_code("pom.xml", POM, after)


def test_every_byte_of_another_file_counts() -> None:
    assert not same_code("build.gradle", b"a", b"a ")
    assert not same_code("notes.xml", POM, POM + b"\n")


@pytest.mark.parametrize(
    ("path", "before", "after", "same"),
    [
        ("a.yaml", b"# one\nkey: 1\n", b"# two\n\nkey:   1  # that\n", True),
        ("a.yml", b"key: 1\n", b"key: '1'\n", False),
        ("a.yml", b"key: 1\n", b"key: 2\n", False),
        ("a.yml", b"a:\n  b: 1\n", b"a:\nb: 1\n", False),
        ("a.yml", b"key: {{ one }}: #\n", b"key: {{ one }}: # more\n", False),
        ("a.yml", b"text: |\n  # one\n", b"text: |\n  # two\n", False),
        ("a.properties", b"# one\nkey=1\n", b"! two\n\nkey=1\n", True),
        ("a.properties", b"key=1\n", b"key=1#\n", False),
        ("a.properties", b"key=1\\\n#2\n", b"key=1\\\n#3\n", False),
        ("a.properties", b"key=1\n", b"key = 1\n", False),
    ],
)
def test_comments_of_configuration_change_nothing(path: str, before: bytes, after: bytes, same: bool) -> None:
    assert same_code(path, before, after) is same
