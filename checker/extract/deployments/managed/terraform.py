"""Applications of Terraform: resources ``aws_kinesisanalyticsv2_application`` of the AWS provider.

The provider calls blocks and arguments as CloudFormation calls properties, in lower case with underscores. What an
expression computes is not known.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from checker.extract.deployments.hcl import parsed
from checker.extract.deployments.managed.application import LATER, applications
from checker.extract.deployments.managed.terraform_values import Setting, settings_of
from checker.model.deployments import Deployment
from checker.model.foreign_documents import list_in, table_in
from checker.model.unknowns import Location

RESOURCE: Final = "aws_kinesisanalyticsv2_application"
_TOP = {"name": "ApplicationName"}


def deployments_of(path: str, text: str, texts: Mapping[str, str]) -> Iterator[Deployment]:
    """The applications of one file, for each setting of its module; none of a file that does not parse."""
    written = parsed(text).get("resource", ())
    settings = settings_of(posixpath.dirname(path), texts) if written else []
    for setting in settings:
        raw = _applications(path, text, written)
        for found, unfilled in zip(_applications(path, text, setting.resolved(written)), raw, strict=True):
            assumed = (f"variables of {posixpath.dirname(path) or 'Terraform'} have their defaults",)
            yield replace(
                found,
                target=setting.label if len(settings) > 1 else found.target,
                files=tuple(sorted({path, *setting.files})),
                assumed=assumed if setting.by_default else (),
                filled_by=tuple(_given_by_hand(unfilled, setting)),
            )


def _given_by_hand(application: Deployment, setting: Setting) -> Iterator[tuple[str, str]]:
    """How a command gives values to the variables that no file gives any: ``-var NAME=…``, ``TF_VAR_NAME``."""
    for name, variable in application.filled_by:
        if variable not in setting.given or variable in setting.by_default:
            yield from ((name, f"TF_VAR_{variable}"), (name, f"var {variable}"))
            yield from () if variable in setting.given else ((name, variable),)


def _applications(path: str, text: str, resources: Any) -> Iterator[Deployment]:
    for resource in list_in(resources):
        for name, described in table_in(table_in(resource).get(RESOURCE)).items():
            properties = {_TOP.get(key, _pascal(key)): _described(value) for key, value in table_in(described).items()}
            configuration = properties.get("ApplicationConfiguration")
            if isinstance(configuration, dict) and "RunConfiguration" in configuration:
                properties["RunConfiguration"] = configuration["RunConfiguration"]
            line = text.count("\n", 0, max(0, text.find(f'"{name}"'))) + 1
            yield from applications(name, properties, Location(path, line))


def _described(value: Any) -> Any:
    """A block in the words of CloudFormation: one that stands once is a table, property groups are a list."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        return _described(value[0])
    if not isinstance(value, dict):
        return LATER if isinstance(value, list) else value
    if "dynamic" in value:
        return LATER
    found: dict[str, Any] = {}
    for key, part in value.items():
        if key == "property_group":
            found["PropertyGroups"] = [
                {"PropertyGroupId": group.get("property_group_id"), "PropertyMap": group.get("property_map", LATER)}
                for group in map(table_in, list_in(part))
            ]
        else:
            found[_pascal(key)] = _described(part)
    return found


def _pascal(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))
