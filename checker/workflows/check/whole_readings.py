"""Edits of what is read as a whole (a document, planned statements, a program that was run), or not at all."""

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import lru_cache

from checker.compare.account.builds import jar_edits
from checker.compare.account.code import code_edits
from checker.compare.account.deployments import image_edit
from checker.compare.account.facts import Facts
from checker.errors import CheckerError, RevisionError
from checker.extract import automatic, registry
from checker.extract.asking.consulted import Consulted, ConsultedFiles, content_or_none, plain
from checker.extract.asking.listing import Listing, listing_of
from checker.extract.changed_files.difference import changed_files
from checker.extract.changed_files.unrendered import changed_images
from checker.extract.connectors.tables import library_of
from checker.extract.interpreting.memory import Trace
from checker.extract.python.reached.declarations import functions_called
from checker.extract.sql.connectors import own_factories
from checker.extract.texts import same_code
from checker.extract.unfollowed.used_by_name import used_files
from checker.flink import translate
from checker.model.account import READ, UNREAD, Account, BuildUse, Edit, Explanation, Thing, Verdict, Why
from checker.model.changed_files import FileKind, same_module
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.topology import Topology
from checker.model.unknowns import Location, Unknown
from checker.workflows.check.changed_starts import edits_of_unread_starts
from checker.workflows.check.edited_programs import edited_files
from checker.workflows.check.records import Side, has_hole, main_file, topology_of

_FUNCTION = re.compile(rb"(?i)\bfunction\b[^;']{0,1000}?\bas\s+'([\w.$]+)'")
"""The class that ``CREATE FUNCTION`` names."""
_CALLED = re.compile(r"(\w+)\(")
_REGISTERED = r"""(?i)\b(?:%s)\b['"`]?\s*(?:,|\bas\b)\s*['"]?(?:new\s+)?(?:[\w$]+[.$])*?([A-Z]\w*)(?:\.class\b|['"(])"""
"""What puts a class behind a function's name, in SQL and in programs."""
_SOURCE = (".java", ".py", ".kt", ".scala", ".groovy")
_HOLE = Verdict(Why.GRAPH)
"""What a program does in a part of the pipeline that was not read may depend on any code."""


def account_by_files(base: Side, head: Side) -> Account | None:
    """Edits of what was read as a whole: a document, statements that Flink planned, a program that was run."""
    before, after = topology_of(base.read), topology_of(head.read)
    if base.read is not None and base.read.alike:
        return Account(edits=tuple(_other_releases(base, head, base.read.alike)))
    if before is None or after is None:
        return _unread_program(base, head)
    if before.takes_no_savepoints and after.takes_no_savepoints:
        return None
    edits = []
    hole = has_hole(before) or has_hole(after)
    files = {*before.files, *after.files}
    paths = {*files, *(_edited_factories(base, head) if hole else ())}
    for path in sorted(paths - _moved(paths, base.files, head.files)):
        if not _differs(path, base.files, head.files):
            continue
        sides = [content_or_none(plain(side.files), path) for side in (base, head)]
        if hole and path.endswith(_SOURCE):
            edits.append(_HOLE.edit(Thing.DECLARATION, path, *[_parting(base, head, path)] * 2))
            continue
        thing = Thing.DECLARATION if path.endswith(_SOURCE) else Thing.RESOURCE
        place = _parting(base, head, path)
        edits.append(READ.edit(thing, path, *(None if side is None else place for side in sides)))
    images = changed_images(plain(base.files), plain(head.files), main_file(after), frozenset())
    edits += [image_edit(*image, Facts((before, after))) for image in images]
    edits += edits_of_key_functions(base, head)
    if edits and (is_refused(before) or is_refused(after)):
        edits = [unread_edit(edit) for edit in edits]
    released = _other_releases(base, head, sorted({*before.files, *after.files}))
    return Account(edits=(*edits, *released))


def _moved(paths: Collection[str], base: SourceFiles, head: SourceFiles) -> frozenset[str]:
    """Those of some files that one revision only has, where the other has the same under another path.

    Scripts are left out: they may import what lies beside them.
    """
    paths = [path for path in paths if not path.endswith(".py")]
    before, after = ({path: content_or_none(files, path) for path in paths} for files in (base, head))
    gone = {before[path]: path for path in paths if before[path] is not None and after[path] is None}
    new = {after[path]: path for path in paths if after[path] is not None and before[path] is None}
    return frozenset(path for content in gone.keys() & new.keys() for path in (gone[content], new[content]))


