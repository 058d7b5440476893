"""What feeds a start command whose arguments its script puts together: a slice of that script.

Taken are the lines that give values to the names in these arguments, and again to the names in those lines, the
functions that they call, the conditions around them, and the contents of the files that they name.

Files that a start names to its program, by an argument or variable: ``--config /opt/flink/conf/prod.properties``.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from checker.extract.asking.consulted import ask, plain
from checker.extract.changed_files.entries import deployment_entries
from checker.extract.deployments.discovery import text_of
from checker.extract.deployments.started import STATEMENT, shared_parts
from checker.extract.deployments.variables_of_scripts import as_shell, included
from checker.model.changed_files import ChangedFile, Entry
from checker.model.deployments import Deployment
from checker.model.nested import gathered, reached
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


def included_texts(used: Iterable[str], files: SourceFiles) -> set[str]:
    """Names of what the HOCON files among those that a program reads include."""
    texts = [
        plain(files).read(p).decode("utf-8", "replace")
        for p in used
        if p.endswith(".conf") and ask(plain(files), "file", p)
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


_COMMENT = re.compile(r"\\[\s\S]|'[^']*'|\"(?:\\[\s\S]|[^\"\\])*\"|(?<!\S)#[^\n]*")
"""A comment, or what is none although it may hold its sign."""
_SPACED = re.compile(r"\s*([()])\s*")
_HERE = re.compile(r"<<-?[ \t]*[\"']?(\w+)")
_WORD = re.compile(r"[A-Za-z_]\w*")
_BESIDE = re.compile(r"(?<![\w-])[\w-]+\.[\w.-]+")
_FILE = re.compile(r"(?<![\w.-])(?:[\w.-]*(?:/[\w.-]+)+|[\w.-]*\.\w+)")
_SETS = re.compile(r"(?<![\w$-])([A-Za-z_]\w*)(?:\[[^\]]*\])?[ \t]*[:?!+]*=")
_SETS_WORDS = re.compile(r"\b(?:read|mapfile|readarray|for|getopts|printf[ \t]+-v)\b([^;\n]*)")
_FUNCTION = re.compile(r"\s*(?:(?:function|define)[ \t]+([\w-]+)|([\w-]+)[ \t]*\([ \t]*\))")
_OPENS = re.compile(r"\s*(?:if|case|for|while|until)\b(?![\s\S]*(?<!\w)(?:fi|esac|done)\s*$)")
_PARTS = re.compile(r"\s*(?:elif|else)\b|\s*[^\s()=]+\)")
_CLOSES = re.compile(r"\s*(?:fi|esac|done|endef|\})(?!\w)")
_SAYS = re.compile(r"\s*(?:#|(?:echo|printf)\b(?![^\n]*[|>])|$)")
"""What only people read."""
_EVERYTHING = re.compile(
    r"(?:[^#\n]*(?:[;&|{)]|\b(?:then|do|else)))?\s*(?:eval\b|export[ \t]+[\"']?\$\(|(?:source|\.)[ \t])"
)
_LONGEST = 100_000


@dataclass(frozen=True)
class Fed:
    """A line of a slice; ``says`` also has the content of what it names."""

    file: str
    line: int
    says: str


@dataclass(frozen=True)
class _Statement:
    line: Fed
    around: tuple[list[int], ...]
    """The places of the conditions that it stands behind."""
    inside: str | None
    """The function that it is a part of."""


def fed_by(start: Deployment, variables: Iterable[str], files: SourceFiles) -> tuple[Fed, ...]:
    """The slice of a start's script by which its arguments, and some variables, are put together, in order."""
    path = start.location.file
    statements = [*_of_script(path, files)]
    by_name = gathered((name, place) for place, s in enumerate(statements) for name in _defines(s))
    seeds = {*_words(" ".join(start.written)), *variables}
    anywhere = [place for place, s in enumerate(statements) if _EVERYTHING.match(s.line.says)]

    def behind(place: int) -> Iterator[int]:
        yield from (condition for block in statements[place].around for condition in block)
        yield from (defined for name in _words(statements[place].line.says) for defined in by_name.get(name, ()))

    first = [*anywhere, *(place for name in seeds for place in by_name.get(name, ()))]
    found = (statements[place] for place in sorted(reached(first, behind)))
    taken = [s.line for s in found if s.inside is not None or not _SAYS.match(s.line.says)]
    given = Fed(path, start.location.line, " ".join(start.written))
    scripts = {path, *(s.line.file for s in statements)}
    return tuple(_with_contents(line, scripts, files) for line in (given, *taken))


