"""Trying out what an unknown leaves open: effects that agree are merged, the others become choices of the path."""

from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from checker.extract.interpreting.memory import MISSING, Write, tick
from checker.extract.interpreting.shapes import Decision, DivergedError, PathChoices
from checker.extract.java.machine.descriptions import choose, described_as, short
from checker.extract.java.machine.exceptions import (
    BreakSignal,
    ContinueSignal,
    ExitSignal,
    ImpureSignal,
    LimitSignal,
    ReturnSignal,
    Signal,
    ThrowSignal,
)
from checker.extract.java.machine.flink_values import EnvValue
from checker.extract.java.machine.run_state import MAX_PATHS
from checker.extract.java.machine.splits import (
    Attempt,
    Effects,
    Ended,
    MergingRun,
    Split,
    different,
    fresh_envs,
    mergeable,
)
from checker.extract.java.machine.values import NULL, Choice, ExternalObject, Opaque, Value, unknown_of
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.declarations import ClassDecl
from checker.model.unknowns import Unknown


@dataclass(eq=False)
class Run(MergingRun):
    """One path through a program, able to look both ways."""

    def ways(self, condition: Choice, steps: Sequence[Callable[[], Value]], key: int | None = None) -> Value | None:
        """Run the one of several steps that a choice leads to; None if that needs a fork of the path.

        ``steps`` stand in the order of the choice's options. ``key`` names the place: what needed a fork there is not
        tried again on paths that came there by the same decisions.
        """
        known = None if key is None else hash((key, self.choices.so_far()))
        if known in self.impure:
            return None
        places = tuple((outcome, place) for place, (outcome, _) in enumerate(condition.options))
        merged = self._try(Split(condition.symbol, places, condition.unknown, condition), steps)
        if merged is None and known is not None:
            self.impure.add(known)
        return merged

    def branch(
        self, condition: Value, then: Callable[[], Value], otherwise: Callable[[], Value], label: str, key: int
    ) -> Value:
        """One of two steps, by a condition that may be unknown: both merged where neither touches the topology."""
        condition = self.as_condition(condition)
        known = self.truth(condition)
        if known is None and isinstance(condition, Choice | Opaque):
            if key not in self.impure:
                if isinstance(condition, Choice) and any(self.truth(option) is None for _, option in condition.options):
                    steps = [
                        partial(self.branch, option, then, otherwise, label, key) for _, option in condition.options
                    ]
                    merged = self.ways(condition, steps)
                else:
                    merged = self._try(self._split(condition), (then, otherwise), condition)
                if merged is not None:
                    return merged
                self.impure.add(key)
            known = self.decide(condition, label)
        elif known is None:
            known = self.decide(condition, label)
        return (then if known else otherwise)()

    def _split(self, condition: Choice | Opaque) -> Split:
        """How a condition divides two steps, that for true first."""
        places: tuple[tuple[int | bool, int], ...]
        if isinstance(condition, Opaque):
            places = ((True, int(condition.negated)), (False, int(not condition.negated)))
        else:
            places = tuple((outcome, int(not self.truth(option))) for outcome, option in condition.options)
        return Split(condition.symbol, places, condition.unknown, condition)

    def _try(
        self, split: Split, steps: Sequence[Callable[[], Value]], condition: Choice | Opaque | None = None
    ) -> Value | None:
        """Merge what the steps do. A step that ends the program decides the condition, if it is given."""
        mark, since = self.memory.mark(), tick()
        found = self._attempts(steps, mark)
        if Ended.FORK in found:
            return None
        classes = [decl for attempt in found if isinstance(attempt, Attempt) for decl in self._initialized(attempt)]
        if classes:
            if not all(self._initialize(decl) for decl in classes):
                return None
            mark, since = self.memory.mark(), tick()
            found = self._attempts(steps, mark)
        going = [attempt for attempt in found if isinstance(attempt, Attempt)]
        if len(going) == len(found):
            self.merge([attempt.effects for attempt in going], split, since)
            self._leave(going, split)
            return self._result([attempt.value for attempt in going], going, split, since)
        if Ended.FORK in found or len(going) != 1 or len(found) != 2 or self.catching or condition is None:
            return None
        survivor = next(place for place, attempt in enumerate(found) if isinstance(attempt, Attempt))
        self.assume(condition, survivor == 0)
        return steps[survivor]()

    def _leave(self, going: list[Attempt], split: Split) -> None:
        """Go on after steps of which some leave the block, while a function is followed: what comes is in doubt."""
        if self.following is None:
            return
        inner = next((attempt.doubt for attempt in going if attempt.doubt is not None), None)
        self.following.doubt = self.following.doubt or inner
        first = next((attempt.left for attempt in going if attempt.left is not None), None)
        if first is None:
            return
        if all(type(attempt.left) is type(first) for attempt in going):
            raise first
        self.following.doubt = self.following.doubt or self.following.doubtful(split.because())

    def _attempts(self, steps: Sequence[Callable[[], Value]], mark: int) -> list[Attempt | Ended]:
        """What becomes of the steps, up to the first one that can't be merged: the others make no difference then."""
        found: list[Attempt | Ended] = []
        for step in steps:
            found.append(self._attempt(step, mark))
            if found[-1] is Ended.FORK:
                break
        return found

    def _initialized(self, attempt: Attempt) -> Iterator[ClassDecl]:
        """The classes that a step is the first to use."""
        for write, new in attempt.effects.values():
            if write.target is self.initialized:
                yield new

    def _initialize(self, decl: ClassDecl) -> bool:
        """Initialize a class before the steps of which one may use it first: what a step changes is then its own.

        False where that would be seen: its initializers fail, or change more than what they make.
        """
        if id(decl) in self.initialized:
            return True
        mark, since = self.memory.mark(), tick()

        def step() -> Value:
            self.interpreter.ensure_initialized(decl)
            return NULL

        found = self._attempt(step, mark)
        if not isinstance(found, Attempt):
            return False
        fresh = {id(own) for own in self._initialized(found)}
        if any(self._changes(write, fresh, since) for write, _ in found.effects.values()):
            return False
        step()
        return True

    def _changes(self, write: Write, initialized: Set[int], since: int) -> bool:
        """Whether a write of initializers is to something that was there before them."""
        if write.target is self.initialized or (write.target is self.statics and write.key[0] in initialized):
            return False
        return write.old is not MISSING if write.entry else getattr(write.target, "born", since + 1) <= since

    def _result(self, values: list[Value], sides: list[Attempt], split: Split, since: int) -> Value:
        """The value of an expression that is one of several."""
        first = values[0]
        if all(value is first or value == first for value in values):
            return first
        envs = [value for value in values if isinstance(value, EnvValue)]
        if fresh_envs(list(values), [side.effects for side in sides], since, kept=0):
            return self._one_env(envs, split)
        return split.choose(values)

    def assume(self, condition: Choice | Opaque, value: bool) -> None:
        """Take for granted what must hold for the program to go on."""
        if isinstance(condition, Opaque):
            self.choices.known[condition.symbol] = 0 if value != condition.negated else 1

    @contextmanager
    def _inside(self, choices: PathChoices, mark: int, *, attempting: bool) -> Iterator[None]:
        """Make choices of a step's own, which began at a mark of the memory."""
        outer = self.choices, self.region_mark, self.attempting
        self.choices, self.region_mark, self.attempting = choices, mark, attempting
        try:
            yield
        finally:
            self.choices, self.region_mark, self.attempting = outer

    def _attempt(self, step: Callable[[], Value], mark: int) -> Attempt | Ended:
        """The value and the effects of a step, then taken back."""
        choices = PathChoices(parent=self.choices)
        before = self.following.doubt if self.following is not None else None
        try:
            with self._inside(choices, mark, attempting=True):
                value = step()
            effects = self.memory.effects(mark)
            if choices.decisions or not mergeable(effects):
                return Ended.FORK
            return Attempt(value, effects, doubt=self.following.doubt if self.following is not None else None)
        except (ThrowSignal, ExitSignal):
            return Ended.FORK if self.memory.touched_topology(mark) else Ended.PROGRAM
        except LimitSignal:
            raise
        except Signal as signal:
            gone = isinstance(signal, BreakSignal | ContinueSignal) or (
                isinstance(signal, ReturnSignal) and signal.value is NULL
            )
            if self.following is None or not gone or choices.decisions:
                return Ended.FORK
            return Attempt(NULL, self.memory.effects(mark), signal)
        finally:
            self.memory.rollback(mark)
            if self.following is not None:
                self.following.doubt = before

    def without_effects(self, step: Callable[[], Value]) -> Value | None:
        """The value of a step that changes nothing; None of one that does, with nothing done."""
        mark = self.memory.mark()
        found = self._attempt(step, mark)
        if not isinstance(found, Attempt) or found.effects:
            return None
        return found.value

    def may_throw(self, exception: str, *of: Value) -> None:
        """Inside of ``try``: a step whose operands are not known may end in an exception that the program catches."""
        unknown = next((found for found in map(unknown_of, of) if found is not None), None)
        if unknown is not None:
            self.may_throw_any((f"java.lang.{exception}",), unknown, *of)

    def may_throw_any(self, exceptions: tuple[str, ...], unknown: Unknown, *of: Value) -> None:
        """The same for a step that may throw one of several exceptions, for a given reason.

        Only where the topology is not built yet: a job in a large ``try`` is not taken to end at each of its calls.
        """
        if not self.catching or self.following is not None or (len(exceptions) > 1 and self.region_mark is None):
            return
        simple = exceptions[0].rpartition(".")[2]
        symbol = short(f"{simple} of {', '.join(described_as(value) for value in of)}")
        if self.decide(Opaque(unknown, symbol), f"there is no {simple}"):
            return
        raise ThrowSignal(ExternalObject(External(exceptions)))

    def speculate(self, step: Callable[[], Any], most: int = 1) -> bool:
        """Whether a step would touch the topology on one of its ways, or has more than ``most``; nothing of it stays.

        An exception would only end it earlier.
        """
        mark, jobs, catching = self.memory.mark(), self.jobs.items, self.catching
        forced: tuple[Decision, ...] | None = ()
        touched = False
        while forced is not None and not touched:
            choices = PathChoices(forced=forced, parent=self.choices)
            self.catching = 0
            most -= 1
            try:
                with self._inside(choices, mark, attempting=most < 0):
                    step()
            except LimitSignal:
                raise
            except (ImpureSignal, DivergedError):
                return True
            except Signal:
                pass
            finally:
                touched = self.memory.touched_topology(mark) or self.jobs.items != jobs
                self.memory.rollback(mark)
                self.catching = catching
            forced = choices.next_path()
        return touched

    def region(self, key: int, body: Callable[[], Value]) -> Value:
        """Run a call: choices inside of it become a choice of its result where it leaves the topology alone."""
        if self.following is None:
            return self._region(key, body)
        doubt = self.following.doubt
        try:
            return self._region(key, body)
        finally:
            self.following.doubt = doubt

    def _region(self, key: int, body: Callable[[], Value]) -> Value:
        if key in self.impure:
            return body()
        mark, since = self.memory.mark(), tick()
        outer = self.choices
        results: list[tuple[Value, Effects]] = []
        taken: list[int] = []
        forced: tuple[Decision, ...] | None = ()
        first: PathChoices | None = None
        symbols: dict[str, None] = {}
        ended: Signal | None = None
        while forced is not None:
            local = PathChoices(forced=forced, parent=outer)
            gone: Signal | None = None
            impure = False
            value: Value = NULL
            try:
                with self._inside(local, mark, attempting=False):
                    value = body()
            except (ThrowSignal, ExitSignal) as signal:
                gone = signal
            except ImpureSignal:
                impure = True
            if not local.decisions and not impure:
                for symbol, way in local.known.items():
                    outer.known.setdefault(symbol, way)
                if gone is not None:
                    raise gone
                return value
            caught = gone is not None and self.catching > 0
            if impure or caught or self.memory.touched_topology(mark) or len(results) >= MAX_PATHS:
                self.memory.rollback(mark)
                self.impure.add(key)
                return body()
            first = first or local
            symbols.update(dict.fromkeys(decision.symbol for decision in local.decisions))
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
        return self._joined_region(results, taken, first, tuple(symbols), since)

    def _joined_region(
        self,
        results: list[tuple[Value, Effects]],
        taken: list[int],
        first: PathChoices | None,
        symbols: tuple[str, ...],
        since: int,
    ) -> Value:
        assert first is not None
        decision = first.decisions[0]
        simple = len(results) == decision.ways and taken == list(range(decision.ways)) and len(first.decisions) == 1
        symbol = decision.symbol if simple else self.fresh(short(f"path({', '.join(symbols)})"))
        if not simple:
            results = different(results, since, shared=(self.statics, self.initialized))
        options = tuple(enumerate(value for value, _ in results))
        places = tuple((place, place) for place in range(len(results)))
        split = Split(symbol, places, decision.unknown, Opaque(decision.unknown, symbol))
        self.merge([effects for _, effects in results], split, since)
        outcome = results[0][0]
        if all(value is outcome or value == outcome for value, _ in results):
            return outcome
        return choose(symbol, options, decision.unknown)
