"""What several ways of a program leave behind, as one state: equal effects as they are, others as choices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from checker.extract.datastream.records import DEFAULT, JOB_SETTINGS
from checker.extract.interpreting.memory import Write
from checker.extract.java.machine.choices import choose
from checker.extract.java.machine.flink_values import EnvValue, Jobs, Registrations
from checker.extract.java.machine.run_state import RunState
from checker.extract.java.machine.splits import Effects, Split, fresh_envs, is_value, values_at
from checker.extract.java.machine.values import ExternalObject, ListValue, MapValue, Opaque, Value
from checker.model.unknowns import Unknown


@dataclass(eq=False)
class MergingRun(RunState):
    """A path through a program that takes over what several ways did."""

    def merge(self, sides: list[Effects], split: Split, since: int) -> None:
        """Write what every side would have written: equal values as they are, others as a choice.

        What was made after ``since`` belongs to one side only and stays as it is there.
        """
        places: dict[Any, Write] = {}
        for side in sides:
            for place, (write, _) in side.items():
                places.setdefault(place, write)
        for place, write in places.items():
            values = values_at(sides, place, write, since)
            if fresh_envs(values, sides, since):
                values = [self._one_env(values, split)]
            if values:
                self._write(write, self.join(values, split, write), split, values)

    def _one_env(self, values: list[EnvValue], split: Split) -> EnvValue:
        """One environment for new ones that differ at most in settings."""
        first = values[0]
        for name in JOB_SETTINGS:
            self.memory.assign(first, name, self.join([getattr(value, name) for value in values], split))
        return first

    def _write(self, write: Write, joined: Any, split: Split, values: Sequence[Any]) -> None:
        if write.entry:
            self.memory.put(write.target, write.key, joined)
            return
        self.memory.assign(write.target, write.key, joined)
        if isinstance(write.target, ListValue | MapValue) and joined is None and write.key in ("elements", "entries"):
            self.memory.assign(write.target, "unknown", split.because(values))

    def join(self, values: list[Any], split: Split, write: Write | None = None) -> Any:
        """One value for several possible ones."""
        first = values[0]
        if all(value is first or value == first for value in values):
            return first
        if write is not None and isinstance(write.target, Registrations):
            return write.target.merged(values, split.because())
        if write is not None and not write.entry and isinstance(write.target, ExternalObject) and write.key != "ttl":
            return tuple(dict.fromkeys(call for value in values for call in value))  # the calls on a builder
        if write is not None and not write.entry and isinstance(write.target, Jobs):
            return tuple(dict.fromkeys(item for value in values for item in value))
        if all(is_value(value) for value in values):
            if len(values) == len({place for _, place in split.places}):
                return split.choose(values)
            return choose(self.fresh("choice"), tuple(enumerate(values)), split.unknown)
        if all(isinstance(value, dict) for value in values):
            return self._join_settings(values, split)
        if any(value is DEFAULT or isinstance(value, int | Unknown | str) for value in values):
            return split.because(values)
        return None

    def _join_settings(self, values: list[dict[str, Value]], split: Split) -> dict[str, Value]:
        joined: dict[str, Value] = {}
        for key in dict.fromkeys(key for value in values for key in value):
            unset = Opaque(split.unknown, self.fresh(f"setting {key}"))
            options: list[Value] = [value.get(key, unset) for value in values]
            joined[key] = options[0] if all(option == options[0] for option in options) else unset
        return joined