def edits_of_key_functions(base: Side, head: Side) -> Iterator[Edit]:
    """Edits of the functions that make keys of planned operators, and of what these use in other files."""
    topologies = [topology for side in (base, head) if (topology := topology_of(side.read)) is not None]
    keyed = [(t, t.meaning.keeps) for o in topologies for t in o.transformations if t.keyed and t.meaning is not None]
    called = {name for t, keeps in keyed for key in keeps[: len(t.inputs)] for name in _CALLED.findall(key)}
    if not called:
        return
    yield from _edits_in_python(
        base, head, {path for t in topologies for path in t.files if path.endswith(".py")}, called
    )
    registered = re.compile(_REGISTERED % "|".join(sorted(called)))
    paths = sorted({path for topology in topologies for path in topology.files})
    sides = [(f, path) for path in paths for f in (base.files, head.files) if content_or_none(f, path) is not None]
    texts = {(files, path): files.read(path) for files, path in sides}
    named = {name for text in texts.values() for name in registered.findall(text.decode("utf-8", "replace"))}
    classes = {(path, name) for (_, path), text in texts.items() for name in named if f"class {name}".encode() in text}
    for path, name in sorted(classes):
        before, after = (_class(texts.get((side.files, path), b""), name) for side in (base, head))
        if before and after and not same_code(path, before, after):
            yield Verdict(Why.KEY).edit(Thing.DECLARATION, name, Location(path, 1), Location(path, 1))
    own = {path for path, name in classes if path.rpartition("/")[2].startswith(f"{name}.")}
    used = {found for path in own for side in (base, head) for found in used_files(side.files, path)}
    for path in sorted(
        found for found in used - own if found.endswith(_SOURCE) and _differs(found, base.files, head.files)
    ):
        yield Verdict(Why.KEY).edit(Thing.DECLARATION, path, *[_parting(base, head, path)] * 2)


def _edits_in_python(base: Side, head: Side, paths: Collection[str], called: Collection[str]) -> Iterator[Edit]:
    sides = (
        {p: f.read(p) for p in sorted(paths) if content_or_none(f, p) is not None} for f in (base.files, head.files)
    )
    before, after = (functions_called(texts, called) for texts in sides)
    for name in sorted(name for name in before.keys() & after.keys() if before[name] != after[name]):
        path, _, what = name.partition(":")
        yield Verdict(Why.KEY).edit(Thing.DECLARATION, what, Location(path, 1), Location(path, 1))


def _class(text: bytes, name: str) -> bytes:
    """The text of a class, as far as its brackets are balanced."""
    start = max(text.find(f"class {name}".encode()), 0)
    end, depth = text.find(b"{", start) + 1 or len(text), 1
    while depth and end < len(text):
        depth += (text[end : end + 1] == b"{") - (text[end : end + 1] == b"}")
        end += 1
    return text[start:end]


_CONNECTOR = re.compile(rb"(?i)'(?:connector|type)'\s*=\s*'([\w-]+)'")
"""What tables and catalogs are read and written with."""


def _other_releases(base: Side, head: Side, scripts: Collection[str]) -> Iterator[Edit]:
    """Other releases of what a script's tables are read and written with."""
    if head.read is None or head.read.extractor != ExtractorKind.SQL:
        return
    files = plain(base.files)
    texts = (files.read(path) for path in scripts if content_or_none(files, path) is not None)
    names = {name.decode().lower() for text in texts for name in _CONNECTOR.findall(text)}
    found = (library_of(f"flink-connector-{n} flink-{n}-connector {n}-flink", "") for n in names)
    libraries = {library.name for library in found if library is not None}
    use = BuildUse(
        folders=frozenset(), libraries=frozenset(), connectors=frozenset({""}), elements_read=True, polymorphic=False,
        versions_read=True, all_known=True,
    )  # fmt: skip
    for file in changed_files(base.files, head.files, ".sql") if libraries else ():
        near = file.kind is FileKind.BUILD and any(same_module(file.path, script) for script in scripts)
        if near or file.kind is FileKind.JARS:
            own = [tuple(e for e in side or () if e.library and e.library.name in libraries)
                   for side in (file.base, file.head)]  # fmt: skip
            yield from jar_edits(replace(file, base=own[0], head=own[1]), use)


def _edited_factories(base: Side, head: Side) -> Iterator[str]:
    """Edited source files that the repository's own connectors may use: what could not be read may be theirs."""
    found, *asked = _edited_by_connectors(*(listing_of(plain(side.files)) for side in (base, head)))
    for side, consulted in zip((base, head), asked, strict=True):
        if isinstance(side.files, ConsultedFiles):
            side.files.consulted.add(consulted)
    yield from found


@lru_cache(maxsize=2)
def _edited_by_connectors(base: Listing, head: Listing) -> tuple[tuple[str, ...], Consulted, Consulted]:
    """Edited files that own connectors may use, and what was asked of each side."""
    before, after = ConsultedFiles(base.files), ConsultedFiles(head.files)
    factories = ((files, name) for files in (before, after) for name in own_factories(files))
    named = {path for files, name in factories if (path := automatic.file_of_main(files, name)) is not None}
    edited = {file for path in named for file in edited_files(before, after, path) if file.endswith(_SOURCE)}
    return tuple(sorted(edited)), before.consulted, after.consulted


