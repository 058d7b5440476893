"""What one build file declares about versions, whatever its language."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

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


_COMMENT = re.compile(
    r'((?<!\\)(?:"""(?:.|\n)*?"""|\'\'\'(?:.|\n)*?\'\'\'|"(?:\\.|[^"\\\n])*+"|\'(?:\\.|[^\'\\\n])*+\'))|'
    r"//[^\n]*|/\*(?:.|\n)*?(?:\*/|\Z)"
)
_LITERAL = r"""["'](\d+\.\d[^"'\s]*)["']"""
_VALUES = (
    # flinkVersion = '1.20.0', ext.flinkVersion = …, val flinkVersion: String = …, public static final String FLINK = …
    re.compile(rf"\b([A-Za-z_]\w*)\s*(?::\s*String\s*)?=\s*{_LITERAL}"),
    # flink: '1.20.0' and "flink" to "1.20.0" in maps
    re.compile(rf"\b([A-Za-z_]\w*)[\"']?\s*:\s*{_LITERAL}"),
    re.compile(rf"[\"']([\w.-]+)[\"']\s+to\s+{_LITERAL}"),
    # extra["flinkVersion"] = …, extra.set("flinkVersion", …), set("flinkVersion", …)
    re.compile(rf"\[\s*[\"']([\w.-]+)[\"']\s*\]\s*=\s*{_LITERAL}"),
    re.compile(rf"\bset\(\s*[\"']([\w.-]+)[\"']\s*,\s*{_LITERAL}"),
    # val flinkVersion by extra("1.20.0"), by extra { … }
    re.compile(rf"\bval\s+(\w+)(?:\s*:\s*String)?\s+by\s+extra\s*[({{]\s*{_LITERAL}"),
)
_TEXT_OR_NAME = r"""(["'][^"'\n]+["']|[A-Za-z_][\w.]*(?:\(["']?[\w.]*["']?\))?(?:\[["'][\w.-]+["']\])?)"""
_NOTATIONS = (
    # "org.apache.flink:flink-core:1.20.0", with ${…} or $… as version, or followed by + flinkVersion
    re.compile(r"""["']([\w.]+):(flink-[^:"'\n]+):([^"'@\n]+)(?:@\w+)?["']"""),
    re.compile(r"""["']([\w.]+):(flink-[^:"'\n]+):["']\s*\+\s*([A-Za-z_][\w.]*)"""),
    # group: 'org.apache.flink', name: 'flink-core', version: …; in Kotlin with =
    re.compile(
        rf"group\s*[:=]\s*[\"']([\w.]+)[\"']\s*,\s*name\s*[:=]\s*[\"'](flink-[^\"'\n]+)[\"']\s*,\s*"
        rf"version\s*[:=]\s*{_TEXT_OR_NAME}"
    ),
    # ("org.apache.flink", "flink-core", …)
    re.compile(rf"\(\s*[\"']([\w.]+)[\"']\s*,\s*[\"'](flink-[^\"'\n]+)[\"']\s*,\s*{_TEXT_OR_NAME}"),
    # sbt: "org.apache.flink" %% "flink-core" % …
    re.compile(rf"[\"']([\w.]+)[\"']\s*%%?\s*[\"'](flink-[^\"'\n]+)[\"']\s*%\s*{_TEXT_OR_NAME}"),
)


def read_script(text: str) -> Declared:
    """What a Gradle or sbt file declares, or a Kotlin, Groovy, Scala or Java file of constants beside it."""
    text = _COMMENT.sub(lambda match: match.group(1) or " ", text)
    values: dict[str, set[str]] = {}
    for pattern in _VALUES:
        for name, value in pattern.findall(text):
            values.setdefault(name, set()).add(value)
    versions = [
        version.strip("\"'") for pattern in _NOTATIONS for group, artifact, version in pattern.findall(text)
        if is_flinks(group, artifact)
    ]  # fmt: skip
    return Declared({name: frozenset(several) for name, several in values.items()}, tuple(versions))


def read_properties(text: str) -> Declared:
    """``gradle.properties``: the last value of a name holds."""
    values = re.findall(r"^[ \t]*(?![#!])([\w.-]+)[ \t]*[=:][ \t]*(\S+)", text, re.MULTILINE)
    return Declared({name: frozenset({value}) for name, value in values})


def read_catalog(text: str) -> Declared:
    """``libs.versions.toml``: versions by name, and the libraries that refer to them."""
    try:
        table: dict[str, Any] = tomllib.loads(text)
    except (ValueError, RecursionError):
        return Declared()
    known, libraries = (table.get(key) for key in ("versions", "libraries"))
    values = {name: frozenset({v}) for name, version in _items(known) if (v := _rich(version))}
    versions = [version for _, library in _items(libraries) if (version := _library(library))]
    return Declared(values, tuple(versions))


def _items(table: object) -> list[tuple[str, Any]]:
    return list(table.items()) if isinstance(table, dict) else []


def _rich(version: Any) -> str | None:
    """A version as text, or the strictest part of a rich one."""
    if isinstance(version, dict):
        version = next((version[key] for key in ("strictly", "require", "prefer") if key in version), None)
    return version if isinstance(version, str) else None


def _library(library: Any) -> str | None:
    """The version of a library that is Flink's own, or the name of one."""
    if isinstance(library, str):
        library = dict(zip(("group", "name", "version"), library.split(":"), strict=False))
    if not isinstance(library, dict):
        return None
    group, _, artifact = str(library.get("module") or f"{library.get('group')}:{library.get('name')}").partition(":")
    if not is_flinks(group, artifact):
        return None
    version = library.get("version")
    if isinstance(version, dict) and "ref" in version:
        return str(version["ref"])
    return _rich(version)


def read_pom(text: str) -> Declared:
    """What a Maven file declares; nothing where it is not XML."""
    if "<!ENTITY" in text:
        return Declared()
    try:
        root = ElementTree.fromstring(text.lstrip())
    except (ElementTree.ParseError, ValueError):
        return Declared()
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
    values = dict(_of_pom(root))
    for profile in root.findall("profiles/profile"):
        active = profile.findtext("activation/activeByDefault", "").strip() == "true"
        for name, value in _of_pom(profile):
            if active:
                values[name] = value
            else:
                values.setdefault(name, value)
    versions = [version for dependency in root.iter("dependency") if (version := _version(dependency))]
    parent = root.find("parent")
    return Declared(
        {name: frozenset({value}) for name, value in values.items()},
        tuple(versions),
        None if parent is None else parent.findtext("relativePath", "../pom.xml").strip() or None,
    )


def _of_pom(element: ElementTree.Element) -> Iterator[tuple[str, str]]:
    for property_ in element.findall("properties/*"):
        if property_.text and property_.text.strip():
            yield property_.tag, property_.text.strip()


def _version(dependency: ElementTree.Element) -> str | None:
    group, artifact = (dependency.findtext(name, "").strip() for name in ("groupId", "artifactId"))
    return dependency.findtext("version", "").strip() or None if is_flinks(group, artifact) else None
