"""Applications of the AWS CDK in TypeScript, as far as their properties are literals.

``CfnApplication`` (and ``CfnApplicationV2``) of ``aws-kinesisanalytics`` has CloudFormation's properties in camel case;
``Application`` of ``aws-kinesisanalytics-flink-alpha`` has fewer, of its own. What an expression computes is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import tree_sitter
import tree_sitter_typescript

from checker.extract.deployments.managed.application import LATER, application
from checker.model.deployments import Deployment
from checker.model.unknowns import Location

_CLASS: Final = re.compile(r"(?:\w+\.)?(CfnApplication(?:V2)?|Application)")
_RUNTIME: Final = re.compile(r"(?:\w+\.)*Runtime\.FLINK_(\d+_\d+)")
_JAR: Final = re.compile(r"['\"`/]([^'\"`/]+\.jar)['\"`]")
_SCALED: Final = ("parallelism", "parallelismPerKpu", "autoScalingEnabled")


def deployments_of(path: str, text: str) -> Iterator[Deployment]:
    """The applications that one file makes."""
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_typescript.language_typescript()))
    for node in _constructions(parser.parse(text.encode()).root_node):
        constructor, arguments = node.child_by_field_name("constructor"), node.child_by_field_name("arguments")
        made = _CLASS.fullmatch(_text(constructor)) if constructor is not None else None
        given = [] if arguments is None else arguments.named_children
        if made is None or len(given) < 3:
            continue
        properties = _value(given[2])
        if made[1] == "Application" and isinstance(properties, dict):
            properties = _of_construct(properties, _text(given[2]))
        location = Location(path, node.start_point.row + 1, node.start_point.column + 1)
        yield application(str(_value(given[1])), _pascal(properties), location)


def _constructions(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    pending = [node]
    while pending:
        inner = pending.pop()
        if inner.type == "new_expression":
            yield inner
        pending.extend(reversed(inner.named_children))


def _of_construct(given: Mapping[str, Any], text: str) -> dict[str, Any]:
    """The properties of ``Application`` as those of ``CfnApplication``."""
    jar = _JAR.search(text)
    groups = given.get("propertyGroups", {})
    scaling = {"configurationType": "CUSTOM", "parallelism": given.get("parallelism", LATER)}
    flink = {"parallelismConfiguration": scaling} if any(name in given for name in _SCALED) else {}
    configuration: dict[str, Any] = {"flinkApplicationConfiguration": flink}
    if jar is not None:
        configuration["applicationCodeConfiguration"] = {"codeContent": {"s3ContentLocation": {"fileKey": jar[1]}}}
    if isinstance(groups, dict):
        configuration["environmentProperties"] = {
            "propertyGroups": [{"propertyGroupId": name, "propertyMap": values} for name, values in groups.items()]
        }
    return {
        "applicationName": given.get("applicationName", LATER),
        "runtimeEnvironment": given.get("runtime", LATER),
        "applicationConfiguration": configuration,
    }


def _value(node: tree_sitter.Node) -> Any:
    """A literal; ``LATER`` for what is none, and for an object that others are spread into."""
    match node.type:
        case "object":
            pairs = [(pair.child_by_field_name("key"), pair.child_by_field_name("value")) for pair in _parts(node)]
            if not all(key is not None and value is not None for key, value in pairs):
                return LATER
            return {_key(key): _value(value) for key, value in pairs if key is not None and value is not None}
        case "array":
            return [_value(element) for element in _parts(node)]
        case "string" | "template_string":
            fragments = node.named_children
            plain = all(fragment.type == "string_fragment" for fragment in fragments)
            return "".join(_text(fragment) for fragment in fragments) if plain else LATER
        case "number" | "true" | "false":
            return {"true": True, "false": False}.get(node.type, _text(node))
        case "member_expression":
            runtime = _RUNTIME.fullmatch(_text(node))
            return LATER if runtime is None else f"FLINK-{runtime[1]}"
        case _:
            return LATER


def _parts(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    return [part for part in node.named_children if part.type != "comment"]


def _key(node: tree_sitter.Node) -> str:
    return _text(node) if node.type == "property_identifier" else str(_value(node))


def _pascal(value: Any) -> Any:
    """Names of properties as CloudFormation spells them; those of property maps are the user's."""
    if isinstance(value, list):
        return [_pascal(part) for part in value]
    if not isinstance(value, dict):
        return value
    return {
        name[:1].upper() + name[1:]: part if name == "propertyMap" else _pascal(part) for name, part in value.items()
    }


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
