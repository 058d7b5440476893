"""Edits of scripts and manifests that may set an argument or a variable by its name, whoever starts the program."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from checker.extract.changed_files.difference import differing
from checker.extract.consulted import content_or_none
from checker.extract.deployments import runs_tests
from checker.model.sources import SourceFiles
from checker.model.unknowns import Location

_STARTING = re.compile(
    r"\.(ya?ml|env|sh|bash|mk|tf|tfvars|groovy)$|(^|/)(GNUmakefile|[Mm]akefile|[jJ]ustfile|Jenkinsfile|Dockerfile[^/]*|\.env[^/]*)$"
)
_ELSEWHERE = re.compile(r"(^|/)(docs?|node_modules|tests?|src/test)/")
_COMMENT = re.compile(r"^\s*(#|//)")
_VALUE = re.compile(r"^(value\b|-\s(?![\"']?[A-Za-z_]\w*\s*[=:])|[\"'])")
"""How a line of YAML begins that gives a value to what the line before it names."""
_DEFAULT = re.compile(r"default\b")
"""How one begins that gives a value to what it stands below: an input of a workflow."""


@dataclass(frozen=True, slots=True)
class SetVariable:
    """A changed line that may set a variable: in the head where it is there, else in the base."""

    name: str
    location: Location


def may_set(path: str) -> bool:
    """Whether a file has the name of one that starts programs, or says how they are started."""
    return bool(_STARTING.search(path)) and not _ELSEWHERE.search(path)


def set_variables(
    base: SourceFiles, head: SourceFiles, names: Iterable[str], understood: Collection[str] = ()
) -> Iterator[SetVariable]:
    """The first edit for each variable: at a line that names it, or at one that gives a value to it.

    Files that are ``understood`` are left out.
    """
    patterns = {name: _pattern(name) for name in names}
    if not patterns:
        return
    for path in differing(base, head):
        if may_set(path) and path not in understood:
            before, after = _lines(base, path), _lines(head, path)
            if all(runs_tests(path, "\n".join(line for _, line in side)) for side in (before, after)):
                continue
            known = set(before) & set(after)
            for number, line in (*_numbered(after, known), *_numbered(before, known)):
                found = {name: pattern.search("\n".join(line)) for name, pattern in patterns.items()}
                for name, match in found.items():
                    if match is not None:
                        yield SetVariable(match.groupdict().get("name", name), Location(path, number))
                        del patterns[name]


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


def _lines(files: SourceFiles, path: str) -> list[tuple[str, str]]:
    """Every line, with the one that names what it gives a value to: the one before it, or what it stands below."""
    if content_or_none(files, path) is None:
        return []
    raw = files.read(path).decode("utf-8", "replace").splitlines()
    yaml = path.endswith((".yaml", ".yml"))
    found: list[tuple[str, str]] = []
    above: list[tuple[int, str]] = []
    """The lines that a line of YAML stands below, with their indentations."""
    before = ""
    for line in map(str.strip, raw):
        named = before if before.endswith("\\") or (yaml and _VALUE.match(line)) else ""
        if yaml and line:
            indented = len(raw[len(found)]) - len(raw[len(found)].lstrip())
            while above and above[-1][0] >= indented:
                above.pop()
            named = above[-1][1] if above and _DEFAULT.match(line) else named
            above.append((indented, line))
        found.append((named, line))
        before = line
    return found


def _numbered(lines: list[tuple[str, str]], known: set[tuple[str, str]]) -> Iterator[tuple[int, tuple[str, str]]]:
    for number, line in enumerate(lines, 1):
        if line not in known and not _COMMENT.match(line[1]):
            yield number, line
