"""Settings of one operator: ``uid``, ``name``, ``setParallelism``, ``slotSharingGroup``, chaining."""

from __future__ import annotations

from collections.abc import Callable

from checker.extract.datastream.records import UNSET, Draft
from checker.extract.java.flink_api import drafts, table
from checker.extract.java.flink_api.jobs import parallelism_value, refuse
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.flink_values import StreamValue
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Constant, ExternalObject, Value, boolean, depends_of, is_null
from checker.model.topology import ChainingStrategy
from checker.model.unknowns import Maybe, Unknown

Handler = Callable[[Run, StreamValue, Draft, Call], "Value | None"]


def call(run: Run, stream: StreamValue, call: Call) -> Value | None:
    """A setting of the stream's transformation; None for every other call."""
    handler = _HANDLERS.get(call.name)
    if handler is None or stream.draft is None or table.is_a(stream.type, "WindowedStream"):
        return None
    if not call.arguments and call.name not in _WITHOUT_ARGUMENT:
        return stream
    result = handler(run, stream, stream.draft, call)
    return stream if result is None else result


def _uid(run: Run, stream: StreamValue, draft: Draft, call: Call) -> Value | None:
    value = call.arguments[0]
    _, location = drafts.call_site(run, call.site)
    run.memory.assign(draft, "uid", drafts.maybe_text(value))
    run.memory.assign(draft, "uid_depends_on", tuple(sorted(depends_of(value))))
    run.memory.assign(draft, "uid_location", location)
    return None


def _uid_hash(run: Run, stream: StreamValue, draft: Draft, call: Call) -> Value | None:
    if is_null(call.arguments[0]):
        return refuse("uidHash must not be null")
    _, location = drafts.call_site(run, call.site)
    run.memory.assign(draft, "uid_hash", drafts.maybe_text(call.arguments[0]))
    run.memory.assign(draft, "uid_hash_location", location)
    return None


def _text(attribute: str) -> Handler:
    def handler(run: Run, stream: StreamValue, draft: Draft, call: Call) -> Value | None:
        run.memory.assign(draft, attribute, drafts.maybe_text(call.arguments[0]))
        return None

    return handler


def _parallelism(run: Run, stream: StreamValue, draft: Draft, call: Call) -> Value | None:
    value = drafts.maybe_int(call.arguments[0])
    if isinstance(value, int):
        if value < 1 and value != -1:
            return refuse(
                "The parallelism of an operator must be at least 1, or ExecutionConfig.PARALLELISM_DEFAULT "
                "(use system default)."
            )
        if value != 1 and _fixed(stream, draft):
            return refuse("The parallelism of non parallel operator must be 1.")
    elif _fixed(stream, draft):
        return None
    run.memory.assign(draft, "parallelism", UNSET if value == -1 else value)
    return None


def _fixed(stream: StreamValue, draft: Draft) -> bool:
    return stream.extra.get("parallel") is False or draft.non_parallel


def _max_parallelism(run: Run, stream: StreamValue, draft: Draft, call: Call) -> Value | None:
    value = drafts.maybe_int(call.arguments[0])
    if isinstance(value, int):
        if value <= 0:
            return refuse("The maximum parallelism must be greater than 0.")
        if value > 32768:
            return refuse(f"Maximum parallelism must be between 1 and 32768. Found: {value}")
        if value != 1 and _fixed(stream, draft):
            return refuse("The maximum parallelism of non parallel operator must be 1.")
    run.memory.assign(draft, "max_parallelism", value)
    return None


def _force_non_parallel(run: Run, stream: StreamValue, draft: Draft, call: Call) -> Value | None:
    force_non_parallel(run, draft)
    return None


def force_non_parallel(run: Run, draft: Draft) -> None:
    """Parallelism and maximum 1, for good."""
    run.memory.assign(draft, "parallelism", 1)
    run.memory.assign(draft, "max_parallelism", 1)
    run.memory.assign(draft, "non_parallel", True)


def _slot_sharing_group(run: Run, stream: StreamValue, draft: Draft, call: Call) -> Value | None:
    value = run.settle(call.arguments[0])
    if is_null(value):
        return refuse("slotSharingGroup must not be null") if run.api.null_slot_sharing_group_refused else None
    group: Maybe[str] | None
    if isinstance(value, ExternalObject) and value.type.simple.startswith("SlotSharingGroup"):
        named = dict(value.calls).get("newBuilder", ())
        _check_group(run, stream, value)
        group = drafts.maybe_text(named[0]) if named else drafts.unknown(value)
    else:
        group = drafts.maybe_text(value)
    run.memory.assign(draft, "slot_sharing_group", group)
    return None


def _check_group(run: Run, stream: StreamValue, group: ExternalObject) -> None:
    """One name can't stand for groups of different resources."""
    calls = tuple(
        (name, tuple(a.value if isinstance(a, Constant) else a for a in given)) for name, given in group.calls
    )
    name = next((given for method, given in calls if method == "newBuilder"), None)
    spec = frozenset(call for call in calls if call[0].startswith("set"))
    for member, known in stream.env.groups:
        if member == name and known != spec:
            refuse(
                f"The slot sharing group {name[0] if name else ''} has been configured with two different resource "
                "spec."
            )
    if spec:
        run.memory.assign(stream.env, "groups", (*stream.env.groups, (name, spec)))


def _chaining(strategy: ChainingStrategy) -> Handler:
    def handler(run: Run, stream: StreamValue, draft: Draft, call: Call) -> Value | None:
        run.memory.assign(draft, "chaining", strategy)
        return None

    return handler


def _set_chaining(run: Run, stream: StreamValue, draft: Draft, call: Call) -> Value | None:
    value = run.settle(call.arguments[0]) if call.arguments else None
    if value is None:
        return None
    run.memory.assign(draft, "chaining", chaining_strategy(value) or Unknown("a chaining strategy that is not known"))
    return None


def chaining_strategy(value: Value | None) -> ChainingStrategy | None:
    """The strategy that a constant of Flink's names."""
    known = isinstance(value, ExternalObject) and value.calls
    return ChainingStrategy.__members__.get(value.calls[-1][0]) if isinstance(value, ExternalObject) and known else None


def _get_parallelism(run: Run, stream: StreamValue, draft: Draft, call: Call) -> Value | None:
    return parallelism_value(run, draft.parallelism, call.site)


def _get_name(run: Run, stream: StreamValue, draft: Draft, call: Call) -> Value | None:
    return Constant(draft.name, "String") if isinstance(draft.name, str) else boolean(False)


_HANDLERS: dict[str, Handler] = {
    "uid": _uid,
    "setUid": _uid,
    "setUidHash": _uid_hash,
    "name": _text("name"),
    "setName": _text("name"),
    "setParallelism": _parallelism,
    "setMaxParallelism": _max_parallelism,
    "forceNonParallel": _force_non_parallel,
    "slotSharingGroup": _slot_sharing_group,
    "setSlotSharingGroup": _slot_sharing_group,
    "setCoLocationGroupKey": _text("co_location_group"),
    "disableChaining": _chaining(ChainingStrategy.NEVER),
    "startNewChain": _chaining(ChainingStrategy.HEAD),
    "setChainingStrategy": _set_chaining,
    "getParallelism": _get_parallelism,
    "getName": _get_name,
}
_WITHOUT_ARGUMENT = frozenset({"forceNonParallel", "disableChaining", "startNewChain", "getParallelism", "getName"})
NAMES = frozenset(_HANDLERS)
"""Names of the methods that set or return properties of an operator."""
