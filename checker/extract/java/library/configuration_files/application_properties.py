"""``KinesisAnalyticsRuntime.getApplicationProperties``: the property groups of Managed Service for Apache Flink.

A template of the repository gives them to the deployed application; a path names a file that a program reads instead.
"""

from __future__ import annotations

from checker.extract.java.library import resources
from checker.extract.java.library.configuration_files.documents import Scalar, json_tree
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import UnreadError
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import MapValue, Opaque, Value, string
from checker.extract.java.syntax.class_index import External
from checker.model.unknowns import Cause, Unknown, given_by


def static_call(run: Run, external: External, call: Call) -> Value | None:
    """The groups by their names, each as ``Properties``; None for everything else."""
    if (external.simple, call.name) != ("KinesisAnalyticsRuntime", "getApplicationProperties"):
        return None
    if call.arguments:
        path = resources.path_of(run, call.arguments[0])
        return None if path is None else _of_file(run.index.read(path).decode("utf-8", "replace"))
    deployment = run.entry.deployment
    if deployment is None or not deployment.properties:
        return None
    text = External(("java.lang.String",))

    def value(group: str, key: str, given: str | None) -> Value:
        name = f"{group}.{key}"
        deployed = dict(run.entry.values).get(name, given)
        if deployed is not None:
            return string(deployed, frozenset({name}))
        reason = f"property '{key}' of group '{group}' is filled in when the template is deployed"
        why = Unknown(reason, Cause.ARGUMENT, given_by(name), run.location(call.site))
        return Opaque(why, f"property:{name}", text, frozenset({name}))

    groups = (
        (string(group), MapValue(tuple((string(k), value(group, k, v)) for k, v in values), "random"))
        for group, values in deployment.properties
    )
    return MapValue(tuple(groups), "hash")


def _of_file(text: str) -> Value | None:
    try:
        tree = json_tree(text)
    except UnreadError:
        return None
    groups: list[tuple[Value, Value]] = []
    for group in tree if isinstance(tree, list) else ():
        name, entries = (
            (group.get(k) for k in ("PropertyGroupId", "PropertyMap")) if isinstance(group, dict) else ("", 0)
        )
        if not isinstance(name, Scalar) or not isinstance(entries, dict):
            return None
        if not all(isinstance(value, Scalar) for value in entries.values()):
            return None
        texts = ((string(k), string(v.text)) for k, v in entries.items() if isinstance(v, Scalar))
        groups.append((string(name.text), MapValue(tuple(texts), "random")))
    return MapValue(tuple(groups), "hash")
