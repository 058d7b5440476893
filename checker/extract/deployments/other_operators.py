"""Resources of other operators and platforms, spelled as those of Apache's operator.

Confluent's ``FlinkApplication``, Spotify's and Google's ``FlinkCluster``, Lyft's ``FlinkApplication``, Ververica
Platform's ``Deployment``: where each of them says what a ``FlinkDeployment`` says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from shlex import split
from typing import Any

from checker.model.deployments import DeploymentKind
from checker.model.nested import table_in, text_in

OF_OTHERS = re.compile(r"\bkind[\"']?:\s*[\"']?Flink(?:Application|Cluster)\b|\bjarUri\b|\bpythonArtifactUri\b")
"""What says that a file may hold some."""


@dataclass(frozen=True, slots=True)
class _Spelling:
    """Where a kind of resource says what ``FlinkDeploymentSpec`` does: by the latter's path, dots between the parts."""

    group: str
    named: str
    kind: DeploymentKind
    paths: Mapping[str, str]
    modes: tuple[str, Mapping[object, str]] = ("", {None: "savepoint"})
    """Which field decides how it upgrades, and the mode of Apache's operator by its value; of no other value None."""


_SPELLINGS = (
    _Spelling(
        "flinkoperator.k8s.io/",
        "FlinkCluster",
        DeploymentKind.FLINK_CLUSTER,
        {
            "spec.flinkVersion": "spec.flinkVersion", "spec.flinkConfiguration": "spec.flinkProperties",
            "spec.job.jarURI": "spec.job.jarFile", "spec.job.entryClass": "spec.job.className",
            "spec.job.args": "spec.job.args", "spec.job.parallelism": "spec.job.parallelism",
            "spec.job.allowNonRestoredState": "spec.job.allowNonRestoredState", "spec.job.script": "spec.job.pyFile",
            "spec.env": "spec.envVars", "spec.envFrom": "spec.envFrom", "spec.format": "spec.job.savepointFormatType",
        },
    ),
    _Spelling(
        "flink.k8s.io/",
        "FlinkApplication",
        DeploymentKind.FLINK_APPLICATION,
        {
            "spec.flinkVersion": "spec.flinkVersion", "spec.flinkConfiguration": "spec.flinkConfig",
            "spec.job.jarURI": "spec.jarName", "spec.job.entryClass": "spec.entryClass",
            "spec.job.args": "spec.programArgs", "spec.job.parallelism": "spec.parallelism",
            "spec.job.allowNonRestoredState": "spec.allowNonRestoredState",
        },
        modes=("spec.savepointDisabled", {None: "savepoint", False: "savepoint", True: "stateless"}),
    ),
    _Spelling(
        "v1",
        "Deployment",
        DeploymentKind.VERVERICA,
        {
            "spec.flinkVersion": "spec.template.spec.artifact.flinkVersion",
            "spec.flinkConfiguration": "spec.template.spec.flinkConfiguration",
            "spec.job.jarURI": "spec.template.spec.artifact.jarUri",
            "spec.job.entryClass": "spec.template.spec.artifact.entryClass",
            "spec.job.script": "spec.template.spec.artifact.pythonArtifactUri",
            "spec.job.args": "spec.template.spec.artifact.mainArgs",
            "spec.job.parallelism": "spec.template.spec.parallelism",
            "spec.job.allowNonRestoredState": "spec.restoreStrategy.allowNonRestoredState",
            "spec.env": "spec.template.spec.kubernetes.pods.envVars",
        },
        modes=(
            "spec.restoreStrategy.kind",
            {None: "savepoint", "LATEST_STATE": "savepoint", "LATEST_SAVEPOINT": "savepoint", "NONE": "stateless"},
        ),
    ),
)  # fmt: skip
_DRIVER = "org.apache.flink.client.python.PythonDriver"
_FORMAT = "kubernetes.operator.savepoint.format.type"


def as_apaches(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The document with what it says where a ``FlinkDeployment`` says it; Confluent's specifications are its."""
    group = text_in(document.get("apiVersion")) or ""
    for spelling in _SPELLINGS:
        if document.get("kind") == spelling.named and group.startswith(spelling.group):
            return _spelled_anew(document, spelling)
    return document


def _spelled_anew(document: Mapping[str, Any], spelling: _Spelling) -> Mapping[str, Any]:
    made: dict[str, Any] = {"kind": spelling.kind, "metadata": document.get("metadata"), "spec": {}}
    for path, theirs in spelling.paths.items():
        value = _at(document, theirs)
        if value is not None:
            _put(made, path, value)
    spec = made["spec"]
    job = spec.get("job")
    if not isinstance(job, dict):
        return made
    field, modes = spelling.modes
    job["upgradeMode"] = modes.get(_at(document, field), "${later}")
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
