"""``application_properties.json``: the property groups with which a PyFlink project runs without the service.

The service leaves a file of that name and form where it runs an application.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator
from typing import Final

from checker.extract.deployments.managed.application import RUN_OPTIONS, groups_of, without_options
from checker.model.deployments import Deployment, DeploymentKind
from checker.model.unknowns import Location

NAME: Final = "application_properties.json"


def deployments_of(path: str, text: str) -> Iterator[Deployment]:
    """The application whose property groups the project keeps, if the file says which script it runs."""
    try:
        groups = groups_of(json.loads(text))
    except (ValueError, RecursionError):
        return
    script = dict((groups or {}).get(RUN_OPTIONS, ())).get("python")
    if groups is None or script is None:
        return
    folder = posixpath.dirname(path)
    yield Deployment(
        kind=DeploymentKind.MANAGED_FLINK,
        name=posixpath.basename(folder) or NAME,
        target=path,
        location=Location(path, 1),
        files=(path,),
        script=posixpath.normpath(posixpath.join(folder, script)),
        args=(),
        properties=without_options(groups),
        whole_environment=True,
        assumed=(f"the application properties are those of {path}",),
    )
