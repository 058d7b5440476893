"""What ``execute`` submits: the registered steps, fused as PyFlink fuses them, in Flink's order.

Fusing: ``PythonConfigUtil.alignTransformation`` and ``PythonOperatorChainingOptimizer`` of flink-python, the same in
1.20 and 2.3. The order in which the optimizer leaves transformations is kept: operator ids depend on it.
"""

from collections import Counter, deque
from dataclasses import replace

from checker.extract.datastream.assembling import Reading, default_parallelism
from checker.extract.datastream.records import Default, Draft, Job
from checker.extract.python.flink_api.operators import declare, joined_states, virtual
from checker.extract.python.flink_api.settings_calls import AUTOMATIC
from checker.extract.python.flink_api.streams import KEY_BY_MAP, KEYED_VALUES, PARTITION_CUSTOM_MAP, Environment, Stream
from checker.extract.python.interpreter import choices
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import RaiseSignal, StoppedError, stopped
from checker.extract.python.interpreter.values import Opaque
from checker.model.flink_releases import api_of
from checker.model.topology import ChainingStrategy, Kind, Mode, PartitionerKind
from checker.model.unknowns import Cause, Location, Maybe, Unknown

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


def fuse(run: Run, registered: list[Draft], at: Location) -> tuple[list[Draft], dict[int, Draft]]:
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
        if upstream is None or not _fusable(run, upstream, step, outputs, at):
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


def _fusable(run: Run, upstream: Draft, step: Draft, outputs: dict[int, list[Draft]], at: Location) -> bool:
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
        default = deployment_parallelism(run)
        runs_as = (default if isinstance(part.parallelism, Default) else part.parallelism for part in (upstream, step))
        pairs.append((next(runs_as), next(runs_as)))
    return all(_same(run, before, after, at) for before, after in sorted(pairs, key=_open))


def _same(run: Run, before: object, after: object, at: Location) -> bool:
    """Whether two settings are equal: one value made alike is, others are or are not on a path each."""
    unknown_ones = [setting for setting in (before, after) if isinstance(setting, Unknown)]
    if not unknown_ones:
        return before == after
    first, last = unknown_ones[0], unknown_ones[-1]
    alike = len(unknown_ones) == 2 and first.derived_from is not None and first.derived_from == last.derived_from
    if before is after or (alike and first.cause is Cause.ARGUMENT):  # one value of one run
        return True
    texts = [setting.derived_from if isinstance(setting, Unknown) else repr(setting) for setting in (before, after)]
    derived_from = f"{texts[0]} == {texts[1]}" if all(texts) else ""
    test = Opaque(replace(first, derived_from=None), derived_from, derived_from)
    return choices.choose(run, test, "PyFlink fuses two operators", at)


def _open(pair: tuple[object, object]) -> bool:
    """Known settings are compared first: where they differ, the others don't matter."""
    return any(isinstance(setting, Unknown) for setting in pair)


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


MAX_STEPS = 2_000
"""Operators of one job, and streams in one union, beyond which a script is not followed."""


def deployment_parallelism(run: Run) -> Maybe[int]:
    """The parallelism of operators for which the script sets none."""
    return default_parallelism(run.entry, READING.program)


def submit(run: Run, env: Environment, at: Location, collected: Stream | None = None) -> Job:
    """The job that an environment executes; its registered steps are gone then, as in Flink.

    Raises RaiseSignal where Flink refuses to execute nothing.
    """
    registered, env.registered = env.registered, []
    if not registered and collected is None:
        raise RaiseSignal(("IllegalStateException", "Py4JJavaError", "Exception", "BaseException"))
    if env.open is not None:
        return _unread(env, env.open, at)
    try:
        _check_size(registered, at)
        align(registered)
        fused, replaced = registered, dict[int, Draft]()
        if _same(run, env.python_chaining, True, at):
            fused, replaced = fuse(run, registered, at)
        if collected is not None:
            target = collected.step
            while id(target) in replaced:
                target = replaced[id(target)]
            fused = [*fused, _collect_sink(target, run.entry.flink, at)]
    except StoppedError as stopped:
        env.open = stopped.unknown if stopped.unknown.location is not None else replace(stopped.unknown, location=at)
        return _unread(env, env.open, at)
    return _job(run, env, fused, at)


