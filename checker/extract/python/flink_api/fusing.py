"""How PyFlink fuses chained Python operators into one node before Flink sees them.

Source: ``PythonConfigUtil.alignTransformation`` and ``PythonOperatorChainingOptimizer`` of flink-python, the same in
1.20 and 2.3. The order in which the optimizer leaves transformations is kept: operator ids depend on it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from checker.extract.datastream.records import Default, Draft, Parallelism
from checker.extract.python.flink_api.operators import joined_states, virtual
from checker.extract.python.flink_api.streams import KEY_BY_MAP, KEYED_VALUES, PARTITION_CUSTOM_MAP
from checker.model.topology import ChainingStrategy, Kind, PartitionerKind
from checker.model.unknowns import Cause, Maybe, Unknown

Same = Callable[[Any, Any], bool]
"""Whether two settings are equal; for ones that are not known this path decides it."""

_UPSTREAM = frozenset({"process", "keyed", "co", "keyed-co", "window"})
"""Python operators behind which one without a key is fused (in the default process mode windows are keyed ones)."""


def align(registered: list[Draft]) -> None:
    """Key-adding operators run as their input does, key-removing ones as their consumer does, joined by FORWARD."""
    for step in registered:
        before = step.inputs[0] if step.inputs else None
        if before is None:
            continue
        if before.name == KEYED_VALUES:
            _like(before, step)
            step.inputs = (_forward(before), *step.inputs[1:])
        if step.name in (KEY_BY_MAP, PARTITION_CUSTOM_MAP) and before.name != KEYED_VALUES:
            _like(step, before)
            step.inputs = (_forward(before), *step.inputs[1:])


def _forward(before: Draft) -> Draft:
    return virtual(Kind.PARTITION, [before], before.location, partitioner=PartitionerKind.FORWARD)


def _like(step: Draft, model: Draft) -> None:
    if model.slot_sharing_group is not None:
        step.slot_sharing_group = model.slot_sharing_group
    step.parallelism = model.parallelism


def _reachable(registered: list[Draft]) -> list[Draft]:
    found: list[Draft] = []
    seen: set[int] = set()
    queue = deque(registered)
    while queue:
        step = queue.popleft()
        if id(step) not in seen:
            seen.add(id(step))
            found.append(step)
            queue.extend(step.inputs)
    return found


def fuse(registered: list[Draft], default_parallelism: Maybe[int], same: Same) -> tuple[list[Draft], dict[int, Draft]]:
    """What is registered after the optimizer, and by which step those that are gone were replaced."""
    replaced: dict[int, Draft] = {}
    outputs: dict[int, list[Draft]] = {}
    for step in _reachable(registered):
        for before in step.inputs:
            readers = outputs.setdefault(id(before), [])
            if step not in readers:
                readers.append(step)
    chained: dict[int, Draft] = {}
    done: set[int] = set()
    queue = deque(registered)
    while queue:
        step = queue.popleft()
        if id(step) in done:
            continue
        done.add(id(step))
        upstream = _upstream(step)
        if upstream is None or not _fusable(upstream, step, outputs, default_parallelism, same):
            chained[id(step)] = step
            queue.append(step)
            queue.extend(step.inputs)
            continue
        both = _fused(upstream, step)
        readers = outputs.pop(id(step), [])
        for reader in readers:
            _replace(reader, step, both)
        if readers:
            outputs[id(both)] = readers
        chained[id(both)] = both
        for old in (upstream, step):
            chained.pop(id(old), None)
            done.add(id(old))
            replaced[id(old)] = both
        queue.append(both)
        queue.extend(both.inputs)
    return list(chained.values()), replaced


def _replace(reader: Draft, old: Draft, new: Draft) -> None:
    """``replaceInput``: a union has the new input at its end; of two equal inputs only the first is replaced."""
    place = next(place for place, source in enumerate(reader.inputs) if source is old)
    if reader.kind is Kind.UNION:
        reader.inputs = (*reader.inputs[:place], *reader.inputs[place + 1 :], new)
    else:
        reader.inputs = (*reader.inputs[:place], new, *reader.inputs[place + 1 :])


def _upstream(step: Draft) -> Draft | None:
    """The Python operator before a one-input Python operator, explicit FORWARDs passed over."""
    if step.python is None or len(step.inputs) != 1 or step.python.endswith("broadcast"):
        return None
    before = step.inputs[0]
    while before.python is None:
        if before.kind is not Kind.PARTITION or before.partitioner is not PartitionerKind.FORWARD:
            return None
        before = before.inputs[0]
    return before


def _fusable(upstream: Draft, step: Draft, outputs: dict[int, list[Draft]], default: Maybe[int], same: Same) -> bool:
    if step.python != "process" or upstream.python not in _UPSTREAM:
        return False
    if upstream.chaining is ChainingStrategy.NEVER or step.chaining in (ChainingStrategy.NEVER, ChainingStrategy.HEAD):
        return False
    if len(outputs.get(id(upstream), ())) != 1:
        return False
    pairs: list[tuple[object, object]] = [
        (upstream.max_parallelism, step.max_parallelism),
        (upstream.slot_sharing_group, step.slot_sharing_group),
    ]
    if not (isinstance(upstream.parallelism, Default) and isinstance(step.parallelism, Default)):
        pairs.append((_resolved(upstream.parallelism, default), _resolved(step.parallelism, default)))
    return all(same(before, after) for before, after in sorted(pairs, key=_open))


def _open(pair: tuple[object, object]) -> bool:
    """Known settings are compared first: where they differ, the others don't matter."""
    return any(isinstance(setting, Unknown) for setting in pair)


def _resolved(parallelism: Parallelism, default: Maybe[int]) -> Maybe[int]:
    return default if isinstance(parallelism, Default) else parallelism


def _fused(upstream: Draft, step: Draft) -> Draft:
    """One operator where the upstream one was, called by both names."""
    names = (upstream.name, step.name)
    unknown = next((name for name in names if isinstance(name, Unknown)), None)
    name: Maybe[str] = unknown or Unknown("unnamed", Cause.OTHER)
    if isinstance(names[0], str) and isinstance(names[1], str):
        name = f"{names[0]}, {names[1]}"
    return replace(
        upstream, name=name, parts=(upstream.parts or (upstream,)) + (step.parts or (step,)),
        state=joined_states(upstream.state, step.state), stateful=upstream.stateful or step.stateful,
        function=", ".join(part.function for part in (upstream, step) if part.function) or None,
        function_values=(*upstream.function_values, *step.function_values),
    )  # fmt: skip
