"""Where containers take environment variables from: config maps of Kubernetes, files of docker compose.

References are replaced by what they refer to, so that whoever reads a container finds plain values. What is not in the
repository, or there twice with different contents, stays a reference.

Image files (``Dockerfile``): where the jars of an image come from, and its variables.
"""

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from checker.extract.deployments.matching import bare_name
from checker.extract.deployments.started import split
from checker.model.nested import list_in, table_in

_DATA = {"ConfigMap": "data", "Secret": "stringData"}
_PAIR = re.compile(r"^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*)$")


class NamedVariables:
    """Config maps and secrets of a revision's manifests and kustomizations, by kind and name."""

    def __init__(self, documents: Iterable[tuple[str, Any]], texts: Mapping[str, str]) -> None:
        """``documents`` are all YAML documents with their paths, ``texts`` the files by path."""
        self._found: dict[tuple[str, str], list[Mapping[str, str]]] = {}
        for path, document in documents:
            table = table_in(document)
            kind, name = str(table.get("kind")), table_in(table.get("metadata")).get("name")
            if kind in _DATA and isinstance(name, str):
                self._add(kind, name, {key: str(value) for key, value in table_in(table.get(_DATA[kind])).items()})
            for generator, made in (("configMapGenerator", "ConfigMap"), ("secretGenerator", "Secret")):
                for entry in map(table_in, list_in(table.get(generator))):
                    values = pairs("\n".join(str(literal) for literal in list_in(entry.get("literals"))))
                    for file in (*list_in(entry.get("envs")), *([entry["env"]] if "env" in entry else [])):
                        values |= pairs(_beside(path, str(file), texts))
                    self._add(made, str(entry.get("name")), values)

    def _add(self, kind: str, name: str, values: Mapping[str, str]) -> None:
        self._found.setdefault((kind, name), []).append(values)

    def _of(self, kind: str, reference: Any) -> Mapping[str, str]:
        found = self._found.get((kind, str(table_in(reference).get("name"))), [])
        return found[0] if found and all(values == found[0] for values in found) else {}

    def inlined(self, document: Any) -> Any:
        """A document whose containers hold the values instead of the references."""
        if isinstance(document, list):
            return [self.inlined(part) for part in document]
        if not isinstance(document, dict):
            return document
        done = {key: self.inlined(value) for key, value in document.items()}
        if isinstance(done.get("envFrom"), list) or isinstance(done.get("env"), list):
            own = [self._with_value(table_in(variable)) for variable in list_in(done.get("env"))]
            named = {str(variable.get("name")) for variable in own}
            taken = [v for v in self._taken(done.get("envFrom")) if v["name"] not in named]
            done["env"] = [*taken, *own]
            done["envFrom"] = [
                source for source in list_in(done.get("envFrom")) if not self._is_named(table_in(source))
            ]
        return done

    def _is_named(self, source: Mapping[str, Any]) -> bool:
        references = (("ConfigMap", source.get("configMapRef")), ("Secret", source.get("secretRef")))
        return any(self._of(kind, reference) for kind, reference in references)

    def _taken(self, sources: Any) -> list[Mapping[str, Any]]:
        found: dict[str, str] = {}
        for source in map(table_in, list_in(sources)):
            values = self._of("ConfigMap", source.get("configMapRef")) or self._of("Secret", source.get("secretRef"))
            found |= {f"{source.get('prefix', '')}{key}": value for key, value in values.items()}
        return [{"name": name, "value": value} for name, value in found.items()]

    def _with_value(self, variable: Mapping[str, Any]) -> Mapping[str, Any]:
        source = table_in(variable.get("valueFrom"))
        for kind, field in (("ConfigMap", "configMapKeyRef"), ("Secret", "secretKeyRef")):
            value = self._of(kind, source.get(field)).get(str(table_in(source.get(field)).get("key")))
            if value is not None:
                return {"name": variable.get("name"), "value": value}
        return variable


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


def with_env_files(document: Any, path: str, texts: Mapping[str, str]) -> Any:
    """A file of docker compose whose services hold the variables of their ``env_file``; their own win."""
    services = table_in(table_in(document).get("services"))
    if not any("env_file" in table_in(service) for service in services.values()):
        return document
    return {**table_in(document), "services": {name: _filled(table_in(s), path, texts) for name, s in services.items()}}


def _filled(service: Mapping[str, Any], path: str, texts: Mapping[str, str]) -> Mapping[str, Any]:
    given = service.get("env_file", [])
    values: dict[str, str] = {}
    for file in given if isinstance(given, list) else [given]:
        name = str(table_in(file).get("path")) if isinstance(file, dict) else str(file)
        values |= pairs(_beside(path, name, texts))
    own = service.get("environment", {})
    listed = [f"{key}={value}" for key, value in values.items()]
    return {**service, "environment": {**values, **own} if isinstance(own, dict) else [*listed, *list_in(own)]}


def _beside(path: str, name: str, texts: Mapping[str, str]) -> str:
    return texts.get(posixpath.normpath(posixpath.join(posixpath.dirname(path), name)), "")


def pairs(text: str) -> dict[str, str]:
    """The variables of a file with one ``NAME=value`` a line."""
    found = (_PAIR.match(line) for line in text.splitlines())
    return {pair[1]: _unquoted(pair[2].strip()) for pair in found if pair is not None}


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


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
