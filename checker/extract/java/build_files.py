"""The Flink version that a program is built with, or why it is not known, from the build files of a revision.

Maven, Gradle (Groovy and Kotlin, version catalogs, ``buildSrc``) and sbt files are read as text, never run. The version
is what a dependency on one of Flink's own artifacts says, or a property that names nothing but Flink's version. They
are looked for from a source file upward to the root, then in the whole repository. ``extract.asking.listing``
keeps the answer."""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from xml.etree import ElementTree

from checker.model.sources import SourceFiles

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
    r"(?://|(?<!\S)#)[^\n]*|/\*(?:.|\n)*?(?:\*/|\Z)"
)
_LITERAL = r"""["'](\d+\.\d[^"'\s]*)["']"""
_VALUES = (
    # flinkVersion = '1.20.0', ext.flinkVersion = …, val flinkVersion: String = …, public static final String FLINK = …
    re.compile(rf"(?<![\w-])([A-Za-z_][\w-]*)\s*(?::\s*String\s*)?=\s*{_LITERAL}"),
    # flink = { strictly = "1.20.0" } in a version catalog
    re.compile(rf"(?<![\w-])([A-Za-z_][\w-]*)\s*=\s*\{{[^}}\n]{{0,80}}?\b(?:strictly|require|prefer)\s*=\s*{_LITERAL}"),
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
_OWN_VERSION = r"version(?:\s*=\s*\{\s*\w+|\.\w+)?\s*[:=]\s*"
"""In front of a version in a notation, also as ``version.ref = `` and ``version = { strictly = ``."""
_NOTATIONS = (
    # "org.apache.flink:flink-core:1.20.0", with ${…} or $… as version, or followed by + flinkVersion
    re.compile(r"""["']([\w.]+):(flink-[^:"'\n]+):([^"'@\n]+)(?:@\w+)?["']"""),
    re.compile(r"""["']([\w.]+):(flink-[^:"'\n]+):["']\s*\+\s*([A-Za-z_][\w.]*)"""),
    # group: 'org.apache.flink', name: 'flink-core', version: …; in Kotlin with =
    re.compile(
        rf"group\s*[:=]\s*[\"']([\w.]+)[\"']\s*,\s*name\s*[:=]\s*[\"'](flink-[^\"'\n]+)[\"']\s*,\s*"
        rf"{_OWN_VERSION}{_TEXT_OR_NAME}"
    ),
    # module = "org.apache.flink:flink-core", version.ref = … in a version catalog
    re.compile(rf"module\s*=\s*[\"']([\w.]+):(flink-[^\"'\n]+)[\"']\s*,\s*{_OWN_VERSION}{_TEXT_OR_NAME}"),
    # ("org.apache.flink", "flink-core", …)
    re.compile(rf"\(\s*[\"']([\w.]+)[\"']\s*,\s*[\"'](flink-[^\"'\n]+)[\"']\s*,\s*{_TEXT_OR_NAME}"),
    # sbt: "org.apache.flink" %% "flink-core" % …
    re.compile(rf"[\"']([\w.]+)[\"']\s*%%?\s*[\"'](flink-[^\"'\n]+)[\"']\s*%\s*{_TEXT_OR_NAME}"),
)


def read_script(text: str) -> Declared:
    """What a Gradle or sbt file, or a version catalog declares, or a file of constants in a language of the JVM."""
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


def read_arguments(text: str) -> Declared:
    """``.mvn/maven.config``: what Maven is given with each call, which counts more than what its files say."""
    return Declared({name: frozenset({value}) for name, value in re.findall(r"(?<!\S)-D([\w.-]+)=(\S+)", text)})


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


_READERS: tuple[tuple[re.Pattern[str], Callable[[str], Declared]], ...] = (
    (re.compile(r"\.mvn/maven\.config"), read_arguments),
    (re.compile(r"pom\.xml"), read_pom),
    (re.compile(r"(?:build|settings|versions|dependencies)\.gradle(?:\.kts)?|build\.sbt"), read_script),
    (re.compile(r"gradle/[^/]+\.gradle(?:\.kts)?|project/[^/]+\.scala"), read_script),
    (re.compile(r"(?:buildSrc|build-logic|buildLogic)/.+\.(?:kts?|gradle|groovy|java)"), read_script),
    (re.compile(r"gradle\.properties"), read_properties),
    (re.compile(r"(?:gradle/)?[^/]+\.versions\.toml"), read_script),
)
"""Paths of build files, relative to the folder of the project that they build, and what reads them."""
_ENDINGS = (".xml", ".gradle", ".kts", ".kt", ".groovy", ".java", ".sbt", ".scala", ".properties", ".toml", ".config")
_OWN_FOLDERS = (".mvn", "gradle", "project", "buildSrc", "build-logic", "buildLogic")
"""Folders beside what is built, in which build files or their constants are kept."""
_LONGEST = 400_000
_PARENTS = 16


def stated_version(files: SourceFiles, build_files: tuple[str, ...], source: str) -> tuple[str | None, tuple[str, ...]]:
    """(version, files consulted) for a source file. ``build_files`` are paths that may belong to a build.

    The build files of the nearest folder that say anything decide, with what their parents and those of outer folders
    declare. Where none on the way to the root does, the one version that all build files of the repository agree on.
    """
    by_folder = _by_folder(build_files)
    consulted: list[str] = []
    inner: list[Declared] = []
    folder = posixpath.dirname(source)
    while True:
        here = [_declared(files, path, consulted) for path in by_folder.get(folder, ())]
        here.extend(_parents(files, by_folder, folder, here, consulted))
        inner.extend(here)
        version = version_of(merged(inner)) if here else None
        if version is not None or not folder:
            break
        folder = posixpath.dirname(folder)
    if version is None:
        version = _agreed(files, by_folder, consulted)
    return version, tuple(dict.fromkeys(consulted))


@lru_cache(maxsize=4)
def _by_folder(paths: tuple[str, ...]) -> dict[str, list[str]]:
    """Folder of a project → its build files."""
    found: dict[str, list[str]] = {}
    for path in paths:
        for folder, name in _splits(path):
            if any(pattern.fullmatch(name) for pattern, _ in _READERS):
                found.setdefault(folder, []).append(path)
    return found


def _splits(path: str) -> Iterator[tuple[str, str]]:
    """Folders that a file may be a build file of, with its path from there."""
    if not path.endswith(_ENDINGS):
        return
    parts = path.split("/")
    yield "/".join(parts[:-1]), parts[-1]
    for place, part in enumerate(parts[:-1]):
        if part in _OWN_FOLDERS:
            yield "/".join(parts[:place]), "/".join(parts[place:])


def builds_something_else(path: str, source: str) -> bool:
    """Whether a build file is of no folder that a source file lies in."""
    return all(folder and not source.startswith(f"{folder}/") for folder, _ in _splits(path))


def _declared(files: SourceFiles, path: str, consulted: list[str]) -> Declared:
    consulted.append(path)
    return _read(path, files.read(path)[:_LONGEST].decode("utf-8", "replace"))


@lru_cache(maxsize=1024)
def _read(path: str, text: str) -> Declared:
    for _, name in _splits(path):
        for pattern, reader in _READERS:
            if pattern.fullmatch(name):
                return reader(text)
    return Declared()


def _parents(
    files: SourceFiles, by_folder: dict[str, list[str]], folder: str, here: Sequence[Declared], consulted: list[str]
) -> Iterator[Declared]:
    """The Maven files that those of a folder inherit from, inside of the repository."""
    for build in here:
        place, parent = folder, build.parent
        for _ in range(_PARENTS):
            if parent is None:
                break
            path = posixpath.normpath(posixpath.join(place, parent))
            if not path.endswith(".xml"):
                path = f"{path}/pom.xml"
            place = posixpath.dirname(path)
            if path not in by_folder.get(place, ()) or path in consulted:
                break
            declared = _declared(files, path, consulted)
            yield declared
            parent = declared.parent


def _agreed(files: SourceFiles, by_folder: dict[str, list[str]], consulted: list[str]) -> str | None:
    """The one version that all folders with build files agree on, of those that name a version."""
    versions = set()
    for paths in by_folder.values():
        read: list[str] = []
        version = version_of(merged(_declared(files, path, read) for path in paths))
        if version is not None:
            versions.add(version)
            consulted.extend(read)
    return versions.pop() if len(versions) == 1 else None
