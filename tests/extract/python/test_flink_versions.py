"""The Flink version of a script is what the nearest requirement files pin."""

import pytest

from checker.extract.python.extraction import flink_version
from checker.model.sources import MemoryFiles

PINS = [
    ("requirements.txt", "apache-flink==1.20.3\n", "1.20.3"),
    ("requirements.txt", "apache-flink[x] ~= 1.19.1  # why\n", "1.19.1"),
    ("requirements.txt", "# apache-flink==1.18.0\n", None),
    ("requirements.txt", "apache-flink>=1.18\n", None),
    ("requirements.txt", "apache-flink-libraries==1.20.3\n", None),
    ("requirements-dev.txt", "apache_flink==2.0.0\n", "2.0.0"),
    ("pyproject.toml", '[project]\ndependencies = ["apache-flink==1.20.1"]\n', "1.20.1"),
    ("pyproject.toml", '[tool.poetry.dependencies]\napache-flink = "1.17.2"\n', "1.17.2"),
    ("pyproject.toml", '[tool.poetry.dependencies]\napache-flink = "^1.17.2"\n', None),
    ("pyproject.toml", '[tool.poetry.dependencies]\napache-flink = ">=1.20,<1.21"\n', "1.20"),
    ("pyproject.toml", '[project]\ndependencies = ["apache-flink>=1.20.1, <1.21.0"]\n', "1.20"),
    ("pyproject.toml", '[tool.poetry.dependencies]\napache-flink = {version = ">=1.20,<1.21"}\n', "1.20"),
    ("pyproject.toml", '[tool.poetry.dependencies]\napache-flink = {extras = ["x"], version = "1.20.1"}\n', "1.20.1"),
    ("pyproject.toml", '[tool.poetry.dependencies]\napache-flink = "~1.20.1"\n', "1.20.1"),
    ("pyproject.toml", '[tool.poetry.dependencies]\napache-flink = "1.20.*"\n', "1.20"),
    ("pyproject.toml", '[tool.poetry.dependencies]\napache-flink = {version = "^1.20"}\n', None),
    ("requirements.txt", "apache-flink>=1.19,<1.21\n", None),
    ("requirements.txt", "apache-flink>=1.20,<2.0\n", None),
    ("Pipfile", 'apache-flink = "==1.16.0"\n', "1.16.0"),
    ("setup.py", "install_requires=['apache-flink==1.15.4']\n", "1.15.4"),
    ("Dockerfile", "FROM flink:1.20.0-scala_2.12\n", "1.20.0"),
    ("Dockerfile", "FROM --platform=linux/amd64 flink:1.19.1-scala_2.12-java8\n", "1.19.1"),
    ("notes.txt", "apache-flink==1.20.3\n", None),
]


@pytest.mark.parametrize(("name", "text", "version"), PINS)
def test_a_pin_is_the_version(name: str, text: str, version: str | None) -> None:
    assert flink_version(MemoryFiles({"jobs/a.py": b"", name: text.encode()}), "jobs/a.py")[0] == version


def test_the_nearest_folder_decides_and_two_minors_do_not() -> None:
    outer, inner = b"apache-flink==1.18.1\n", b"apache-flink==1.20.3\n"
    files = {"requirements.txt": outer, "jobs/requirements.txt": inner, "jobs/a.py": b"", "b.py": b""}
    assert flink_version(MemoryFiles(files), "jobs/a.py") == ("1.20.3", ("jobs/requirements.txt",))
    assert flink_version(MemoryFiles(files), "b.py") == ("1.18.1", ("requirements.txt",))
    assert flink_version(MemoryFiles({**files, "constraints.txt": inner}), "b.py")[0] is None
    for pin, version in ((b"apache-flink==1.18\n", "1.18.1"), (b"apache-flink==1.18.0\n", "1.18")):
        assert flink_version(MemoryFiles({**files, "constraints.txt": pin}), "b.py")[0] == version


def test_the_build_of_the_connectors_says_it_where_nothing_is_pinned() -> None:
    pom = b"<project><properties><flink.version>1.19.1</flink.version></properties></project>"
    files = {"jobs/pom.xml": pom, "jobs/main.py": b""}
    assert flink_version(MemoryFiles(files), "jobs/main.py") == ("1.19.1", ("jobs/pom.xml",))
    files["requirements.txt"] = b"apache-flink==1.20.3\n"
    assert flink_version(MemoryFiles(files), "jobs/main.py")[0] == "1.20.3"
