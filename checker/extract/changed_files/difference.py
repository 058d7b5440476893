"""Which files differ, and the content of those that are not written in the pipeline's language."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import lru_cache

from checker.errors import RevisionError
from checker.extract.asking.consulted import ask, once, plain
from checker.extract.asking.listing import Listing, listing_of
from checker.extract.changed_files.entries import (
    declared_names,
    deployment_entries,
    entries_of,
    is_deployment,
    jars_named,
    options_written,
    versions_asked,
    with_versions,
)
from checker.extract.deployments.environment_files import is_image_file
from checker.extract.paths import is_build, kind_of, shared_parts
from checker.extract.schemas import IDL, same_schema, with_imports
from checker.extract.texts import same_code
from checker.model.changed_files import ChangedFile, ChangedText, Entry, FileKind
from checker.model.nested import gathered
from checker.model.sources import SourceFiles, links_of
from checker.model.unknowns import Location

_LOOKED_AT = frozenset({FileKind.BUILD, FileKind.DEPLOYMENT, FileKind.SCHEMA, FileKind.FOREIGN})
_LFS = b"version https://git-lfs"
_LARGEST = 3_000_000
_SHELL = (".sh", ".bash")


def changed_files(base: SourceFiles, head: SourceFiles, code: str) -> tuple[ChangedFile, ...]:
    """Every file that differs and that a program may depend on. ``code`` is the ending of the pipeline's source."""
    return _changed_between(listing_of(plain(base)), listing_of(plain(head)), code)


@lru_cache(maxsize=4)
def _changed_between(before: Listing, after: Listing, code: str) -> tuple[ChangedFile, ...]:
    """The same of two revisions, found out once however many pipelines ask."""
    base, head = before.files, after.files
    found: list[ChangedFile] = []
    moved = _moved(before, after)
    for path in (path for path in differing(base, head) if path not in moved):
        kind = kind_of(path, code)
        if kind is not None:
            sides = [files if ask(files, "file", path) else None for files in (base, head)]
            settings = kind in (FileKind.RESOURCE, FileKind.DEPLOYMENT) and None not in sides
            if settings and _left_out(path, base, head) is None and same_code(path, base.read(path), head.read(path)):
                continue
            schemas = kind is FileKind.SCHEMA and None not in sides
            if schemas and same_schema(path, base.read(path), head.read(path)):
                continue
            found.append(_changed(path, kind, sides[0], sides[1]))
    if any(file.kind is FileKind.BUILD for file in found):
        found = [*_with_versions(found, (base, head))]
    return (*found, *_naming_jars(base, head), *_writing_options(base, head), *_behind_links(base, head, code))


def _moved(before: Listing, after: Listing) -> frozenset[str]:
    """Files that moved unchanged with all sources of their module, and its build: both paths."""
    base, head = before.files, after.files
    came = gathered((head.content_id(path), path) for path in after.all - before.all)
    gone = [p for p in before.all if base.content_id(p) in came and (p not in after.all or not head.read(p).strip())]
    left, there = (_folders(paths) if gone else frozenset() for paths in (after.all, before.all))
    found: set[str] = set()
    for old, new in ((path, target) for path in gone for target in came[base.content_id(path)]):
        shared = shared_parts(old, new)
        ending = "/".join(old.split("/")[-shared:]) if shared else ""
        above, now_above = old.removesuffix(ending), new.removesuffix(ending)
        inner = any(is_build(p) and p.startswith(above) and "/" in p[len(above) :] for p in before.all)
        of_module = not inner if is_build(old) else ending.startswith("src/")
        if of_module and f"{above}src" not in left and f"{now_above}src" not in there:
            found.update((old, new))
    return frozenset(found)


def _folders(paths: Iterable[str]) -> frozenset[str]:
    return frozenset(path[:place] for path in paths for place, letter in enumerate(path) if letter == "/")


def _with_versions(found: Sequence[ChangedFile], sides: Sequence[SourceFiles]) -> Iterator[ChangedFile]:
    """Builds with the libraries whose releases their entries say, for whichever build asks for them by a name.

    Raises RevisionError where a partial clone leaves one out: it may ask for whatever was edited.
    """
    builds = [
        (path, entries_of(path, files)) for files in sides for path in sorted(filter(is_build, listing_of(files).all))
    ]
    asked = versions_asked(entry for _, entries in builds for entry in entries)
    named = ((e.library, path) for path, entries in builds for e in with_versions(entries, asked))
    libraries = frozenset((library, path) for library, path in named if library is not None)
    for file in found:
        if file.kind is FileKind.BUILD:
            old, new = (None if s is None else tuple(with_versions(s, asked)) for s in (file.base, file.head))
            file = replace(file, base=old, head=new, libraries=libraries)
        yield file


