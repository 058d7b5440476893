"""Resources of other operators and platforms, spelled as those of Apache's operator.

Confluent's ``FlinkApplication``, Spotify's and Google's ``FlinkCluster``, Lyft's ``FlinkApplication``, Ververica
Platform's ``Deployment``: where each of them says what a ``FlinkDeployment`` says.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from shlex import split
from typing import Any

from checker.model.deployments import DeploymentKind
from checker.model.nested import spelled, table_in, text_in

OF_OTHERS = re.compile(r"\bkind[\"']?:\s*[\"']?Flink(?:Application|Cluster)\b|\bjarUri\b|\bpythonArtifactUri\b")
"""What says that a file may hold some."""


@cache
def _spellings() -> list[dict[str, Any]]:
    """Kinds of resources, each with where it says what ``FlinkDeploymentSpec`` does (``other_operators.toml``)."""
    text = files("checker.extract.deployments").joinpath("other_operators.toml").read_text(encoding="utf-8")
    spellings: list[dict[str, Any]] = tomllib.loads(text)["resource"]
    return spellings


_DRIVER = "org.apache.flink.client.python.PythonDriver"
_FORMAT = "kubernetes.operator.savepoint.format.type"


def as_apaches(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The document with what it says where a ``FlinkDeployment`` says it; Confluent's specifications are its."""
    group = text_in(document.get("apiVersion")) or ""
    for spelling in _spellings():
        if document.get("kind") == spelling["named"] and group.startswith(spelling["group"]):
            return _spelled_anew(document, spelling)
    return document


def _spelled_anew(document: Mapping[str, Any], spelling: Mapping[str, Any]) -> Mapping[str, Any]:
    made: dict[str, Any] = {"kind": DeploymentKind[spelling["kind"]], "metadata": document.get("metadata"), "spec": {}}
    for path, theirs in spelling["paths"].items():
        value = _at(document, theirs)
        if value is not None:
            _put(made, path, value)
    spec = made["spec"]
    job = spec.get("job")
    if not isinstance(job, dict):
        return made
    mode = _at(document, spelling["mode_at"])
    job["upgradeMode"] = spelling["modes"].get("" if mode is None else spelled(mode), "${later}")
    if isinstance(job.get("args"), str):
        job["args"] = split(job["args"])
    script = job.pop("script", None)
    if script is not None:
        job.update(entryClass=_DRIVER, args=["-py", script, *(job.get("args") or ())])
    version = re.match(r"(\d+)\.(\d+)", str(spec.get("flinkVersion")))
    if version is not None:
        spec["flinkVersion"] = f"v{version[1]}_{version[2]}"
    if "format" in spec:
        _put(made, "spec.flinkConfiguration", {**table_in(spec.get("flinkConfiguration")), _FORMAT: spec.pop("format")})
    if "env" in spec or "envFrom" in spec:
        container = {key: spec.pop(key) for key in ("env", "envFrom") if key in spec}
        _put(made, "spec.podTemplate.spec.containers", [container])
    return made


def _at(document: Any, path: str) -> Any:
    for part in path.split(".") if path else ():
        document = table_in(document).get(part)
    return document if path else None


def _put(document: dict[str, Any], path: str, value: Any) -> None:
    *parts, last = path.split(".")
    for part in parts:
        document = document.setdefault(part, {})
    document[last] = value
