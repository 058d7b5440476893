"""Trying out what an unknown leaves open: effects that agree are merged, the others become choices of the path."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from checker.extract.interpreting.memory import MISSING, Write
from checker.extract.interpreting.path_choices import PathChoices
from checker.extract.java.flink_api.flink_values import DEFAULT, EnvValue, Jobs, StreamValue
from checker.extract.java.interpreter.frames import ExitSignal, ImpureSignal, LimitSignal, Signal, ThrowSignal
from checker.extract.java.interpreter.run_state import MAX_PATHS, RunState
from checker.extract.java.interpreter.values import (
    NULL,
    Choice,
    ExternalObject,
    ListValue,
    MapValue,
    Opaque,
    Value,
    choose,
    tick,
)
from checker.model.topology import Unknown

_JOB_SETTINGS: Final = (
    "parallelism", "max_parallelism", "chaining", "auto_generate_uids", "mode", "chain_different_max_parallelism",
    "vertex_index_prefix",
)  # fmt: skip


@dataclass(eq=False)
class Run(RunState):
    """One path through a program, able to look both ways."""

    def ways(self, condition: Choice, steps: list[Callable[[], None]]) -> bool:
        """Run the one of several steps that a choice leads to, merged as ``branch`` does; False if it needs a fork.

        ``steps`` stand in the order of the choice's options.
        """
        mark, since = self.memory.mark(), tick()
        found = [self._attempt(step, mark) for step in steps]
        sides = [side for side in found if isinstance(side, dict)]
        if None in found or not sides or (len(sides) < len(found) and self.catching):
            return False
        if len(sides) < len(found):
            return False
        self.merge(sides, condition, since)
        return True

    def branch(
        self, condition: Value, then: Callable[[], None], otherwise: Callable[[], None], label: str, key: int
    ) -> None:
        """``if`` on a condition that may be unknown: both sides merged where neither touches the topology."""
        condition = self.as_condition(condition)
        known = self.truth(condition)
        if known is None and isinstance(condition, Choice | Opaque):
            if key not in self.impure:
                if self._try_both(condition, then, otherwise):
                    return
                self.impure.add(key)
            known = self.decide(condition, label)
        elif known is None:
            known = self.decide(condition, label)
        (then if known else otherwise)()

    def _try_both(self, condition: Choice | Opaque, then: Callable[[], None], otherwise: Callable[[], None]) -> bool:
        mark, since = self.memory.mark(), tick()
        first = self._attempt(then, mark)
        second = self._attempt(otherwise, mark)
        if first is None or second is None:
            return False
        if first == "gone" or second == "gone":
            if self.catching or first == second:
                return False
            survivor = otherwise if first == "gone" else then
            self.assume(condition, second == "gone")
            survivor()
            return True
        assert isinstance(first, dict)
        assert isinstance(second, dict)
        self.merge([first, second], condition, since)
        return True

    def assume(self, condition: Choice | Opaque, value: bool) -> None:
        """Take for granted what must hold for the program to go on."""
        if isinstance(condition, Opaque):
            self.choices.known[condition.symbol] = 0 if value != condition.negated else 1

    def _attempt(self, step: Callable[[], None], mark: int) -> dict[Any, Any] | str | None:
        """The effects of a step, then taken back: ``"gone"`` if the program ends there, None if it needs a choice."""
        outer_choices, outer_region, outer = self.choices, self.region_mark, self.attempting
        self.choices, self.region_mark, self.attempting = PathChoices(parent=outer_choices), mark, True
        try:
            step()
            effects = self.memory.effects(mark)
            if self.choices.decisions or not self._mergeable(effects):
                return None
            return effects
        except (ThrowSignal, ExitSignal):
            return "gone" if not self.memory.touched_topology(mark) else None
        except LimitSignal:
            raise
        except Signal:
            return None
        finally:
            self.choices, self.region_mark, self.attempting = outer_choices, outer_region, outer
            self.memory.rollback(mark)

    @staticmethod
    def _mergeable(effects: dict[Any, Any]) -> bool:
        for write, _ in effects.values():
            if write.topological and not (isinstance(write.target, EnvValue) and write.key in _JOB_SETTINGS):
                return False
        return True

    def merge(self, sides: list[dict[Any, Any]], condition: Choice | Opaque, since: int) -> None:
        """Write what every side would have written: equal values as they are, others as a choice.

        What was made after ``since`` belongs to one side only and stays as it is there.
        """
        places: dict[Any, Any] = {}
        for side in sides:
            for place, (write, _) in side.items():
                places.setdefault(place, write)
        for place, write in places.items():
            values = self._sides(sides, place, write, since)
            if self._fresh_envs(values, sides, since):
                values = [self._one_env(values, condition)]
            if values:
                self._write(write, self.join(values, condition, write), condition.unknown)

    @staticmethod
    def _fresh_envs(values: list[Any], sides: list[dict[Any, Any]], since: int) -> bool:
        """Whether the values are new environments that nothing else refers to."""
        if len(values) < 2 or not all(isinstance(v, EnvValue) and v.born > since and not v.drafts for v in values):
            return False
        held = [new for side in sides for write, new in side.values() if not isinstance(write.target, Jobs)]
        return all(sum(1 for new in held if new is value) == 1 for value in values)

    def _one_env(self, values: list[EnvValue], condition: Choice | Opaque) -> EnvValue:
        """One environment for new ones that differ at most in settings."""
        first = values[0]
        for name in _JOB_SETTINGS:
            self.memory.assign(first, name, self.join([getattr(value, name) for value in values], condition))
        return first

    @staticmethod
    def _sides(sides: list[dict[Any, Any]], place: Any, write: Write, since: int) -> list[Any]:
        """The value of one place on every side that has it."""
        if not write.entry and getattr(write.target, "born", -1) > since:
            return [side[place][1] for side in sides if place in side]
        values = [side[place][1] if place in side else write.old for side in sides]
        return [value for value in values if value is not MISSING]

    def _write(self, write: Write, joined: Any, unknown: Unknown) -> None:
        if write.entry:
            self.memory.put(write.target, write.key, joined)
            return
        self.memory.assign(write.target, write.key, joined)
        if isinstance(write.target, ListValue | MapValue) and joined is None:
            self.memory.assign(write.target, "unknown", unknown)

    def join(self, values: list[Any], condition: Choice | Opaque, write: Write | None = None) -> Any:
        """One value for several possible ones."""
        first = values[0]
        if all(value is first or value == first for value in values):
            return first
        if write is not None and not write.entry and isinstance(write.target, ExternalObject):
            return tuple(dict.fromkeys(call for value in values for call in value))  # what a builder was told
        if write is not None and not write.entry and isinstance(write.target, Jobs):
            return tuple(dict.fromkeys(item for value in values for item in value))
        if all(is_value(value) for value in values):
            return self.choice(values, condition)
        if all(isinstance(value, dict) for value in values):
            return self._join_settings(values, condition)
        if any(value is DEFAULT or isinstance(value, int | Unknown | str) for value in values):
            return Unknown(
                condition.unknown.reason, condition.unknown.cause, condition.unknown.settled_by,
                condition.unknown.location,
                tuple(v for v in values if isinstance(v, int)) if all(isinstance(v, int) for v in values) else (),
            )  # fmt: skip
        return None

    def _join_settings(self, values: list[dict[str, Value]], condition: Choice | Opaque) -> dict[str, Value]:
        joined: dict[str, Value] = {}
        for key in dict.fromkeys(key for value in values for key in value):
            unset = Opaque(condition.unknown, self.fresh(f"setting {key}"))
            options: list[Value] = [value.get(key, unset) for value in values]
            joined[key] = options[0] if all(option == options[0] for option in options) else unset
        return joined

    def either(self, values: Sequence[Value], condition: Choice | Opaque, mark: int, since: int) -> Value:
        """The result of an expression that is one of two, computed since the mark."""
        effects = self.memory.effects(mark)
        held = {id(write.target): new for write, new in effects.values() if not isinstance(write.target, Jobs)}
        fresh = [v for v in values if isinstance(v, EnvValue) and v.born > since and not v.drafts]
        if len(fresh) == len(values) and not any(new is value for new in held.values() for value in fresh):
            return self._one_env(fresh, condition)
        return self.choice(values, condition)

    def choice(self, values: Sequence[Value], condition: Choice | Opaque) -> Value:
        """A choice between two values, ordered as ``true, false`` of the condition's symbol."""
        ordered = list(reversed(values)) if isinstance(condition, Opaque) and condition.negated else values
        if isinstance(condition, Opaque) and len(values) == 2:
            return choose(condition.symbol, ((True, ordered[0]), (False, ordered[1])), condition.unknown)
        if isinstance(condition, Choice) and len(values) == 2:
            return choose(
                condition.symbol,
                tuple(
                    (outcome, values[0] if self.truth(option) else values[1]) for outcome, option in condition.options
                ),
                condition.unknown,
            )
        return choose(self.fresh("choice"), tuple(enumerate(values)), condition.unknown)

    def speculate(self, step: Callable[[], Any]) -> bool:
        """Whether a step would touch the topology; nothing of it stays."""
        mark = self.memory.mark()
        outer_choices, outer_region, jobs = self.choices, self.region_mark, self.jobs.items
        outer, self.attempting = self.attempting, True
        self.choices, self.region_mark = PathChoices(parent=outer_choices), mark
        try:
            step()
        except LimitSignal:
            raise
        except Signal as signal:
            if isinstance(signal, ImpureSignal):
                return True
        finally:
            touched = self.memory.touched_topology(mark) or self.jobs.items != jobs
            self.choices, self.region_mark, self.attempting = outer_choices, outer_region, outer
            self.memory.rollback(mark)
        return touched

    def region(self, key: int, body: Callable[[], Value]) -> Value:
        """Run a call: choices inside of it become a choice of its result where it leaves the topology alone."""
        if key in self.impure:
            return body()
        mark, since = self.memory.mark(), tick()
        outer_choices, outer_region, outer = self.choices, self.region_mark, self.attempting
        results: list[tuple[Value, dict[Any, Any]]] = []
        taken: list[int] = []
        forced: tuple[int, ...] | None = ()
        first: PathChoices | None = None
        ended: Signal | None = None
        while forced is not None:
            local = PathChoices(forced=forced, parent=outer_choices)
            self.choices, self.region_mark, self.attempting = local, mark, False
            gone: Signal | None = None
            value: Value = NULL
            try:
                value = body()
            except (ThrowSignal, ExitSignal) as signal:
                gone = signal
            except ImpureSignal:
                self._restore(outer_choices, outer_region, outer, mark)
                self.impure.add(key)
                return body()
            finally:
                self.choices, self.region_mark, self.attempting = outer_choices, outer_region, outer
            if not local.decisions:
                for symbol, way in local.known.items():
                    outer_choices.known.setdefault(symbol, way)
                if gone is not None:
                    raise gone
                return value
            if self.memory.touched_topology(mark) or len(results) >= MAX_PATHS:
                self._restore(outer_choices, outer_region, outer, mark)
                self.impure.add(key)
                return body()
            first = first or local
            if gone is None:
                results.append((value, self.memory.effects(mark)))
                taken.append(local.decisions[0].taken)
            else:
                ended = gone
            self.memory.rollback(mark)
            forced = local.next_path()
        if not results:
            assert ended is not None
            raise ended
        return self._joined_region(results, taken, first, since)

    def _restore(self, choices: PathChoices, region: int | None, attempting: bool, mark: int) -> None:
        self.choices, self.region_mark, self.attempting = choices, region, attempting
        self.memory.rollback(mark)

    def _joined_region(
        self, results: list[tuple[Value, dict[Any, Any]]], taken: list[int], first: PathChoices | None, since: int
    ) -> Value:
        assert first is not None
        decision = first.decisions[0]
        simple = len(results) == decision.ways and taken == list(range(decision.ways)) and len(first.decisions) == 1
        symbol = decision.symbol if simple else self.fresh("path")
        options = tuple(enumerate(value for value, _ in results))
        condition = Choice(symbol, options, decision.unknown)
        sides = [effects for _, effects in results]
        places: dict[Any, Any] = {}
        for side in sides:
            for place, (write, _) in side.items():
                places.setdefault(place, write)
        for place, write in places.items():
            values = self._sides(sides, place, write, since)
            if not values:
                continue
            joined: Any
            if all(value is values[0] or value == values[0] for value in values):
                joined = values[0]
            elif all(is_value(value) for value in values) and len(values) == len(sides):
                joined = choose(symbol, tuple(enumerate(values)), decision.unknown)
            else:
                joined = self.join(values, condition, write)
            self._write(write, joined, condition.unknown)
        outcome = results[0][0]
        if all(value is outcome or value == outcome for value, _ in results):
            return outcome
        return choose(symbol, options, decision.unknown)


def is_value(value: Any) -> bool:
    """Whether it is a value of the interpreted program (not a raw attribute)."""
    return isinstance(value, _VALUE_TYPES)


def _value_types() -> tuple[type, ...]:
    from checker.extract.java.interpreter import values as v

    return (
        v.Constant, v.Opaque, v.Choice, v.Instance, v.ExternalObject, v.Lambda, v.MethodRef, v.TypeName,
        v.ClassLiteral, v.ListValue, v.MapValue, v.OptionalValue, v.EntryValue, v.Builder, v.IteratorValue, v.Holder,
        v.Parameters, v.Settings, v.Bound, EnvValue, StreamValue,
    )  # fmt: skip


_VALUE_TYPES = _value_types()
