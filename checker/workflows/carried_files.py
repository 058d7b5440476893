"""Files of a revision that travel inside a row: every path, and the content of those that extractors read."""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from checker.extract.deployments.discovery import is_command_file
from checker.extract.deployments.unrendered import may_be_unrendered
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import links_of, submodules_of
from checker.workflows.check.records import CheckPlan

_SOURCE = (".java", ".py", ".sql", ".kt", ".scala")
_BUILD = (
    "pom.xml", ".gradle", ".gradle.kts", ".properties", ".toml", ".cfg", ".conf", ".yaml", ".yml", ".json",
    "requirements.txt", ".sbt", "lombok.config", ".avsc", ".avdl", ".avpr", ".proto", ".thrift", ".xsd", ".fbs",
    ".groovy", ".kts", "Pipfile",
)  # fmt: skip


class NotCarriedError(Exception):
    """An extractor asked for a file whose content did not travel. Never an answer: the work is done elsewhere."""


@dataclass(frozen=True)
class CarriedFiles:
    """``SourceFiles`` of a revision, made of its listing and packed contents by content id.

    ``missed`` collects the paths that were asked for and did not travel, so that no answer rests on a gap even
    where somebody swallows the error.
    """

    listing: Mapping[str, str]
    """Path → content id, of all files."""
    packed: Mapping[str, bytes]
    missed: list[str] = field(default_factory=list)
    links: Mapping[str, str] = field(default_factory=dict)
    submodules: Mapping[str, str] = field(default_factory=dict)

    def paths(self) -> Sequence[str]:
        """All file paths, sorted."""
        return sorted(self.listing)

    def read(self, path: str) -> bytes:
        """The content of one file. Raises KeyError, and NotCarriedError for one that did not travel."""
        data = self.packed.get(self.listing[path])
        if data is None:
            self.missed.append(path)
            raise NotCarriedError(path)
        return zlib.decompress(data)

    def content_id(self, path: str) -> str:
        """The content id. Raises KeyError."""
        return self.listing[path]


def carried_plan(plan: CheckPlan) -> CheckPlan:
    """A plan with all that judging its pipelines elsewhere takes: it can be pickled."""
    packed: dict[str, bytes] = {}
    carried = []
    for files, entries in ((plan.base_files, plan.base_entries), (plan.head_files, plan.head_entries)):
        listing = {path: files.content_id(path) for path in files.paths()}
        for path in carried_paths(listing, entries):
            if listing[path] not in packed:
                packed[listing[path]] = pack(files.read(path))
        links, submodules = dict(links_of(files)), dict(submodules_of(files))
        carried.append(CarriedFiles(listing, packed, links=links, submodules=submodules))
    return replace(plan, base_files=carried[0], head_files=carried[1])


def pack(content: bytes) -> bytes:
    """A content as it travels: source shrinks to about a fifth."""
    return zlib.compress(content, 1)


def carried_paths(paths: Iterable[str], entries: Iterable[PipelineEntry]) -> list[str]:
    """The files that the extractors of these pipelines may read, as far as one can say beforehand."""
    named = {e.file for e in entries if e.file is not None}
    from_source = any(e.extract is not ExtractorKind.DOCUMENT for e in entries)
    return [path for path in paths if path in named or (from_source and may_be_read(path))]


def may_be_read(path: str) -> bool:
    """Whether any extractor, or the search for deployments, reads files that are called like this."""
    if (
        path.endswith((*_SOURCE, *_BUILD))
        or "META-INF/services/" in path
        or is_command_file(path)
        or may_be_unrendered(path)
    ):
        return True
    return ".topology." in path.rpartition("/")[2]
