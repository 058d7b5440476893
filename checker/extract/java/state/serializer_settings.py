"""Which serializers a program asks Flink for by its configuration: forced Kryo or Avro, registered serializers.

``ExecutionConfig`` and ``SerializerConfig`` (1.19 and newer) have the same methods; ``PipelineOptions`` the same
choices by key. What is only set under a condition, or by keys whose values are computed, is known by a digest of the
code that sets it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from checker.extract.asking.content_facts import KEYS
from checker.extract.java.state.closures import Closures, tokens
from checker.extract.java.syntax.class_index import ClassIndex, External
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.nodes import arguments_of
from checker.extract.java.syntax.tree import Node, NodeKind, above, children, text, walk
from checker.extract.java.syntax.tree import field as part
from checker.extract.java.syntax.type_refs import type_ref
from checker.model.declared_state import Serialization
from checker.model.unknowns import Cause, Maybe, Unknown

_FORCING = {
    "enableForceKryo": Serialization.GENERIC, "setForceKryo": Serialization.GENERIC,
    "FORCE_KRYO": Serialization.GENERIC, "enableForceAvro": Serialization.AVRO, "setForceAvro": Serialization.AVRO,
    "FORCE_AVRO": Serialization.AVRO, '"pipeline.force-kryo"': Serialization.GENERIC,
    '"pipeline.force-avro"': Serialization.AVRO,
}  # fmt: skip
_OF_CLASS = frozenset({"registerTypeWithKryoSerializer", "addDefaultKryoSerializer"})
_CONDITIONS: Final[frozenset[NodeKind]] = frozenset(
    {
        "if_statement",
        "ternary_expression",
        "switch_block_statement_group",
        "catch_clause",
        "switch_rule",
        "for_statement",
        "enhanced_for_statement",
        "while_statement",
    }
)

_ENDS: Final[tuple[NodeKind, ...]] = ("method_declaration", "class_body")


@dataclass(frozen=True, slots=True)
class SerializerSettings:
    """What the program's configuration says of serializers.

    ``forced`` is what all POJOs are written by instead. ``kryo`` maps binary class names (and those of library classes)
    to digests of the Kryo serializers registered for them. ``own_kryo``: some are code of the program, or not known.
    ``factories`` maps names of classes to the type information factories that ``pipeline.serialization-config`` names.
    """

    forced: Maybe[Serialization] | None = None
    kryo: Mapping[str, str] = field(default_factory=dict)
    own_kryo: bool = False
    factories: Mapping[str, str] = field(default_factory=dict)


_ENTRY = re.compile(
    r"([A-Za-z_$][\w.$]*)[\"']?\s*:\s*\{?((?:[\s\0,]*(?:kryo-type|type|class)\s*:\s*[\"']?[\w.$]+[\"']?)+)"
)
_PART = re.compile(r"(kryo-type|type|class)\s*:\s*[\"']?([\w.$]+)")


def _configured(uncertain: list[str], kryo: dict[str, str]) -> dict[str, str] | None:
    """The factories that ``pipeline.serialization-config`` names, Kryo serializers added to ``kryo``; None if not read.

    ``{type: pojo}`` and ``{type: kryo}`` alone register a class, which changes no serializer. Asked of 1.20.5, 2.3.0.
    """
    written = "\0".join(uncertain)
    entries = [(name, dict(_PART.findall(parts))) for name, parts in _ENTRY.findall(written)]
    if not entries or re.search(r"(?i)force|default-kryo|KRYO_DEFAULT", written):
        return None
    kryo.update({name: given["class"] for name, given in entries if given.get("type") == "kryo" and "class" in given})
    return {name: given["class"] for name, given in entries if given.get("type") == "typeinfo" and "class" in given}


def serializer_settings(index: ClassIndex, closures: Closures) -> SerializerSettings:
    """The settings that code and configuration files of the revision make."""
    forced: Serialization | None = None
    kryo: dict[str, str] = {}
    uncertain: list[str] = []
    own_kryo = False
    for path in index.ask("mentioning serializers"):
        if not path.endswith(".java"):
            uncertain.extend(_lines(index.read(path)))
            continue
        unit = index.unit(path)
        scopes = list(index.types_of(unit))
        for node in walk(unit.source.root):
            if node.type not in ("method_invocation", "field_access", "string_literal"):
                continue
            scope = _innermost(scopes, node)
            if scope is None:
                continue
            if node.type == "method_invocation" and text(part(node, "name")) in _OF_CLASS:
                own_kryo |= _register(index, closures, scope, node, kryo)
                continue
            found = _forcing(node)
            if found is None and not (node.type != "method_invocation" and KEYS.search(text(node).encode())):
                continue
            statement = _statement(node)
            if found is not None and _value(node) == "false":
                continue
            conditional = any(n.type in _CONDITIONS for n in above(node, *_ENDS))
            if found is not None and _value(node) == "true" and not conditional:
                forced = found
            elif node.type != "field_access" or found is not None or "FORCE" not in text(node):
                uncertain.append(tokens(statement))
    factories = _configured(uncertain, kryo)
    if factories is not None:
        return SerializerSettings(forced, kryo, own_kryo or bool(kryo), factories)
    if uncertain:
        digest = hashlib.sha256("\0".join(sorted(uncertain)).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        why = "configuration decides which serializers write the program's classes"
        return SerializerSettings(Unknown(why, Cause.EXTERNAL, derived_from=f"code {digest}"), kryo, own_kryo)
    return SerializerSettings(forced, kryo, own_kryo)


def _lines(data: bytes) -> Iterator[str]:
    """The lines that mention such a key, and those below it that stand further right (YAML)."""
    deeper: int | None = None
    for line in data.decode("utf-8", "replace").splitlines():
        indent = len(line) - len(line.lstrip())
        if KEYS.search(line.encode()) and not line.lstrip().startswith(("#", "//")):
            deeper = indent
            yield line.strip()
        elif deeper is not None and line.strip() and (indent > deeper or line.lstrip().startswith("- ")):
            yield line.strip()
        else:
            deeper = None


def _innermost(scopes: list[ClassDecl], node: Node) -> ClassDecl | None:
    holding = [d for d in scopes if d.node.start_byte <= node.start_byte < d.node.end_byte]
    return max(holding, key=lambda d: d.node.start_byte, default=None)


def _forcing(node: Node) -> Serialization | None:
    if node.type == "method_invocation":
        return _FORCING.get(text(part(node, "name")))
    if node.type == "field_access":
        return _FORCING.get(text(part(node, "field")))
    return _FORCING.get(text(node))


def _value(node: Node) -> str | None:
    """``true`` or ``false`` where the setting's value is written; None where it is computed."""
    call: Node | None = node
    if node.type != "method_invocation":
        call = node.parent.parent if node.parent is not None else None
        if call is None or call.type != "method_invocation" or not text(part(call, "name")).startswith("set"):
            return None
    given = [text(child) for child in arguments_of(call)] if call is not None else []
    if node.type == "method_invocation" and not arguments_of(node):
        return "true"
    value = given[-1].strip('"') if given else ""
    return value if value in ("true", "false") else None


def _statement(node: Node) -> Node:
    around = (node, *above(node))
    return next((n for n in around if n.type.endswith(("_statement", "_declaration"))), around[-1])


def _register(index: ClassIndex, closures: Closures, scope: ClassDecl, node: Node, kryo: dict[str, str]) -> bool:
    """Note what is registered for a class. Returns whether the serializer is code of the program, or not known."""
    given = arguments_of(node)
    if len(given) != 2:
        return True
    written = children(given[1])[0] if given[1].type == "class_literal" else given[1]
    serializer = index.resolve_type(type_ref(written), scope) if given[1].type == "class_literal" else None
    own = not isinstance(serializer, External)
    target = index.resolve_type(type_ref(children(given[0])[0]), scope) if given[0].type == "class_literal" else None
    name = target.binary_name if isinstance(target, ClassDecl) else target.name if target is not None else None
    if name is None:
        return own
    if isinstance(serializer, ClassDecl):
        kryo[name] = closures.of_class(serializer)
    elif isinstance(serializer, External):
        kryo[name] = serializer.name
    else:
        kryo[name] = closures.of(given[1], scope)
    return own
