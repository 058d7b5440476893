"""JSON and YAML documents as trees of texts, and the maps that Jackson and SnakeYAML make of them.

A tree holds what all libraries read alike. Where they differ (``yes``, aliases, keys given twice) it is unread.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import yaml

from checker.extract.java.library import resources
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import UnreadError
from checker.extract.java.machine.numbers import boxed
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import (
    NULL,
    ClassLiteral,
    Constant,
    ExternalObject,
    ListValue,
    MapValue,
    Opaque,
    Value,
    boolean,
    string,
)
from checker.extract.java.syntax.class_index import External
from checker.model.unknowns import Cause, Unknown, given_by

_MOST_DEPTH: Final = 50
_MOST_ALIASES: Final = 5_000
"""Nodes that may stand in a second place."""
_MOST_BYTES: Final = 1_000_000
_WHOLE: Final = re.compile(r"-?(?:0|[1-9]\d*)")
_DECIMAL: Final = re.compile(r"-?(?:0|[1-9]\d*)\.\d+")
_WORDS: Final = re.compile(r"(?i:y|n|yes|no|on|off|true|false|null|\.nan|[-+]?\.inf)|[-+.]?\d.*|[=<].*|")
"""Plain scalars that some library takes for something other than a text."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A leaf: its text, and its value where it is asked for as an Object; None where libraries differ."""

    text: str
    value: Constant | None

    @property
    def null(self) -> bool:
        """Whether it is null."""
        return self.value is NULL


Tree: TypeAlias = dict[str, "Tree"] | list["Tree"] | Scalar


def json_tree(text: str) -> Tree:
    """A JSON document. Raises UnreadError."""

    def table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in pairs}) != len(pairs):
            raise UnreadError
        return dict(pairs)

    def refused(_: str) -> Scalar:
        raise UnreadError

    if len(text) > _MOST_BYTES:
        raise UnreadError
    try:
        read = json.loads(text, object_pairs_hook=table, parse_int=_number, parse_float=_number, parse_constant=refused)
    except (ValueError, RecursionError):
        raise UnreadError from None
    return _tree(read, 0)


def _number(text: str) -> Scalar:
    if _WHOLE.fullmatch(text) and -(2**63) <= int(text) < 2**63:
        number = int(text)
        return Scalar(text, Constant(number, "int" if -(2**31) <= number < 2**31 else "long"))
    if _DECIMAL.fullmatch(text):
        return Scalar(text, Constant(float(text), "double"))
    raise UnreadError


def _tree(read: Any, depth: int) -> Tree:
    if depth > _MOST_DEPTH:
        raise UnreadError
    if isinstance(read, dict):
        return {key: _tree(inner, depth + 1) for key, inner in read.items()}
    if isinstance(read, list):
        return [_tree(inner, depth + 1) for inner in read]
    if isinstance(read, bool):
        return Scalar("true" if read else "false", boolean(read))
    if read is None:
        return Scalar("null", NULL)
    return read if isinstance(read, Scalar) else Scalar(read, string(read))


_MERGE = "tag:yaml.org,2002:merge"
"""The tag of ``<<``."""


def yaml_tree(text: str, *, aliases: bool = False) -> Tree:
    """The only document of a YAML file; ``aliases`` says whether the library follows them. Raises UnreadError."""
    if len(text) > _MOST_BYTES:
        raise UnreadError
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError):
        raise UnreadError from None
    return _node(node, 0, set(), [_MOST_ALIASES if aliases else 0])


def _node(node: yaml.Node | None, depth: int, seen: set[int], aliases: list[int]) -> Tree:
    """``aliases`` holds how many nodes may still stand in a second place."""
    if node is None or depth > _MOST_DEPTH:
        raise UnreadError
    aliases[0] -= id(node) in seen
    if aliases[0] < 0:
        raise UnreadError
    seen.add(id(node))
    if isinstance(node, yaml.MappingNode) and node.tag == "tag:yaml.org,2002:map":
        merges = [inner for key, inner in node.value if key.tag == _MERGE]
        own = [(key, inner) for key, inner in node.value if key.tag != _MERGE]
        keys = [key.value for key, _ in own]
        plain = all(isinstance(k, yaml.ScalarNode) and k.tag.endswith((":str", ":int")) for k, _ in own)
        if not plain or len(set(keys)) != len(keys) or "<<" in keys or (merges and not aliases[0]):
            raise UnreadError
        merged = _merged(merges, depth, seen, aliases)
        return merged | {str(key.value): _node(inner, depth + 1, seen, aliases) for key, inner in own}
    if isinstance(node, yaml.SequenceNode) and node.tag == "tag:yaml.org,2002:seq":
        return [_node(inner, depth + 1, seen, aliases) for inner in node.value]
    if not isinstance(node, yaml.ScalarNode) or not node.tag.startswith("tag:yaml.org,2002:"):
        raise UnreadError
    text = str(node.value)
    if node.style is not None and node.tag == "tag:yaml.org,2002:str":
        return Scalar(text, string(text))
    if node.style is None and text in ("true", "false"):
        return Scalar(text, boolean(text == "true"))
    if node.style is None and text in ("", "~", "null"):
        return Scalar("null", NULL)
    textual = node.tag.endswith(":str")  # by a tag, where the text looks like a number
    if node.style is None and not textual and (_WHOLE.fullmatch(text) or _DECIMAL.fullmatch(text)):
        return _number(text)
    if text.lower() == "null":
        raise UnreadError
    known = textual and not _WORDS.fullmatch(text)
    return Scalar(text, string(text) if known else None)


