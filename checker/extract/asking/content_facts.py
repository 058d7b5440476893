"""What the content of single files says, remembered by content. Records as JSON, as the cache keeps them.

Which files of a revision mention settings of serializers.
"""

import json
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import Any, Generic, TypeVar, cast, get_args, get_type_hints

from checker.cache import active_cache
from checker.errors import RevisionError
from checker.model.sources import SourceFiles, contents_of

_CONTAINERS: dict[str, type] = {"tuple": tuple, "list": list, "set": set, "frozenset": frozenset}
_VALUES = frozenset({str, int, float, bool, type(None)})


class RecordsAsJson:
    """JSON for objects of some classes, and of those that their fields name."""

    def __init__(self, *classes: type) -> None:
        self._roots = classes

    def document(self, found: Any) -> Any:
        """As JSON: plain values as they are, all others a list that begins with what they are. Raises TypeError."""
        kind = type(found)
        if kind in _VALUES:
            return found
        if kind.__name__ in _CONTAINERS:
            parts = found if kind is tuple or kind is list else sorted(found)
            return [kind.__name__, *(parts if _VALUES.issuperset(map(type, parts)) else map(self.document, parts))]
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
            return _CONTAINERS[name](map(self.made, parts) if list in map(type, parts) else parts)
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
