"""Files that a start names to its program, by an argument or variable: ``--config /opt/flink/conf/prod.properties``."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import replace

from checker.extract.asking.consulted import ask, plain
from checker.extract.changed_files.entries import deployment_entries
from checker.extract.deployments.started import shared_parts
from checker.model.changed_files import CONVENTIONAL, ChangedFile, Entry, same_module
from checker.model.deployments import Deployment
from checker.model.sources import SourceFiles

_NAMED_FILE = re.compile(r"(?:[\w+.-]+:/*)?[^\s,;=:]*[\w-]\.(?!jar$|py$|sql$|com$|org$|net$|io$)[A-Za-z]\w{1,9}")
"""A text that is the name of a file which is no program."""
_SETTING = re.compile(r"\s*(?:export\s+)?([\w.-]+)\s*[=:]\s*(.*)")


_INCLUDE = re.compile(
    r"\binclude[ \t]++(?:required[ \t]*+\([ \t]*+)?(?:(?:file|url|classpath)[ \t]*+\([ \t]*+)?\"?([^\s\"(){}]+)"
)
"""What HOCON includes, also where it is looked for outside of the class path."""
_OF_HOCON = (".conf", ".json", ".properties")


def given_texts(start: Deployment, arguments: Iterable[str]) -> set[str]:
    """Texts that a start hands to its program: arguments, variables, properties."""
    given = [*arguments, *(value for _, value in start.environment)]
    given += [value for _, values in start.properties for _, value in values if value is not None]
    return {part for value in given for part in (value, value.partition("=")[2]) if _NAMED_FILE.fullmatch(part)}


def included_texts(used: frozenset[str], files: SourceFiles) -> set[str]:
    """Names of what HOCON files include: those that a program reads, and those that a library finds in its module."""
    texts = [
        plain(files).read(path).decode("utf-8", "replace")
        for path in ask(plain(files), "ending", ".conf")
        if path in used or (CONVENTIONAL.search(path) and any(same_module(path, program) for program in used))
    ]
    names = {name for text in texts for name in _INCLUDE.findall(text)}
    return {f"{name}{ending}" for name in names for ending in ("",) + (() if name.endswith(_OF_HOCON) else _OF_HOCON)}


def named_by(texts: Iterable[str], files: SourceFiles) -> frozenset[str]:
    """The files of a revision whose path in an image may be one of some names; those that share most with it."""
    found: set[str] = set()
    for text in texts:
        name = posixpath.basename(text.rpartition(":")[2])
        alike = [path for path in ask(plain(files), "ending", name) if posixpath.basename(path) == name]
        most = max((shared_parts(path, text) for path in alike), default=0)
        found.update(path for path in alike if shared_parts(path, text) == most)
    return frozenset(found)


def with_settings(file: ChangedFile, base: SourceFiles, head: SourceFiles) -> ChangedFile:
    """A file of settings with its entries, so that an edit can be told by its key; any other file as it is."""
    if file.unreadable is not None or not file.path.endswith((".properties", ".env", ".conf", ".yaml", ".yml")):
        return file
    sides = [
        None if side is None else _settings(file.path, files.read(file.path))
        for side, files in ((file.base, plain(base)), (file.head, plain(head)))
    ]
    return replace(file, base=sides[0], head=sides[1])


def _settings(path: str, data: bytes) -> tuple[Entry, ...]:
    if path.endswith((".yaml", ".yml")):
        return deployment_entries(data)
    lines = enumerate(data.decode("utf-8", "replace").splitlines(), 1)
    pairs = ((number, line, _SETTING.fullmatch(line)) for number, line in lines)
    return tuple(
        Entry("", line.strip(), number) if pair is None else Entry(pair[1], pair[2].strip(), number)
        for number, line, pair in pairs
        if line.strip() and not line.lstrip().startswith(("#", "//", "!"))
    )
