"""Variables that a start command finds set: by files that its script includes, Makefiles and workflows of CI."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from checker.extract.deployments.overlays import documents
from checker.model.nested import spelled, table_in

MAKEFILE = re.compile(r"(?:^|/)(?:GNU)?[Mm]akefile$|\.mk$")
WORKFLOW = re.compile(r"\.github/(?:workflows|actions)/.*\.ya?ml|(?:.*/)?\.gitlab-ci\.ya?ml")
_MADE = re.compile(
    r"^(?:export[ \t]+|override[ \t]+)*(?P<name>[A-Za-z_]\w*)[ \t]*(?P<how>:{0,3}=|\?=|\+=|!=)[ \t]*(?P<value>[^#\n]*)",
    re.M,
)
_INCLUDED = re.compile(
    r"(?:(?:^|[;&|{)]|\b(?:then|do|else))[ \t]*(?:-?include|source|\.)[ \t]+|"
    r"\bexport[ \t]+[\"']?\$\((?:[^)\n]*[ \t<])?(?=[\w./${}-]*\.env))"
    r"[\"']?((?:\$\((?:[^()\n]|\([^()\n]*\))*\)[\"']?|[^\s;&|\"'#)])+)",
    re.M,
)
"""Files that a script includes, or whose lines it exports: ``export $(grep -v '^#' .env | xargs)``."""
_FOLDER = re.compile(r"^\$(?:\(.*\)|\{[^{}]*\}|\w+)[\"']?/")
"""A folder that is computed: ``$(dirname "$0")/``, ``${HERE}/``."""
_ONE_OF = re.compile(r"(?:[)&|]|\b(?:then|else))\s*(?:source|\.)[ \t]")
"""One of several files may be included."""
_OF_MAKE = re.compile(r"\$\((\w+)\)")
_OF_WORKFLOW = re.compile(r"\$\{\{\s*env\.(\w+)\s*\}\}")
_EXPRESSION = re.compile(r"\$\{\{[^{}\n]*\}\}")
"""What a workflow fills in: one word, whatever blanks are in it."""
_SETTING = ("env", "variables")
"""Tables of GitHub's and GitLab's workflows that set variables."""
_MOST_INCLUDES = 5


def as_shell(text: str, path: str) -> str:
    """A Makefile or workflow with its own way of naming variables put as a shell's. Lines stay where they are."""
    if MAKEFILE.search(path):
        return _OF_MAKE.sub(r"${\1}", text)
    if not WORKFLOW.fullmatch(path):
        return text
    text = _OF_WORKFLOW.sub(r"${\1}", text)
    return _EXPRESSION.sub(lambda match: match[0].replace(" ", ""), text)


def found_set(path: str, text: str, texts: Mapping[str, str]) -> Known:
    """The variables that the commands of a file find set, but for those that its own lines assign as a shell does."""
    if MAKEFILE.search(path):
        return _made(path, texts)
    if WORKFLOW.fullmatch(path):
        return {name: value for name, value in _of_workflow(text) if not _reassigned(name, text)}
    known: dict[str, str | Expanded] = {}
    several: set[str] = set()
    for file in included(path, text, texts):
        found = assignments(texts[file])
        several |= {name for name in found.keys() & known.keys() if found[name] != known[name]}
        known |= found
    unsure = several if _ONE_OF.search(text) else ()
    return {
        name: value
        for name, value in known.items()
        if name not in unsure and not re.search(rf"^[ \t]*(?:export\s+|local\s+)?{name}=", text, re.M)
    }


def included(path: str, text: str, texts: Mapping[str, str], depth: int = 0) -> Iterator[str]:
    """The files of the repository that a script or Makefile includes, by their names beside it or from the root."""
    for named in _INCLUDED.findall(text) if depth < _MOST_INCLUDES else ():
        plain = _FOLDER.sub("", named)
        places = (posixpath.normpath(posixpath.join(posixpath.dirname(path), plain)), posixpath.normpath(plain))
        found = next((place for place in places if place in texts and place != path), None)
        if found is not None:
            yield from included(found, texts[found], texts, depth + 1)
            yield found


def _made(path: str, texts: Mapping[str, str]) -> Known:
    """What a Makefile and those that it includes give a value once; ``?=`` as long as nothing else sets it."""
    given: dict[str, list[tuple[str, str]]] = {}
    for file in (*included(path, texts[path], texts), path):
        for match in _MADE.finditer(texts[file]):
            given.setdefault(match["name"], []).append((match["how"], match["value"].strip()))
    known: dict[str, str | Expanded] = {}
    for name, values in given.items():
        how, value = values[0]
        if len(values) > 1 or how in ("+=", "!="):
            continue
        filled = expanded(_OF_MAKE.sub(r"${\1}", value), known)
        if "$" not in filled.text:
            unset = (*filled.unset, *((name,) if how == "?=" else ()))
            known[name] = Expanded(filled.text, unset) if unset else filled.text
    return known


