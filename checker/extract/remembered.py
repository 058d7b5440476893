"""Answers that are used again: in this process and from the cache, also where files differ in comments and layout."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, TypeVar, cast

from checker.cache import active_cache
from checker.extract.consulted import Consulted, ConsultedFiles, plain
from checker.extract.listing import listing_of
from checker.extract.moved_code import ForgivingFiles, moved
from checker.model.sources import SourceFiles

T = TypeVar("T")

_REMEMBERED: OrderedDict[str, list[tuple[Consulted, Any]]] = OrderedDict()
"""What this process found out, by key: the revisions of a history share most of it."""
_MOST_REMEMBERED = 4_000


def remembered(key: str, files: SourceFiles, compute: Callable[[SourceFiles], Any]) -> Any:
    """What ``compute`` says of a revision, as JSON; used again where it was asked before of files alike.

    Files may differ in comments and layout. What it rests on is written down where ``files`` are consulted ones.
    """
    revision = plain(files)
    known = _REMEMBERED.setdefault(key, [])
    recalled = next((record for record in known if record[0].holds(revision)), None)
    if recalled is None:
        recalled = _alike(key, known, revision) or _computed(key, revision, compute)
        known[:] = [recalled, *known[:3]]
        while len(_REMEMBERED) > _MOST_REMEMBERED:
            _REMEMBERED.popitem(last=False)
    asked, found = recalled
    if isinstance(files, ConsultedFiles):
        files.consulted.add(asked)
    return found


def _alike(key: str, known: Iterable[tuple[Consulted, Any]], files: SourceFiles) -> tuple[Consulted, Any] | None:
    """What is known of a revision whose files say the same, with the places of this one."""
    cache = active_cache()
    rows = [] if cache is None else cache.rows(key)
    for row in (*known, *rows):
        with suppress(ValueError, TypeError, KeyError):
            document, found = row
            asked = document if isinstance(document, Consulted) else Consulted.of(document)
            forgiving = ForgivingFiles(files)
            if asked.holds(files, forgiving.forgives):
                now = ConsultedFiles(files)
                now.consult_like(asked)
                return now.consulted, moved(found, forgiving.moves)
    return None


def _computed(key: str, files: SourceFiles, compute: Callable[[SourceFiles], Any]) -> tuple[Consulted, Any]:
    watched = ConsultedFiles(files)
    found = compute(watched)
    cache = active_cache()
    if cache is not None:
        cache.keep(key, [watched.consulted.document(), found])
    return watched.consulted, found


def once(files: SourceFiles, key: str, compute: Callable[[ConsultedFiles], T]) -> T:
    """What ``compute`` says of a revision, found out once in this process, however many pipelines ask.

    What it rests on is written down for each of them where ``files`` are consulted ones.
    """
    found = listing_of(plain(files)).found
    if key not in found:
        watched = ConsultedFiles(plain(files))
        found[key] = compute(watched), watched.consulted
    answer, asked = found[key]
    if isinstance(files, ConsultedFiles):
        files.consulted.add(asked)
    return cast("T", answer)
