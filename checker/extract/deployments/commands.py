"""``flink run`` and ``sql-client.sh`` in scripts, Makefiles, Dockerfiles, compose files and CI configurations.

Options follow ``CliFrontendParser`` and ``CliOptionsParser`` (of the SQL client) of Flink 1.13 to 2.3.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from types import MappingProxyType

from checker.extract.deployments.programs import script_arguments, script_of
from checker.extract.deployments.shell_words import first_command, split
from checker.extract.deployments.variables import Known, assignments, expanded, fillers
from checker.extract.deployments.variables_of_scripts import MAKEFILE, as_shell
from checker.model.deployments import PARALLELISM, Deployment, DeploymentKind
from checker.model.unknowns import Location

_RUN = re.compile(r"(?:^|[\s\"'/@(&;|\[])flink[\"']?,?\s*[\"']?(?:run-application|run)\b")
_CONTINUED = re.compile(r"\\\n[ \t]*")
_OPTIONAL_VALUE = ("-py", "--python", "-pym", "--pyModule", "-pyfs", "--pyFiles", "-pyreq", "--pyRequirements",
                   "-pyarch", "--pyArchives", "-pyexec", "--pyExecutable", "-pyclientexec", "--pyClientExecutable",
                   "-pypath", "--pyPythonPath")  # fmt: skip
_WITH_VALUE = frozenset({
    "-m", "--jobmanager", "-c", "--class", "-C", "--classpath", "-p", "--parallelism", "-s", "--fromSavepoint", "-rm",
    "-restoreMode", "--restoreMode", "-claim", "-t", "--target", "-z", "--zookeeperNamespace", "-e", "--executor", "-D",
    "-yid", "-ynm", "-yjm", "-ytm", "-yqu", "-ys", "-yD", *_OPTIONAL_VALUE,
})  # fmt: skip
_FLAGS = frozenset({
    "-d", "--detached", "-n", "--allowNonRestoredState", "-sae", "--shutdownOnAttachedExit", "-q", "--quiet", "-yd",
    "-yat", "-v", "--verbose",
})  # fmt: skip
_MOST, _LONGEST = 200, 4_000
"""How many starts of one text are read, and how many characters before and behind each."""
_JOINED = re.compile(r"(-p)(\d+)")
_CLIENT = re.compile(r"(?:^|[\s\"'/@(&;|\[])sql-client\.sh\b")
_CLIENT_FILES = {"-f": "file", "--file": "file", "-i": "init", "--init": "init"}
_CLIENT_WITH_VALUE = frozenset({
    "-s", "--session", "-j", "--jar", "-l", "--library", "-hist", "--history", "-u", "--update", "-D", "-e",
    "--endpoint", *_OPTIONAL_VALUE,
})  # fmt: skip
_SAID = re.compile(
    r"^[\s@-]*(?:echo|printf)\s[^;&|]*$|[;&|]\s*(?:echo|printf)\s[^;&|]*$|^(?:[^\"'#]|\"[^\"]*\"|'[^']*')*(?<!\S)(?:#|//)"
)
"""What stands before a command that is only printed, or a comment."""
_SHELL = re.compile(r"\|\s*(?:[^\s|]*/)?(?:ba|z|da)?sh\b|\|\s*(?:ssh|docker|kubectl)\b")
"""What takes a printed command and runs it."""
_EXPORTED = re.compile(r"^(?:export|ENV)\s+(?P<name>[A-Za-z_]\w*)", re.M)
SUBSTITUTED = re.compile(r"[$`«]|\{\{|<\w[\w .:/-]*>")


def deployments_of(
    text: str, path: str, target: str, environment: Known = MappingProxyType({})
) -> Iterator[Deployment]:
    """Every ``flink run`` and ``sql-client`` of a script that finds these variables set."""
    text = as_shell(text, path)
    known = {**environment, **({} if MAKEFILE.search(path) else assignments(text))}
    for started, read in ((_RUN, _deployment), (_CLIENT, _of_client)):
        for match in islice(started.finditer(text), _MOST):
            line = text.count("\n", 0, match.end()) + 1
            words, unset = _words(text, match, known, path)
            found = read(words, Location(path, line), target) if words else None
            if found is not None:
                assumed = tuple(f"{name} is not set where {path} runs" for name in unset)
                yield with_exports(replace(found, assumed=assumed), text, known)


def with_exports(found: Deployment, text: str, known: Known) -> Deployment:
    """With the variables that a script hands to the programs that it starts, and an image to its processes."""
    names = {line["name"] for line in _EXPORTED.finditer(text)}
    given = {name: expanded(f"${name}", known) for name in sorted(names & known.keys())}
    exported = {name: value.text for name, value in given.items() if "$" not in value.text}
    unset = (f"{name} is not set where {found.location.file} runs" for v in given.values() for name in v.unset)
    return replace(
        found,
        assumed=tuple(dict.fromkeys((*found.assumed, *unset))),
        environment=tuple(sorted(exported.items())),
        filled_later=tuple(sorted({*found.filled_later, *(names - exported.keys())})),
    )


def _words(text: str, match: re.Match[str], known: Known, path: str) -> tuple[list[str], tuple[str, ...]]:
    """The words of a command behind its start, up to its end; a JSON list (Dockerfile ``CMD``) counts too.

    Also the names of variables whose default was taken.
    """
    end = match.end()
    line_start = max(text.rfind("\n", 0, match.start() + 1) + 1, match.start() - _LONGEST)
    rest = _CONTINUED.sub(" ", text[end : end + _LONGEST])
    line = rest.partition("\n")[0]
    if re.match(r"\s*+(?:(?:CMD|ENTRYPOINT|command:|args:)\s*+)?\[", text[line_start:end]):
        return _listed(text[line_start:end] + line, match.re), ()
    before = _CONTINUED.sub(" ", text[line_start:end])
    if _SAID.search(before) and not _SHELL.search(line):
        return [], ()
    line = first_command(_inside(before, line))
    makes = MAKEFILE.search(path) is not None  # which writes a shell's own "$" twice
    filled = expanded(line.replace("$$", "\0") if makes else line, known)
    return split(filled.text.replace("\0", "$")), filled.unset


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


def _deployment(words: list[str], location: Location, target: str) -> Deployment | None:
    options: dict[str, str] = {}
    configuration: dict[str, str] = {}
    flags: set[str] = set()
    rest = list(words)
    driver: list[str] = []
    while rest and rest[0].startswith("-"):
        word = rest.pop(0)
        key, equals, value = word.partition("=")
        if (key in _WITH_VALUE or _JOINED.fullmatch(word)) and not word.startswith(("-D", "-yD")):
            joined = _JOINED.fullmatch(word)  # "--parallelism=4", "-p=4" and "-p4" as commons-cli takes them
            if equals or joined:
                word, value = (key, value) if joined is None else (joined[1], joined[2])
                rest.insert(0, value)
        if word.startswith(("-D", "-yD")) and len(word) > 3 and equals:
            configuration[key.removeprefix("-yD").removeprefix("-D")] = value
        elif word in _WITH_VALUE:
            if not rest:
                return None
            value = rest.pop(0)
            options[word] = value
            driver.extend((word, value) if word in _OPTIONAL_VALUE else ())
            if word in ("-D", "-yD"):
                name, _, setting = value.partition("=")
                configuration[name] = setting
        elif word in _FLAGS:
            flags.add(word)
        else:
            rest.insert(0, word)
            break
    script = script_of(None, driver)
    jar = rest.pop(0) if rest and script is None else None
    if jar is None and script is None:
        return None
    main = options.get("-c") or options.get("--class")
    arguments = tuple(rest if script is None else script_arguments(rest))
    parallelism = options.get("-p") or options.get("--parallelism") or ""
    if parallelism:
        configuration[PARALLELISM] = parallelism
    later = {key for key, value in configuration.items() if SUBSTITUTED.search(value)}
    return Deployment(
        kind=DeploymentKind.COMMAND,
        name=location.file,
        target=target,
        location=location,
        main=None if main is None or SUBSTITUTED.search(main) else main,
        script=script,
        jar=None if jar is None else jar.rpartition("/")[2],
        args=None if any(SUBSTITUTED.search(a) for a in arguments) else arguments,
        parallelism=int(parallelism) if parallelism.isdecimal() and int(parallelism) > 0 else None,
        configuration=tuple(
            sorted((k, v) for k, v in configuration.items() if k not in later and (k, v) != (PARALLELISM, parallelism))
        ),
        filled_later=tuple(sorted(later)),
        filled_by=fillers((main or "", *arguments), configuration),
        allow_non_restored_state=True if flags & {"-n", "--allowNonRestoredState"} else None,
        savepoint=options.get("-s") or options.get("--fromSavepoint"),
    )


def _of_client(words: list[str], location: Location, target: str) -> Deployment | None:
    """A script that the SQL client runs, with the one that it is initialized by; None for an interactive client."""
    files: dict[str, str] = {}
    configuration: dict[str, str] = {}
    rest = [word for number, word in enumerate(words) if number > 0 or word not in ("embedded", "gateway")]
    while rest:
        word = rest.pop(0)
        key, equals, value = word.partition("=")
        if word.startswith("-D") and equals:
            configuration[key.removeprefix("-D")] = value
        elif (key in _CLIENT_FILES or word in _CLIENT_WITH_VALUE) and (equals or rest):
            value = value if equals else rest.pop(0)
            if key in _CLIENT_FILES:
                files[_CLIENT_FILES[key]] = value
            elif key == "-D":
                name, _, configuration[name] = value.partition("=")
    if "file" not in files or any(SUBSTITUTED.search(path) for path in files.values()):
        return None
    return Deployment(
        kind=DeploymentKind.SQL_CLIENT,
        name=location.file,
        target=target,
        location=location,
        script=files["file"],
        initialized_by=files.get("init"),
        args=(),
        configuration=tuple(sorted((k, v) for k, v in configuration.items() if not SUBSTITUTED.search(v))),
    )
