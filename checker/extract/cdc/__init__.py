"""Pipelines of Flink CDC in YAML (3.x), read as its composer makes jobs of them.

In: YAML files of a revision, and what names the release of Flink CDC. Out: a ``Topology``. ``composition.toml`` says
which release composes which operators, by its sources. Called by the extractors' registry.
"""

from checker.model.pipelines import Discovery, PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.topology import Topology


def discover(files: SourceFiles) -> Discovery:
    """Every pipeline of Flink CDC outside of tests."""
    from checker.extract.cdc import pipelines

    return pipelines.discover(files)


def extract(files: SourceFiles, entry: PipelineEntry) -> Topology:
    """The job that Flink CDC makes of a pipeline (see ``composing.extract``)."""
    from checker.extract.cdc import composing

    return composing.extract(files, entry)


def releases_of(files: SourceFiles, entry: PipelineEntry) -> tuple[str, ...]:
    """The releases of Flink CDC that may run a pipeline, as they are given or the repository names them."""
    from checker.extract.cdc import pipelines

    return pipelines.releases_of(files, entry)[0]
