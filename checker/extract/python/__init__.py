"""PyFlink scripts read from source: nothing is executed, and what PyFlink fuses is fused here as well.

In: the files of a revision. Out: pipeline entries (``discover``) and topologies (``extract``). Called by
``extract.registry``.
"""

from checker.extract.interpreting.memory import Trace
from checker.model.pipelines import Discovery, PipelineEntry
from checker.model.program_code import ProgramCode
from checker.model.sources import SourceFiles
from checker.model.topology import Topology


def discover(files: SourceFiles) -> Discovery:
    """The PyFlink scripts of a revision. Never raises for bad source."""
    from checker.extract.python import discovery

    return discovery.discover(files)


def extract(files: SourceFiles, entry: PipelineEntry, trace: Trace | None = None) -> Topology:
    """Read one job of one script, executing nothing (see ``extraction.extract``)."""
    from checker.extract.python import extraction

    return extraction.extract(files, entry, trace)


def reached_code(
    files: SourceFiles, entry: PipelineEntry, trace: Trace, topology: Topology | None
) -> ProgramCode | None:
    """The code that a script can reach (see ``extraction.reached_code``)."""
    from checker.extract.python import extraction

    return extraction.reached_code(files, entry, trace, topology)
