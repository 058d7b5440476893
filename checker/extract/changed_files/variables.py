"""Edits of scripts and manifests that may set an argument or a variable by its name, whoever starts the program."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from checker.errors import RevisionError
from checker.extract.changed_files.difference import differing
from checker.extract.consulted import content_or_none
from checker.extract.deployments import runs_tests, unrendered
from checker.extract.deployments.discovery import MAX_BYTES, deployments, is_script, text_of
from checker.extract.remembered import once
from checker.model.deployments import PARALLELISM
from checker.model.sources import SourceFiles
from checker.model.unknowns import Location

_STARTING = re.compile(
    r"\.(ya?ml([.-]\w+)?|env|sh|bash|mk|tf|tfvars|groovy)$|(^|/)(GNUmakefile|[Mm]akefile|[jJ]ustfile|Jenkinsfile|Dockerfile[^/]*|\.env[^/]*)$"
)
_MAY_START = re.compile(
    r"(^|/)[\w-]+$|\.(service|nomad|hcl|ps1|psm1|bat|cmd|gradle|kts|json|toml|ini|cfg|xml|j2|jinja2?|tmpl|tpl|py|rb|js|ts)$"
)
"""Names of files that start programs where they hold a command for that."""
_COMMAND = re.compile(
    r"\bflink(?:\.bat)?[\"']?[\s\S]{0,40}?(?<![\w-])[\"']?run(?:-application)?[\"',\s]|standalone-job|sql-client\.sh"
)
_EXAMPLE = re.compile(r"\.env[.-](?:example|sample|template|dist)$|(?:example|sample|template)\.env$")
_ELSEWHERE = re.compile(r"(^|/)(docs?|node_modules|tests?|src/test)/")
_COMMENT = re.compile(r"^\s*(#|//|(?:echo|printf)\s[^>|]*\busage\b[^>|]*$)", re.IGNORECASE)
"""Lines that say nothing to a program: comments, and how a script is called."""
_VALUE = re.compile(r"^(value\b|-\s(?![\"']?[A-Za-z_]\w*\s*[=:])|[\"'])")
"""How a line of YAML begins that gives a value to what the line before it names."""
_OPTION_LAST = re.compile(r"--?[A-Za-z][\w.-]*[\"']?,?$")
"""How a line of anything else ends whose option has its value on the next line."""
_DEFAULT = re.compile(r"default\b")
"""How one begins that gives a value to what it stands below: an input of a workflow."""


@dataclass(frozen=True, slots=True)
class SetVariable:
    """A changed line that may set a variable: in the head where it is there, else in the base."""

    name: str
    location: Location
    by_call: bool = False
    """Whether it calls the script of this name, which hands on what it is called with."""
    fills_in: bool = False
    """Whether it is one that fills in what a deployment gives to the program: no option of ours gives it."""


def may_set(path: str) -> bool:
    """Whether a file has the name of one that starts programs, or says how they are started."""
    return bool(_STARTING.search(path)) and not _ELSEWHERE.search(path)


def may_hold_command(path: str) -> bool:
    """Whether a file starts programs if it holds a command for that."""
    return bool(_MAY_START.search(path)) and not _ELSEWHERE.search(path)


def starting(base: SourceFiles, head: SourceFiles) -> Iterator[str]:
    """The files that differ and may start programs, by their names or by what they hold."""
    rendered = {path for files in (base, head) for found in unrendered(files) for path in found.texts}
    for path in differing(base, head):
        if _EXAMPLE.search(path) and not any(_is_taken(files, path) for files in (base, head)):
            continue
        if (
            may_set(path)
            or path in rendered
            or (may_hold_command(path) and any(_holds_command(files, path) for files in (base, head)))
        ):
            yield path


def _is_taken(files: SourceFiles, example: str) -> bool:
    """Whether a script or a manifest names a file that is an example for people otherwise."""
    name = posixpath.basename(example)
    return any(name in (text_of(files, path) or "") for path in files.paths() if path != example and may_set(path))


def _holds_command(files: SourceFiles, path: str) -> bool:
    try:
        data = b"" if content_or_none(files, path) is None else files.read(path)
    except RevisionError:
        return False  # so large that the clone leaves it out
    named = b"flink" in data and b"pyflink" not in data and len(data) <= MAX_BYTES
    return named and _COMMAND.search(data.decode("utf-8", "replace")) is not None


def set_variables(
    base: SourceFiles,
    head: SourceFiles,
    names: Iterable[str],
    understood: Collection[str] = (),
    *,
    parameters: bool = False,
    fills_in: bool = False,
) -> Iterator[SetVariable]:
    """The first edit for each variable: at a line that names it, or at one that gives a value to it.

    Files that are ``understood`` are left out. ``parameters`` of templates are spelled in another way.
    """
    patterns = {name: _parameter(name) if parameters else _pattern(name) for name in names}
    if not patterns:
        return
    for path in starting(base, head):
        if path not in understood:
            before, after = _lines(base, path), _lines(head, path)
            if all(runs_tests(path, "\n".join(line for _, line in side)) for side in (before, after)):
                continue
            for name, pattern in [*patterns.items()]:
                sides = [[*_given(lines, name, pattern)] for lines in (before, after)]
                if [given[1:] for given in sides[0]] != [given[1:] for given in sides[1]]:
                    number, found, _ = _first_other(*sides)
                    yield SetVariable(found, Location(path, number), fills_in=fills_in)
                    del patterns[name]


def _given(lines: list[tuple[str, str]], name: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, str, str]]:
    """The lines that name a variable or give it a value: their numbers, its name, and what they give to it."""
    for number, (named, line) in enumerate(lines, 1):
        text = f"{named}\n{line}" if named else line
        for match in pattern.finditer(text) if not _COMMENT.match(line) else ():
            yield number, match.groupdict().get("name", name), _value_behind(match, text)


_BEFORE_NAMES = re.compile(r"\s*(?:-\s+)?(?:(?:export|local|readonly|override|ARG|ENV|set)\s+)?[\"']?")
_USE = re.compile(r"\}?(?![\w:=?+}-])")
"""What follows a variable of a shell that is only used."""
_JAR = re.compile(r"(?<![\w.-])[\w.-]+\.jar\b")
_FIRST_WORD = re.compile(r"[\s\\\"',:=]*((?:\"[^\"]*\"|'[^']*'|[^\s\"',])*)")


def _value_behind(match: re.Match[str], text: str) -> str:
    """What a text gives to the name that was found in it: all that follows, or a word behind an option."""
    before, rest = text[: match.start()], text[match.end() :]
    if before.endswith(("$", "${")) and _USE.match(rest):
        return ""
    is_option = match[0].startswith("-") or (match[0].endswith("=") and not _BEFORE_NAMES.fullmatch(before))
    word = _FIRST_WORD.match(rest) if is_option else None
    if word is None or re.match(r".*(?:\$\(|`|\{\{|<<)", word[0]):
        return rest
    return " ".join((word[1], *_JAR.findall(text), *_PROGRAM.findall(text)))


def _first_other(before: list[tuple[int, str, str]], after: list[tuple[int, str, str]]) -> tuple[int, str, str]:
    """The first place that gives something else, in the newer lines if it is there."""
    for side, others in ((after, before), (before, after)):
        known = {given[1:] for given in others}
        differing = next((found for found in side if found[1:] not in known), None)
        if differing is not None:
            return differing
    for new, old in zip(after, before, strict=False):
        if new[1:] != old[1:]:
            return new
    return max(before, after, key=len)[min(len(before), len(after))]  # one gives the same once more


_ASSIGNED = re.compile(r"^(?:export\s+|local\s+|readonly\s+|override\s+|ARG\s+|ENV\s+)?([A-Za-z_]\w*)\s*[:?+]{0,2}=")


def reassigned(base: SourceFiles, head: SourceFiles, paths: Iterable[str]) -> Iterator[SetVariable]:
    """The first edit in each file that gives another value to a variable which the same file uses."""
    for path in sorted(set(paths)):
        before, after = _lines(base, path), _lines(head, path)
        text = "\n".join(line for _, line in (*before, *after))
        known = set(before) & set(after)
        for number, (_, line) in (*_numbered(after, known), *_numbered(before, known)):
            assigned = _ASSIGNED.match(line)
            if assigned is not None and re.search(rf"\$[({{]?{assigned[1]}\b", text):
                yield SetVariable(assigned[1], Location(path, number))
                break


_PARALLELISM_SET = re.compile(
    r"(?<![\w-])(?:-p|--parallelism)[\"',\s=]*\d+(?![\w:.])|\bparallelism(?:\.default)?[\"']?\s*[:=]\s*[\"']?\d",
    re.IGNORECASE,
)
_PARALLELISM_OPTIONS = (" -p", " --parallelism")
"""How a line of YAML ends that names what the next one gives."""
_PROGRAM = re.compile(r"(?<![\w-])(?:-c|--class|-py|--python)[\"',\s=]+(?:[\w$-]+[./])*([\w$-]+(?:\.py\b)?)")
"""A command's class or script, by the last part of its name."""


