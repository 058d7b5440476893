"""Which serializers a program asks Flink for by its configuration: forced Kryo or Avro, registered serializers.

``ExecutionConfig`` and ``SerializerConfig`` (1.19 and newer) have the same methods; ``PipelineOptions`` the same
choices by key. Serializers that code registers for a class are read; all else is known by a digest of what sets it.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from checker.extract.asking.content_facts import KEYS
from checker.extract.java.state.closures import Closures
from checker.extract.java.state.code_tokens import tokens
from checker.extract.java.syntax.class_index import ClassIndex, External
from checker.extract.java.syntax.configured_classes import configured_lines, named_classes
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.nodes import arguments_of
from checker.extract.java.syntax.tree import Node, above, children, text, walk
from checker.extract.java.syntax.tree import field as part
from checker.extract.java.syntax.type_refs import type_ref
from checker.model.declared_state import Serialization
from checker.model.unknowns import Cause, Maybe, Unknown

_FORCING = {
    "enableForceKryo": Serialization.GENERIC, "enableForceAvro": Serialization.AVRO,
    "setForceKryo": None, "setForceAvro": None,
}  # fmt: skip
"""What is called to force a serializer, and which one where no argument says whether."""
_OF_CLASS = frozenset({"registerTypeWithKryoSerializer", "addDefaultKryoSerializer"})


@dataclass(frozen=True, slots=True)
class SerializerSettings:
    """What the program's configuration says of serializers.

    ``forced`` is what all POJOs are written by instead, or why it is not known who writes a class. ``kryo`` maps binary
    class names (and those of library classes) to digests of the Kryo serializers registered for them. ``own_kryo``:
    some are code of the program, or not known.
    """

    forced: Maybe[Serialization] | None = None
    kryo: Mapping[str, str] = field(default_factory=dict)
    own_kryo: bool = False


def serializer_settings(index: ClassIndex, closures: Closures) -> SerializerSettings:
    """The settings that code and configuration files of the revision make."""
    kryo: dict[str, str] = {}
    deciding: list[tuple[str, Serialization | None]] = []
    own_kryo = False
    for path in index.ask("mentioning serializers"):
        if not path.endswith(".java"):
            deciding.append(("\0".join(configured_lines(index.read(path))), None))
            continue
        unit = index.unit(path)
        scopes = list(unit.by_name.values())
        for node in walk(unit.source.root):
            called = text(part(node, "name")) if node.type == "method_invocation" else ""
            if called in _OF_CLASS and (scope := _innermost(scopes, node)) is not None:
                own_kryo |= _register(index, closures, scope, node, kryo)
            elif called in _FORCING or (
                node.type in ("field_access", "string_literal") and KEYS.search(text(node).encode())
            ):
                statement = _statement(node)
                always = [around.type for around in above(statement)][1:2] == ["method_declaration"]
                deciding.append((tokens(statement), _FORCING.get(called) if always else None))
    deciding = [(written, by) for written, by in deciding if written and not _only_registers(written)]
    own_kryo |= any("FORCE" not in written.upper() for written, _ in deciding)
    forced = {by for _, by in deciding}
    if not forced or (len(forced) == 1 and None not in forced):
        return SerializerSettings(next(iter(forced), None), kryo, own_kryo)
    texts = sorted(written for written, _ in deciding)
    texts += [closures.of_class(decl) for decl in named_classes(index, texts)]
    code = "\0".join(texts).encode("utf-8", "surrogatepass")
    why = "configuration decides which serializers write the program's classes"
    unknown = Unknown(why, Cause.EXTERNAL, derived_from=f"code {hashlib.sha256(code).hexdigest()[:16]}")
    return SerializerSettings(unknown, kryo, own_kryo)


def _only_registers(written: str) -> bool:
    """Whether ``pipeline.serialization-config`` only registers classes, which changes no serializer.

    Asked of 1.20.5 and 2.3.0.
    """
    registers = re.search(r"type\s*:\s*[\"']?(?:kryo|pojo)", written) is not None
    return registers and re.search(r"(?i)class\b[\"']?\s*:|typeinfo|force|default.kryo", written) is None


def _innermost(scopes: list[ClassDecl], node: Node) -> ClassDecl | None:
    holding = [d for d in scopes if d.node.start_byte <= node.start_byte < d.node.end_byte]
    return max(holding, key=lambda d: d.node.start_byte, default=None)


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