def is_refused(topology: Topology) -> bool:
    """Whether Flink builds no graph of what was read (an old Flink, for example): nothing in it can be compared."""
    try:
        translate(topology)
    except CheckerError:
        return True
    return False


def _differs(path: str, base: SourceFiles, head: SourceFiles) -> bool:
    """Whether a file is another one, in more than comments and layout."""
    sides = [content_or_none(plain(files), path) for files in (base, head)]
    return sides[0] != sides[1] and (None in sides or not same_code(path, base.read(path), head.read(path)))


def _parting(base: Side, head: Side, path: str) -> Location:
    """Where two revisions of a file begin to differ; its first line where a revision, or a clone, lacks it."""
    sides = [plain(side.files) for side in (base, head)]
    try:
        texts = [files.read(path).split(b"\n") for files in sides if content_or_none(files, path) is not None]
    except RevisionError:
        texts = []
    if len(texts) < 2:
        return Location(path, 1)
    lines = enumerate(zip(*texts, strict=False), 1)
    return Location(path, next((line for line, (old, new) in lines if old != new), min(map(len, texts))))


def _unread_program(base: Side, head: Side) -> Account | None:
    """Edits of a program that neither revision lets read: of every file that it may use."""
    if not all(side.read is not None and side.read.topology is None for side in (base, head)):
        return None
    named = {_program(side) for side in (base, head)} - {None}
    moved = _moved([path for path in named if path is not None], base.files, head.files)
    paths = {edited for path in named if path is not None for edited in edited_files(base.files, head.files, path)}
    old, new = _entry(base), _entry(head)
    listed = {path for e in (old, new) if e for path in e.files}
    paths.update(_edited_factories(base, head))
    paths |= {p for p in (*listed, *filter(None, named)) if _differs(p, base.files, head.files)}
    if not named:
        paths = {
            changed_file.path
            for changed_file in changed_files(base.files, head.files, ".sql")
            if changed_file.kind is FileKind.CODE
        }
    starts = edits_of_unread_starts(old, new, base.files, head.files) if old and new else ()
    started = (edit for edit in starts if edit.location is None or edit.location.file not in paths)
    functions = _edited_functions(base, head, named) if named else ()
    unread = (unread_file(path, _parting(base, head, path).line) for path in sorted(paths - moved))
    return Account(edits=(*unread, *started, *functions))


def _edited_functions(base: Side, head: Side, scripts: Collection[str | None]) -> Iterator[Edit]:
    """Edits of the functions that a script in SQL names, as their accumulators lie in state."""
    sides = (base.files, head.files)
    texts = [f.read(s) for s in scripts if s and s.endswith(".sql") for f in sides if content_or_none(f, s)]
    why = next((side.read.failure for side in (head, base) if side.read is not None and side.read.failure), "")
    for name in sorted({name.decode() for text in texts for name in _FUNCTION.findall(text)}):
        module = f"{name.rpartition('.')[0].replace('.', '/')}.py"
        scripted = any(content_or_none(files, module) is not None for files in sides)
        kind = ExtractorKind.PYTHON if scripted else ExtractorKind.JAVA
        entry = PipelineEntry(
            name=name, extract=kind, main=None if scripted else name, file=module if scripted else None
        )
        codes = [registry.reached_code(files, entry, kind, Trace(), None) for files in sides]
        if codes[0] is not None and codes[1] is not None:
            yield from code_edits(codes[0], codes[1], Facts((), failures=(Unknown(why or "it was not planned"),)))


def _entry(side: Side) -> PipelineEntry | None:
    """What was asked for; of a job that a script has beside others, the entry of the script."""
    return side.entry or side.asked or (None if side.read is None else side.read.entry)


def _program(side: Side) -> str | None:
    """The file that a pipeline's entry names, or that its main class is in."""
    entry = _entry(side)
    if entry is None:
        return None
    if entry.file is not None or entry.main is None:
        return entry.file
    return automatic.file_of_main(side.files, entry.main)


def unread_file(path: str, line: int = 1) -> Edit:
    """An edit of a file whose pipeline could not be read."""
    return UNREAD.edit(Thing.DECLARATION, path, Location(path, line), Location(path, line))


def unread_edit(edit: Edit) -> Edit:
    """What would have been compared, had the pipeline been read."""
    if edit.explanation is not Explanation.COMPARED and edit.why is not Why.BODY:
        return edit
    return UNREAD.edit(edit.thing, edit.name, edit.base, edit.head)
