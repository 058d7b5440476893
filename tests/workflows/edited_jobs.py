"""What is said of an edit in a small job of several classes."""

from __future__ import annotations

from collections.abc import Mapping

from checker.workflows.check.records import Json
from tests.judging import judged

_POM = (
    "<project><dependencies><dependency><groupId>org.apache.flink</groupId>"
    "<artifactId>flink-streaming-java</artifactId><version>1.20.1</version></dependency></dependencies></project>"
)


def errors(imports: str, files: Mapping[str, str], name: str, before: str, after: str) -> set[str]:
    """The rules of the errors after a text of one class is replaced."""
    return {f["rule"] for f in findings(imports, files, name, before, after) if f["severity"] == "error"}


def findings(imports: str, files: Mapping[str, str], name: str, before: str, after: str) -> list[Json]:
    """What is found after a text of one class is replaced."""
    assert before in files[name]
    edited = {**files, name: files[name].replace(before, after)}
    base, head = (
        {"pom.xml": _POM, **{f"src/main/java/jobs/{path}.java": imports + text for path, text in side.items()}}
        for side in (files, edited)
    )
    (pipeline,) = judged(base, head)
    found: list[Json] = pipeline["findings"]
    return found
