"""All the programs that a topology with unknowns can stand for.

Most unknowns have few values that make a difference. A parallelism matters only by being equal to another or
not, so the values in the topology and one that is none of them cover every case; whether a sink commits is yes
or no. Trying them all says exactly which ids depend on an unknown. Unknowns without such a list (the text of a
uid, operators that could not be read) stay in the topology and are carried through hashing instead.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Any

from checker.flink.versions import Semantics
from checker.model.topology import ChainingStrategy, Kind, PartitionerKind, Topology, Transformation
from checker.model.translation import Choice, Question
from checker.model.unknowns import CODE, OF_ENVIRONMENT, Cause, Maybe, Unknown

MAX_PROGRAMS = 64
MAX_WORK = 60_000
"""Bounds on how many programs are tried, and on programs times transformations."""

Edit = Callable[[Topology], Topology]
_Option = tuple[Choice, Edit]


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """An unknown with its possible values."""

    question: Question
    unknown: Unknown
    options: tuple[_Option, ...]


def programs(
    topology: Topology, questions: tuple[OpenQuestion, ...]
) -> tuple[tuple[Topology, tuple[Choice, ...]], ...] | None:
    """Every possible program with what was taken for each question, None when there are too many to try."""
    count = prod(len(question.options) for question in questions)
    if count > MAX_PROGRAMS or count * max(len(topology.transformations), 1) > MAX_WORK:
        return None
    found = []
    for combination in product(*(q.options for q in questions)):
        edited = topology
        for _, edit in combination:
            edited = edit(edited)
        found.append((edited, tuple(choice for choice, _ in combination)))
    return tuple(found)


def one_program(topology: Topology, questions: tuple[OpenQuestion, ...]) -> Topology:
    """Some possible program: the first answer to each question."""
    for question in questions:
        topology = question.options[0][1](topology)
    return topology


def open_questions(topology: Topology, semantics: Semantics) -> Iterator[OpenQuestion]:
    """Every unknown of the topology whose values can be listed, in a stable order."""
    if len(topology.variants) > 1:
        shapes, undecided = Question("variant"), topology.variants_unknown or Unknown("which shape the program takes")
        times = Counter(v.when for v in topology.variants)
        outcomes = [", ".join(d.outcome for way in v.ways for d in way) for v in topology.variants]
        options = (
            (
                Choice(shapes, v.when if times[v.when] == 1 else f"{v.when}: {taken}", undecided, ways=v.ways),
                _set_topology(transformations=v.transformations),
            )
            for v, taken in zip(topology.variants, outcomes, strict=True)
        )
        yield OpenQuestion(shapes, undecided, tuple(options))
    numbers = _parallelisms(topology)
    fresh = max(numbers) + 1
    if isinstance(topology.parallelism, Unknown):
        values = [(str(n), False, _set_topology(parallelism=n)) for n in numbers]
        values.append((str(fresh), True, _set_topology(parallelism=fresh)))
        yield _question(Question("parallelism"), topology.parallelism, values)
        fresh += 1
        numbers = (*numbers, fresh - 1)
    for name in ("chaining", "chain_different_max_parallelism", "auto_generate_uids"):
        value = getattr(topology, name)
        if isinstance(value, Unknown):
            both = [(str(v).lower(), False, _set_topology(**{name: v})) for v in (True, False)]
            yield _question(Question(name), value, both)
    matters = semantics.max_parallelism_chaining_option and topology.chain_different_max_parallelism is not True
    asked: dict[Question, tuple[Unknown, list[tuple[str, bool, Any]], list[str]]] = {}
    for transformation in topology.operators():
        if not any(isinstance(value, Unknown) for value in vars(transformation).values()):
            continue
        for field, unknown, values in _fields(transformation, topology, numbers, matters):
            if unknown.options:
                values = [(str(o), False, o) for o in _typed(unknown, values)]
            shared = _shared_value(unknown) if field != "uid" else None
            question = Question(field, transformation.id if shared is None else shared)
            asked.setdefault(question, (unknown, values, []))[2].append(transformation.id)
    for question, (unknown, values, concerned) in asked.items():
        edits = [(text, new, _set_field(frozenset(concerned), question.field, value)) for text, new, value in values]
        yield _question(question, unknown, edits)


def _shared_value(unknown: Unknown) -> str | None:
    """What gives a value that is one wherever it stands: an expression over a program's arguments, an environment.

    What code does that is known by a digest only, such as an iterator's ``next()``, may be another value each time:
    None for that and for all else.
    """
    made = unknown.derived_from or ""
    single = made.startswith(OF_ENVIRONMENT) or (unknown.cause is Cause.ARGUMENT and CODE not in made)
    return made if made and single else None


def _typed(unknown: Unknown, values: list[tuple[str, bool, Any]]) -> list[Any]:
    """The options an extractor gave, as values of the field's own type."""
    by_text = {text: value for text, _, value in values}
    return [by_text.get(str(option), option) for option in unknown.options]


