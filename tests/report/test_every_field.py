"""Whatever any field of a report says, as its schema allows: every format shows it."""

import copy
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from checker.report.formats import FORMATS, Report, renderer
from tests.edits.pairs import checked, pairs
from tests.report import samples

SCHEMA = json.loads((Path(__file__).parents[2] / "checker/schemas/report.schema.json").read_text("utf-8"))
LEAKS = ("[object", "{'unknown'", ">None<", "`None`", " None ")
TIED = ("name", "pipeline", "rule", "key", "from", "to", "head", "format", "version")
"""Fields that other fields name, and those that say what the document is."""

Place = tuple[tuple[str | int, ...], Any]


def kinds(schema: Any) -> list[Any]:
    """A part of the schema as all that it may be."""
    if "$ref" in schema:
        return kinds(SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]])
    return [kind for part in schema["anyOf"] for kind in kinds(part)] if "anyOf" in schema else [schema]


def others(schema: Any) -> Iterator[Any]:
    """What else a field may hold; whole records only where they say that something is not known."""
    for kind in kinds(schema):
        names = kind.get("type", ())
        yield from kind.get("enum", ())
        yield from (empty for name, empty in (("null", None), ("array", [])) if name in names)
        if "string" in names and "pattern" not in kind:
            yield "some text"
        if set(kind.get("required", ())) == {"unknown"}:
            yield {"unknown": "it comes from --topic"}


def places(schema: Any, value: Any, path: tuple[str | int, ...] = ()) -> Iterator[Place]:
    """Every field of a document with something else that it may hold."""
    if path and path[-1] not in TIED:
        yield from ((path, replacement) for replacement in others(schema) if replacement != value)
    for kind in kinds(schema):
        if isinstance(value, dict) and set(value) <= set(kind.get("properties", ())):
            for key, item in value.items():
                yield from places(kind["properties"][key], item, (*path, key))
        elif isinstance(value, list) and isinstance(kind.get("items"), dict):
            for number, item in enumerate(value):
                yield from places(kind["items"], item, (*path, number))


def changed(document: Any, where: tuple[str | int, ...], replacement: Any) -> None:
    """Set a field, where what holds it is still there."""
    for step in where[:-1]:
        if not document or isinstance(document, str) or (isinstance(document, dict) and step not in document):
            return
        document = document[step]
    if isinstance(document, dict) or (isinstance(document, list) and document):
        document[where[-1]] = replacement


@settings(max_examples=40)
@given(st.data())
def test_no_field_keeps_a_format_from_being_rendered(data: st.DataObject) -> None:
    document, known = data.draw(st.sampled_from(documents()))
    report = copy.deepcopy(document)
    for where, replacement in data.draw(st.lists(st.sampled_from(known), max_size=40)):
        changed(report, where, replacement)
    for name in FORMATS:
        text = renderer(Report.CHECK, name)(report)
        shown = text.partition("<script")[0] if name == "html" else text
        assert name == "json" or not [leak for leak in LEAKS if leak in shown], name


@cache
def documents() -> list[tuple[Any, list[Place]]]:
    """Reports that have every field, made ones and some that read their programs, with the fields of each."""
    read = [checked(*pairs("contract")[name].sides(), Path()) for name in ("state-type", "state-name-constant")]
    made = [samples.example(), samples.report(samples.reflective(), samples.captured())]
    return [(document, list(places(SCHEMA, document))) for document in made + read]
