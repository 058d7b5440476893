"""Edits of what starts programs and is not read completely: one rule for scripts, manifests and what feeds them.

A changed line counts if it names what a program depends on, or gives a value to it. Of a shell script whose command is
not read completely every line counts, in the files from which it takes values too. Layout and comments say nothing.
"""

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from checker.errors import RevisionError
from checker.extract.asking.consulted import content_or_none, once
from checker.extract.changed_files.difference import differing
from checker.extract.changed_files.entries import named_by
from checker.extract.deployments.discovery import MAX_BYTES, deployments, is_script, runs_tests, text_of
from checker.extract.deployments.unrendered import unrendered
from checker.model.deployments import PARALLELISM, Deployment
from checker.model.nested import gathered, reached
from checker.model.sources import SourceFiles
from checker.model.unknowns import Location

_STARTING = re.compile(
    r"\.(ya?ml([.-]\w+)?|env|sh|bash|mk|tf|tfvars|groovy)$|(^|/)(GNUmakefile|[Mm]akefile|[jJ]ustfile|Jenkinsfile|Dockerfile[^/]*|\.env[^/]*)$"
)
_MAY_START = re.compile(
    r"(^|/)[\w-]+$|\.(service|nomad|hcl|ps1|psm1|bat|cmd|gradle|kts|json|toml|ini|cfg|conf|xml|j2|jinja2?|tmpl|tpl|py|rb|js|ts)$"
)
"""Names of files that start programs where they hold a command for that."""
_COMMAND = re.compile(
    r"\bflink(?:\.bat)?[\"']?[\s\S]{0,40}?(?<![\w-])[\"']?run(?:-application)?[\"',\s]|standalone-job|sql-client\.sh"
)
_EXAMPLE = re.compile(r"\.env[.-](?:example|sample|template|dist)$|(?:example|sample|template)\.env$")
_ELSEWHERE = re.compile(r"(^|/)(docs?|node_modules|tests?|src/test)/")
_COMMENT = re.compile(r"#|//|(?:COPY|ADD|(?:RUN )?chmod)\b|(?:echo|printf)\s[^>|]*\busage\b[^>|]*$", re.IGNORECASE)
"""Lines that say nothing to a program: comments, where an image has its files, and how a script is called."""
_RELEASED = re.compile(r"-v?\d+(?:\.\d+)*(?:[.-](?:SNAPSHOT|RELEASE|rc\d*|[0-9a-f]{7,40}))*\.jar\b", re.IGNORECASE)
"""The version in the name of a jar: the sources of the revision decide on what it holds."""
_TESTED = re.compile(r"(?<!\S)(?:if|elif|while|until) (?:! )?\[(?:(?!\w:?=)[^]])*\]")
"""A condition of a shell, which sets nothing: unlike ``${NAME:=value}`` in it."""
_VALUE = re.compile(r"(?:- )?(?!(?i:\w*(?:name|key)|variable|var|env|ref):)[\w.-]+: [\"']?\w+[\"']?$")
"""A line of YAML that gives a word to something else: ``api_key_env: API_KEY``."""
_FILLED_IN = re.compile(r"\$[{(]*(?:\w+\.)*([A-Za-z_]\w*)|\{+[ .]*(?:\w+\.)*([A-Za-z_]\w*)")


@dataclass(frozen=True, slots=True)
class StartEdit:
    """A changed line of what starts programs: in the head where it is there, else in the base."""

    name: str
    """What it may set: a variable, an argument, an option of Flink; or the script that it belongs to, or calls."""
    location: Location


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    text: str
    before: tuple[str, str]
    """The line before it, and the one that it stands below: one of them may name what it gives a value to."""


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


def edited_values(
    base: SourceFiles,
    head: SourceFiles,
    names: Iterable[str],
    left_out: Collection[str] = (),
    *,
    as_words: bool = False,
) -> Iterator[StartEdit]:
    """The first edit for each variable or argument: of a line that names it, or what it is filled in with.

    ``as_words``: no line has to spell them as arguments or keys, as they are variables, or scripts that are called.
    """
    pending = dict.fromkeys(names)
    edited = [*starting(base, head)] if pending else []
    commands = once(head, "lines of start commands", _commands) if edited else ()
    for path in edited:
        if path in left_out or all(runs_tests(path, content_of(files, path)) for files in (base, head)):
            continue
        before, after = _lines(base, path), _lines(head, path)
        for name in tuple(pending):
            about = (_said_of(name, lines, commands, is_word=as_words or name.isupper()) for lines in (before, after))
            edit = _first(path, name, *about)
            if edit is not None:
                del pending[name]
                yield edit