def _fields(
    transformation: Transformation, topology: Topology, numbers: tuple[int, ...], max_parallelism_matters: bool
) -> Iterator[tuple[str, Unknown, list[tuple[str, bool, Any]]]]:
    """Fields of one transformation that are unknown and change the graph, each with its possible values."""
    physical = not transformation.kind.virtual
    if physical and isinstance(transformation.parallelism, Unknown):
        new = max(numbers) + 1
        yield "parallelism", transformation.parallelism, [(str(n), n == new, n) for n in (*numbers, new)]
    if physical and isinstance(transformation.max_parallelism, Unknown) and max_parallelism_matters:
        used = sorted({t.max_parallelism for t in topology.operators() if isinstance(t.max_parallelism, int)} | {128})
        yield "max_parallelism", transformation.max_parallelism, [
            ("unset", False, None), *((str(n), False, n) for n in used), (str(used[-1] + 1), True, used[-1] + 1)
        ]  # fmt: skip
    if physical and isinstance(transformation.slot_sharing_group, Unknown):
        used_groups = sorted(
            {t.slot_sharing_group for t in topology.operators() if isinstance(t.slot_sharing_group, str)} | {"default"}
        )
        yield "slot_sharing_group", transformation.slot_sharing_group, [
            *((g, False, g) for g in used_groups), ("another group", True, "another group")
        ]  # fmt: skip
    if physical and isinstance(transformation.chaining, Unknown):
        yield "chaining", transformation.chaining, [(s.value, False, s) for s in ChainingStrategy]
    if transformation.kind is Kind.PARTITION and isinstance(transformation.partitioner, Unknown):
        kinds = (PartitionerKind.REBALANCE, PartitionerKind.FORWARD)
        yield "partitioner", transformation.partitioner, [(p.value, False, p) for p in kinds]
    for field in ("committer", "global_committer"):
        value: Maybe[bool] = getattr(transformation, field)
        if isinstance(value, Unknown):
            yield field, value, [("false", False, False), ("true", False, True)]
    if isinstance(transformation.uid, Unknown) and transformation.uid.options:
        yield "uid", transformation.uid, []


def _parallelisms(topology: Topology) -> tuple[int, ...]:
    """Every parallelism the topology names, and 1, which Flink itself gives to some operators."""
    numbers = {t.parallelism for t in topology.operators() if isinstance(t.parallelism, int)} | {1}
    if isinstance(topology.parallelism, int):
        numbers.add(topology.parallelism)
    return tuple(sorted(numbers))


def _question(question: Question, unknown: Unknown, values: list[tuple[str, bool, Any]]) -> OpenQuestion:
    options = tuple((Choice(question, text, unknown, new), edit) for text, new, edit in values)
    return OpenQuestion(question, unknown, options)


def _set_topology(**changes: Any) -> Edit:
    return lambda topology: replace(topology, **changes)


def _set_field(identities: frozenset[str], field: str, value: Any) -> Edit:
    def edit(topology: Topology) -> Topology:
        return replace(
            topology,
            transformations=tuple(
                replace(t, **{field: value}) if t.id in identities else t for t in topology.transformations
            ),
        )

    return edit