def _of_workflow(text: str) -> Iterator[tuple[str, str]]:
    """Variables to which the tables of a workflow give one value only."""
    values: dict[str, set[str]] = {}
    pending: list[Any] = list(documents(text))
    while pending:
        value = pending.pop()
        if isinstance(value, list):
            pending.extend(value)
        elif isinstance(value, dict):
            for key, inner in value.items():
                pending.append(inner)
                for name, setting in table_in(inner).items() if key in _SETTING else ():
                    plain = table_in(setting).get("value") if isinstance(setting, dict) else setting
                    values.setdefault(name, set()).add("${" if plain is None else spelled(plain))
    for name, found in values.items():
        (only,) = found if len(found) == 1 else ("${",)
        if "$" not in only:
            yield name, only


def _reassigned(name: str, text: str) -> bool:
    """Whether a step gives a variable another value."""
    return re.search(rf"(?<![\w$]){name}=", text) is not None


_VARIABLE = re.compile(
    r"\"?\$\{(?P<list>\w+)\[[@*]\]\}\"?|"
    r"\$(?:\{(?P<braced>\w+)(?P<default>:?-[^{}$`]*)?\}|(?P<plain>[A-Za-z_]\w*))"
)
_ASSIGNMENT = re.compile(
    r"^(?:(?:export|readonly|declare|typeset)\s+(?:-\w+\s+)*|ENV\s+)?(?P<name>[A-Za-z_]\w*)="
    r"(?:\((?P<list>[^()`#]*)\)|(?P<value>\"[^\"`]*\"|'[^']*'|[^\s\"'`;&|(]*))\s*$",
    re.M,
)
"""A list has the name of its elements: ``ARGS[@]``."""
SUBSTITUTED = re.compile(r"[$`«]|\{\{|<\w[\w .:/-]*>")
"""What stands for a value that something fills in."""
_USED = re.compile(
    r"\$[({]{0,2}\s*(?:(?:env|vars|inputs|matrix|secrets|github\.event\.inputs)\.)?([A-Za-z_]\w*|(?<=[${])(?:\d|[@*]))"
)
"""A variable of a shell, of make, of Kubernetes or of a workflow; what a script or its function is called with."""
_NESTED = re.compile(r"\b[a-z]\w*(?:\.\w+)*\.[A-Z]\w*(?:\$[A-Z]\w*[a-z]\w*)+")
"""The binary name of a nested class: no variable stands in it."""


@dataclass(frozen=True, slots=True)
class Expanded:
    """A text with the variables that are known, and the names whose default was taken since nothing sets them."""

    text: str
    unset: tuple[str, ...] = ()


Known = Mapping[str, "str | Expanded"]
"""Variables with their values; ``Expanded`` where defaults were taken for them."""


def expanded(text: str, known: Known) -> Expanded:
    """Fill in what is known. Names without value and default stay as they are, and so does text in single quotes."""
    if "'" in text:
        return Expanded(text)
    unset: list[str] = []

    def fill(match: re.Match[str]) -> str:
        name = match["braced"] or match["plain"] or f"{match['list']}[@]"
        value = known.get(name)
        if isinstance(value, Expanded):
            unset.extend(value.unset)
            return value.text
        if value is not None:
            return value
        if match["default"] is None:
            return match[0]
        unset.append(name)
        return match["default"].lstrip(":").removeprefix("-")

    return Expanded(_VARIABLE.sub(fill, text), tuple(dict.fromkeys(unset)))


def assignments(text: str, environment: Known = MappingProxyType({})) -> dict[str, str | Expanded]:
    """What a script assigns once, at the beginning of a line, to a text that needs no shell to be evaluated."""
    found: dict[str, list[re.Match[str]]] = {}
    for match in _ASSIGNMENT.finditer(text):
        found.setdefault(match["name"], []).append(match)
    known: dict[str, str | Expanded] = {}
    for name, values in found.items():  # in the order of the script: a later one may use an earlier one
        elsewhere = re.search(
            rf"^[ \t]+(?:export\s+|local\s+)?{name}=|\b{name}(?:\+|\[[^]]*\]\+?)=|"
            rf"\b(?:read|readarray|mapfile)\b.{{0,500}}\b{name}\b",
            text,
            re.M,
        )
        listed = values[0]["list"]
        filled = expanded(values[0]["value"] if listed is None else listed, {**environment, **known})
        value = filled.text.strip("\"'") if listed is None else " ".join(filled.text.split())
        if len(values) == 1 and "$" not in value and elsewhere is None:
            known[name if listed is None else f"{name}[@]"] = Expanded(value, filled.unset) if filled.unset else value
    return known


def fillers(arguments: Sequence[str], settings: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """What fills in values that are not written down: the argument's or setting's name, and the variable.

    The name of an argument that has none is empty.
    """
    return tuple(sorted({*_of_arguments(arguments), *((k, v) for k, text in settings.items() for v in _used(text))}))


def _used(text: str) -> list[str]:
    return _USED.findall(_NESTED.sub("", text))


def _of_arguments(arguments: Sequence[str]) -> Iterator[tuple[str, str]]:
    key = ""
    for argument in arguments:
        name, equals, _ = argument.partition("=")
        if argument.startswith("-"):
            key = name.lstrip("-")
        yield from ((key, variable) for variable in _used(argument))
        key = key if argument.startswith("-") and not equals else ""