def _commands(files: SourceFiles) -> tuple[_Line, ...]:
    """The lines of files that start programs, which may be filled in with what other files say."""
    paths = [path for path in files.paths() if may_set(path) and _holds_command(files, path)]
    return tuple(line for path in paths for line in _lines(files, path))


def _said_of(name: str, lines: Sequence[_Line], commands: Sequence[_Line], *, is_word: bool) -> list[_Line]:
    """The lines that say something of a name, or of a variable that fills in what is given to it."""

    def filled(name: str) -> Iterator[str]:
        given = re.compile(rf"{_spelled(name)}[\"']?[ :=,\"']*(\{{\{{[^{{}}]*\}}\}}|\S+)")
        for line in (*lines, *commands):
            for value in given.findall(line.text):
                yield from (first or second for first, second in _FILLED_IN.findall(value))

    found = {line.number for given in reached([name], filled) for line in lines if _gives(given, line, is_word=is_word)}
    return [line for line in lines if line.number in found]


def _spelled(name: str) -> str:
    """``UID_*`` stands for all variables whose names begin like that."""
    of_many = rf"{re.escape(name[:-1]) or '[A-Z]'}[A-Z0-9_]+"
    return rf"(?<![\w.$-])(?:--?)?(?:{of_many if name.endswith('*') else re.escape(name)})(?![\w.-])"


def _gives(name: str, line: _Line, *, is_word: bool) -> bool:
    """Whether a line gives a value to a name, or stands where its value does.

    Variables of the environment are words of their own; arguments are given with dashes, or as keys.
    """
    spelled, text = (
        _spelled(name),
        re.sub(rf"\$[{{(]?{re.escape(name)}[}})]?(?![\w:=?+}}-])", "$", _TESTED.sub("", line.text)),
    )
    argument = rf"(?<![\w.-])--?{re.escape(name)}(?![\w.-])"
    key = r"[\"']?\s*[:=]" if not is_word or _VALUE.match(text) else ""
    return bool(
        re.search(f"{argument}|{spelled}{key}", text)
        or any(re.search(rf"{spelled}[\"']?[\s:=,\\]*$", b) and not _VALUE.match(b) for b in line.before)
    )


def edited_scripts(base: SourceFiles, head: SourceFiles, starts: Sequence[Deployment]) -> Iterator[StartEdit]:
    """The first edit of each shell script whose command is not read completely, and of each file that feeds it.

    Variables that only other options of the command use are left out, such as the address of the cluster.
    """
    unread = sorted({path for start in starts for path in start.files if not path.endswith(NEVER_CALLED)})
    scripts = [path for path in unread if any(content_of(files, path).startswith("#!") for files in (base, head))]
    shell = [path for path in unread if path.endswith(_SHELL) or path in scripts]
    fed = {path for files in (base, head) for script in shell for path in _taken_by(script, files)}
    sides = [{path: _lines(files, path) for path in sorted({*shell, *fed})} for files in (base, head)]
    used = set(_NAME.findall(" ".join(word for start in starts for word in start.written)))
    wanted = {name for side in sides for name in _wanted([n for lines in side.values() for n in lines], used)}
    for path in sorted({*shell, *fed}.intersection(differing(base, head))):
        counting = (
            [n for n in side[path] if (set_ := _SETS.match(n.text)) is None or set_[1] in wanted] for side in sides
        )
        edit = _first(path, posixpath.basename(path), *counting)
        if edit is not None:
            yield edit


def _wanted(lines: Sequence[_Line], used: Iterable[str]) -> Iterable[str]:
    """The variables among some that are used, and those used by what is no assignment and no command of Flink."""
    sets = gathered((found[1], line.text) for line in lines if (found := _SETS.match(line.text)) is not None)
    apart = [
        n.text for n in lines if not (_SETS.match(n.text) or _COMMAND.search(n.text) or n.before[0].endswith("\\"))
    ]
    first = {*used, *(name for text in apart for name in _NAME.findall(text))}
    return reached(first, lambda name: (inner for text in sets.get(name, ()) for inner in _NAME.findall(text)))


