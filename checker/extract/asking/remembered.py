"""Answers that are used again where all files that they rest on are alike: in this process and from the cache."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import lru_cache
from time import process_time
from typing import Any, TypeVar, cast, get_args, get_type_hints
from weakref import ref

from checker.cache import active_cache
from checker.extract.asking.consulted import Consulted, ConsultedFiles, plain
from checker.extract.asking.listing import Listing, listing_of
from checker.model.sources import SourceFiles, submodules_of

T = TypeVar("T")


def _known_elsewhere(listing: Listing, key: str) -> tuple[Any, Consulted] | None:
    """What is known of another revision and holds for this one."""
    for recent in (known() for known in reversed(_RECENT)):
        if recent is None or key not in recent.found or submodules_of(recent.files) != submodules_of(listing.files):
            continue
        found: tuple[Any, Consulted] = recent.found[key]
        if found[1].holds(listing.files):
            return found
    return None


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
    always: bool = False
    """Whether answers that took no time are kept, too: many are asked for."""

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
    if keeping is not None and (keeping.always or process_time() - start > _WORTH_KEEPING):
        keeping.keep(key, files, answer, watched.consulted)
    return answer, watched.consulted


def remembered(key: str, files: SourceFiles, compute: Callable[[SourceFiles], T]) -> T:
    """The same for plain values, which are kept for other processes in any case."""
    return once(files, key, compute, _PLAIN)


_CONTAINERS: dict[str, type] = {"tuple": tuple, "list": list, "set": set, "frozenset": frozenset}


class RecordsAsJson:
    """JSON for objects of some classes, and of those that their fields name."""

    def __init__(self, *classes: type) -> None:
        self._roots = classes

    def document(self, found: Any) -> Any:
        """As JSON: plain values as they are, all others a list that begins with what they are. Raises TypeError."""
        kind = type(found)
        if found is None or kind in (str, int, float, bool):
            return found
        if kind is tuple or kind is list:
            return [kind.__name__, *map(self.document, found)]
        if kind is set or kind is frozenset:
            return [kind.__name__, *map(self.document, sorted(found))]
        if kind is dict:
            return ["dict", *([self.document(key), self.document(value)] for key, value in found.items())]
        if isinstance(found, Enum):
            return [kind.__name__, found.value]
        if not is_dataclass(kind):
            raise TypeError(kind.__name__)
        return [kind.__name__, *(self.document(getattr(found, name)) for name in _names(kind))]

    def made(self, document: Any) -> Any:
        """From JSON. Raises ValueError, TypeError or KeyError for anything other than ``document`` gives."""
        if not isinstance(document, list):
            return document
        name, *parts = document
        if name == "dict":
            return {self.made(key): self.made(value) for key, value in parts}
        if name in _CONTAINERS:
            return _CONTAINERS[name](map(self.made, parts))
        kind = _classes(self._roots)[name]
        if issubclass(kind, Enum):
            return kind(*parts)
        return kind(**dict(zip(_names(kind), map(self.made, parts), strict=True)))


@lru_cache(maxsize=256)
def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.init)


@lru_cache(maxsize=8)
def _classes(roots: tuple[type, ...]) -> dict[str, Any]:
    """The classes that fields may hold, by their names. Raises TypeError where two have one name."""
    found: dict[str, type] = {}
    pending: list[Any] = list(roots)
    while pending:
        kind = pending.pop()
        pending.extend(get_args(kind))
        if not isinstance(kind, type) or found.get(kind.__name__) is kind:
            continue
        if is_dataclass(kind) or issubclass(kind, Enum):
            if found.setdefault(kind.__name__, kind) is not kind:
                raise TypeError(f"two classes {kind.__name__}")
            pending.extend(get_type_hints(kind).values() if is_dataclass(kind) else ())
    return found


_PLAIN = Keeping(RecordsAsJson(), lambda _: True, always=True)
