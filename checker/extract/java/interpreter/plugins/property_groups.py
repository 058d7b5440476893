"""The property groups of Amazon's managed service, as a template gives them to the program."""

from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import MapValue, Opaque, Value, string
from checker.extract.java.syntax.class_index import External
from checker.model.unknowns import Cause, given_by


def static_call(run: Run, external: External, call: Call) -> Value | None:
    """The groups by their names, each as ``Properties``; None for everything else."""
    if (external.simple, call.name) != ("KinesisAnalyticsRuntime", "getApplicationProperties"):
        return None
    deployment = run.entry.deployment
    if call.arguments or deployment is None or not deployment.properties:
        return None
    text = External(("java.lang.String",))

    def value(group: str, key: str, given: str | None) -> Value:
        name = f"{group}.{key}"
        deployed = dict(run.entry.values).get(name, given)
        if deployed is not None:
            return string(deployed)
        reason = f"property '{key}' of group '{group}' is filled in when the template is deployed"
        why = run.unknown(reason, Cause.ARGUMENT, call.site, given_by(name))
        return Opaque(why, f"property:{name}", text)

    groups = (
        (string(group), MapValue(tuple((string(k), value(group, k, v)) for k, v in values), "hash"))
        for group, values in deployment.properties
    )
    return MapValue(tuple(groups), "hash")