def _with_contents(line: Fed, scripts: Collection[str], files: SourceFiles) -> Fed:
    named = named_by((n for n in _FILE.findall(line.says) if not n.endswith(".jar")), files).difference(scripts)
    contents = (f"\0{path} {files.content_id(path)}" for path in sorted(named))
    text = _COMMENT.sub(lambda found: "" if found[0].startswith("#") else found[0], line.says)
    return Fed(line.file, line.line, " ".join(_SPACED.sub(r"\1", text).split()) + "".join(contents))


def _words(text: str) -> Iterable[str]:
    return _WORD.findall(text[:_LONGEST])


def _defines(statement: _Statement) -> Iterator[str]:
    yield from () if statement.inside is None else (statement.inside,)
    yield from _SETS.findall(statement.line.says)
    for words in _SETS_WORDS.findall(statement.line.says):
        yield from _words(words)


def _of_script(path: str, files: SourceFiles) -> Iterator[_Statement]:
    """The statements of a script and of those that it includes, each with what it stands in."""
    own = text_of(files, path) or ""
    beside = {name for name in _BESIDE.findall(own) if not name.endswith(".jar")}
    texts = {p: text_of(files, p) or "" for p in files.paths() if posixpath.basename(p) in beside}
    scripts = dict.fromkeys((*included(path, own, {**texts, path: own}), path))
    lines = (line for file in scripts for line in _lines(file, as_shell(own if file == path else texts[file], file)))
    blocks: list[tuple[str, list[int]]] = []
    for place, line in enumerate(lines):
        named = _FUNCTION.match(line.says)
        if named is not None:
            blocks.append((named[1] or named[2], []))
        elif _OPENS.match(line.says):
            blocks.append(("", [place]))
        elif _PARTS.match(line.says) and blocks:
            blocks[-1][1].append(place)
        if blocks and _CLOSES.match(line.says) and not named:
            blocks[-1][1].append(place)
        yield _Statement(
            line, tuple(conditions for _, conditions in blocks), next((name for name, _ in blocks if name), None)
        )
        if blocks and (_CLOSES.match(line.says) or (named is not None and line.says.rstrip().endswith("}"))):
            blocks.pop()


def _lines(path: str, text: str) -> Iterator[Fed]:
    """The logical lines of a script; of other texts that hold commands the lines as they are."""
    place, number = 0, 1
    while place < len(text):
        yaml = path.endswith((".yaml", ".yml"))
        end = (text.find("\n", place) + 1 or len(text)) if yaml else _end(text, place)
        yield Fed(path, number, text[place:end])
        number += text.count("\n", place, end)
        place = end


def _end(text: str, place: int) -> int:
    """Where a statement ends: with its lists in parentheses and the documents that it is given."""
    end = place
    while end < len(text) and end - place < _LONGEST:
        end = min(len(text), STATEMENT.match(text, end).end() + 1)  # type: ignore[union-attr]  # it may be empty
        for word in _HERE.findall(text[place:end]):
            closing = re.compile(rf"^[ \t]*{word}[ \t]*$\n?", re.M).search(text, end)
            end = len(text) if closing is None else closing.end()
        plain = _COMMENT.sub("", text[place:end])
        if len(re.findall(r"[$=<]\(", plain)) <= plain.count(")"):
            break
    return max(end, place + 1)
