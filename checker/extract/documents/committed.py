"""The topology documents of a revision: each is a pipeline."""

import re
from dataclasses import replace
from functools import lru_cache

from checker.errors import DocumentError, PipelineMissingError
from checker.extract.documents.reader import iterate_documents
from checker.model.pipelines import Discovery, ExtractorKind, Note, PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.topology import Topology, Transformation
from checker.model.unknowns import Location

SUFFIXES = (".topology.yaml", ".topology.yml", ".topology.json", ".topology.jsonl")


def is_document(path: str) -> bool:
    """Whether a committed file is a topology document, by its name."""
    return path.endswith(SUFFIXES)


_ID = re.compile(r"""(?:^|[\s{,"'-])id["']?[ \t]*:[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s,}#][^,}#\n]*))""")


def located(topology: Topology, text: str, file: str) -> Topology:
    """The topology with the lines of its declarations, where it names no other places itself.

    An id that stands twice in the file, which may hold several documents, has none.
    """
    lines = _lines_of_ids(text)

    def placed(declared: tuple[Transformation, ...]) -> tuple[Transformation, ...]:
        return tuple(
            replace(t, location=Location(file, line)) if t.location is None and (line := lines.get(t.id)) else t
            for t in declared
        )

    variants = tuple(replace(variant, transformations=placed(variant.transformations)) for variant in topology.variants)
    return replace(topology, transformations=placed(topology.transformations), variants=variants)


def _lines_of_ids(text: str) -> dict[str, int]:
    """The line of each ``id`` whose value stands once in a text, 0 for others."""
    found: dict[str, int] = {}
    place, line = 0, 1
    for match in _ID.finditer(text):
        line += text.count("\n", place, match.end())
        place = match.end()
        value = next(group for group in match.groups() if group is not None).strip()
        found[value] = 0 if value in found else line
    return found


def discover(files: SourceFiles) -> Discovery:
    """Every topology document of the revision, one entry per document. A broken one is a note, not a stop."""
    entries: list[PipelineEntry] = []
    notes: list[Note] = []
    for path in files.paths():
        if is_document(path):
            try:
                names, broken = _names(_text(files, path), path)
            except DocumentError as error:
                names, broken = {}, str(error)
            if broken is not None:
                names = {**names, -1: path.rsplit("/", 1)[-1].split(".topology.", 1)[0]}
                notes.append(Note(message=broken))
            for index, name in names.items():
                entries.append(PipelineEntry(name=name, extract=ExtractorKind.DOCUMENT, file=path, index=index))
    return Discovery(entries=tuple(entries), notes=tuple(notes))


@lru_cache(maxsize=1024)
def _names(text: str, path: str) -> tuple[dict[int, str], str | None]:
    """The names of the documents in a file by their index, and what is wrong with it.

    Remembered: along a history most files are the same in every revision.
    """
    found: dict[int, str] = {}
    try:
        found.update((index, topology.name) for index, topology in iterate_documents(text, path))
    except DocumentError as error:
        return found, str(error)
    return found, None


def extract(files: SourceFiles, entry: PipelineEntry) -> Topology:
    """The topology an entry names. Raises DocumentError."""
    if entry.file is None:
        raise DocumentError(f'pipeline \'{entry.name}\': extract = "document" needs file = "PATH"')
    try:
        text = _text(files, entry.file)
    except KeyError:
        raise PipelineMissingError(f"pipeline '{entry.name}': the revision has no file '{entry.file}'") from None
    for index, topology in iterate_documents(text, entry.file):
        if index == entry.index or (not entry.discovered and topology.name == entry.name):
            return replace(
                located(topology, text, entry.file),
                name=entry.name,
                flink=entry.flink or topology.flink,
                parallelism=entry.parallelism or topology.parallelism,
                max_parallelism=entry.max_parallelism or topology.max_parallelism,
                extractor=ExtractorKind.DOCUMENT.value,
                files=(entry.file,),
            )
    raise PipelineMissingError(f"{entry.file}: holds no document called '{entry.name}'")


def _text(files: SourceFiles, path: str) -> str:
    try:
        return files.read(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DocumentError(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8") from None
