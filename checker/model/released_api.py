"""How releases of Flink differ in what a program's calls mean: which operators, names and serializers they make.

What differs behind the API, in graphs and ids, is in ``checker.flink.versions``. Each entry was found by running the
call under the named releases.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from checker.model.flink_releases import minor_of
from checker.model.topology import ChainingStrategy


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedApi:
    """The API of one minor release."""

    minor: str
    """``1.20``."""
    operator_objects: ChainingStrategy
    """What ``transform`` gives an operator object that sets no strategy."""
    operators_choose_chaining: bool
    """``transform`` heeds the strategy of an operator object; factories decide since 2.0."""
    unkeyed_functions_on_keyed_streams: bool
    """``KeyedStream.process`` takes a ``ProcessFunction``; its ``LegacyKeyedProcessOperator`` keeps timers."""
    windows_named_by_assigner: bool
    """A window operator's default name is its assigner's class, not a long text."""
    chaining_options: frozenset[str]
    """The configuration keys that switch operator chaining."""
    null_slot_sharing_group_refused: bool
    file_monitor_sets_max_parallelism: bool
    """The monitor of ``readFile`` has maximum parallelism 1."""
    reads_text_files: bool
    """``readTextFile`` exists."""
    default_sink_name: str
    """The name of a ``sinkTo`` that the program does not name."""
    sinks_expand: bool
    """A sink may put operators of its own before its writer."""
    collect_sink_has_uid: bool
    """``collectAsync`` and ``executeAndCollect`` set a uid: ``dataStreamCollect_`` and a number."""
    collections_have_serializers: bool
    """Lists, maps, sets and collections are written by Flink and no longer by Kryo."""
    records_are_pojos: bool
    """Java records are written field by field."""
    setters_drop_is: bool
    """``setDone`` is a setter of the field ``isDone`` (``TypeExtractor.isValidPojoField``)."""


@cache
def api_of(version: str | None) -> ReleasedApi:
    """The API of ``"1.20"`` or ``"1.20.5"``; that of the newest supported release where there is no such number."""
    at = minor_of(version)
    return ReleasedApi(
        minor=f"{at[0]}.{at[1]}",
        operator_objects=ChainingStrategy.HEAD if at < (2, 0) else ChainingStrategy.ALWAYS,
        operators_choose_chaining=at < (2, 0),
        unkeyed_functions_on_keyed_streams=at < (2, 0),
        windows_named_by_assigner=at >= (1, 15),
        chaining_options=frozenset(
            {"pipeline.operator-chaining"} | ({"pipeline.operator-chaining.enabled"} if at >= (1, 18) else set())
        ),
        null_slot_sharing_group_refused=at >= (1, 14),
        file_monitor_sets_max_parallelism=at >= (1, 16),
        reads_text_files=at < (2, 0),
        default_sink_name="Sink" if at >= (1, 15) else "Unnamed",
        sinks_expand=at >= (1, 15),
        collect_sink_has_uid=at >= (2, 0),
        collections_have_serializers=at >= (2, 0),
        records_are_pojos=at >= (1, 19),
        setters_drop_is=at >= (2, 0),
    )
