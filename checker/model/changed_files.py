"""Files that differ between two revisions, as far as they can concern a pipeline without being its code.

Texts written in a program that another revision has changed where they stand.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from checker.model.unknowns import Location

SET_SERIALIZERS = (".yaml", ".yml", ".conf", ".properties", ".tpl", ".toml", ".json", ".sh", "Dockerfile")
"""How files beside the code end in which settings of serializers are read."""


class FileKind(StrEnum):
    """What a file is to a program."""

    CODE = "code"
    """Source in the pipeline's own language: accounted for declaration by declaration."""
    FOREIGN = "foreign"
    """Source in another language."""
    BUILD = "build"
    JARS = "jars"
    """Anything else that names jars of libraries: it puts them into an image, or gives them to a job."""
    DEPLOYMENT = "deployment"
    """Configuration that a cluster starts the job with."""
    SCHEMA = "schema"
    """Classes are generated from it: Avro, Protobuf, Thrift."""
    SERVICE = "service"
    """``META-INF/services``."""
    LOGGING = "logging"
    RESOURCE = "resource"
    """Anything that a program may read when it runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """Releases of a library from ``at`` on, up to ``until``, do not read what those before ``at`` wrote."""

    at: str
    until: str | None = None
    source: str
    """Where that is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """A release of a library that holds state, as far as it is known whether releases read what others wrote."""

    name: str
    release: str
    packages: tuple[str, ...] = ()
    """Where its classes are."""
    reads: str | None = None
    """Where it is written that each release reads what earlier ones wrote; None where that is not known."""
    breaks: tuple[Break, ...] = ()
    notes: str = ""
    """What to look up."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that a file says: a dependency, a key with its value. ``key`` names it, ``line`` counts from 1."""

    key: str
    value: str
    line: int
    build_only: bool = False
    """Whether no program is given it: plugins and extensions of the build, dependencies of tests."""
    library: Library | None = None
    """For builds: the library that it names, where that is one that is known to hold state."""
    platform: str | None = None
    """For builds: the release of what it takes the releases of libraries from, a parent or a BOM."""
    asked_by: tuple[str, ...] = ()
    """For builds: the keys of the entries that ask for this version by its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFile:
    """One file that is not the same in both revisions; None for the side that does not have it."""

    path: str
    kind: FileKind
    base: tuple[Entry, ...] | None
    head: tuple[Entry, ...] | None
    unreadable: str | None = None
    """Why its content could not be looked at."""
    broken: int | None = None
    """The first line of the head's code that does not parse, where all of the base's does."""
    names: frozenset[str] = frozenset()
    """Classes that it declares, for schemas."""
    libraries: frozenset[tuple[Library, str]] = frozenset()
    """For builds: the libraries that any build file of either revision names, each with that file."""


_USUAL_FOLDER = re.compile(r"(^|/)(resources|conf|config|etc|data)(/[^/]+)?/[^/]+$|^[^/]+$")
_ENDING = re.compile(r"[._-][\w.-]*\.?(?:properties|conf|ya?ml|json|xml|toml|ini|sql|csv|txt)")
CONVENTIONAL = re.compile(r"(^|/)(application|reference|bootstrap)[^/]*\.(conf|properties|ya?ml|json)$")
"""Files that libraries read without being given a name."""


def names_file(text: str, path: str, main: str) -> bool:
    """Whether a text of a program is the name of a file: a path, or a bare name in one of the usual folders.

    ``main`` is the file of the program's main class or script.
    """
    if _assembled(text, path):
        return same_module(path, main)
    name = text.rpartition(":")[2].lstrip("./")
    if not name or len(name) > 200 or " " in name:
        return False
    if "/" in name:
        return path == name or path.endswith(f"/{name}")
    if not _USUAL_FOLDER.search(path) and path.rpartition("/")[0] != main.rpartition("/")[0]:
        return False
    base = path.rpartition("/")[2]
    return same_module(path, main) and name in (base, base.removesuffix(".properties"))


def _assembled(text: str, path: str) -> bool:
    """Whether a text may be the ending, the folder or the beginning of a name of a file in one of the usual folders."""
    if not _USUAL_FOLDER.search(path) or len(text) < 4 or len(text) > 200 or " " in text:
        return False
    base = path.rpartition("/")[2]
    if _ENDING.fullmatch(text):
        return base.endswith(text)
    if text.endswith("/") and len(text) > 4:
        return f"/{path}".rpartition("/")[0].endswith("/" + text.strip("./"))
    return text[-1] in "-_." and text[0].isalpha() and base.startswith(text)


def same_module(path: str, main: str) -> bool:
    """Whether a build file or resource belongs to the module of a source file, or to a folder above it."""
    folder = path.rpartition("/")[0]
    for part in ("/src/", "/resources", "/conf", "/config", "/gradle", "/buildSrc", "/.mvn"):
        cut = f"{folder}/".find(f"{part}/".replace("//", "/"))
        if cut >= 0:
            folder = folder[:cut]
    if folder in ("gradle", "buildSrc", ".mvn", "src", "conf", "config", "resources") or folder.startswith(
        ("src/", "buildSrc/")
    ):
        folder = ""
    return not folder or main.startswith(f"{folder}/")


@dataclass(frozen=True, slots=True)
class ChangedText:
    """A text between quotes, or a part of it, before and after; where it stands now."""

    before: str
    after: str
    location: Location


def renamed_by(texts: Iterable[ChangedText], old: str, new: str) -> ChangedText | None:
    """The only changed text that makes one name of another, None where it is none or several."""
    found = [text for text in texts if new.replace(text.after, text.before) == old != new]
    return found[0] if len(found) == 1 else None
