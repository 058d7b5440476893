"""JSON schemas of the configuration files, made of the keys that ``generate_docs.py`` describes: for editors."""

import json
import tomllib
from collections.abc import Mapping
from datetime import date
from typing import Any

Keys = Mapping[str, tuple[str | None, str]]
"""Key → an example as TOML (None = a list of tables of their own), and its meaning."""
Json = dict[str, Any]

_SCALAR = ["string", "integer", "number", "boolean"]
_REFINED: Json = {
    "fail_on": {"enum": ["error", "warning", "info", "never"]},
    "rules": {"additionalProperties": {"enum": ["error", "warning", "info", "off"]}},
    "extract": {"enum": ["auto", "document", "java", "python", "sql", "flink"]},
    "upgrade_mode": {"enum": ["savepoint", "last-state", "stateless"]},
}
"""What an example can't show."""
_MAPPING: Json = {
    "pipeline": {"type": "string", "description": "Only for pipelines of this name (globs allowed)."},
    "old": {"type": "string", "description": "The operator in the base: its uid, name or operator id."},
    "new": {"type": "string", "description": "The operator in the head that takes its state over."},
    "dropped": {"type": "boolean", "description": "Whether its state is given up on purpose."},
    "state": {"type": "string", "description": "With dropped: only this state of the operator, as gate names it."},
    "reason": {"type": "string", "minLength": 1, "description": "Why."},
}


_PAGES = "https://raw.githubusercontent.com/savepoint-checker/savepoint-checker"


def catalog(version: str) -> Json:
    """Which schema is for which files, in the form of SchemaStore's catalog: editors take it as it is."""
    described = {
        "savepoint-checker": ("Configuration of savepoint-checker", ["savepoint-checker.toml"]),
        "savepoint-mapping": ("Which operator became which, for savepoint-checker", ["savepoint-mapping.toml"]),
        "topology": (
            "Topology documents of Flink pipelines",
            ["*.topology.yaml", "*.topology.yml", "*.topology.json"],
        ),
    }
    return {
        "$schema": "https://json.schemastore.org/schema-catalog.json",
        "version": 1,
        "schemas": [
            {
                "name": name,
                "description": description,
                "fileMatch": files,
                "url": f"{_PAGES}/v{version}/checker/schemas/{name}.schema.json",
            }
            for name, (description, files) in described.items()
        ],
    }


def settings_schema(top: Keys, tables: Mapping[str, Keys]) -> Json:
    """The schema of ``savepoint-checker.toml``. ``tables`` are the keys of its lists of tables by name."""
    properties = _properties(top)
    for name, keys in tables.items():
        required = [key for key, (_, meaning) in keys.items() if meaning.startswith("Required.")]
        item = {
            "type": "object",
            "properties": _properties(keys),
            "required": required,
            "additionalProperties": False,
        }
        properties[name] = {"description": top[name][1], "type": "array", "items": item}
    return _document("savepoint-checker.toml", properties)


def mapping_schema() -> Json:
    """The schema of ``savepoint-mapping.toml``."""
    either = [{"required": ["new"]}, {"required": ["dropped"]}]
    item = {
        "type": "object",
        "properties": _MAPPING,
        "required": ["old", "reason"],
        "oneOf": either,
        "dependencies": {"state": ["dropped"]},
        "additionalProperties": False,
    }
    operators = {"type": "array", "items": item, "description": "Operators that changed on purpose."}
    return _document("savepoint-mapping.toml", {"operator": operators})


def text_of(schema: Json) -> str:
    """A schema as it is written to a file."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _document(title: str, properties: Json) -> Json:
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": title,
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }


def _properties(keys: Keys) -> Json:
    found: Json = {}
    for key, (example, meaning) in keys.items():
        if example is not None:
            value = tomllib.loads(f"value = {example}")["value"]
            kind = _kind(value)
            shown = value.isoformat() if isinstance(value, date) else value
            found[key] = {"description": meaning.replace("`", ""), **kind, **_REFINED.get(key, {}), "examples": [shown]}
    if "operator" in found:
        found["operator"] |= {"type": ["string", "array"], "items": {"type": "string"}}
    return found


def _kind(value: object) -> Json:
    if isinstance(value, bool):
        return {"type": "boolean"}
    if isinstance(value, int):
        return {"type": "integer", "minimum": 1}
    if isinstance(value, str):
        return {"type": "string"}
    if isinstance(value, date):
        return {"type": "string", "format": "date"}
    if isinstance(value, list):
        return {"type": "array", "items": {"type": "string"}}
    return {"type": "object", "additionalProperties": {"type": _SCALAR}}