def _collect_sink(target: Draft, flink: str | None, at: Location) -> Draft:
    """What ``execute_and_collect`` puts behind a stream, after PyFlink fused the operators before it.

    Since 2.0 its uid holds a number that counts all transformations of the process.
    """
    uid = None
    if api_of(flink).collect_sink_has_uid:
        why = "Flink makes the uid of a collecting sink of a counter"
        uid = Unknown(why, Cause.NON_DETERMINISTIC, None, at, derived_from="a counter of Flink")
    return declare(Kind.LEGACY_SINK, "Data stream collect sink", [target], at, uid=uid, parallelism=1)


def _check_size(registered: list[Draft], at: Location) -> None:
    """Raises StoppedError for implausible graphs: too many operators, or unions of unions without end."""
    inputs: dict[int, int] = {}
    for step in _inputs_first(registered):
        size = sum(inputs[id(before)] for before in step.inputs) if step.kind.virtual else 1
        inputs[id(step)] = size
        if size > MAX_STEPS:
            raise stopped(f"a union of more than {MAX_STEPS} streams", Cause.LIMIT, at)
    if len(inputs) > MAX_STEPS:
        raise stopped(f"a job of more than {MAX_STEPS} operators", Cause.LIMIT, at)


def _unread(env: Environment, why: Unknown, at: Location) -> Job:
    return Job(env.as_set(), (), at, unknown=why)


def _job(run: Run, env: Environment, fused: list[Draft], at: Location) -> Job:
    """The job as it is now: later calls and jobs may change its operators."""
    copies: dict[int, Draft] = {}
    for step in _ordered(env, fused):
        inputs = tuple(copies[id(before)] for before in step.inputs)
        copies[id(step)] = replace(step, inputs=inputs, parts=step.parts or (step,))
    never_ends = any(step.unbounded for step in copies.values())
    settings = {**env.as_set(), "mode": _mode(env, never_ends=never_ends)}
    return Job(settings, tuple(copies.values()), at, tuple(run.table_steps), tuple(run.table_streams))


def _mode(env: Environment, *, never_ends: bool) -> Maybe[Mode]:
    if not isinstance(env.mode, Unknown) or env.mode.derived_from != AUTOMATIC:
        return env.mode
    if never_ends:
        return Mode.STREAMING
    descriptions = [text for text in env.source_descriptions if text]
    known = len(descriptions) == len(env.source_descriptions)
    return replace(env.mode, derived_from="; ".join(descriptions) if known else None)


def _base(step: Draft) -> str:
    if isinstance(step.uid, str) and step.uid:
        return step.uid
    return step.name if isinstance(step.name, str) and step.name else str(step.kind)


READING = Reading(extractor="python", program="the script", base=_base, joins=False)


def _ordered(env: Environment, fused: list[Draft]) -> list[Draft]:
    """Inputs first; sources in the order in which the script made them."""
    order = _inputs_first([step for step in fused if not (step.kind.source or step.kind.virtual)])
    seen = {id(step) for step in order}
    sources = [step for step in env.sources if id(step) in seen]
    return [*sources, *(step for step in order if not step.kind.source)]


def _inputs_first(roots: list[Draft]) -> list[Draft]:
    """Steps and all before them, each after its inputs."""
    order: list[Draft] = []
    seen: set[int] = set()
    for root in roots:
        pending: list[tuple[Draft, bool]] = [(root, False)]
        while pending:
            step, expanded = pending.pop()
            if expanded:
                order.append(step)
            elif id(step) not in seen:
                seen.add(id(step))
                pending.append((step, True))
                pending.extend((before, False) for before in reversed(step.inputs))
    return order


def submit_table(run: Run, env: Environment, hole: Draft, at: Location) -> Job:
    """The job of a statement or table that is executed: what the planner makes of it, and all that it reads.

    Source: ``ChainingOptimizingExecutor`` of flink-python. What a statement does not read takes no part in fusing.
    """
    if env.open is not None:
        return _unread(env, env.open, at)
    align(env.registered)
    submitted = [hole]
    if _same(run, env.python_chaining, True, at):
        reached = _inputs_first(submitted)
        read_by = Counter(id(before) for step in reached for before in step.inputs if before.python)
        if len(env.tabled) > 1 and any(readers > 1 for readers in read_by.values()):
            why = "cannot tell by which of its readers PyFlink fuses a Python operator that tables read"
            return _unread(env, Unknown(why, Cause.UNSUPPORTED, None, at), at)
        submitted, _ = fuse(run, submitted, at)
    return _job(run, env, submitted, at)
