"""The schemas of the configuration files: what the readers take they take, what the readers refuse they refuse."""

import json
import re
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

import checker
from checker.compare.revisions.mapping import read_mapping
from checker.errors import SettingsError
from checker.settings import FILE, parse_settings

TOP = Path(__file__).resolve().parents[1]
SCHEMAS = Path(checker.__file__).parent / "schemas"
SETTINGS = Draft7Validator(json.loads((SCHEMAS / "savepoint-checker.schema.json").read_text(encoding="utf-8")))
MAPPING = Draft7Validator(json.loads((SCHEMAS / "savepoint-mapping.schema.json").read_text(encoding="utf-8")))
WRITTEN = [
    block
    for page in sorted((TOP / "docs").glob("*.md"))
    for block in re.findall(r"^```toml\n(.*?)^```", page.read_text(encoding="utf-8"), re.S | re.M)
    if "[[repository]]" not in block  # a fleet, which has a file of its own
]
REFUSED = [
    "paralellism = 4",
    "parallelism = 0",
    'parallelism = "4"',
    'fail_on = "fatal"',
    "exclude = 'src'",
    "args = [1]",
    '[rules]\nuid-missing = "loud"',
    '[[pipeline]]\nmain = "A"',
    '[[pipeline]]\nname = "a"\nextract = "magic"\nmain = "A"',
    '[[suppress]]\nreason = "because"',
    '[[suppress]]\nrule = "uid-missing"\noperator = 4\nreason = "because"',
    "suppress = 1",
]


def plain(value: Any) -> Any:
    """What an editor holds against a schema: dates are texts there."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return value.isoformat() if isinstance(value, date) else value


@pytest.mark.parametrize("schema", [SETTINGS, MAPPING])
def test_they_are_schemas(schema: Draft7Validator) -> None:
    Draft7Validator.check_schema(schema.schema)


@pytest.mark.parametrize("text", WRITTEN)
def test_what_the_documentation_shows_is_valid(text: str) -> None:
    table = tomllib.loads(text)
    schema = MAPPING if "operator" in table else SETTINGS
    assert [error.message for error in schema.iter_errors(plain(table))] == []


@pytest.mark.parametrize("text", REFUSED)
def test_what_the_reader_refuses_is_refused(text: str) -> None:
    table = tomllib.loads(text)
    with pytest.raises(SettingsError):
        parse_settings(table, "here")
    assert not SETTINGS.is_valid(plain(table))


@pytest.mark.parametrize(
    "text",
    [
        '[[operator]]\nold = "a"\nreason = "r"',
        '[[operator]]\nold = "a"\nnew = "b"\ndropped = true\nreason = "r"',
        '[[operator]]\nnew = "b"\nreason = "r"',
        '[[operators]]\nold = "a"',
    ],
)
def test_mappings_that_are_refused(text: str) -> None:
    with pytest.raises(SettingsError):
        read_mapping(text)
    assert not MAPPING.is_valid(tomllib.loads(text))


def test_the_catalog_names_the_files_of_each_schema() -> None:
    catalog = json.loads((SCHEMAS / "catalog.json").read_text(encoding="utf-8"))
    found = {file: entry["url"] for entry in catalog["schemas"] for file in entry["fileMatch"]}
    assert {FILE, "savepoint-mapping.toml", "*.topology.yaml"} <= set(found)
    for url in found.values():
        path = url.partition(f"/v{checker.__version__}/")[2]
        assert (TOP / path).is_file(), url
