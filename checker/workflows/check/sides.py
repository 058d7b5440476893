"""One revision of a pipeline, as its account needs it."""

from __future__ import annotations

from dataclasses import dataclass

from checker.model.pipelines import PipelineEntry
from checker.model.program_code import ProgramCode
from checker.model.sources import SourceFiles
from checker.model.topology import Kind, Topology
from checker.workflows.check.records import ReadPipeline


@dataclass(frozen=True, slots=True)
class Side:
    """One revision of a pipeline: what was asked for, what was read, and from which files."""

    entry: PipelineEntry | None
    read: ReadPipeline | None
    files: SourceFiles
    code: ProgramCode | None = None
    """All code that it reaches, where that is known already; ``files`` know what it asked of them."""
    asked: PipelineEntry | None = None
    """The entry, where it was read while planning and ``entry`` is None."""


def topology_of(read: ReadPipeline | None) -> Topology | None:
    """What was read; None where nothing was, or it could not be."""
    return None if read is None else read.topology


def main_file(topology: Topology | None) -> str:
    """The file of its main class or script; empty where that is not known."""
    return "" if topology is None or topology.location is None else topology.location.file


def has_hole(topology: Topology) -> bool:
    """Whether operators of it could not be read."""
    return any(transformation.kind is Kind.UNKNOWN for transformation in topology.transformations)
