"""Amazon Managed Service for Apache Flink: applications of CloudFormation templates (YAML and JSON), property files.

Fields follow ``AWS::KinesisAnalyticsV2::Application``. What an intrinsic function fills in later is not known. Projects
of PyFlink keep property groups in ``application_properties.json``, with which they run without the service.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from checker.extract.deployments.overlays import documents
from checker.model.deployments import Deployment, DeploymentKind
from checker.model.unknowns import Location

PROPERTIES_FILE: Final = "application_properties.json"
RESOURCE: Final = "AWS::KinesisAnalyticsV2::Application"
_RUN_OPTIONS: Final = "kinesis.analytics.flink.run.options"
_LATER: Final = "${later}"
_ONE_WORD: Final = re.compile(r"!(?:Ref|GetAtt|ImportValue|Condition)\s+[^\s,\]}]+")
_TAG: Final = re.compile(r"(?<=[\s\[:-])!(?:Sub|Join|If|Select|FindInMap|Split|Equals|Not|And|Or|Base64|Cidr|GetAZs)\b")


def is_template(path: str) -> bool:
    """Whether a JSON file is called like a template."""
    return path.endswith((".template", ".template.json"))


def deployments_of(path: str, text: str) -> Iterator[Deployment]:
    """The applications of one template."""
    if RESOURCE not in text:
        return
    for document in documents(_TAG.sub("", _ONE_WORD.sub(f'"{_LATER}"', text))):
        for name, resource in _table(_table(document).get("Resources")).items():
            if _table(resource).get("Type") == RESOURCE:
                line = text.count("\n", 0, max(0, text.find(name))) + 1
                yield _application(name, _table(_table(resource).get("Properties")), Location(path, line))


def is_properties_file(path: str) -> bool:
    """Whether a file is called as the service calls the file with an application's property groups."""
    return posixpath.basename(path) == PROPERTIES_FILE


def deployment_of_properties(path: str, text: str) -> Deployment | None:
    """The application whose property groups a project keeps; None where the file does not say which script it runs."""
    try:
        groups = _groups(json.loads(text))
    except (ValueError, RecursionError):
        return None
    options = dict(groups.get(_RUN_OPTIONS, ()))
    script = options.get("python")
    if script is None:
        return None
    folder = posixpath.dirname(path)
    return Deployment(
        kind=DeploymentKind.MANAGED_FLINK,
        name=posixpath.basename(folder) or PROPERTIES_FILE,
        target=path,
        location=Location(path, 1),
        files=(path,),
        script=posixpath.normpath(posixpath.join(folder, script)),
        args=(),
        properties=_without_options(groups),
        assumed=(f"the application properties are those of {path}",),
    )


def _groups(given: Any) -> dict[str, tuple[tuple[str, str | None], ...]]:
    """Property groups by name, as both templates and the service's file spell them."""
    return {
        str(group["PropertyGroupId"]): tuple((k, _literal(v)) for k, v in _table(group.get("PropertyMap")).items())
        for group in map(_table, _list(given))
        if _literal(group.get("PropertyGroupId")) is not None
    }


def _without_options(
    groups: Mapping[str, tuple[tuple[str, str | None], ...]],
) -> tuple[tuple[str, tuple[tuple[str, str | None], ...]], ...]:
    return tuple(sorted((group, values) for group, values in groups.items() if group != _RUN_OPTIONS))


def _application(name: str, properties: Mapping[str, Any], location: Location) -> Deployment:
    configuration = _table(properties.get("ApplicationConfiguration"))
    flink = _table(configuration.get("FlinkApplicationConfiguration"))
    groups = _groups(_table(configuration.get("EnvironmentProperties")).get("PropertyGroups"))
    options = dict(groups.get(_RUN_OPTIONS, ()))
    content = _table(_table(configuration.get("ApplicationCodeConfiguration")).get("CodeContent"))
    key = _literal(_table(content.get("S3ContentLocation")).get("FileKey")) or ""
    version = re.fullmatch(r"FLINK-(\d+)_(\d+)", _literal(properties.get("RuntimeEnvironment")) or "")
    run = _table(_table(properties.get("RunConfiguration")).get("FlinkRunConfiguration"))
    return Deployment(
        kind=DeploymentKind.MANAGED_FLINK,
        name=_literal(properties.get("ApplicationName")) or name,
        target=location.file,
        location=location,
        files=(location.file,),
        script=options.get("python"),
        jar=key.rpartition("/")[2] if key.endswith(".jar") else None,
        args=(),
        parallelism=_parallelism(flink),
        flink=f"{version[1]}.{version[2]}" if version else None,
        allow_non_restored_state=True if _literal(run.get("AllowNonRestoredState")) == "true" else None,
        properties=_without_options(groups),
    )


def _parallelism(flink: Mapping[str, Any]) -> int | None:
    """The parallelism of the application; without a configuration of its own it is 1."""
    told = _table(flink.get("ParallelismConfiguration"))
    if "ParallelismConfiguration" not in flink or _literal(told.get("ConfigurationType")) == "DEFAULT":
        return 1
    given = _literal(told.get("Parallelism")) or ""
    return int(given) if given.isdecimal() and 1 <= int(given) < 2**15 else None


def _literal(value: Any) -> str | None:
    """A value that nothing fills in later."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str | int | float) and "${" not in str(value) else None


def _table(value: Any) -> Mapping[str, Any]:
    return {str(k): v for k, v in value.items()} if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
