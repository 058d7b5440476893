"""Which Flink version the build files of a project name, in every notation that people use."""

import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from checker.extract.asking.consulted import flink_version
from checker.model.sources import MemoryFiles

CASES = yaml.safe_load((Path(__file__).parents[2] / "data" / "build_files.yaml").read_text())


@pytest.mark.parametrize("case", CASES)
def test_the_version_that_build_files_name(case: dict[str, Any]) -> None:
    assert read(case["files"]) == case["version"]


def read(files: dict[str, str]) -> str | None:
    source = f"{'job/' if 'job/pom.xml' in files else ''}src/main/java/J.java"
    found, consulted = flink_version(MemoryFiles({source: b"", **{k: v.encode() for k, v in files.items()}}), source)
    assert set(consulted) <= set(files)
    assert found is None or consulted
    return found


def test_versions_that_disagree_are_no_version() -> None:
    first, second = (
        "implementation 'org.apache.flink:flink-core:1.18.1'",
        "implementation 'org.apache.flink:flink-core:1.20.0'",
    )
    assert read({"a/build.gradle": first, "b/build.gradle": second}) is None
    assert read({"a/build.gradle": first, "b/build.gradle": first}) == "1.18.1"


@pytest.mark.parametrize(
    "name", ["build.gradle", "pom.xml", "gradle.properties", "gradle/libs.versions.toml", "build.sbt"]
)
def test_hostile_build_files_cost_little(name: str) -> None:
    start = time.perf_counter()
    for text in (
        "a" * 400_000,
        "'" * 400_000,
        "/*" * 200_000,
        "flink-" * 60_000,
        "a = " * 100_000,
        '"org.apache.flink:' * 20_000,
    ):
        read({name: text})
    assert time.perf_counter() - start < 20


def test_entities_of_xml_are_not_expanded() -> None:
    bomb = '<!DOCTYPE p [<!ENTITY a "1.20.0"><!ENTITY b "&a;&a;">]>'
    pom = f"{bomb}<project><properties><flink.version>&b;</flink.version></properties></project>"
    assert read({"pom.xml": pom}) is None
