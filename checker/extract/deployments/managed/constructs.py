"""Constructs of the AWS CDK as the properties of ``AWS::KinesisAnalyticsV2::Application``, in every language.

``CfnApplication`` (and ``CfnApplicationV2``) of ``aws-kinesisanalytics`` has CloudFormation's properties;
``Application`` of ``aws-kinesisanalytics-flink-alpha`` has fewer, of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from checker.extract.deployments.managed.application import LATER

CLASS: Final = re.compile(r"(?:\w+\.)*(CfnApplication(?:V2)?|Application)")
RUNTIME: Final = re.compile(r"(?:\w+\.)*Runtime\.FLINK_(\d+_\d+)")
_JAR: Final = re.compile(r"['\"`/]([^'\"`/]+\.jar)['\"`]")
_SCALED: Final = ("parallelism", "parallelismPerKpu", "autoScalingEnabled")


def properties(construct: str, given: Any, text: str) -> Any:
    """The resource's properties, from those of a construct in camel case; ``text`` is how they are written."""
    if construct == "Application" and isinstance(given, dict):
        given = _of_application(given, text)
    return _pascal(given)


def _of_application(given: Mapping[str, Any], text: str) -> dict[str, Any]:
    """The properties of ``Application`` as those of ``CfnApplication``."""
    jar = _JAR.search(text)
    groups = given.get("propertyGroups", {})
    scaling = {"configurationType": "CUSTOM", "parallelism": given.get("parallelism", LATER)}
    flink = {"parallelismConfiguration": scaling} if any(name in given for name in _SCALED) else {}
    snapshots = {"snapshotsEnabled": given.get("snapshotsEnabled", LATER)}
    configuration: dict[str, Any] = {
        "flinkApplicationConfiguration": flink,
        "applicationSnapshotConfiguration": snapshots,
    }
    if jar is not None:
        configuration["applicationCodeConfiguration"] = {"codeContent": {"s3ContentLocation": {"fileKey": jar[1]}}}
    if isinstance(groups, dict):
        configuration["environmentProperties"] = {
            "propertyGroups": [{"propertyGroupId": name, "propertyMap": values} for name, values in groups.items()]
        }
    return {
        "applicationName": given.get("applicationName", LATER),
        "runtimeEnvironment": given.get("runtime", LATER),
        "applicationConfiguration": configuration,
    }


def _pascal(value: Any) -> Any:
    """Names of properties as CloudFormation spells them; those of property maps are the user's."""
    if isinstance(value, list):
        return [_pascal(part) for part in value]
    if not isinstance(value, dict):
        return value
    return {
        name[:1].upper() + name[1:]: part if name == "propertyMap" else _pascal(part) for name, part in value.items()
    }