def parallelism_set(base: SourceFiles, head: SourceFiles, program: str) -> Iterator[SetVariable]:
    """The first other parallelism in each file that starts this class or script, and that no reader follows."""
    for path in starting(base, head):
        if is_script(path) or any(path in files_of_starts(files) for files in (base, head)):
            continue
        before, after = ([*_parallelisms(files, path, program)] for files in (base, head))
        known = [given for _, given in before]
        if known != [given for _, given in after]:
            place = next((number for number, given in after if given not in known), [*after, *before][0][0])
            yield SetVariable(PARALLELISM, Location(path, place))


def files_of_starts(files: SourceFiles) -> frozenset[str]:
    """The files from which deployments are read."""
    return once(files, "files of deployments", lambda seen: frozenset(p for d in deployments(seen) for p in d.files))


def _parallelisms(files: SourceFiles, path: str, program: str) -> Iterator[tuple[int, tuple[str, str]]]:
    """The lines of a file that seem to set a parallelism, for this program or for one that they don't name."""
    lines = _lines(files, path)
    named = _PROGRAM.findall("\n".join(line.removeprefix("- ") for _, line in lines))
    if named and program not in named:
        return
    for number, (option, line) in enumerate(lines, 1):
        if option.endswith(_PARALLELISM_OPTIONS):
            line = f"{option} {line.removeprefix('- ')}"
        started = _PROGRAM.findall(line)
        if not _COMMENT.match(line) and (not started or program in started):
            yield from ((number, (" ".join(started), found[0])) for found in _PARALLELISM_SET.finditer(line))


