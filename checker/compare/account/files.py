"""Explains the edits of files that are not code of the pipeline: schemas, resources; for builds see ``builds``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from checker.compare.account.both_sides import BothSides
from checker.compare.account.builds import ALL_KNOWN, build_edits
from checker.compare.account.deployments import deployment_edits
from checker.compare.account.key_flows import KeyFlows
from checker.compare.account.reach import Reach, differing, edit, in_modules
from checker.model.account import Edit, Explanation, Thing, Why
from checker.model.changed_files import ChangedFile, Entry, FileKind
from checker.model.file_names import CONVENTIONAL, names_file, same_module

_CLASS = re.compile(r"[A-Z]\w*[a-z]\w*")
"""Names by which code of another module is used: those of its classes."""
_PICKLES = frozenset({"pickle", "cloudpickle", "dill", "joblib"})


def file_edits(changed: Sequence[ChangedFile], reach: Reach) -> Iterator[Edit]:
    """Every edit of such a file that the pipeline can reach."""
    unpickles = not _PICKLES.isdisjoint(reach.names)
    read = [file for file in changed if file.kind is FileKind.RESOURCE or (unpickles and file.kind is FileKind.CODE)]
    in_keys = KeyFlows(BothSides(reach.base, reach.head, reach.facts)).files if read else frozenset()
    for file in _moved(list(changed), reach.deployed):
        if file.path in in_keys:
            why = "it may change how keys are computed: records get other keys, and their state is not found"
            yield edit(file, Thing.RESOURCE, file.path, Explanation.NOT_UNDERSTOOD, Why.KEY_NOT_READ, why)
            continue
        if file.unreadable is not None:
            if _mentioned(file, reach):
                yield _unreadable(file, file.unreadable)
        elif file.kind is FileKind.BUILD:
            yield from build_edits(file, reach.builds)
        elif file.path in reach.named and file.kind in (FileKind.DEPLOYMENT, FileKind.RESOURCE):
            yield from _of_a_start(file, reach)
        elif file.kind is FileKind.DEPLOYMENT:
            yield from deployment_edits(file, reach)
        elif file.kind is not FileKind.CODE and _mentioned(file, reach):
            yield _unread(file, reach)


def _moved(changed: list[ChangedFile], deployed: frozenset[str]) -> Iterator[ChangedFile]:
    """Manifests that only the base has as the base of those that only the head has: what says the same was moved."""
    manifests = [file for file in changed if file.kind is FileKind.DEPLOYMENT and file.path in deployed]
    gone = [manifest for manifest in manifests if manifest.head is None and manifest.unreadable is None]
    paired: dict[str, ChangedFile] = {}
    for file in manifests:
        if file.base is None and file.unreadable is None and gone:
            old = max(gone, key=lambda candidate: len(_facts(candidate.base) & _facts(file.head)))
            gone.remove(old)
            paired[old.path] = replace(file, base=old.base)
    new = {file.path for file in paired.values()}
    for file in changed:
        if file.path in paired:
            yield paired[file.path]
        elif file.path not in new:
            yield file


def _facts(entries: Sequence[Entry] | None) -> set[tuple[str, str]]:
    return {(entry.key, entry.value) for entry in entries or ()}


# -- resources, schemas, other languages ---------------------------------------------------------------------------


def _mentioned(file: ChangedFile, reach: Reach) -> bool:
    if file.kind is FileKind.SCHEMA and not in_modules(file.path, reach.builds):
        return False
    if file.kind is FileKind.BUILD:
        return in_modules(file.path, reach.builds)
    if file.kind is FileKind.SCHEMA and file.unreadable is not None:
        return True
    if file.kind in (FileKind.SCHEMA, FileKind.FOREIGN, FileKind.CODE):
        stem = file.path.rpartition("/")[2].partition(".")[0]
        names = file.names | {stem, f"{stem}Kt"}
        if file.kind is FileKind.FOREIGN and not in_modules(file.path, reach.builds):
            names = frozenset(name for name in names if _CLASS.fullmatch(name)) - reach.classes
        return not reach.names.isdisjoint(names)
    if file.kind is FileKind.SERVICE:
        return file.path.rpartition(".")[2] in reach.names
    if file.path in reach.files or (CONVENTIONAL.search(file.path) and same_module(file.path, reach.main)):
        return True
    return reach.mentions(lambda text: names_file(text, file.path, reach.main)) is not None


def _unreadable(file: ChangedFile, reason: str) -> Edit:
    return edit(file, Thing.RESOURCE, file.path, Explanation.NOT_UNDERSTOOD, Why.UNREADABLE, reason)


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
        explanation = Explanation.NOT_UNDERSTOOD if asked else Explanation.WITHOUT_EFFECT
        why = Why.RESOURCE_NOT_READ if asked else Why.UNRELATED_KEY
        reason = "the program is given this file, and graph or state depend on it" if asked else _UNRELATED
        yield edit(
            file, Thing.RESOURCE, entry.key, explanation, why, reason, line=entry.line,
            settled_by=f"--arg {entry.key}=VALUE" if asked else None,
        )  # fmt: skip


_UNRELATED = "neither the graph nor a state depends on it"


def _asks_for(name: str, key: str) -> bool:
    if name.endswith("*"):
        return key.startswith(name[:-1])
    return key in ("", name) or key.endswith(f".{name}") or name.endswith(f".{key}")


def _unread(file: ChangedFile, reach: Reach) -> Edit:
    if file.kind is FileKind.LOGGING:
        return edit(
            file,
            Thing.RESOURCE,
            file.path,
            Explanation.WITHOUT_EFFECT,
            Why.LOGGING_CONFIGURATION,
            "it only configures logging",
        )
    if file.kind is FileKind.SCHEMA:
        used = file.names & reach.names
        if reach.facts.elements_read and used and not used & reach.facts.polymorphic:
            return edit(
                file, Thing.SCHEMA, file.path, Explanation.COMPARED, Why.CLASS_READ,
                "the classes that are generated from it were compared where they lie in state",
            )  # fmt: skip
        return edit(
            file, Thing.SCHEMA, file.path, Explanation.NOT_UNDERSTOOD, Why.SCHEMA,
            "classes that the program uses are generated from it, and may lie in state",
        )  # fmt: skip
    if file.kind is FileKind.FOREIGN:
        return edit(
            file, Thing.DECLARATION, file.path, Explanation.NOT_UNDERSTOOD, Why.UNREADABLE,
            "the program uses what it declares, and its language is not read", settled_by="--allow-exec",
        )  # fmt: skip
    if file.path in reach.files:
        return edit(
            file, Thing.RESOURCE, file.path, Explanation.COMPARED, Why.RESOURCE_READ,
            "it was read as the program reads it: what comes of it was compared",
        )  # fmt: skip
    of_records = file.kind is FileKind.RESOURCE and file.path not in reach.named
    if of_records and reach.mentions(lambda text: names_file(text, file.path, reach.main)) is False:
        return edit(
            file, Thing.RESOURCE, file.path, Explanation.WITHOUT_EFFECT, Why.PROCESSES_RECORDS,
            "it is only read while records are processed",
        )  # fmt: skip
    if reach.facts.all_known:
        return edit(file, Thing.RESOURCE, file.path, Explanation.WITHOUT_EFFECT, Why.ALL_KNOWN, ALL_KNOWN)
    return edit(
        file, Thing.RESOURCE, file.path, Explanation.NOT_UNDERSTOOD, Why.RESOURCE_NOT_READ,
        "the program may read it, and what it does with it is not known", settled_by="--allow-exec",
    )  # fmt: skip
