"""What is said of an edit in a small job of several classes."""

from __future__ import annotations

from collections.abc import Mapping

from checker.engines import in_process
from checker.extract import registry
from checker.model.sources import MemoryFiles
from checker.settings import Settings
from checker.workflows.check.records import CheckPlan, Json, SideInfo

_SIDE = SideInfo(asked="HEAD", label="HEAD", commit=None)
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
        MemoryFiles(
            {
                "pom.xml": _POM.encode(),
                **{f"src/main/java/jobs/{path}.java": (imports + text).encode() for path, text in side.items()},
            }
        )
        for side in (files, edited)
    )
    plan = CheckPlan(
        base=_SIDE,
        head=_SIDE,
        base_entries=registry.discover(base, Settings()).entries,
        head_entries=registry.discover(head, Settings()).entries,
        base_files=base,
        head_files=head,
        severities={},
        fail_on=None,
    )
    (pipeline,) = in_process.judge_pipelines(plan)
    found: list[Json] = pipeline["findings"]
    return found
