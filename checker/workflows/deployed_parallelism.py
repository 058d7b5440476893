"""Which operators of a captured graph take the parallelism that the run was given.

Where it is not known what the deployment passes, that value is only an assumption. A second run with another one shows
which operators depend on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from checker.extract.runtime.execution import Execution
from checker.extract.runtime.extracting import capture
from checker.model.pipelines import PipelineEntry
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
    jobs = capture(files, replace(entry, parallelism=OTHER), replace(execution, twice=False)).jobs
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
