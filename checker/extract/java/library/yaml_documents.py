"""YAML documents as trees of texts, and the property groups of Amazon's managed service.

A tree holds what all libraries read alike. Where they differ (``yes``, aliases, keys given twice) it is unread.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, TypeAlias

import yaml

from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import UnreadError
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import NULL, Constant, MapValue, Opaque, Value, boolean, string
from checker.extract.java.syntax.class_index import External
from checker.model.unknowns import Cause, given_by

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


def _number(text: str) -> Scalar:
    if _WHOLE.fullmatch(text) and -(2**63) <= int(text) < 2**63:
        number = int(text)
        return Scalar(text, Constant(number, "int" if -(2**31) <= number < 2**31 else "long"))
    if _DECIMAL.fullmatch(text):
        return Scalar(text, Constant(float(text), "double"))
    raise UnreadError


_MERGE = "tag:yaml.org,2002:merge"
"""The tag of ``<<``."""


def yaml_tree(text: str) -> Tree:
    """The only document of a YAML file. Raises UnreadError."""
    if len(text) > _MOST_BYTES:
        raise UnreadError
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError):
        raise UnreadError from None
    return _node(node, 0, set(), [_MOST_ALIASES])


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


def static_call(run: Run, external: External, call: Call) -> Value | None:
    """The groups by their names, each as ``Properties``; None for everything else."""
    if (external.simple, call.name) != ("KinesisAnalyticsRuntime", "getApplicationProperties"):
        return None
    deployment = run.entry.deployment
    if call.arguments or deployment is None or not deployment.properties:
        return None
    text = External(("java.lang.String",))

    def value(group: str, key: str, given: str | None) -> Value:
        name = f"{group}.{key}"
        deployed = dict(run.entry.values).get(name, given)
        if deployed is not None:
            return string(deployed, frozenset({name}))
        reason = f"property '{key}' of group '{group}' is filled in when the template is deployed"
        why = run.unknown(reason, Cause.ARGUMENT, call.site, given_by(name))
        return Opaque(why, f"property:{name}", text, frozenset({name}))

    groups = (
        (string(group), MapValue(tuple((string(k), value(group, k, v)) for k, v in values), "random"))
        for group, values in deployment.properties
    )
    return MapValue(tuple(groups), "hash")
