"""``flink run`` and ``sql-client.sh`` in scripts, Makefiles, Dockerfiles, compose files and CI configurations."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from itertools import accumulate, takewhile
from types import MappingProxyType

from checker.extract.deployments.environment_files import is_image_file
from checker.extract.deployments.started import (
    STANDALONE,
    STATEMENT,
    first_command,
    flink_run,
    split,
    sql_client,
    standalone_job,
)
from checker.extract.deployments.variables_of_scripts import MAKEFILE, Known, assignments, expanded
from checker.model.deployments import Deployment, DeploymentKind
from checker.model.unknowns import Location

_RUN = re.compile(r"(?:^|[\s\"'/@(&;|\[])flink[\"']?,?\s*[\"']?(?:run-application|run)\b")
_CONTINUED = re.compile(r"\\\n[ \t]*")
_MOST, _LONGEST = 200, 4_000
"""How many starts of one text are read, and how many characters before each."""
_CHARACTERS = 1_000_000
"""How much is read of all starts of one text, so that starts in one line are not read again for each other."""
_LINE = re.compile(r"(?:[^\\\n]|\\[\s\S]?)*+")
"""A line with those that it goes on for."""
_CLIENT = re.compile(r"(?:^|[\s\"'/@(&;|\[])sql-client\.sh\b")
_STANDALONE = re.compile(rf"(?:^|[\s\"'/@(&;|\[])(?:{'|'.join(map(re.escape, STANDALONE))})(?![\w.-])[\"']?")
_SAID = re.compile(
    r"^[\s@-]*(?:echo|printf)\s[^;&|]*$|[;&|]\s*(?:echo|printf)\s[^;&|]*$|^(?:[^\"'#]|\"[^\"]*\"|'[^']*')*(?<!\S)(?:#|//)"
)
"""What stands before a command that is only printed, or a comment."""
_SHELL = re.compile(r"\|\s*(?:[^\s|]*/)?(?:ba|z|da)?sh\b|\|\s*(?:ssh|docker|kubectl)\b")
"""What takes a printed command and runs it."""
_HANDS_ON = re.compile(r"\|\s*(?:xargs|parallel)\b")
"""What gives more arguments to a command."""
_READERS = {_RUN: flink_run, _CLIENT: sql_client, _STANDALONE: standalone_job}
_EXPRESSION = re.compile(r"\$\{\{[^{}\n]*\}\}")
"""What a workflow fills in: one word, whatever blanks are in it."""
_INCLUDES = re.compile(r"(?:^|[;&|{)]|\b(?:then|do|else))[ \t]*(?:-?include|source|\.)[ \t]|\.env\b", re.M)
"""Whether a script, or a Makefile, takes variables from files: none of them counts as not set then."""
_DEFAULT = re.compile(r"\$\{(\w+):?-[^{}$`]*\}")
_EXPORTED = re.compile(r"^(?:export|ENV)\s+(?P<name>[A-Za-z_]\w*)", re.M)


def deployments_of(
    text: str, path: str, target: str, environment: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Deployment]:
    """Every ``flink run`` and ``sql-client`` of a script that finds these variables set.

    Those that are too many to be read are one start of which only a digest is known.
    """
    text = _EXPRESSION.sub(lambda match: match[0].replace(" ", ""), text)
    if _INCLUDES.search(text):
        text = _DEFAULT.sub(r"${\1}", text)
    known = {**environment, **({} if MAKEFILE.search(path) else assignments(text, environment))}
    commands = (_RUN, _CLIENT) if is_image_file(path) else (_RUN, _CLIENT, _STANDALONE)
    starts = sorted((match for command in commands for match in command.finditer(text)), key=re.Match.start)
    ends = accumulate(_LINE.match(text, match.end()).end() - match.end() for match in starts)  # type: ignore[union-attr]
    most = min(_MOST, sum(1 for _ in takewhile(lambda end: end <= _CHARACTERS, ends)))
    for match in starts[:most]:
        place = Location(path, text.count("\n", 0, match.end()) + 1)
        words, unset = _words(text, match, known, path)
        found = _READERS[match.re](words, place, target, environment) if words else None
        if found is not None:
            assumed = tuple(f"{name} is not set where {path} runs" for name in unset)
            yield _with_exports(replace(found, assumed=assumed), text, known)
    for first in starts[most : most + 1]:
        rest = sha256(text[first.start() :].encode("utf-8", "replace")).hexdigest()
        place = Location(path, text.count("\n", 0, first.end()) + 1)
        name = f"{len(starts) - most} more start commands, which are not read"
        yield Deployment(kind=DeploymentKind.COMMAND, name=name, target=target, location=place, outside=(rest,))


def _with_exports(found: Deployment, text: str, known: Known) -> Deployment:
    """With the variables that a script hands to the programs that it starts, and an image to its processes."""
    names = {line["name"] for line in _EXPORTED.finditer(text)}
    given = {name: expanded(f"${name}", known) for name in sorted(names & known.keys())}
    exported = {name: value.text for name, value in given.items() if "$" not in value.text}
    unset = (f"{name} is not set where {found.location.file} runs" for v in given.values() for name in v.unset)
    elsewhere = sorted(name for name in names - exported.keys() if not re.search(rf"\b{name}=", text))
    return replace(
        found,
        assumed=tuple(dict.fromkeys((*found.assumed, *unset))),
        environment=tuple(sorted(exported.items())),
        filled_later=tuple(sorted({*found.filled_later, *(names - exported.keys())})),
        filled_by=(*found.filled_by, *(("", name) for name in elsewhere)),
    )


def _words(text: str, match: re.Match[str], known: Known, path: str) -> tuple[list[str], tuple[str, ...]]:
    """The words of a command behind its start, up to its end; a JSON list (Dockerfile ``CMD``) counts too.

    Also the names of variables whose default was taken.
    """
    end = match.end()
    line_start = max(text.rfind("\n", 0, match.start() + 1) + 1, match.start() - _LONGEST)
    line = _CONTINUED.sub(" ", _LINE.match(text, end)[0])  # type: ignore[index]  # it may be empty
    if re.match(r"\s*+(?:(?:CMD|ENTRYPOINT|command:|args:)\s*+)?\[", text[line_start:end]):
        return _listed(text[line_start:end] + line, match.re), ()
    before = _CONTINUED.sub(" ", text[line_start:end])
    if _SAID.search(before) and not _SHELL.search(line):
        return [], ()
    rest = _inside(before, line)
    if not split(rest):
        rest = _inside(before, _CONTINUED.sub(" ", STATEMENT.match(text, end)[0]))  # type: ignore[index]
    line = first_command(rest)
    makes = MAKEFILE.search(path) is not None  # which writes a shell's own "$" twice
    filled = expanded(line.replace("$$", "\0") if makes else line, known)
    words = split(filled.text.replace("\0", "$"))
    return [*words, f"$({before})"] if words and _HANDS_ON.search(before) else words, filled.unset


def _inside(before: str, line: str) -> str:
    """The rest of a command up to the end of the quotes that it stands in: ``bash -c "flink run ..."``."""
    quote, escaped = "", False
    for character in before:
        if character in "\"'" and quote in ("", character) and not escaped:
            quote = "" if quote else character
        escaped = character == "\\" and not escaped
    if not quote:
        return line
    ends = (m.start() for m in re.finditer(rf"(?<!\\){quote}", line))
    inner = line[: next(ends, len(line))]
    return inner.replace(f"\\{quote}", quote)


def _listed(line: str, started: re.Pattern[str]) -> list[str]:
    """The words behind a start command in a JSON list, also where all of them are one word for a shell."""
    start, end = line.find("["), line.rfind("]")
    try:
        listed = [str(w) for w in json.loads(line[start : end + 1])] if 0 <= start < end else []
        for number, word in enumerate(listed):
            if started.search(word):
                inside = split(first_command(word[started.search(word).end() :]))  # type: ignore[union-attr]
                return inside or listed[number + 1 :]
            if word.rpartition("/")[2] == "flink" and listed[number + 1 : number + 2] != []:
                return listed[number + 2 :]
    except (ValueError, RecursionError):
        pass
    return []


_POSTED = re.compile(r"/jars/[^\s\"'?]{0,500}/run(?:\?[^\s\"']*)?(?=[\s\"']|$)", re.M)
_UPLOAD = re.compile(r"(?<=/jars/)[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}_")
"""What the cluster puts before a jar's name when it is uploaded: another one each time."""
_ENTRY = re.compile(r"entry-?[cC]lass\\?[\"']?\s*[:=]\s*\\?[\"']?([A-Za-z_][\w.$]*)")


def posted_runs(text: str, path: str, target: str) -> Iterator[Deployment]:
    """Every run of a jar that a script asks a cluster for, where it names the program's class.

    What it gives to the program is not read: another command than before may give something else.
    """
    for match in _POSTED.finditer(text):
        command = _command(text, match.start())
        main = _ENTRY.search(command)
        if main is not None:
            place = Location(path, text.count("\n", 0, match.start()) + 1)
            asked = sha256(" ".join(_UPLOAD.sub("", command).split()).encode("utf-8", "replace")).hexdigest()[:32]
            given = (f"what is asked of the REST API ({asked})",)
            yield Deployment(
                kind=DeploymentKind.REST, name=path, target=target, location=place, main=main[1], outside=given
            )


def _command(text: str, place: int) -> str:
    """The command around a place, with all lines that it goes on for: behind a backslash, and inside of quotes."""
    start = text.rfind("\n", 0, place) + 1
    while start > 1 and text[:start].endswith("\\\n"):
        start = text.rfind("\n", 0, start - 1) + 1
    found = STATEMENT.match(text, start)
    return "" if found is None else found[0]
