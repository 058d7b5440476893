"""What every extractor is: two pure functions over the files of one revision. None executes anything."""

from __future__ import annotations

from typing import Protocol

from checker.model.pipelines import Discovery, PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.topology import Topology


class Extractor(Protocol):
    """A module or object that finds and reads pipelines of one kind."""

    def discover(self, files: SourceFiles) -> Discovery:
        """The pipelines of this kind that need no configuration to be found. Never raises for bad source."""

    def extract(self, files: SourceFiles, entry: PipelineEntry) -> Topology:
        """Read one pipeline.

        What can't be told is an Unknown in the topology. Raises ExtractionError or DocumentError only when
        there is nothing to put into a topology at all (no such class, the file does not parse).
        """
