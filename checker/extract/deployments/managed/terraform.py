"""Applications of Terraform: resources ``aws_kinesisanalyticsv2_application`` of the AWS provider.

The provider calls blocks and arguments as CloudFormation calls properties, in lower case with underscores. What an
expression computes is not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import hcl2
from hcl2.utils import SerializationOptions
from lark.exceptions import LarkError

from checker.extract.deployments.managed.application import LATER, applications
from checker.model.deployments import Deployment
from checker.model.foreign_documents import list_in, table_in
from checker.model.unknowns import Location

RESOURCE: Final = "aws_kinesisanalyticsv2_application"
_OPTIONS = SerializationOptions(with_comments=False, explicit_blocks=False, strip_string_quotes=True)
_TOP = {"name": "ApplicationName"}


def deployments_of(path: str, text: str) -> Iterator[Deployment]:
    """The applications of one file; none of a file that does not parse."""
    try:
        parsed = hcl2.loads(text, serialization_options=_OPTIONS)
    except (LarkError, ValueError, RecursionError):
        return
    for resource in parsed.get("resource", ()):
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
