"""What one build file declares about versions, whatever its language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

GROUP = "org.apache.flink"
_ARTIFACT = re.compile(
    r"flink-(?:streaming-java|streaming-scala|clients|core|core-api|java|scala|runtime|runtime-web|dist|annotations"
    r"|statebackend-rocksdb|connector-base|connector-files|test-utils|python|cep"
    r"|table-(?:api-java|api-java-bridge|api-scala|api-scala-bridge|common|runtime|runtime-blink|planner|planner-blink"
    r"|planner-loader))(?:_.*)?"
)
_VERSION = re.compile(r"(?<!\d)\d+\.\d+(?:\.\d+)?(?![\d])")
_PROPERTY = re.compile(
    r"(?:(?:org)?apache)?flink(?:core)?version|version(?:s)?(?:orgapache)?flink|flink", re.IGNORECASE
)
_REFERENCES = 8


@dataclass(frozen=True, slots=True)
class Declared:
    """Names with the values that a file gives them, and the versions of Flink's artifacts as they are written there.

    A name that is given several values, in profiles or in several objects, stands for none of them.
    """

    values: Mapping[str, frozenset[str]] = field(default_factory=dict)
    versions: tuple[str, ...] = ()
    """Of dependencies on Flink's own artifacts: literals, or references such as ``${flink.version}``."""
    parent: str | None = None
    """Path of the Maven file that this one inherits from, relative to its folder."""


def is_flinks(group: str, artifact: str) -> bool:
    """Whether an artifact is released with Flink and so has Flink's version. Connectors have versions of their own."""
    return group == GROUP and _ARTIFACT.fullmatch(artifact) is not None


def merged(declared: Iterable[Declared]) -> Declared:
    """All of them as one; of values for one name, those of the first that has any."""
    values: dict[str, frozenset[str]] = {}
    versions: list[str] = []
    for build in declared:
        values = {**build.values, **values}
        versions.extend(build.versions)
    return Declared(values, tuple(versions))


def version_of(declared: Declared) -> str | None:
    """The one version that the declarations agree on, None where there is none or several."""
    for texts in (declared.versions, _properties(declared)):
        found = {version for text in texts if (version := _resolved(text, declared)) is not None}
        if found:
            return found.pop() if len(found) == 1 else None
    return None


def _properties(declared: Declared) -> tuple[str, ...]:
    named = [v for name, v in declared.values.items() if _PROPERTY.fullmatch(re.sub(r"[._-]", "", name))]
    return tuple(text for values in named if len(values) == 1 for text in values)


def _resolved(text: str, declared: Declared) -> str | None:
    """The version behind a literal or a reference: by its whole name, else by its last part (``Versions.flink``)."""
    for _ in range(_REFERENCES):
        version = _VERSION.match(text)
        if version is not None:
            return version.group()
        names = re.findall(r"[A-Za-z_][\w.-]*", re.sub(r"\.(?:get|toString|asProvider)\(\)", "", text))
        if not names:
            return None
        values = declared.values.get(names[-1]) or declared.values.get(names[-1].rpartition(".")[2]) or frozenset()
        if len(values) != 1:
            return None
        (text,) = values
    return None
