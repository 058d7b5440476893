"""``Configuration``: what its keys say of a topology."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from checker.extract.python.flink_api.streams import Configuration, Environment
from checker.extract.python.interpreter.signals import StoppedError
from checker.extract.python.interpreter.values import Arguments, External, Opaque, Value, reason_of, unknown
from checker.model.topology import Mode
from checker.model.unknowns import Cause, Location, Unknown

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
AUTOMATIC = "whether the job runs as a batch depends on whether its sources end"
_TRUTH = {"true": True, "false": False}


def configuration_call(owner: Configuration, name: str, arguments: Arguments, at: Location) -> Value:
    """A method of a Configuration. Raises StoppedError for a key that is not known."""
    key = arguments.get(0, "key")
    if name.startswith("set"):
        if not isinstance(key, str):
            why = key.unknown.reason if isinstance(key, Opaque) else "it is no text"
            raise StoppedError(Unknown(f"a configuration key that is not known: {why}", Cause.OTHER, None, at))
        if owner.of_environment and (key in FIELDS or key in REFUSED or key == MODE):
            raise StoppedError(
                Unknown(f"the script sets {key} where the environment keeps it", Cause.UNSUPPORTED, None, at)
            )
        owner.keys[key] = arguments.get(1, "value")
        return owner
    if name in ("add_all", "addAll"):
        other = arguments.get(0, "other")
        if owner.of_environment or not isinstance(other, Configuration) or len(arguments.positional) > 1:
            raise StoppedError(Unknown("the configuration is joined with one that is not known", Cause.OTHER, None, at))
        owner.keys.update(other.keys)
        return owner
    if name == "remove_config" and isinstance(key, str):
        return owner.keys.pop(key, None) is not None
    if name.startswith("get_") and isinstance(key, str) and key in owner.keys:
        return owner.keys[key]
    return unknown(f"the result of {name} of a configuration", Cause.OTHER, at)


def configure(env: Environment, configuration: Configuration, at: Location) -> None:
    """What a Configuration says of the topology. Raises StoppedError for a key that is not followed."""
    for key, value in configuration.keys.items():
        if key in REFUSED:
            if key == "python.execution-mode" and value == "process":
                continue
            raise StoppedError(Unknown(f"the configuration sets {key}", Cause.UNSUPPORTED, None, at))
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


def runtime_mode(value: Value, at: Location) -> Mode | Unknown:
    """``RuntimeExecutionMode``, or its name in a configuration."""
    name = value.simple if isinstance(value, External) else value
    if isinstance(name, str) and name.upper() in ("STREAMING", "BATCH"):
        return Mode.BATCH if name.upper() == "BATCH" else Mode.STREAMING
    if isinstance(value, Opaque):
        return replace(reason_of(value), location=at, options=())
    return Unknown(AUTOMATIC, Cause.UNSUPPORTED, None, at)
