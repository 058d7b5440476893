"""Java pipelines read from source, executing nothing: right, or openly unsure.

In: the files of a revision. Out: pipeline entries (``discover``) and topologies (``extract``). ``syntax`` parses,
``machine`` holds what is computed with, ``interpreter`` evaluates, ``library`` and ``flink_api`` say what calls do,
``state`` what functions keep, ``build_files`` which Flink is built with. Called by ``extract.registry``.
"""

from collections.abc import Callable, Collection

from checker.extract.interpreting.memory import Trace
from checker.model.pipelines import Discovery, PipelineEntry
from checker.model.program_code import ProgramCode
from checker.model.sources import SourceFiles
from checker.model.topology import Topology


def discover(
    files: SourceFiles,
    concerns: Callable[[Collection[str]], bool] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Discovery:
    """The Java pipelines of a revision (see ``discovery.discover``). Never raises for bad source."""
    from checker.extract.java import discovery

    return discovery.discover(files, concerns, progress)


def extract(files: SourceFiles, entry: PipelineEntry, trace: Trace | None = None) -> Topology:
    """Read one Java pipeline, executing nothing (see ``extraction.extract``)."""
    from checker.extract.java import extraction

    return extraction.extract(files, entry, trace)


def reached_code(
    files: SourceFiles, entry: PipelineEntry, trace: Trace, topology: Topology | None
) -> ProgramCode | None:
    """The code that a pipeline can reach (see ``extraction.reached_code``)."""
    from checker.extract.java import extraction

    return extraction.reached_code(files, entry, trace, topology)
