"""What the content of single files says, remembered by content.

Which files of a revision mention settings of serializers.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Generic, TypeVar, cast

from checker.cache import active_cache
from checker.errors import RevisionError
from checker.model.sources import SourceFiles, contents_of

T = TypeVar("T")
Fact = tuple[str | int, ...]
_MOST_FACTS = 60_000


class ByContent(Generic[T], ABC):
    """What the content of single files says, remembered by content: in this process, and in the cache."""

    def __init__(self, kind: str, look: Callable[[bytes], T]) -> None:
        self._kind = kind
        self._look = look
        self._known: dict[str, T] = {}

    @abstractmethod
    def write(self, found: T) -> bytes:
        """The text that is stored."""

    @abstractmethod
    def read(self, written: bytes) -> T:
        """From what was kept. Raises ValueError for anything else."""

    def of(self, files: SourceFiles, paths: Iterable[str], absent: T | None = None) -> dict[str, T]:
        """Path → what the file says; ``absent`` where a partial clone leaves it out. Without it: RevisionError."""
        contents = {path: files.content_id(path) for path in paths}
        if len(self._known) > _MOST_FACTS:
            self._known.clear()
        unknown = {content: path for path, content in contents.items() if content not in self._known}
        cache = active_cache()
        for content, written in (cache.facts(self._kind, tuple(unknown)) if cache is not None else {}).items():
            with suppress(ValueError, TypeError):
                self._known[content] = self.read(written)
                del unknown[content]
        try:
            for content, data in zip(unknown, contents_of(files, tuple(unknown.values())), strict=True):
                self._known[content] = self._look(data)
        except RevisionError:
            if absent is None:
                raise
            for content, path in unknown.items():
                with suppress(RevisionError):
                    self._known[content] = self._look(files.read(path))
        if cache is not None and unknown:
            found = {content: self._known[content] for content in unknown if content in self._known}
            cache.keep_facts(self._kind, {content: self.write(fact) for content, fact in found.items()})
        return {path: self._known.get(content, cast(T, absent)) for path, content in contents.items()}

    def known(self, content: str) -> T | None:
        """What a content says that was looked at before, None where it was not."""
        if content not in self._known and (cache := active_cache()) is not None:
            with suppress(ValueError, TypeError):
                self._known.update({key: self.read(kept) for key, kept in cache.facts(self._kind, (content,)).items()})
        return self._known.get(content)


class Facts(ByContent[Fact]):
    """Facts of a few numbers and texts."""

    def write(self, found: Fact) -> bytes:
        """As JSON."""
        return json.dumps(found, separators=(",", ":")).encode()

    def read(self, written: bytes) -> Fact:
        """From JSON."""
        found = json.loads(written)
        if not isinstance(found, list):
            raise ValueError("no list")
        return tuple(found)


KEYS = re.compile(
    rb"(?:pipeline\.)?(?:force-kryo|force-avro|serialization-config|default-kryo-serializers|registered-kryo-types)"
    rb"|enableForce(?:Kryo|Avro)|setForce(?:Kryo|Avro)|FORCE_KRYO|FORCE_AVRO|registerTypeWithKryoSerializer"
    rb"|addDefaultKryoSerializer|SERIALIZATION_CONFIG|KRYO_DEFAULT_SERIALIZERS|KRYO_REGISTERED_CLASSES"
)
_MAX_BYTES = 2_000_000


def mentions_serializers(data: bytes) -> bool:
    """Whether a file mentions such a setting."""
    return len(data) < _MAX_BYTES and KEYS.search(data) is not None
