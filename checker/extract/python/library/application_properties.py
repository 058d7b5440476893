"""The file in which Amazon's Managed Service for Apache Flink leaves an application's property groups."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.values import Opaque, Value, unknown
from checker.model.unknowns import Cause, Location, Unknown, given_by

PATH: Final = "/etc/flink/application_properties.json"


def of_service(run: Run, path: str) -> bool:
    """Whether a path is that file, and the script is deployed to the service with known groups."""
    return path == PATH and run.entry.deployment is not None and bool(run.entry.deployment.properties)


@dataclass(frozen=True, slots=True)
class UnfilledGroups(Opaque):
    """The file's content where a template leaves values to be filled in later. Its JSON is known, but for these."""

    groups: tuple[tuple[str, tuple[tuple[str, Value], ...]], ...] = ()

    def loaded(self) -> list[Value]:
        """What the JSON holds."""
        return [{"PropertyGroupId": name, "PropertyMap": dict(values)} for name, values in self.groups]


def content(run: Run, place: Location) -> bytes | UnfilledGroups:
    """The file's content. A value that the user gives as ``GROUP.KEY`` wins over the deployment's."""
    deployment = run.entry.deployment
    assert deployment is not None
    given = dict(run.entry.values)
    groups = tuple(
        (group, tuple((key, _value(f"{group}.{key}", given, value, place)) for key, value in values))
        for group, values in deployment.properties
    )
    if any(isinstance(value, Opaque) for _, values in groups for _, value in values):
        why = f"{PATH}: the template that deploys it leaves values to be filled in later"
        return UnfilledGroups(Unknown(why, Cause.ARGUMENT, None, place), f"file:{PATH}", groups=groups)
    return json.dumps([{"PropertyGroupId": name, "PropertyMap": dict(values)} for name, values in groups]).encode()


def _value(name: str, given: Mapping[str, str], deployed: str | None, place: Location) -> Value:
    value = given.get(name, deployed)
    if value is not None:
        return value
    why = f"property '{name}' is filled in when the template is deployed"
    return unknown(why, Cause.ARGUMENT, place, f"property:{name}", given_by(name))
