"""Applications in plans of Terraform: what ``terraform show -json`` prints of a plan or of a state.

The provider calls blocks and arguments as CloudFormation calls properties, in lower case with underscores. A value that
is only known after the plan was applied is not there, or null.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from checker.extract.deployments.managed.application import LATER, applications
from checker.model.deployments import Deployment
from checker.model.foreign_documents import list_in, table_in
from checker.model.unknowns import Location

RESOURCE: Final = "aws_kinesisanalyticsv2_application"
_TOP = {"name": "ApplicationName"}


def deployments_of(path: str, text: str) -> Iterator[Deployment]:
    """The applications that a plan leads to, those of its modules included."""
    try:
        plan = table_in(json.loads(text))
    except (ValueError, RecursionError):
        return
    for resource in _resources(table_in(table_in(plan.get("planned_values", plan.get("values"))).get("root_module"))):
        values = table_in(resource.get("values"))
        properties = {_TOP.get(key, _pascal(key)): _described(value) for key, value in values.items()}
        configuration = properties.get("ApplicationConfiguration")
        if isinstance(configuration, dict) and "RunConfiguration" in configuration:
            properties["RunConfiguration"] = configuration["RunConfiguration"]
        name = str(resource.get("address", RESOURCE))
        line = text.count("\n", 0, max(0, text.find(json.dumps(name)))) + 1
        yield from applications(name, properties, Location(path, line))


def _resources(module: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    found = map(table_in, list_in(module.get("resources")))
    yield from (r for r in found if r.get("type") == RESOURCE and r.get("mode", "managed") == "managed")
    for inner in list_in(module.get("child_modules")):
        yield from _resources(table_in(inner))


def _described(value: Any) -> Any:
    """A block in the words of CloudFormation: one that stands once is a table, property groups are a list."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        return _described(value[0])
    if not isinstance(value, dict):
        return LATER if value is None else {} if value == [] else value
    found = {_pascal(key): _described(part) for key, part in value.items() if key != "property_group"}
    if "property_group" in value:
        found["PropertyGroups"] = [
            {"PropertyGroupId": group.get("property_group_id"), "PropertyMap": group.get("property_map") or LATER}
            for group in map(table_in, list_in(value["property_group"]))
        ]
    return found


def _pascal(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))