_FUNCTION = re.compile(r"^[ \t]*(?:function[ \t]+([A-Za-z_][\w-]*)|([A-Za-z_][\w-]*)[ \t]*\(\))", re.M)
_BEGINS = r"(?:^|[;&|({!]|\b(?:then|do|else|if|nohup|time|exec|eval)\b)[ \t]*"
"""Where a command begins."""
_PLACED = re.compile(r"(?:COPY|ADD|RUN\s+chmod|chmod|dos2unix)\b")
"""How a line begins that names a script and does not call it."""


def called_otherwise(base: SourceFiles, head: SourceFiles, scripts: Iterable[str]) -> Iterator[SetVariable]:
    """The first edit of a call of each script, or of a function in it, which hands on what it is called with."""
    for script in sorted(set(scripts)):
        name = posixpath.basename(script)
        text = "\n".join(line for files in (base, head) for _, line in _lines(files, script))
        functions = {first or second for first, second in _FUNCTION.findall(text)}
        for path in starting(base, head):
            before, after = _lines(base, path), _lines(head, path)
            used = path == script or any(name in line for _, line in (*before, *after))
            calls = [rf"(?<![\w.-]){re.escape(name)}", *(f"{_BEGINS}{re.escape(f)}" for f in functions if used)]
            called = re.compile(rf"(?:{'|'.join(calls)})(?![\w-]|\.\w|\s*\()")
            known = set(before) & set(after)
            lines = [*_numbered(after, known), *_numbered(before, known)]
            found = next((n for n, (_, line) in lines if called.search(line) and not _PLACED.match(line)), None)
            if found is not None:
                yield SetVariable(name, Location(path, found), by_call=True)
                break


