"""``Configuration``: what its keys say of a topology."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from checker.extract.python.flink_api.streams import Configuration, Environment
from checker.extract.python.interpreter.signals import stopped
from checker.extract.python.interpreter.values import External, Opaque, Value, reason_of
from checker.model.deployments import STATE_BACKEND, backend_named
from checker.model.topology import Mode
from checker.model.unknowns import Cause, Location, Maybe, Unknown

FIELDS = {
    "parallelism.default": "parallelism",
    "pipeline.max-parallelism": "max_parallelism",
    "pipeline.operator-chaining": "chaining",
    "pipeline.operator-chaining.enabled": "chaining",
    "pipeline.operator-chaining.chain-operators-with-different-max-parallelism": "chain_different_max_parallelism",
    "python.operator-chaining.enabled": "python_chaining",
}
"""Configuration key → field of the environment."""
MODE = "execution.runtime-mode"
REFUSED = ("pipeline.auto-generate-uids", "python.execution-mode")
"""Keys that change more than is followed here."""
AUTOMATIC = f"{MODE}=AUTOMATIC"
"""What a mode is derived from that Flink chooses by the sources."""
_TRUTH = {"true": True, "false": False}


def configure(env: Environment, configuration: Configuration, at: Location) -> None:
    """What a Configuration says of the topology. Raises StoppedError for a key that is not followed."""
    for key, value in configuration.keys.items():
        if key in REFUSED:
            if key == "python.execution-mode" and value == "process":
                continue
            raise stopped(f"the configuration sets {key}", Cause.UNSUPPORTED, at)
        if key in STATE_BACKEND:
            env.state_backend = state_backend(value)
        if key == MODE:
            env.mode = runtime_mode(value, at)
        elif key in FIELDS:
            setattr(env, FIELDS[key], _known(key, value, at))


def _known(key: str, value: Value, at: Location) -> Any:
    if isinstance(value, Opaque):
        reason = f"the configuration sets {key}: {value.unknown.reason}"
        return replace(reason_of(value), reason=reason, location=at, options=())
    if isinstance(value, str):
        text = value.strip().lower()
        value = _TRUTH.get(text, int(text) if text.isdigit() else None)
    if isinstance(value, bool) is (FIELDS[key] in ("parallelism", "max_parallelism")) or not isinstance(
        value, int | bool
    ):
        return Unknown(f"the configuration sets {key} to what is not known", Cause.OTHER, None, at)
    return value


def state_backend(value: Value) -> Maybe[str]:
    """The state backend that a name or an object stands for."""
    if isinstance(value, str):
        return backend_named(value)
    return backend_named(value.simple) if isinstance(value, External) else reason_of(value)


def runtime_mode(value: Value, at: Location) -> Mode | Unknown:
    """``RuntimeExecutionMode``, or its name in a configuration."""
    name = value.simple if isinstance(value, External) else value
    if isinstance(name, str) and name.upper() in ("STREAMING", "BATCH"):
        return Mode.BATCH if name.upper() == "BATCH" else Mode.STREAMING
    if isinstance(value, Opaque):
        return replace(reason_of(value), location=at, options=())
    reason = "whether the job runs as a batch depends on whether its sources end"
    return Unknown(reason, Cause.UNSUPPORTED, None, at, derived_from=AUTOMATIC)