NEVER_CALLED = (".yaml", ".yml", ".tpl", ".json", ".env", ".tf", "Makefile")
"""Ends of files that say how a program is started, and that nothing calls with words."""
_SHELL = (".sh", ".bash")
_SETS = re.compile(r"(?:(?:export|local|readonly|declare)[ \t]+)?([A-Za-z_]\w*)=(?!\()")
_NAME = re.compile(r"[A-Za-z_]\w*")
_TAKES = re.compile(r"(?:\bsource\b|(?:^|\s)\.\s|\$\(|`|<)(.*)")
_FILE = re.compile(r"(?<![\w.-])(?:[\w.-]*(?:/[\w.-]+)+|[\w.-]*\.\w+)")


def _taken_by(script: str, files: SourceFiles) -> frozenset[str]:
    """The files from which a script takes values: those that it includes, prints or reads."""
    taken = [
        name for line in _lines(files, script) for rest in _TAKES.findall(line.text) for name in _FILE.findall(rest)
    ]
    return named_by((name for name in taken if not name.endswith(".jar")), files)


_PARALLELISM_SET = re.compile(
    r"(?<![\w-])(?:-p|--parallelism)(?:[\"',\s=])*\d+(?![\w:.])|\bparallelism(?:\.default)?[\"']?\s*[:=]\s*[\"']?\d+",
    re.IGNORECASE,
)
_PARALLELISM_NEXT = re.compile(r"(?<![\w-])(?:-p|--parallelism)[\"',\s=]*$")
_PROGRAM = re.compile(
    r"(?<![\w-])(?:-c|--class|-py|--python)(?:\n[ \t]*-|[\"',\s=])+(?:[\w$-]+[./])*([\w$-]+(?:\.py\b)?)"
)
"""A command's class or script, by the last part of its name."""


def edited_parallelism(base: SourceFiles, head: SourceFiles, program: str) -> Iterator[StartEdit]:
    """The first other parallelism in each file that may start this class or script, and that no reader follows."""

    def says(line: _Line) -> str:
        found = _PARALLELISM_SET.findall(line.text) or (line.text if _PARALLELISM_NEXT.search(line.before[0]) else ())
        return " ".join((*_PROGRAM.findall(line.text), *found)) if found else ""

    for path in starting(base, head):
        if is_script(path) or any(path in files_of_starts(files) for files in (base, head)):
            continue
        named = {name for files in (base, head) for name in _PROGRAM.findall(content_of(files, path))}
        lines = ([replace(n, text=says(n)) for n in _lines(files, path)] for files in (base, head))
        sides = ([line for line in side if line.text] for side in lines)
        edit = _first(path, PARALLELISM, *sides) if not named or program in named else None
        if edit is not None:
            yield edit


def files_of_starts(files: SourceFiles) -> frozenset[str]:
    """The files from which deployments are read."""
    return once(files, "files of deployments", lambda seen: frozenset(p for d in deployments(seen) for p in d.files))


def _first(path: str, name: str, before: Sequence[_Line], after: Sequence[_Line]) -> StartEdit | None:
    """The first line that one revision says and the other one does not."""
    was, now = [line.text for line in before], [line.text for line in after]
    if was == now:
        return None
    new = (line.number for line in after if line.text not in was)
    gone = (line.number for line in before if line.text not in now)
    place = next(new, None) or next(gone, None) or max(before, after, key=len)[-1].number  # or given once more
    return StartEdit(name, Location(path, place))


def content_of(files: SourceFiles, path: str) -> str:
    """The text of a file, empty where there is none."""
    return "" if content_or_none(files, path) is None else files.read(path).decode("utf-8", "replace")


def _lines(files: SourceFiles, path: str) -> list[_Line]:
    """The lines of a file that say something, without what only lays them out."""
    whole = _RELEASED.sub(".jar", content_of(files, path))
    prints = _PRINTS.search(whole) is not None
    found: list[_Line] = []
    open_: list[tuple[int, str]] = []
    for number, line in enumerate(whole.splitlines(), 1):
        text = " ".join(line.split())
        if not text or _COMMENT.match(text) or (_TELLS.match(text) and not prints):
            continue
        depth = len(line) - len(line.lstrip())
        while open_ and open_[-1][0] >= depth:
            open_.pop()
        found.append(_Line(number, text, (found[-1].text if found else "", open_[-1][1] if open_ else "")))
        open_.append((depth, text))
    return found


_TELLS = re.compile(r"(?:echo|printf)\b(?!.*[|>`$])")
"""What only people read."""
_PRINTS = re.compile(r"^[ \t]*(?:function[ \t]+[\w-]+|[\w-]+[ \t]*\([ \t]*\)[ \t]*[{\n])", re.M)
"""A function, whose output a command may be given."""
