"""Files that add to what a start says: ``compose.override.yaml``, and image files (``Dockerfile``).

Of an image it is where its jars come from, and its variables.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from checker.extract.deployments.matching import bare_name
from checker.extract.deployments.started import split
from checker.model.nested import list_in, table_in


def overridden(document: Any, above: Any) -> Any:
    """A file of docker compose with another one on top: tables are merged, variables by name, all else is replaced."""
    services, others = table_in(table_in(document).get("services")), table_in(table_in(above).get("services"))
    if not services or not others:
        return document
    done = dict(services)
    for name, service in others.items():
        below, own = table_in(services.get(name)), table_in(service)
        merged = {**below, **own}
        if "environment" in below and "environment" in own:
            merged["environment"] = {**_named(below["environment"]), **_named(own["environment"])}
        if "env_file" in below and "env_file" in own:
            merged["env_file"] = [*_files(below["env_file"]), *_files(own["env_file"])]
        done[name] = merged
    return {**table_in(document), "services": done}


def _named(environment: Any) -> Mapping[str, Any]:
    """Variables by name; None for one that is passed on."""
    if isinstance(environment, dict):
        return table_in(environment)
    parted = (str(item).partition("=") for item in list_in(environment))
    return {name: value if equals else None for name, equals, value in parted}


def _files(given: Any) -> list[Any]:
    return given if isinstance(given, list) else [given]


_NAME = re.compile(r"Dockerfile.*|.*\.Dockerfile")
_CONTINUED = re.compile(r"\\[ \t]*\n(?:[ \t]*#[^\n]*\n)*[ \t]*")
_INSTRUCTION = re.compile(r"^[ \t]*(COPY|ADD|ENV)[ \t]+(.+)$", re.M | re.IGNORECASE)
_EVERY = re.compile(r"^[ \t]*(FROM|ENV|ENTRYPOINT|CMD)[ \t]+(\S.*)$", re.M | re.IGNORECASE)
_SET = re.compile(r"(?<!\w)([A-Za-z_]\w*)=\"?([^\s\"]*)\"?")
_VARIABLE = re.compile(r"(?:^|\s)([A-Za-z_]\w*)=")
_OPEN = re.compile(r"[*?$\[]")
"""What stands for more than one name."""
_COPIED = re.compile(
    r"\bcp\s++(?:-\S++\s++)*+(?P<source>\S+\.jar)\s++[^\n;&|\"]{0,500}?(?<![\w.-])(?P<jar>[\w.-]+\.jar)\b"
)
"""A jar that a script copies under another name: ``docker cp``, ``kubectl cp``, ``cp``."""
_BUILT = ("/target/", "/build/libs/")


def is_image_file(path: str) -> bool:
    """Whether a file has the name of one."""
    return bool(_NAME.fullmatch(posixpath.basename(path)))


def variables(texts: Mapping[str, str]) -> frozenset[str]:
    """The variables that the image files among some texts set."""
    found: set[str] = set()
    for _, instruction, rest in _instructions(texts):
        if instruction == "ENV":
            found.update(_VARIABLE.findall(rest) if "=" in rest.split()[0] else rest.split()[:1])
    return frozenset(found)


def start_of(text: str) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """What a container of an image runs where nothing says otherwise, in words, and the variables that it has."""
    words: dict[str, tuple[str, ...]] = {}
    variables: dict[str, str] = {}
    for instruction, rest in _EVERY.findall(_CONTINUED.sub(" ", text)):
        if instruction.upper() == "FROM":
            words, variables = {}, {}
        elif instruction.upper() == "ENV":
            variables |= dict(_SET.findall(rest)) if "=" in rest.split()[0] else dict([rest.split(None, 1)])
        else:
            words[instruction.upper()] = tuple(_listed(rest) if rest.startswith("[") else split(rest))
    return (*words.get("ENTRYPOINT", ()), *words.get("CMD", ())), tuple(variables.items())


def jars(texts: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Jar in an image → names of the jars and modules that it is copied from, or the folder that it is built in."""
    found: dict[str, set[str]] = {}
    for path, instruction, rest in _instructions(texts):
        words = [word for word in _listed(rest) if not word.startswith("--")]
        if instruction == "ENV" or len(words) < 2 or not words[-1].endswith(".jar"):
            continue
        for source in words[:-1]:
            found.setdefault(posixpath.basename(words[-1]), set()).update(_sources(source, path))
    for path, text in texts.items():
        if "cp " in text and not is_image_file(path):
            for copy in _COPIED.finditer(_CONTINUED.sub(" ", text)):
                found.setdefault(copy["jar"], set()).update(_sources(copy["source"], path))
    return {jar: tuple(sorted(sources)) for jar, sources in found.items()}


def _sources(source: str, image_file: str) -> Iterable[str]:
    name = bare_name(posixpath.basename(source))
    plain = re.sub(r"[-_.]?[*?$\[].*", "", name)
    if plain:
        yield plain
    if _OPEN.search(name) and not plain:
        yield f"{posixpath.dirname(image_file)}/"
    folder = next((source[: source.index(built)] for built in _BUILT if built in source), "")
    if folder and not folder.startswith(("/", "$")):
        yield posixpath.basename(folder)


def _instructions(texts: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    for path, text in texts.items():
        if is_image_file(path):
            for match in _INSTRUCTION.finditer(_CONTINUED.sub(" ", text)):
                yield path, match[1].upper(), match[2].strip()


def _listed(rest: str) -> list[str]:
    try:
        return [str(word) for word in json.loads(rest)] if rest.startswith("[") else rest.split()
    except (ValueError, RecursionError):
        return []
