"""The state headers of an operator, put together from the streams of its subtasks.

Subtasks may differ: a state that is registered at the first element exists only where one arrived.
"""

from __future__ import annotations

from checker.errors import SavepointError
from checker.model.savepoint import OperatorState
from checker.model.secrets import masked
from checker.model.state_headers import HeaderSource, StateHeaders, StateMeta
from checker.savepoint.places import SnapshotPlace
from checker.savepoint.state_files import MAX_HEADER, HeaderReader

_FIRST_TRY = 1 << 16


def read_header(place: SnapshotPlace, source: HeaderSource, *, keyed: bool) -> StateHeaders:
    """The header at the beginning of one stream. Raises SavepointError."""
    file, start, size = place.open_stream(source.stream)
    with file:
        wanted = min(size, MAX_HEADER if source.end is None else min(source.end, MAX_HEADER))
        exact = source.end is not None and source.end <= wanted
        name = f"{place.path}: {masked(source.stream.path or '') or 'inline state'}"
        # without a known end most of what follows is state: a part usually holds the header
        lengths = (wanted,) if exact else tuple(sorted({min(wanted, _FIRST_TRY), wanted}))
        for length in lengths:
            file.seek(start)
            data = file.read(length)
            if len(data) < length:
                raise SavepointError(f"{name} is cut short: {length} bytes expected, {len(data)} there.")
            reader = HeaderReader(data, name, source.end if exact else None)
            try:
                return reader.keyed() if keyed else reader.operator()
            except SavepointError:
                if length == wanted:
                    raise
    raise AssertionError("the last length is the whole")


def read_headers(place: SnapshotPlace, operator: OperatorState) -> StateHeaders:
    """What the remembered headers of an operator say together. Never raises: what can't be read is a problem."""
    states: dict[tuple[str, int], StateMeta] = {}
    problems: list[str] = []
    found: list[StateHeaders] = []
    sources = [(s, True) for s in operator.keyed_headers] + [(s, False) for s in operator.operator_headers]
    for source, keyed in sources:
        try:
            found.append(read_header(place, source, keyed=keyed))
            problems += found[-1].problems
        except SavepointError as error:
            problems.append(str(error))
    if operator.sizes.managed_keyed and not operator.keyed_headers:
        problems.append("its keyed state is a changelog, which lists no states")
    for meta in (meta for header in found for meta in header.states):
        known = states.get((meta.name, meta.backend_type))
        if known is None or (meta.complete and not known.complete):
            states[meta.name, meta.backend_type] = meta
    return StateHeaders(
        key_serializer=next((header.key_serializer for header in found if header.key_serializer), None),
        states=tuple(states[k] for k in sorted(states)),
        compressed=any(header.compressed for header in found),
        complete=all(header.complete for header in found) and not problems,
        problems=tuple(dict.fromkeys(problems))[:8],
    )
