"""The file in which Amazon's Managed Service for Apache Flink leaves an application's property groups."""

from __future__ import annotations

import json
from typing import Final

from checker.extract.python.interpreter.run_state import Run

PATH: Final = "/etc/flink/application_properties.json"


def of_service(run: Run, path: str) -> bool:
    """Whether a path is that file, and the script is deployed to the service with known groups."""
    return path == PATH and run.entry.deployment is not None and bool(run.entry.deployment.properties)


def content(run: Run) -> bytes | None:
    """The file's content; None where a template leaves one of its values to be filled in later.

    A value that the user gives as ``GROUP.KEY`` wins over the deployment's.
    """
    deployment = run.entry.deployment
    assert deployment is not None
    given = dict(run.entry.values)
    groups = {
        group: {key: given.get(f"{group}.{key}", value) for key, value in values}
        for group, values in deployment.properties
    }
    if any(value is None for values in groups.values() for value in values.values()):
        return None
    return json.dumps([{"PropertyGroupId": name, "PropertyMap": values} for name, values in groups.items()]).encode()
