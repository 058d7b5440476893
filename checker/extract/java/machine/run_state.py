"""The state of one path through a program: its memory, its bounds, its choices so far."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

from checker.extract.datastream.records import Draft
from checker.extract.interpreting.bounds import TOO_MUCH, Budget
from checker.extract.interpreting.memory import Memory, Trace
from checker.extract.interpreting.shapes import PathChoices
from checker.extract.java.machine.call_record import Interpreter, Site
from checker.extract.java.machine.descriptions import (
    choose,
    described_anew,
    described_as,
    expression_of,
    short,
    without_counters,
)
from checker.extract.java.machine.exceptions import ImpureSignal, LimitSignal, ThrowSignal
from checker.extract.java.machine.flink_values import EnvValue, Jobs, Registrations
from checker.extract.java.machine.values import Choice, Constant, ExternalObject, Frame, Opaque, Value, unknown_of
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.tree import Node
from checker.model.flink_releases import ReleasedApi
from checker.model.pipelines import PipelineEntry
from checker.model.unknowns import Cause, Location, Unknown

T = TypeVar("T")

MAX_STEPS: Final = 250_000
"""Expressions and statements evaluated for one pipeline, all paths together."""
MAX_DEPTH: Final = 80
"""Nested calls of repository methods."""
MAX_PATHS: Final = 32
"""Paths followed through one program, and through one speculative call."""
MAX_LOOP: Final = 2_000
"""Rounds of one loop."""
MAX_DRAFTS: Final = 20_000
_NOT_FOLLOWED: Final = (Cause.UNSUPPORTED, Cause.SYNTAX, Cause.OTHER, Cause.LIMIT)


@dataclass(eq=False, slots=True)
class Limits:
    """What all paths of a program share: the bounds that are left, and what was found out."""

    steps: int = MAX_STEPS
    environments: bool = False
    """Whether the program made an environment on any path."""
    tables: bool = False
    """Whether it made a table environment on any path."""
    function_states: dict[Any, Any] = field(default_factory=dict)
    """What is known of user functions, kept from path to path."""
    trace: Trace = field(default_factory=Trace)
    """What was followed, on all paths together."""
    budget: Budget = field(default_factory=Budget)


@dataclass(eq=False)
class RunState:
    """State of one path through a program, and what it makes of conditions that it does not know."""

    index: ClassIndex
    entry: PipelineEntry
    api: ReleasedApi
    limits: Limits
    interpreter: Interpreter = field(init=False)
    """What evaluates the program's code on this path."""
    choices: PathChoices = field(default_factory=PathChoices)
    memory: Memory = field(default_factory=Memory)
    statics: dict[tuple[int, str], Value] = field(default_factory=dict)
    """Static fields by class and name; under 0 arrays whose elements are not known and were assigned, by symbol, and
    what libraries were made to do.
    """
    families: dict[str, str] = field(default_factory=dict)
    """Simple name of a library's class → whose classes share what they remember."""
    initialized: dict[int, ClassDecl] = field(default_factory=dict)
    """Classes whose static initializers ran, by their identity."""
    jobs: Jobs = field(default_factory=Jobs)
    impure: set[int] = field(default_factory=set)
    region_mark: int | None = None
    """Where the speculative call that is being run started."""
    attempting: bool = False
    """In one side of a branch that is being tried: a choice there means that it can't be merged."""
    counter: int = 0
    numbers: dict[int, tuple[int, object]] = field(default_factory=dict)
    """Objects that symbols name, by identity: their number, and the object to keep it alive."""
    entered: int = 0
    """How many bodies of methods and lambdas of the repository were entered so far."""
    loops: int = 0
    """How many loops of unknown length the program is in."""
    active: dict[int, int] = field(default_factory=dict)
    """Methods that are being run, by their node, and in how many such loops they were entered first."""
    catching: int = 0
    """How many ``try`` blocks with a ``catch`` the program is in."""
    following: Registrations | None = None
    """What the function asks for whose methods are followed; None while ``main`` runs."""

    @property
    def envs(self) -> tuple[EnvValue, ...]:
        """The environments that exist, in the order of their making."""
        return self.jobs.envs

    # -- bounds --------------------------------------------------------------------------------------------------

    def step(self, node: Node, frame: Frame) -> None:
        """Count one step, at a node of the frame's file."""
        limits = self.limits
        limits.steps -= 1
        if limits.steps < 0:
            raise LimitSignal("more steps than are followed")
        limits.trace.visit(frame.decl.unit.path, node.start_byte)

    def made(self, size: int) -> None:
        """Note a text or collection that is made. Raises LimitSignal when all of them are too much."""
        if not self.limits.budget.take(size):
            raise LimitSignal(TOO_MUCH)

    def gap(self, site: Site) -> None:
        """Remember that the code behind a call is not followed."""
        if site.node is not None:
            self.limits.trace.gap(site.frame.decl.unit.path, site.node.start_byte)

    def fresh(self, prefix: str) -> str:
        """A symbol that nothing else has."""
        self.counter += 1
        return described_anew(prefix, self.counter)

    def number(self, value: object) -> int:
        """A number for an object, the same in every reading of the same program."""
        found = self.numbers.get(id(value))
        if found is None:
            found = self.numbers[id(value)] = (len(self.numbers) + 1, value)
        return found[0]

    # -- unknowns ------------------------------------------------------------------------------------------------

    def location(self, site: Site | None) -> Location | None:
        """Where a site is, None where it is not in the source."""
        return site.frame.location(site.node) if site is not None and site.node is not None else None

    def unknown(self, reason: str, cause: Cause, site: Site | None, settled_by: str | None = None) -> Unknown:
        """Why something at a site is not known."""
        return Unknown(reason, cause, settled_by, self.location(site))

    def opaque(
        self,
        reason: str,
        cause: Cause,
        site: Site | None,
        *,
        symbol: str | None = None,
        settled_by: str | None = None,
        of: tuple[Value | None, ...] = (),
    ) -> Opaque:
        """A value that is not known; the first unknown among ``of`` is its true reason."""
        unknown = self.unknown(reason, cause, site, settled_by)
        for value in of:
            inherited = unknown_of(value)
            if inherited is not None:
                unknown = inherited
                break
        else:
            if site is not None and cause in _NOT_FOLLOWED:
                self.gap(site)
        if symbol is None:
            parts = ", ".join(described_as(value) for value in of if value is not None)
            symbol = self.fresh(short(f"value({parts})") if parts else "value")
        return Opaque(unknown, symbol)

    # -- conditions ----------------------------------------------------------------------------------------------

    def truth(self, value: Value) -> bool | None:
        """The boolean that a value is on this path, None where it is not known yet."""
        if isinstance(value, Constant):
            return value.value if isinstance(value.value, bool) else None
        if isinstance(value, Choice):
            truths = {self.truth(option) for _, option in value.options}
            if len(truths) == 1:
                return truths.pop()
            taken = self.choices.decided(value.symbol)
            return self.truth(value.options[taken][1]) if taken is not None else None
        if isinstance(value, Opaque):
            taken = self.choices.decided(value.symbol)
            return None if taken is None else (taken == 0) != value.negated
        return None

    def as_condition(self, value: Value) -> Value:
        """A library object in the place of a boolean is just something that is not known."""
        if isinstance(value, ExternalObject):
            return Opaque(value.unknown, value.symbol or self.fresh("condition"))
        return value

    def decide(self, value: Value, label: str = "") -> bool:
        """The boolean that a value is, as a choice of the path where it is not known."""
        known = self.truth(value)
        if known is not None:
            return known
        if isinstance(value, Choice):
            return self.decide(self.pick(value))
        if isinstance(value, ExternalObject):
            return self.decide(self.as_condition(value), label)
        if not isinstance(value, Opaque):
            value = Opaque(Unknown("a condition that is not evaluated", Cause.BRANCH), self.fresh("condition"))
        self._before_choice()
        what = label or without_counters(value.symbol)
        value = replace(value, unknown=self.described(replace(value, negated=False)))  # which way it goes says that
        ways = (f"not ({what})", what) if value.negated else (what, f"not ({what})")
        return (self.choices.choose(value.symbol, ways, value.unknown) == 0) != value.negated

    @staticmethod
    def described(value: Opaque | Choice) -> Unknown:
        """Why a value is not known, with what it is derived from."""
        return replace(value.unknown, derived_from=expression_of(value, value.unknown.cause))

    def pick(self, choice: Choice) -> Value:
        """One of a choice's values, as a choice of the path where it is not known yet."""
        labels = tuple(f"{without_counters(choice.symbol)} is {outcome}" for outcome, _ in choice.options)
        taken = self.pick_labeled(choice, labels)
        value = choice.options[min(taken, len(choice.options) - 1)][1]
        return self.pick(value) if isinstance(value, Choice) else value

    def on_each(self, choice: Choice, step: Callable[[Value], Value | None]) -> Value | None:
        """A computation for each of a choice's values; on the one of this path where an exception ends one of them."""
        options: list[tuple[int | bool, Value]] = []
        try:
            for outcome, option in choice.options:
                result = step(option)
                if result is None:
                    return None
                options.append((outcome, result))
        except ThrowSignal:
            return step(self.pick(choice))
        return choose(choice.symbol, tuple(options), choice.unknown)

    def pick_labeled(self, choice: Choice, labels: tuple[str, ...]) -> int:
        """Which of a choice's options it is, with a text for each that people understand."""
        taken = self.choices.decided(choice.symbol)
        if taken is None:
            self._before_choice()
            taken = self.choices.choose(choice.symbol, labels, self.described(choice))
        return taken

    def soften(self, value: Value) -> Value:
        """The value itself, a choice resolved as far as this path has decided it already."""
        while isinstance(value, Choice):
            taken = self.choices.decided(value.symbol)
            if taken is None:
                return value
            value = value.options[min(taken, len(value.options) - 1)][1]
        return value

    def alternatives(self, value: Value) -> tuple[Value, ...]:
        """All values that it can still be on this path."""
        value = self.soften(value)
        if not isinstance(value, Choice):
            return (value,)
        found: list[Value] = []
        for _, option in value.options:
            for alternative in self.alternatives(option):
                if not any(alternative is known for known in found):
                    found.append(alternative)
        return tuple(found)

    def agreed(self, value: Value, read: Callable[[Value], T], otherwise: Callable[[], T]) -> T:
        """What all that it can still be is read as; ``otherwise`` where they differ."""
        first, *others = [read(alternative) for alternative in self.alternatives(value)]
        return first if all(found == first for found in others) else otherwise()

    def settle(self, value: Value) -> Value:
        """The value itself, a choice resolved."""
        return self.pick(value) if isinstance(value, Choice) else value

    def _before_choice(self) -> None:
        if self.attempting or (self.region_mark is not None and self.memory.touched_topology(self.region_mark)):
            raise ImpureSignal

    def env_of(self, draft: Draft) -> EnvValue | None:
        """The environment that a draft was declared in."""
        for env in self.envs:
            if any(known is draft for known in env.drafts):
                return env
        return self.envs[-1] if self.envs else None

    def created(self, env: EnvValue) -> int:
        """How many transformations the program has made so far, -1 where that is not known."""
        made = [draft for env in self.envs for draft in env.drafts]
        if self.jobs.items or any(draft.unknown is not None for draft in made):
            return -1
        return len(made)

    # -- statics -------------------------------------------------------------------------------------------------

    def static_key(self, decl: ClassDecl, name: str) -> tuple[int, str]:
        """Where a static field is kept."""
        return (id(decl), name)
