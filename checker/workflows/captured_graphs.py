"""What a run does not say of the graph that it built: source lines, and what depends on the parallelism it was given.

Where it is not known what the deployment passes, the parallelism of a run is an assumption: a second run with another
one shows which operators depend on it. Real Flink knows no lines of source; a source reader does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from checker.extract import registry
from checker.extract.runtime.execution import Execution
from checker.extract.runtime.extracting import capture
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.topology import Kind, Topology, Transformation
from checker.model.unknowns import BY_DEPLOYMENT, Cause, Maybe, Unknown

ASSUMED, OTHER = 1, 2
"""What the first run is given (see ``capture``), and the second."""
LEFT_OPEN = Unknown(
    "the program leaves the default parallelism to the deployment",
    Cause.ARGUMENT,
    "--parallelism",
    derived_from=BY_DEPLOYMENT,
)
COMPUTED = Unknown("the program computes it from the deployment's parallelism", Cause.ARGUMENT, "--parallelism")
ANOTHER = Unknown(
    "a second run of the program with another parallelism built another graph", Cause.ARGUMENT, "--parallelism"
)


def leave_open(
    topologies: Sequence[Topology], files: SourceFiles, entry: PipelineEntry, execution: Execution
) -> list[Topology]:
    """The jobs of a run at parallelism 1, with what depends on that number unknown. Runs the program once more."""
    jobs = capture(files, replace(entry, parallelism=OTHER), execution).jobs
    others = [job.topology for job in jobs]
    if len(others) != len(topologies):
        return [_another(topology) for topology in topologies]
    return [_open(topology, topology_as_given) for topology, topology_as_given in zip(topologies, others, strict=True)]


def _open(here: Topology, there: Topology) -> Topology:
    pairs = list(zip(here.transformations, there.transformations, strict=False))
    shape = [[(t.kind, len(t.inputs)) for t in topology.transformations] for topology in (here, there)]
    if shape[0] != shape[1]:
        return _another(here)
    found = tuple(
        replace(
            a,
            parallelism=_own(a.parallelism, b.parallelism),
            max_parallelism=a.max_parallelism if a.max_parallelism == b.max_parallelism else COMPUTED,
        )
        for a, b in pairs
    )
    if found == here.transformations and here.max_parallelism == there.max_parallelism:
        return here
    left = any(t.parallelism is None and not t.kind.virtual for t in found)
    return replace(
        here,
        transformations=found,
        parallelism=LEFT_OPEN if left else here.parallelism,
        max_parallelism=here.max_parallelism if here.max_parallelism == there.max_parallelism else COMPUTED,
    )


def _own(at_one: Maybe[int] | None, at_other: Maybe[int] | None) -> Maybe[int] | None:
    if at_one == at_other:
        return at_one
    return None if (at_one, at_other) == (ASSUMED, OTHER) else COMPUTED


def _another(topology: Topology) -> Topology:
    unknown = Transformation(id="the program", kind=Kind.UNKNOWN, unknown=ANOTHER)
    return replace(topology, transformations=(unknown,))


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
