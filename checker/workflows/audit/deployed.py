"""How the sides of a step are deployed, packed for a row: what rules need of it, without values of variables."""

from __future__ import annotations

import hashlib
import json

from checker.model.deployments import PARALLELISM, Deployment, DeploymentKind, UpgradeMode
from checker.model.secrets import masked_arguments
from checker.model.unknowns import Location
from checker.workflows.check.records import Json

_PLAIN = ("name", "namespace", "parallelism", "flink", "upgrade_mode", "allow_non_restored_state", "savepoint")


def packed_deployments(base: Deployment | None, head: Deployment | None) -> str:
    """Both sides as text that is equal for equal ones; empty where neither says anything."""
    if base is None and head is None:
        return ""
    return json.dumps([_packed(base), _packed(head)], ensure_ascii=False, sort_keys=True)


def unpacked_deployments(text: str) -> tuple[Deployment | None, Deployment | None]:
    """What ``packed_deployments`` made, None for a side without."""
    base, head = json.loads(text) if text else (None, None)
    return _unpacked(base), _unpacked(head)


def differ(text: str) -> bool:
    """Whether both sides of what ``packed_deployments`` made are given different things, wherever that is written."""
    base, head = json.loads(text) if text else (None, None)
    return base is not None and head is not None and {**base, "location": None} != {**head, "location": None}


def _packed(deployment: Deployment | None) -> Json | None:
    if deployment is None:
        return None
    place = deployment.location
    given = dict(deployment.configuration).get(PARALLELISM)
    return {
        **{name: getattr(deployment, name) for name in _PLAIN},
        "args": None if deployment.args is None else list(masked_arguments(deployment.args)),
        "kind": deployment.kind,
        "location": [place.file, place.line, place.column],
        "configuration": [] if given is None else [[PARALLELISM, given]],
        "environment": [[name, _digest(value)] for name, value in deployment.environment],
        "properties": [[g, [[k, _digest(v)] for k, v in values]] for g, values in deployment.properties],
    }


def _digest(value: str | None) -> str | None:
    return None if value is None else hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _unpacked(packed: Json | None) -> Deployment | None:
    if packed is None:
        return None
    mode, args = packed["upgrade_mode"], packed["args"]
    return Deployment(
        kind=DeploymentKind(packed["kind"]),
        name=packed["name"],
        target="",
        location=Location(*packed["location"]),
        namespace=packed.get("namespace"),
        savepoint=packed.get("savepoint"),
        args=None if args is None else tuple(args),
        parallelism=packed["parallelism"],
        flink=packed["flink"],
        configuration=tuple((key, value) for key, value in packed["configuration"]),
        environment=tuple((name, value) for name, value in packed["environment"]),
        properties=tuple((group, tuple((k, v) for k, v in values)) for group, values in packed["properties"]),
        upgrade_mode=None if mode is None else UpgradeMode(mode),
        allow_non_restored_state=packed["allow_non_restored_state"],
    )