def _naming_jars(base: SourceFiles, head: SourceFiles) -> Iterator[ChangedFile]:
    """Files other than builds that name other jars of libraries than before: images, scripts, programs, the jars."""
    paths = [path for path in differing(base, head) if not is_build(path) and not _unreadable(path, base, head)]
    asking = {*paths, *(path for files in (base, head) for path in listing_of(files).all if is_image_file(path))}
    texts = [(p, files) for files in (base, head) for p in sorted(asking) if ask(files, "file", p)]
    asked = versions_asked(entry for path, files in texts for entry in jars_named(path, files, {}))
    for path in paths:
        old, new = (jars_named(path, f, asked) if ask(f, "file", path) else None for f in (base, head))
        if {entry.key for entry in old or ()} != {entry.key for entry in new or ()}:
            yield ChangedFile(path=path, kind=FileKind.JARS, base=old, head=new)


def _writing_options(base: SourceFiles, head: SourceFiles) -> Iterator[ChangedFile]:
    """Images and scripts with the options that they write into Flink's configuration, where these differ."""
    for path in differing(base, head):
        if is_image_file(path) or path.endswith(_SHELL):
            old, new = (options_written(f.read(path)) if ask(f, "file", path) else None for f in (base, head))
            if {(e.key, e.value) for e in old or ()} != {(e.key, e.value) for e in new or ()}:
                yield ChangedFile(path=path, kind=FileKind.DEPLOYMENT, base=old, head=new)


def _behind_links(base: SourceFiles, head: SourceFiles, code: str) -> Iterator[ChangedFile]:
    """Files that differ where a program may look for them through symbolic links."""
    before, after = through_links(base), through_links(head)
    for path in sorted(before.keys() | after.keys()):
        kind = kind_of(path, code)
        if kind is not None and before.get(path) != after.get(path):
            yield ChangedFile(
                path=path,
                kind=kind if kind is FileKind.CODE else FileKind.RESOURCE,
                base=() if path in before else None,
                head=() if path in after else None,
                unreadable="it is reached through a symbolic link, which is not followed",
            )


def why_unreadable(data: bytes) -> str | None:
    """Why no program reads what a file holds, None where one may."""
    if data.startswith(_LFS):
        return "its content is kept outside of git (LFS)"
    if len(data) > _LARGEST:
        return f"it has {len(data):,} bytes, more than are read"
    if b"\0" in data[:4096] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "it is not a text"
    return None


def _unreadable(path: str, *sides: SourceFiles) -> bool:
    """Whether a file holds no text that names jars; the name of a jar itself is one."""
    there = [files for files in sides if ask(files, "file", path)]
    unread = _left_out(path, *there) or next(filter(None, (why_unreadable(f.read(path)) for f in there)), None)
    return unread is not None and not path.endswith(".jar")


def _left_out(path: str, *sides: SourceFiles) -> str | None:
    """Why a file can't be read that a partial clone leaves out."""
    try:
        for files in sides:
            files.read(path)
    except RevisionError as error:
        return str(error)
    return None


def only_layout(file: ChangedFile, base: SourceFiles, head: SourceFiles) -> bool:
    """Whether both revisions have a file, and nothing but comments and layout differs."""
    if file.base is None or file.head is None or file.unreadable is not None:
        return False
    return same_code(file.path, base.read(file.path), head.read(file.path))


def differing(base: SourceFiles, head: SourceFiles) -> list[str]:
    """Paths that one revision only has, or whose contents differ, sorted."""
    return list(_differing(listing_of(base), listing_of(head)))


@lru_cache(maxsize=4)
def _differing(base: Listing, head: Listing) -> tuple[str, ...]:
    before, after = base.files.content_id, head.files.content_id
    return tuple(sorted((base.all ^ head.all) | {path for path in base.all & head.all if before(path) != after(path)}))


def _changed(path: str, kind: FileKind, base: SourceFiles | None, head: SourceFiles | None) -> ChangedFile:
    names: frozenset[str] = frozenset()
    unreadable: str | None = None
    sides: list[tuple[Entry, ...] | None] = []
    for files in (base, head):
        if files is None:
            sides.append(None)
            continue
        entries: tuple[Entry, ...] = ()
        sides.append(entries)
        if kind in _LOOKED_AT:
            unreadable = unreadable or _left_out(path, files) or why_unreadable(files.read(path))
            if unreadable is not None:
                continue
            data = files.read(path)
            if kind is FileKind.BUILD:
                entries = entries_of(path, files)
            elif kind is FileKind.DEPLOYMENT:
                if is_deployment(path, data):
                    entries = deployment_entries(data)
                else:
                    kind = FileKind.RESOURCE
            elif kind is FileKind.SCHEMA:
                names |= declared_names(path, data).union(*_of_importing(path, files))
        sides[-1] = entries
    return ChangedFile(path=path, kind=kind, base=sides[0], head=sides[1], unreadable=unreadable, names=names)


