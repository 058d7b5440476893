"""What the content of single files says, remembered by content.

Which files of a revision mention settings of serializers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Generic, TypeVar, cast

from checker.cache import active_cache
from checker.errors import RevisionError
from checker.extract.asking.records_as_json import RecordsAsJson
from checker.model.sources import SourceFiles, contents_of

T = TypeVar("T")
Fact = tuple[str | int, ...]
_MOST_FACTS = 60_000


class ByContent(Generic[T]):
    """What the content of single files says, remembered by content: in this process, and in the cache.

    Facts are tuples, or records of some classes.
    """

    def __init__(self, kind: str, look: Callable[[bytes], T], *classes: type) -> None:
        self._kind = kind
        self._look = look
        self._records = RecordsAsJson(*classes)
        self._known: dict[str, T] = {}

    def _made(self, document: Any) -> T:
        """From what was kept. Raises ValueError, TypeError or LookupError for anything else."""
        if not isinstance(document, list):
            raise ValueError("no list")
        return cast(T, self._records.made(document))

    def of(self, files: SourceFiles, paths: Iterable[str], absent: T | None = None) -> dict[str, T]:
        """Path → what the file says; ``absent`` where a partial clone leaves it out. Without it: RevisionError."""
        contents = {path: files.content_id(path) for path in paths}
        if len(self._known) > _MOST_FACTS:
            self._known.clear()
        unknown = {content: path for path, content in contents.items() if content not in self._known}
        cache = active_cache()
        for content, written in (cache.facts(self._kind, tuple(unknown)) if cache is not None else {}).items():
            with suppress(ValueError, TypeError, LookupError):
                self._known[content] = self._made(json.loads(written))
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
            cache.keep_facts(self._kind, {c: _written(self._records.document(fact)) for c, fact in found.items()})
        return {path: self._known.get(content, cast(T, absent)) for path, content in contents.items()}

    def known(self, content: str) -> T | None:
        """What a content says that was looked at before, None where it was not."""
        if content not in self._known and (found := known_of(self._kind, content, self._made)) is not None:
            self._known[content] = found
        return self._known.get(content)


Facts = ByContent[Fact]
"""Facts of a few numbers and texts."""


def _written(document: Any) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode()


def known_of(kind: str, content: str, made: Callable[[Any], T]) -> T | None:
    """What is made of the document that is kept of a content, None where none is: whoever made it keeps it."""
    cache = active_cache()
    for written in {} if cache is None else cache.facts(kind, (content,)).values():
        with suppress(ValueError, TypeError, LookupError):
            return made(json.loads(written))
    return None


def keep_of(kind: str, content: str, document: Any) -> None:
    """Keep a document of what a content says, for other processes."""
    if (cache := active_cache()) is not None:
        cache.keep_facts(kind, {content: _written(document)})


KEYS = re.compile(
    rb"(?:pipeline\.)?(?:force-kryo|force-avro|serialization-config|default-kryo-serializers|registered-kryo-types)"
    rb"|enableForce(?:Kryo|Avro)|setForce(?:Kryo|Avro)|FORCE_KRYO|FORCE_AVRO|registerTypeWithKryoSerializer"
    rb"|addDefaultKryoSerializer|SERIALIZATION_CONFIG|KRYO_DEFAULT_SERIALIZERS|KRYO_REGISTERED_CLASSES"
)
_MAX_BYTES = 2_000_000


def mentions_serializers(data: bytes) -> bool:
    """Whether a file mentions such a setting."""
    return len(data) < _MAX_BYTES and KEYS.search(data) is not None
