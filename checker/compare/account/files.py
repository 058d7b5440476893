"""Explains the edits of files that are not code of the pipeline: schemas, resources; for builds see ``builds``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from checker.compare.account.builds import Reach, build_edits, differing, edit, in_modules, jar_edits
from checker.compare.account.deployments import deployment_edits, moved_options
from checker.model.account import BODY, READ, SAME_PROGRAM, UNUSED, Edit, Explanation, Thing, Verdict, Why
from checker.model.changed_files import CONVENTIONAL, ChangedFile, FileKind, names_file, same_module
from checker.model.unknowns import given_by


def file_edits(changed: Sequence[ChangedFile], reach: Reach) -> Iterator[Edit]:
    """Every edit of such a file that the pipeline can reach."""
    moved = moved_options(changed)
    for file in changed:
        if file.unreadable is not None:
            if _mentioned(file, reach):
                yield edit(file, Thing.RESOURCE, file.path, Verdict(Why.FILE, file.unreadable))
        elif file.kind is FileKind.BUILD:
            yield from build_edits(file, reach.builds)
        elif file.kind is FileKind.JARS:
            yield from jar_edits(file, reach.builds) if _gives_jars(file, reach) else ()
        elif file.path in reach.named and file.kind in (FileKind.DEPLOYMENT, FileKind.RESOURCE):
            yield from _of_a_start(file, reach)
        elif file.kind is FileKind.DEPLOYMENT:
            yield from deployment_edits(file, reach, moved)
        elif file.kind is not FileKind.CODE and _mentioned(file, reach):
            yield _unread(file, reach)


# -- resources, schemas, other languages ---------------------------------------------------------------------------


def _mentioned(file: ChangedFile, reach: Reach) -> bool:
    if file.kind is FileKind.SCHEMA and not in_modules(file.path, reach.builds):
        return False
    if file.kind is FileKind.BUILD:
        return in_modules(file.path, reach.builds)
    if file.kind is FileKind.SCHEMA and file.unreadable is not None:
        return True
    if file.kind is FileKind.FOREIGN:
        return file.path in reach.foreign
    if file.kind in (FileKind.SCHEMA, FileKind.CODE):
        stem = file.path.rpartition("/")[2].partition(".")[0]
        return not reach.names.isdisjoint(file.names | {stem})
    if file.kind is FileKind.SERVICE:
        return file.path.rpartition(".")[2] in reach.names
    if file.path in reach.files or (CONVENTIONAL.search(file.path) and same_module(file.path, reach.main)):
        return True
    return reach.mentions(lambda text: names_file(text, file.path, reach.main)) is not None


def _gives_jars(file: ChangedFile, reach: Reach) -> bool:
    """Whether the jars that a file names may be the program's: of code only those that the program itself names."""
    code = file.path.endswith((".py", ".java", ".sql"))
    return file.path in reach.files if code else file.path not in reach.elsewhere


def _of_a_start(file: ChangedFile, reach: Reach) -> Iterator[Edit]:
    """Edits of a file that the program is given by its name; of settings only those that it asks for."""
    whole = _unread(file, reach)
    edited = list(differing(file))
    if not edited and file.base and file.head:
        return  # comments
    if whole.explanation is not Explanation.NOT_UNDERSTOOD or not edited or not reach.facts.all_named:
        yield whole
        return
    for entry in edited:
        asked = any(_asks_for(name, entry.key) for name in reach.facts.asked_for)
        given = Verdict(Why.FILE, "the program is given it", given_by(entry.key))
        yield edit(file, Thing.RESOURCE, entry.key, given if asked else UNUSED, entry.line)


def _asks_for(name: str, key: str) -> bool:
    if name.endswith("*"):
        return key.startswith(name[:-1])
    return key in ("", name) or key.endswith(f".{name}") or name.endswith(f".{key}")


_THINGS = {FileKind.SCHEMA: Thing.SCHEMA, FileKind.FOREIGN: Thing.DECLARATION}


def _unread(file: ChangedFile, reach: Reach) -> Edit:
    return edit(file, _THINGS.get(file.kind, Thing.RESOURCE), file.path, _explained(file, reach))


def _explained(file: ChangedFile, reach: Reach) -> Verdict:
    if file.kind is FileKind.LOGGING:
        return SAME_PROGRAM
    if file.kind is FileKind.SCHEMA:
        used = file.names & reach.names
        if reach.facts.elements_read and used and not used & reach.facts.polymorphic:
            return READ
        return Verdict(Why.TYPE, "classes that the program uses are generated from it")
    if file.kind is FileKind.FOREIGN:
        return Verdict(Why.FILE, "the program uses what it declares, and its language is not read")
    if file.path in reach.files:
        return READ
    of_records = file.kind is FileKind.RESOURCE and file.path not in reach.named
    if of_records and reach.mentions(lambda text: names_file(text, file.path, reach.main)) is False:
        return BODY
    return UNUSED if reach.facts.all_known else Verdict(Why.FILE)