def _parameter(name: str) -> re.Pattern[str]:
    """Parameters of a template are given by commands as ``NAME=``, by other templates as ``NAME:``."""
    escaped = re.escape(name)
    return re.compile(rf"(?<![\w.-])(?:{escaped}[\"']?\s*[:=]|ParameterKey={escaped},ParameterValue=)")


def _pattern(name: str) -> re.Pattern[str]:
    """Variables of the environment are words of their own; arguments are given with dashes, or as keys.

    ``UID_*`` stands for all variables whose names begin like that.
    """
    if name.endswith("*"):
        begin = re.escape(name[:-1]) or "[A-Z]"
        return re.compile(rf"(?<![\w.-])(?P<name>{begin}[A-Z0-9_]+)[\"']?\s*(?:[:=]|\n)")
    escaped = re.escape(name)
    if name.isupper():
        return re.compile(rf"(?<![\w.-]){escaped}(?![\w.-])")
    return re.compile(rf"--?{escaped}(?![\w.-])|(?<![\w.-]){escaped}[\"']?\s*[:=]")


_RELEASED = re.compile(r"-v?\d+(?:\.\d+)*(?:[.-](?:SNAPSHOT|RELEASE|rc\d*|[0-9a-f]{7,40}))*\.jar\b", re.IGNORECASE)
"""The version in the name of a jar: the sources of the revision decide on what it holds."""
_LOGGED = re.compile(
    r"(?<![ \t])[ \t]*+(?:[12&]?>>?[ \t]*[^\s;|&>]*\.(?:log|out|err)\b[\"']?|[12&]?>>?[ \t]*/dev/null\b)"
)
"""Where a command's output goes to: a log is given to no program."""


def _lines(files: SourceFiles, path: str) -> list[tuple[str, str]]:
    """Every line, with the one that names what it gives a value to: the one before it, or what it stands below."""
    if content_or_none(files, path) is None:
        return []
    raw = _LOGGED.sub("", _RELEASED.sub(".jar", files.read(path).decode("utf-8", "replace"))).splitlines()
    yaml = path.endswith((".yaml", ".yml"))
    found: list[tuple[str, str]] = []
    above: list[tuple[int, str]] = []
    """The lines that a line of YAML stands below, with their indentations."""
    before = ""
    if ".github/workflows/" in path:
        raw = [*_without_inputs(raw)]
    for line in map(str.strip, raw):
        given = _VALUE.match(line) and (yaml or _OPTION_LAST.search(before[-500:]))
        named = before if before.endswith("\\") or given else ""
        if yaml and line:
            indented = len(raw[len(found)]) - len(raw[len(found)].lstrip())
            while above and above[-1][0] >= indented:
                above.pop()
            named = above[-1][1] if above and _DEFAULT.match(line) else named
            above.append((indented, line))
        found.append((named, line))
        before = line
    return found


_STEP = re.compile(r"(\s*)(-?\s*)(uses:\s*[\"']?actions/|with:)?")


def _without_inputs(lines: Iterable[str]) -> Iterator[str]:
    """The lines of a workflow; those that give inputs to GitHub's own actions, which start no program, are empty."""
    step: int | None = None
    below: int | None = None
    for line in lines:
        found = _STEP.match(line)
        assert found is not None
        place = len(found[1]) + len(found[2])
        if below is not None and (place > below or not line.strip()):
            yield ""
            continue
        below = None
        if found[3] is not None:
            below = place if found[3] == "with:" and step == place else None
            step = place if found[3] != "with:" else step
        elif found[2] and step is not None and place <= step:
            step = None  # the next step
        yield line


def _numbered(lines: list[tuple[str, str]], known: set[tuple[str, str]]) -> Iterator[tuple[int, tuple[str, str]]]:
    for number, line in enumerate(lines, 1):
        if line not in known and not _COMMENT.match(line[1]):
            yield number, line
