"""The entries of build files, deployments and schemas, so that edits can be named one by one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from xml.etree import ElementTree

import yaml

from checker.extract.yaml_texts import yaml_documents
from checker.model.changed_files import Entry

_COMMENT = re.compile(r"^\s*(#|//|\*|/\*|;|!)")
_PAIR = re.compile(r"^\s*-?\s*[\"']?([\w.$\-/]+)[\"']?\s*[:=]\s*(.*)$")
_NAMED = re.compile(r"\b(?:message|enum|record|struct|protocol|class|object|interface|union|error)\s+(\w+)")
_AVRO_TYPES = frozenset({"record", "enum", "fixed", "error"})
_DEPLOYMENT = re.compile(r"^kind:\s*[\"']?Flink\w*|\bFLINK_PROPERTIES\b", re.MULTILINE)
_MOST_BYTES = 1_000_000


def declared_names(path: str, data: bytes) -> frozenset[str]:
    """The classes that a schema or a source file declares, as far as words show."""
    text = data[:_MOST_BYTES].decode("utf-8", "replace")
    if path.endswith((".avsc", ".avpr")):
        try:
            return frozenset(_avro_names(json.loads(text)))
        except (ValueError, RecursionError):
            return frozenset()
    return frozenset(_NAMED.findall(text))


def _avro_names(value: object) -> Iterator[str]:
    """Names of the types that an Avro schema declares, those of fields left out."""
    pending = [value]
    while pending:
        schema = pending.pop()
        if isinstance(schema, dict):
            if (
                isinstance(schema.get("type"), str)
                and schema["type"] in _AVRO_TYPES
                and isinstance(schema.get("name"), str)
            ):
                yield schema["name"].rpartition(".")[2]
            pending.extend(schema.values())
        elif isinstance(schema, list):
            pending.extend(schema)


def is_deployment(path: str, data: bytes) -> bool:
    """Whether a YAML file configures Flink or a Flink job."""
    stem = path.rpartition("/")[2].partition(".")[0]
    return (
        stem in ("flink-conf", "config")
        or _DEPLOYMENT.search(data[:_MOST_BYTES].decode("utf-8", "replace")) is not None
    )


def build_entries(path: str, data: bytes) -> tuple[Entry, ...]:
    """What a build file says: dependencies, properties, or just its lines."""
    text = data[:_MOST_BYTES].decode("utf-8", "replace")
    if path.endswith("pom.xml"):
        try:
            return tuple(_pom(text))
        except (ElementTree.ParseError, RecursionError):
            return _lines(text)
    return _lines(text)


def _pom(text: str) -> list[Entry]:
    root = ElementTree.fromstring(re.sub(r'\sxmlns="[^"]*"', "", text, count=1))
    found: list[Entry] = []
    for properties in root.iter("properties"):
        found.extend(
            Entry(f"property {property_.tag}", (property_.text or "").strip(), _line(text, f"<{property_.tag}>"))
            for property_ in properties
        )
    for kind in ("parent", "dependency", "plugin", "extension"):
        for element in root.iter(kind):
            name = ":".join((element.findtext(part) or "").strip() for part in ("groupId", "artifactId"))
            content = re.sub(r"\s+", " ", ElementTree.tostring(element, "unicode")).strip()
            found.append(Entry(f"{kind} {name}", content, _line(text, f">{element.findtext('artifactId') or ''}<")))
    return found


def _line(text: str, what: str) -> int:
    place = text.find(what)
    return 1 if place < 0 else text.count("\n", 0, place) + 1


def _lines(text: str) -> tuple[Entry, ...]:
    """Every line that is not a comment; its key is the line itself, so an edit is one removed and one added."""
    return tuple(
        Entry(" ".join(line.split()), "", number)
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip() and not _COMMENT.match(line)
    )


def deployment_entries(data: bytes) -> tuple[Entry, ...]:
    """Every key of a deployment with its value, by its path: ``spec.flinkConfiguration.parallelism.default``."""
    text = data[:_MOST_BYTES].decode("utf-8", "replace")
    try:
        documents = yaml_documents(text)
    except yaml.YAMLError:
        return _lines(text)
    found: list[Entry] = []
    pending: list[tuple[str, object]] = [(str(number or ""), d) for number, d in reversed(list(enumerate(documents)))]
    while pending:
        path, value = pending.pop()
        if isinstance(value, dict):
            pending.extend((f"{path}.{key}".strip("."), inner) for key, inner in value.items())
        elif isinstance(value, list) and any(isinstance(inner, dict | list) for inner in value):
            pending.extend((f"{path}.{number}", inner) for number, inner in enumerate(value))
        elif isinstance(value, str) and "\n" in value:
            pairs = (_PAIR.match(line) for line in value.splitlines())
            pending.extend((f"{path}.{pair.group(1)}", pair.group(2)) for pair in pairs if pair)
        else:
            found.append(Entry(path, str(value), _line(text, f"{path.rpartition('.')[2]}")))
    return tuple(sorted(found, key=lambda e: e.key))
