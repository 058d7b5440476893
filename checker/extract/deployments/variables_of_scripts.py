"""Variables of a start command: those that its own script sets, and what fills in the others."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

MAKEFILE = re.compile(r"(?:^|/)(?:GNU)?[Mm]akefile$|\.mk$")
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
