"""Edits of what starts programs and is not read completely: of lines that name what a program depends on."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from checker.errors import RevisionError
from checker.extract.asking.consulted import content_or_none, once
from checker.extract.changed_files.difference import differing
from checker.extract.changed_files.feeding import fed_by
from checker.extract.deployments import runs_tests, unrendered
from checker.extract.deployments.discovery import MAX_BYTES, deployments, is_script, text_of
from checker.model.deployments import PARALLELISM, Deployment
from checker.model.nested import reached
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
_FILLED_IN = re.compile(r"\$[{(]*([A-Za-z_]\w*)|\{+ ?([A-Za-z_]\w*)")
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
class StartEdit:
    """A changed line of what starts programs: in the head where it is there, else in the base."""

    name: str
    """What it may set: a variable, an argument, an option of Flink; or the script that it belongs to, or calls."""
    location: Location


_Says = Callable[[str], str]
"""What a line says of something: empty where it says nothing."""


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
) -> Iterator[StartEdit]:
    """The first edit for each variable: of a line that names it, or of one that gives a value to it.

    Files that are ``understood`` are left out. ``parameters`` of templates are spelled in another way.
    """
    pending = {name: _parameter(name) if parameters else _variable(name) for name in names}
    for path in starting(base, head) if pending else ():
        if path not in understood and not all(runs_tests(path, _text(files, path)) for files in (base, head)):
            sides = _sides(base, head, path)
            for name in tuple(pending):
                says = (pending[name], *map(_variable, _filling(name, sides)))
                edit = next((edit for line_says in says for edit in _first(path, sides, name, line_says)), None)
                if edit is not None:
                    del pending[name]
                    yield edit


def _filling(name: str, sides: tuple[_Lines, _Lines]) -> list[str]:
    """The variables that fill in what the lines of a file give to a name, and those that fill in these."""
    text = "\n".join(line for side in sides for _, line in side)

    def filled(name: str) -> Iterator[str]:
        for value in re.findall(rf"(?<![\w.-])-*{re.escape(name)}[\"']?[ :=,\"']*(\S+)", text):
            yield from (first or second for first, second in _FILLED_IN.findall(value))

    return [variable for variable in reached([name], filled) if variable != name]


def fed_otherwise(
    base: SourceFiles, head: SourceFiles, starts: Sequence[Deployment], variables: Collection[str]
) -> Iterator[StartEdit]:
    """The first edit of what a script puts its start's arguments, and some variables, together by."""
    before, after = fed_by(starts[0], variables, base), fed_by(starts[-1], variables, head)
    known = [{(fed.file, fed.says) for fed in side} for side in (before, after)]
    for fed in (*after, *before):
        if ((fed.file, fed.says) in known[0]) != ((fed.file, fed.says) in known[1]):
            yield StartEdit(posixpath.basename(fed.file), Location(fed.file, fed.line))
            return


_PARALLELISM_SET = re.compile(
    r"(?<![\w-])(?:-p|--parallelism)(?:\n-|[\"',\s=])*\d+(?![\w:.])|\bparallelism(?:\.default)?[\"']?\s*[:=]\s*[\"']?\d+",
    re.IGNORECASE,
)
_PROGRAM = re.compile(
    r"(?<![\w-])(?:-c|--class|-py|--python)(?:\n[ \t]*-|[\"',\s=])+(?:[\w$-]+[./])*([\w$-]+(?:\.py\b)?)"
)
"""A command's class or script, by the last part of its name."""


def parallelism_set(base: SourceFiles, head: SourceFiles, program: str) -> Iterator[StartEdit]:
    """The first other parallelism in each file that may start this class or script, and that no reader follows."""
    for path in starting(base, head):
        if is_script(path) or any(path in files_of_starts(files) for files in (base, head)):
            continue
        named = {name for files in (base, head) for name in _PROGRAM.findall(_text(files, path))}
        if not named or program in named:
            yield from _first(path, _sides(base, head, path), PARALLELISM, _parallelisms)


def _parallelisms(text: str) -> str:
    found = _PARALLELISM_SET.findall(text)
    return " ".join((*_PROGRAM.findall(text), *found)) if found else ""


def files_of_starts(files: SourceFiles) -> frozenset[str]:
    """The files from which deployments are read."""
    return once(files, "files of deployments", lambda seen: frozenset(p for d in deployments(seen) for p in d.files))


_FUNCTION = re.compile(r"^[ \t]*(?:function[ \t]+([A-Za-z_][\w-]*)|([A-Za-z_][\w-]*)[ \t]*\(\))", re.M)
_BEGINS = r"(?:^|[;&|({!]|\b(?:then|do|else|if|nohup|time|exec|eval)\b)[ \t]*"
"""Where a command begins."""
_PLACED = re.compile(r"(?:COPY|ADD|RUN\s+chmod|chmod|dos2unix)\b")
"""How a line begins that names a script and does not call it."""


def called_otherwise(base: SourceFiles, head: SourceFiles, scripts: Iterable[str]) -> Iterator[StartEdit]:
    """The first edit of a call of each script, or of a function in it, which hands on what it is called with."""
    for script in sorted(set(scripts)):
        name = posixpath.basename(script)
        texts = [_text(files, script) for files in (base, head)]
        functions = {first or second for text in texts for first, second in _FUNCTION.findall(text)}
        calls = rf"(?<![\w.-]){re.escape(name)}", *(f"{_BEGINS}{re.escape(function)}" for function in functions)
        for path in starting(base, head):
            knows = path == script or any(name in _text(files, path) for files in (base, head))
            called = re.compile(rf"(?:{'|'.join(calls)})(?![\w-]|\.\w|\s*\()", re.M)
            edit = _first(path, _sides(base, head, path), name, _call(called)) if knows else ()
            if edit:
                yield from edit
                break


