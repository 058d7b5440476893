"""SnakeYAML: ``new Yaml().load(...)`` of a resource gives maps, lists and boxes.

PyYAML is its twin and finds the nodes. Scalars are resolved as SnakeYAML 1 and 2 do, or are unknown.
"""

from __future__ import annotations

import re
from typing import Final

import yaml

from checker.extract.interpreting.bounds import MAX_TEXT
from checker.extract.java.library import resources
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import UnreadError
from checker.extract.java.machine.numbers import boxed
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    Constant,
    ExternalObject,
    ListValue,
    MapValue,
    Value,
    boolean,
    string,
)
from checker.extract.texts.yaml_texts import values_of

_TAG: Final = "tag:yaml.org,2002:"
_FLOAT_TO_SNAKEYAML: Final = re.compile(r"[-+]?(?:[0-9][0-9_]*)?\.?[0-9_]*[eE][-+]?[0-9]+")
"""A number to SnakeYAML, a text to PyYAML."""
_DECIMAL: Final = re.compile(r"[-+]?\d+\.\d+")
_INTEGER: Final = re.compile(r"[-+]?(?:0|[1-9]\d*)")
_MOST_DEPTH: Final = 50


def call(run: Run, receiver: ExternalObject, call: Call) -> Value | None:
    """``load(stream)`` of a plain ``Yaml``; None for everything else."""
    if receiver.type.simple != "Yaml" or receiver.arguments or receiver.side_calls or call.name != "load":
        return None
    path = resources.path_of(run, call.arguments[0]) if len(call.arguments) == 1 else None
    return None if path is None else document(run.index.read(path).decode("utf-8", "replace"))


def document(text: str) -> Value | None:
    """The only document of a text as SnakeYAML loads it, None where that is not known."""
    try:
        if len(text) > MAX_TEXT:
            return None
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        if node is None:
            return NULL
        values_of(node)
        return _value(node, 0)
    except (yaml.YAMLError, UnreadError, ValueError):
        return None


def _value(node: yaml.Node, depth: int) -> Value:
    if depth > _MOST_DEPTH or not node.tag.startswith(_TAG):
        raise UnreadError
    if isinstance(node, yaml.MappingNode) and node.tag == f"{_TAG}map":
        entries: dict[object, tuple[Value, Value]] = {}
        for key, inner in node.value:
            name = _value(key, depth + 1)
            if not isinstance(name, Constant) or key.tag == f"{_TAG}merge":
                raise UnreadError
            entries[(name.value, name.java)] = (name, _value(inner, depth + 1))
        return MapValue(tuple(entries.values()))
    if isinstance(node, yaml.SequenceNode) and node.tag == f"{_TAG}seq":
        return ListValue(tuple(_value(inner, depth + 1) for inner in node.value))
    if isinstance(node, yaml.ScalarNode):
        return boxed(_scalar(node))
    raise UnreadError


def _scalar(node: yaml.ScalarNode) -> Constant:
    kind, text = node.tag.removeprefix(_TAG), str(node.value)
    if kind == "str" and not (node.style is None and _FLOAT_TO_SNAKEYAML.fullmatch(text)):
        return string(text)
    if kind == "null":
        return NULL
    if kind == "bool":
        return boolean(text.lower() in ("yes", "true", "on"))
    if kind == "int" and _INTEGER.fullmatch(text):
        number = int(text)
        java = "int" if -(2**31) <= number < 2**31 else "long"
        if -(2**63) <= number < 2**63:
            return Constant(number, java)
    if kind == "float" and _DECIMAL.fullmatch(text):
        return Constant(float(text), "double")
    raise UnreadError