def _merged(merges: list[yaml.Node], depth: int, seen: set[int], aliases: list[int]) -> dict[str, Tree]:
    """What ``<<`` brings into a mapping: of several mappings the first that has a key."""
    found: dict[str, Tree] = {}
    for named in merges:
        for above in named.value if isinstance(named, yaml.SequenceNode) else [named]:
            tree = _node(above, depth + 1, seen, aliases)
            if not isinstance(tree, dict):
                raise UnreadError
            found = tree | found
    return found


def as_object(tree: Tree) -> Value:
    """What a library gives where a plain Object is asked for: maps in order, lists, boxes."""
    if isinstance(tree, dict):
        return MapValue(tuple((string(key), as_object(inner)) for key, inner in tree.items()))
    if isinstance(tree, list):
        return ListValue(tuple(as_object(inner) for inner in tree))
    if tree.value is None:
        raise UnreadError
    return boxed(tree.value)


_MAPS: Final = ("Map", "LinkedHashMap")
_NUMBER_AS_KEY: Final = re.compile(r"(?m)(^|[\s{,?])[-+]?\d[\d_]*\s*:")
"""What may be a key that SnakeYAML leaves a number; a tree has texts as keys."""
_READS: Final = frozenset({"readValue", "readTree", "writeValueAsString", "writeValueAsBytes", "registerModule",
                           "registerModules", "findAndRegisterModules"})  # fmt: skip
"""Calls of a mapper that change nothing of how it reads maps."""


def call(run: Run, receiver: ExternalObject, call: Call) -> Value | None:
    """``mapper.readValue(stream, Map.class)`` of Jackson and ``new Yaml().load(stream)``; None for everything else."""
    simple, given = receiver.type.simple, call.arguments
    asked = {name for name, _ in (*receiver.calls, *receiver.side_calls)}
    factory = receiver.arguments[0] if receiver.arguments else None
    try:
        if simple == "Yaml" and call.name == "load" and len(given) == 1 and not asked and factory is None:
            return loaded(_text(run, given[0]))
        if simple not in ("ObjectMapper", "JsonMapper", "YAMLMapper") or call.name != "readValue" or asked - _READS:
            return None
        if len(given) != 2 or not isinstance(given[1], ClassLiteral) or given[1].ref.simple not in _MAPS:
            return None
        if factory is not None and not (isinstance(factory, ExternalObject) and factory.type.simple == "YAMLFactory"):
            return None
        text = _text(run, given[0])
        tree = yaml_tree(text) if factory is not None or simple == "YAMLMapper" else json_tree(text)
        return as_object(tree) if isinstance(tree, dict) else None
    except UnreadError:
        return None


def loaded(text: str) -> Value | None:
    """What ``new Yaml().load`` makes of a text; None where it may be something else. Raises UnreadError."""
    return None if _NUMBER_AS_KEY.search(text) else as_object(yaml_tree(text))


def _text(run: Run, source: Value) -> str:
    if isinstance(source, Constant) and source.java == "String":
        return source.text
    path = resources.path_of(run, source)
    if path is None:
        raise UnreadError
    return run.index.read(path).decode("utf-8", "replace")


def static_call(run: Run, external: External, call: Call) -> Value | None:
    """The groups by their names, each as ``Properties``; None for everything else."""
    if (external.simple, call.name) != ("KinesisAnalyticsRuntime", "getApplicationProperties"):
        return None
    if call.arguments:
        path = resources.path_of(run, call.arguments[0])
        return None if path is None else _of_file(run.index.read(path).decode("utf-8", "replace"))
    deployment = run.entry.deployment
    if deployment is None or not deployment.properties:
        return None
    text = External(("java.lang.String",))

    def value(group: str, key: str, given: str | None) -> Value:
        name = f"{group}.{key}"
        deployed = dict(run.entry.values).get(name, given)
        if deployed is not None:
            return string(deployed, frozenset({name}))
        reason = f"property '{key}' of group '{group}' is filled in when the template is deployed"
        why = Unknown(reason, Cause.ARGUMENT, given_by(name), run.location(call.site))
        return Opaque(why, f"property:{name}", text, frozenset({name}))

    groups = (
        (string(group), MapValue(tuple((string(k), value(group, k, v)) for k, v in values), "random"))
        for group, values in deployment.properties
    )
    return MapValue(tuple(groups), "hash")


def _of_file(text: str) -> Value | None:
    try:
        tree = json_tree(text)
    except UnreadError:
        return None
    groups: list[tuple[Value, Value]] = []
    for group in tree if isinstance(tree, list) else ():
        name, entries = (
            (group.get(k) for k in ("PropertyGroupId", "PropertyMap")) if isinstance(group, dict) else ("", 0)
        )
        if not isinstance(name, Scalar) or not isinstance(entries, dict):
            return None
        if not all(isinstance(value, Scalar) for value in entries.values()):
            return None
        texts = ((string(k), string(v.text)) for k, v in entries.items() if isinstance(v, Scalar))
        groups.append((string(name.text), MapValue(tuple(texts), "random")))
    return MapValue(tuple(groups), "hash")