def _call(called: re.Pattern[str]) -> _Says:
    return lambda text: text if called.search(text) and not _PLACED.match(text) else ""


_WORD = r"(?:\"[^\"]*\"|'[^']*'|[^\s\"'])*"
_SUBSTITUTED = re.compile(r"\$\(|`|\{\{|<<")


def _parameter(name: str) -> _Says:
    """Parameters of a template are given by commands as ``NAME=``, by other templates as ``NAME:``."""
    escaped = re.escape(name)
    command = re.compile(rf"(?<![\w.-])(?:{escaped}[\"']?=|ParameterKey={escaped},ParameterValue=)({_WORD})")
    given = re.compile(rf"(?<![\w.-]){escaped}[\"']?\s*[:=]")

    def line_says(text: str) -> str:
        words = command.findall(text)
        if words and all(words) and not _SUBSTITUTED.search(text):
            return " ".join(words)
        return text if words or given.search(text) else ""

    return line_says


def _variable(name: str) -> _Says:
    """Variables of the environment are words of their own; arguments are given with dashes, or as keys.

    ``UID_*`` stands for all variables whose names begin like that.
    """
    escaped = re.escape(name)
    if name.endswith("*"):
        given = rf"(?<![\w.-]){re.escape(name[:-1]) or '[A-Z]'}[A-Z0-9_]+[\"']?\s*(?:[:=]|\n)"
    elif name.isupper():
        given = rf"(?<![\w.-]){escaped}(?![\w.-])"
    else:
        given = rf"--?{escaped}(?![\w.-])|(?<![\w.-]){escaped}[\"']?\s*[:=]"
    gives = re.compile(given)
    uses = re.compile(rf"\$\{{?{escaped}\}}?(?![\w:=?+}}-])")

    def line_says(text: str) -> str:
        without = uses.sub("$", text)
        return text if gives.search(without) else "used" if without != text else ""

    return line_says


_Lines = list[tuple[int, str]]


def _first(path: str, sides: tuple[_Lines, _Lines], name: str, says: _Says) -> list[StartEdit]:
    """The first line of a file that says something else in one revision than in the other."""
    before, after = ([(number, content) for number, text in side if (content := says(text))] for side in sides)
    contents_before, contents_after = ([content for _, content in side] for side in (before, after))
    if contents_before == contents_after:
        return []
    new = (number for number, content in after if content not in contents_before)
    gone = (number for number, content in before if content not in contents_after)
    place = next(new, None) or next(gone, None) or max(before, after, key=len)[-1][0]  # or given once more
    return [StartEdit(name, Location(path, place))]


_RELEASED = re.compile(r"-v?\d+(?:\.\d+)*(?:[.-](?:SNAPSHOT|RELEASE|rc\d*|[0-9a-f]{7,40}))*\.jar\b", re.IGNORECASE)
"""The version in the name of a jar: the sources of the revision decide on what it holds."""
_LOGGED = re.compile(
    r"(?<![ \t])[ \t]*+(?:[12&]?>>?[ \t]*[^\s;|&>]*\.(?:log|out|err)\b[\"']?|[12&]?>>?[ \t]*/dev/null\b)"
)
"""Where a command's output goes to: a log is given to no program."""


_SHELL = (".sh", ".bash")
_TEST = re.compile(r"(?<!\S)\[\[?[ \t].*?[ \t]\]\]?(?=[;\s])")
"""A test of a script: one that starts nothing of Flink gives no value to a program by it."""


def _sides(base: SourceFiles, head: SourceFiles, path: str) -> tuple[_Lines, _Lines]:
    return [*_lines(base, path)], [*_lines(head, path)]


def _lines(files: SourceFiles, path: str) -> Iterator[tuple[int, str]]:
    """Number and text of every line that is no comment, below the line that names what it gives a value to."""
    text = _LOGGED.sub("", _RELEASED.sub(".jar", _text(files, path)))
    raw = (_TEST.sub("", text) if path.endswith(_SHELL) and not _COMMAND.search(text) else text).splitlines()
    if ".github/workflows/" in path:
        raw = [*_without_inputs(raw)]
    yaml = path.endswith((".yaml", ".yml"))
    before = ""
    for number, line in enumerate(raw, 1):
        text = " ".join(line.split())
        given = _VALUE.match(text) and (yaml or _OPTION_LAST.search(before[-500:]))
        named = before if before.endswith("\\") or given else ""
        if yaml and _DEFAULT.match(text):
            named = _above(raw[max(0, number - 200) : number])
        if text and not _COMMENT.match(text):
            yield number, f"{named}\n{text}" if named else text
        before = text


def _text(files: SourceFiles, path: str) -> str:
    return "" if content_or_none(files, path) is None else files.read(path).decode("utf-8", "replace")


def _above(lines: list[str]) -> str:
    """What the last of some lines of YAML stands below."""
    indentations = [len(line) - len(line.lstrip()) for line in lines]
    pairs = zip(reversed(lines), reversed(indentations), strict=True)
    return next((line.strip() for line, indented in pairs if line.strip() and indented < indentations[-1]), "")


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