_MOST_LINKS = 300
_MOST_FILES = 20_000


def through_links(files: SourceFiles) -> Mapping[str, str]:
    """Path through a link → content id of the file there; a link that leads out of the repository → what it says."""
    links = dict(list(links_of(files).items())[:_MOST_LINKS])
    if not links:
        return {}
    paths = files.paths()
    found: dict[str, str] = {}
    for link, text in links.items():
        target = _target(link, links)
        inside = [p for p in paths if target is not None and (p == target or p.startswith(f"{target}/"))]
        if not inside or len(found) + len(inside) > _MOST_FILES:
            found[link] = text
            continue
        for path in inside:
            found[link + path[len(target or "") :]] = files.content_id(path)
    return found


def _target(link: str, links: Mapping[str, str]) -> str | None:
    """The path that a link stands for, through further links; None where it leaves the repository."""
    path = link
    for _ in range(10):
        start = next((at for at in _starts(path) if at in links), None)
        if start is None:
            return path
        path = posixpath.normpath(posixpath.join(posixpath.dirname(start), links[start]) + path[len(start) :])
        if path.startswith(("..", "/")) or path == ".":
            return None
    return None


def _starts(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[: number + 1]) for number in range(len(parts))]


_TEXT = re.compile(r""""([^"\\]*)"|'([^'\\]*)'""")
_VALUE = re.compile(r"\{[^{}]*\}")
"""What an f-string fills in."""
_WORD = re.compile(
    r"""(?=[^\s\[\]{},"'=]*[^\W\d_])[^\s\[\]{},"'=]+"""
    r"""|(?:(?<=max-parallelism: )|(?<=max-parallelism=)|(?<=max-parallelism: ["']))\d+"""
)
"""What stands without quotes in manifests and scripts, numbers left out but for a max parallelism."""
_QUOTING = (".java", ".py", ".sql")
_MOST_LINES = 5000


def changed_texts(base: SourceFiles, head: SourceFiles, paths: Iterable[str]) -> tuple[ChangedText, ...]:
    """The texts of some files, which were read, that are the only change of their line; of no program words, too."""
    base, head = plain(base), plain(head)  # what a program depends on is known from its reading
    known = set(base.paths()).intersection(head.paths())
    both = [path for path in paths if path in known and base.content_id(path) != head.content_id(path)]
    return tuple(text for path in both for text in _of_file(path, _lines(base, path), _lines(head, path)))


def _lines(files: SourceFiles, path: str) -> list[str]:
    return files.read(path).decode("utf-8", "replace").split("\n")


def _of_file(path: str, before: list[str], after: list[str]) -> Iterator[ChangedText]:
    if max(len(before), len(after)) > _MOST_LINES:
        return
    for kind, start, end, first, last in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "replace" or end - start != last - first:
            continue
        for place, (old, new) in enumerate(zip(before[start:end], after[first:last], strict=True), first + 1):
            parts = _parts if path.endswith(_QUOTING) else _words
            changed = [pair for pair in zip(parts(old), parts(new), strict=False) if pair[0][0] != pair[1][0]]
            if len(changed) == 1:
                (was, start_of), (now, column) = changed[0]
                rest = (old[:start_of] + old[start_of + len(was) :], new[:column] + new[column + len(now) :])
                if rest[0] == rest[1] and now:
                    yield ChangedText(was, now, Location(path, place, column + 1))


def _words(line: str) -> Iterator[tuple[str, int]]:
    for found in _WORD.finditer(line):
        yield found[0], found.start()


def _parts(line: str) -> Iterator[tuple[str, int]]:
    """The texts of a line, without what is filled in, each with its place in the line."""
    for found in _TEXT.finditer(line):
        start, end = found.start() + 1, found.end() - 1
        for value in (*_VALUE.finditer(line, start, end), None):
            stop = end if value is None else value.start()
            yield line[start:stop], start
            start = end if value is None else value.end()


def _of_importing(path: str, files: SourceFiles) -> Sequence[frozenset[str]]:
    """The names that schemas declare which import a schema."""
    return once(files, "names by imported schema", _by_imported).get(path, ()) if path.endswith(IDL) else ()


def _by_imported(files: SourceFiles) -> dict[str, list[frozenset[str]]]:
    schemas = [schema for ending in IDL for schema in ask(files, "ending", ending)]
    names = {schema: declared_names(schema, files.read(schema)) for schema in schemas}
    return gathered((path, names[schema]) for schema in schemas for path in with_imports(schema, schemas, files.read))
