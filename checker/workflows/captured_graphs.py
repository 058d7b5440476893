"""Where the operators of a captured graph stand: real Flink knows no lines of source, a source reader does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from checker.extract import registry
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.topology import Topology, Transformation

Key = Callable[[Transformation], object | None]


def with_lines(topologies: Sequence[Topology], files: SourceFiles, entry: PipelineEntry) -> list[Topology]:
    """The jobs of a program with the locations of operators that a uid or name identifies on both sides."""
    found = []
    for index, topology in enumerate(topologies):
        read = registry.extract(files, replace(entry, extract=ExtractorKind.AUTO, index=index))
        known = read.topology if read is not None else None
        found.append(topology if known is None else _located(topology, known))
    return found


def _located(captured: Topology, source: Topology) -> Topology:
    there = [t for t in source.operators() if not t.kind.virtual and t.location is not None]
    lines: dict[str, Transformation] = {}
    for key in (_uid, _name):
        ours, theirs = _unique(captured.transformations, key), _unique(there, key)
        for shared in ours.keys() & theirs.keys():
            lines.setdefault(ours[shared].id, theirs[shared])
    return replace(
        captured,
        location=source.location,
        transformations=tuple(
            replace(
                t,
                location=lines[t.id].location,
                uid_location=lines[t.id].uid_location,
                uid_hash_location=lines[t.id].uid_hash_location,
            )
            if t.id in lines
            else t
            for t in captured.transformations
        ),
    )


def _unique(transformations: Iterable[Transformation], key: Key) -> dict[object, Transformation]:
    """Key → the one transformation that has it."""
    keyed = [(own, t) for t in transformations if not t.kind.virtual and (own := key(t)) is not None]
    counted = Counter(own for own, _ in keyed)
    return {own: t for own, t in keyed if counted[own] == 1}


def _uid(transformation: Transformation) -> object | None:
    return transformation.uid if isinstance(transformation.uid, str) else None


def _name(transformation: Transformation) -> object | None:
    return transformation.name if isinstance(transformation.name, str) else None
