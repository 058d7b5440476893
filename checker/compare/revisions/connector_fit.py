"""A source or sink whose connector changed under the same id: the new one gets the bytes of the old one.

Positions, writer state and committables are written by serializers of the connector's own, which Flink calls by id
only. Asked of real Flinks (1.20.5, 2.3.0): a file source under the id of a number sequence fails with ``Invalid magic
number for PendingSplitsCheckpoint``. Connectors of the old and the new API keep their state under other names, so that
the new one finds nothing.
"""

from __future__ import annotations

import re

from checker.compare.fit.types import SAME, Fit, TypeFit
from checker.model.topology import Kind, Transformation
from checker.model.unknowns import Unknown

_FLINKS = re.compile(r"org\.apache\.flink\.(?:connector|streaming\.connectors)\.(\w+)\.")
_SEQUENCES = ("NumberSequenceSource", "DataGeneratorSource")
_SEQUENCE_CALLS = frozenset({"sequence"})
"""Sources that write their positions alike: the generator holds a number sequence."""


_APIS = {
    Kind.SOURCE: "Source",
    Kind.LEGACY_SOURCE: "SourceFunction",
    Kind.SINK: "Sink",
    Kind.LEGACY_SINK: "SinkFunction",
}
_OLD_AND_NEW = ({Kind.SOURCE, Kind.LEGACY_SOURCE}, {Kind.SINK, Kind.LEGACY_SINK})


def starts_over(base: Transformation, head: Transformation) -> bool:
    """Whether the two are of the old and the new API: the state is claimed, and not found inside."""
    return {base.kind, head.kind} in _OLD_AND_NEW and not _reads_state_of(base, head)


def _reads_state_of(base: Transformation, head: Transformation) -> bool:
    """Whether the head's connector looks for its state under the base's names, too."""
    if isinstance(base.state, Unknown) or isinstance(head.state, Unknown):
        return False
    former = {name for state in head.state for name in state.formerly}
    return any(state.name in former for state in base.state)


def connector_fit(base: Transformation, head: Transformation) -> TypeFit:
    """Whether the head's connector can take what the base's wrote."""
    base_function, head_function = base.function, head.function
    if _reads_state_of(base, head):
        return SAME
    if base.kind in (Kind.SINK, Kind.LEGACY_SINK) and not _keeps(base):
        return SAME
    if starts_over(base, head):
        before, after = _named(base), _named(head)
        if before == after:
            before, after = (f"{name} as a {_APIS[t.kind]}" for name, t in ((before, base), (after, head)))
        return TypeFit(Fit.INCOMPATIBLE, f"{before} is {after} now, which does not find what the other kept")
    if base.kind is not head.kind or base.kind not in (Kind.SOURCE, Kind.SINK):
        return SAME
    families = _family(base), _family(head)
    if (
        base_function == head_function
        or families[0] == families[1]
        or (None in (base_function, head_function) and None in families)
    ):
        return SAME  # the same connector, or two classes of the program's own: a renamed one writes as before
    why = f"{_named(base)} is {_named(head)} now, which can't read what the other wrote"
    return TypeFit(Fit.INCOMPATIBLE if all(families) else Fit.OPEN, why)


def _keeps(sink: Transformation) -> bool:
    """Whether a sink leaves any state behind, as far as it is known."""
    return bool(sink.state or sink.stateful or sink.committer or sink.global_committer)


def _family(connector: Transformation) -> str | None:
    """The connector of Flink's that it is, None for any other class."""
    function = connector.function or ""
    if connector.operator in _SEQUENCE_CALLS or function.endswith(_SEQUENCES):
        return "sequence"
    found = _FLINKS.match(function)
    return found[1] if found is not None else None


def _named(connector: Transformation) -> str:
    return (
        re.split(r"[.$]", connector.function)[-1] if connector.function else str(connector.operator or connector.kind)
    )
