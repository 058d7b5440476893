"""Answers that are used again where all files that they rest on are alike: in this process and from the cache."""

from __future__ import annotations

import json
from collections import OrderedDict, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from time import process_time
from typing import Any, TypeVar, cast
from weakref import ref

from checker.cache import active_cache
from checker.extract.consulted import Consulted, ConsultedFiles, plain
from checker.extract.listing import Listing, listing_of
from checker.extract.records_as_json import RecordsAsJson
from checker.model.sources import SourceFiles, submodules_of

T = TypeVar("T")

_REMEMBERED: OrderedDict[str, list[tuple[Consulted, Any]]] = OrderedDict()
"""What this process found out, by key: the revisions of a history share most of it."""
_MOST_REMEMBERED = 4_000


def remembered(key: str, files: SourceFiles, compute: Callable[[SourceFiles], Any]) -> Any:
    """What ``compute`` says of a revision, as JSON; used again where it was asked before of files alike.

    What it rests on is written down where ``files`` are consulted ones.
    """
    revision = plain(files)
    known = _REMEMBERED.setdefault(key, [])
    recalled = next((record for record in known if record[0].holds(revision)), None)
    if recalled is None:
        recalled = _kept(key, revision) or _computed(key, revision, compute)
        known[:] = [recalled, *known[:3]]
        while len(_REMEMBERED) > _MOST_REMEMBERED:
            _REMEMBERED.popitem(last=False)
    asked, found = recalled
    if isinstance(files, ConsultedFiles):
        files.consulted.add(asked)
    return found


def _known_elsewhere(listing: Listing, key: str) -> tuple[Any, Consulted] | None:
    """What is known of another revision and holds for this one."""
    for recent in (known() for known in reversed(_RECENT)):
        if recent is None or key not in recent.found or submodules_of(recent.files) != submodules_of(listing.files):
            continue
        found: tuple[Any, Consulted] = recent.found[key]
        if found[1].holds(listing.files):
            return found
    return None


def _kept(key: str, files: SourceFiles) -> tuple[Consulted, Any] | None:
    """What the cache knows of a revision whose files say the same."""
    cache = active_cache()
    for row in [] if cache is None else cache.rows(key):
        with suppress(ValueError, TypeError, KeyError):
            document, found = row
            asked = Consulted.of(document)
            if asked.holds(files):
                return asked, found
    return None


def _computed(key: str, files: SourceFiles, compute: Callable[[SourceFiles], Any]) -> tuple[Consulted, Any]:
    watched = ConsultedFiles(files)
    found = compute(watched)
    cache = active_cache()
    if cache is not None:
        cache.keep(key, [watched.consulted.document(), found])
    return watched.consulted, found


_RECENT: deque[ref[Listing]] = deque(maxlen=4)
"""The revisions that were asked last."""


_WORTH_KEEPING = 0.02
"""Processor seconds from which on an answer is kept for other processes: to read it again takes a tenth of that."""


@dataclass(frozen=True, slots=True)
class Keeping:
    """How the answers to a question are kept for other processes, and which of them may be."""

    records: RecordsAsJson
    may_be: Callable[[Any], bool]
    """Whether an answer rests on nothing but the files that were consulted."""
    secrets: frozenset[str] = frozenset()
    """Texts that are kept nowhere."""

    def recalled(self, key: str, files: SourceFiles) -> tuple[Any, Consulted] | None:
        """What is kept of files of which every one is the same."""
        cache = active_cache()
        for row in [] if cache is None else cache.rows(_kept_under(key, files)):
            with suppress(ValueError, TypeError, KeyError):
                document, found = row
                asked = Consulted.of(document)
                if asked.holds(files):
                    return self.records.made(json.loads(found)), asked
        return None

    def keep(self, key: str, files: SourceFiles, answer: Any, asked: Consulted) -> None:
        """Keep an answer."""
        cache = active_cache()
        if cache is not None and self.may_be(answer):
            with suppress(TypeError):
                kept = json.dumps(self.records.document(answer))
                cache.keep(_kept_under(key, files), [asked.document(), kept], secrets=self.secrets)


def _kept_under(key: str, files: SourceFiles) -> str:
    return f"once {sorted(submodules_of(files).items())!r} {key}"


def once(files: SourceFiles, key: str, compute: Callable[[ConsultedFiles], T], keeping: Keeping | None = None) -> T:
    """What ``compute`` says of a revision, found out once in this process, however many pipelines ask.

    It is known of a revision if it is of another one that has the same files, as far as it rests on files. That is
    written down for each pipeline where ``files`` are consulted ones. With ``keeping`` other processes know it, too.
    """
    listing = listing_of(plain(files))
    if key not in listing.found:
        recalled = _known_elsewhere(listing, key) or (keeping and keeping.recalled(key, listing.files))
        listing.found[key] = recalled or _found_out(key, listing.files, compute, keeping)
    if all(recent() is not listing for recent in _RECENT):
        _RECENT.append(ref(listing))
    answer, asked = listing.found[key]
    if isinstance(files, ConsultedFiles):
        files.consulted.add(asked)
    return cast("T", answer)


def _found_out(
    key: str, files: SourceFiles, compute: Callable[[ConsultedFiles], T], keeping: Keeping | None
) -> tuple[T, Consulted]:
    watched, start = ConsultedFiles(files), process_time()
    answer = compute(watched)
    if keeping is not None and process_time() - start > _WORTH_KEEPING:
        keeping.keep(key, files, answer, watched.consulted)
    return answer, watched.consulted
