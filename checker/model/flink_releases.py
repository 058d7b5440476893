"""The Flink releases that are supported, and what calls of the API do in which of them.

How graphs, ids and restoring differ between releases is in ``checker.flink.versions``."""

import re
from dataclasses import dataclass
from functools import cache

from checker.model.topology import ChainingStrategy

RELEASES = {
    "1.13": "1.13.6", "1.14": "1.14.6", "1.15": "1.15.4", "1.16": "1.16.3", "1.17": "1.17.2", "1.18": "1.18.1",
    "1.19": "1.19.3", "1.20": "1.20.5", "2.0": "2.0.2", "2.1": "2.1.3", "2.2": "2.2.1", "2.3": "2.3.0",
}  # fmt: skip
"""Minor version → newest patch release known to exist as the package ``apache-flink-libraries``, oldest first."""
STOOD_FOR = frozenset({"1.13.0", "1.13.1", "1.13.2", "1.13.3", "1.13.4", "1.13.5", "1.14.1", "2.0.0"})
"""Patch releases for which the newest one of their minor stands.

They have no package, or can't be asked: the planner of 2.0.0 takes no catalog that is not an ``AbstractCatalog``.
"""
SUPPORTED = tuple(RELEASES)
OLDER = ("1.9", "1.10", "1.11", "1.12")
"""Releases whose jobs of the DataStream API in Java are judged as those of the first supported one.

1.9.3, 1.10.3, 1.11.4 and 1.12.5 built the same ids and chains as 1.13.6 of 2,000 random jobs, but for what
``checker.flink.translate`` leaves out.
"""
NEWEST = SUPPORTED[-1]
"""The rules that hold where neither configuration nor build files name a Flink version."""
ASSUMED_FOR_SQL = "1.20"
"""What plans a SQL script in the same place: the last release of the line that most deployments run."""
FIRST_FOR_SQL = (1, 13)
"""The first minor whose planner is asked: older ones have no package of jars."""


def judged_as(version: str | None) -> str | None:
    """The release that stands for an older one; None for any other version."""
    found = re.match(r"\d+\.\d+(?!\d)", version or "")
    return SUPPORTED[0] if found is not None and found[0] in OLDER else None


def minor_of(version: str | None) -> tuple[int, int]:
    """Major and minor of a Flink version, for comparisons; those of the newest supported where there is none."""
    match = re.match(r"(\d+)\.(\d+)", version or "") or re.match(r"(\d+)\.(\d+)", NEWEST)
    assert match is not None
    return int(match[1]), int(match[2])


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
    inserts_wait: bool
    """``insertInto`` adds what a table writes to the next job; later it makes a pipeline that is executed."""
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
        inserts_wait=at < (1, 14),
        records_are_pojos=at >= (1, 19),
        setters_drop_is=at >= (2, 0),
    )
