"""What libraries read that no code of the program calls: fields of the objects, and files, that they are given."""

import re
from collections.abc import Mapping

from checker.extract.java.state.code_tokens import tokens
from checker.extract.java.state.java_types import JavaType, resolved
from checker.extract.java.syntax.class_index import ClassIndex, External
from checker.extract.java.syntax.declarations import ClassDecl, ClassKind
from checker.extract.java.syntax.tree import annotations_of, field
from checker.extract.java.syntax.type_refs import JAVA_UTIL

ANY_OBJECT = frozenset(
    {"Object", "Serializable", "Cloneable", "Comparable", "CharSequence", "Number", "Record", "Enum"}
)
"""Types of a library whose objects may be of any class of the program."""


_SHOWING = frozenset(
    {"toString", "valueOf", "hash", "hashCode", "deepHashCode", "deepToString", "join", "format", "formatted", "append",
     "concat", "joining", "insert"}
)  # fmt: skip
"""Methods of Java's own classes that give a text or a hash code of what they are given."""
_ASKING = re.compile(r"(?:check|require|assert|is|has|not|non|default|first)[A-Z_]|isEmpty|size|get$")
"""How methods of libraries are called that check what they are given, and give it back or say yes or no."""
WRITTEN = frozenset({"String", "int", "long", "Integer", "Long", "byte", "CharSequence"})
"""What a method returns that makes a text or a number of an object."""


def shows(receiver: JavaType | None, method: str) -> bool:
    """Whether a method of a library may give a text or a number of what it is given."""
    target = None if receiver is None else receiver.target
    names = target.candidates if isinstance(target, External) else ("",)
    certain = names[:1] if target is not None and names[0].rpartition(".")[2] in JAVA_UTIL else names
    of_java = all(name.startswith("java.") for name in certain)
    return method in _SHOWING if of_java else _ASKING.match(method) is None


def resource(index: ClassIndex, name: str) -> str | None:
    """The content of a file that a string can name: by its file name, or by its name without an ending."""
    if not 2 < len(name) < 200 or "\n" in name or " " in name:
        return None
    asked = name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    found = [p for p in index.ask("stem", asked) if "." in asked or "/src/test/" not in p]
    return ", ".join(f"{path}={index.content_id(path)}" for path in found) or None


def written_fields(index: ClassIndex, decl: ClassDecl) -> Mapping[str, str]:
    """What an object is written, hashed and shown by where no method says it, at any depth.

    By class: the annotations, names and types of its fields or components in their order.
    """
    found: dict[str, str] = {}
    pending = [decl]
    while pending:
        current = pending.pop()
        for holder in (*index.lineage(current), *index.implementations(current)):
            key = f"{holder.qualified_name} by its fields"
            if key in found or holder.kind is ClassKind.ENUM:
                continue
            fields = [declared for declared in holder.fields.values() if not declared.static]
            header = field(holder.node, "parameters")
            annotated = (holder.node, *(f.node for f in fields), *(() if header is None else header.named_children))
            marks = [tokens(mark) for node in annotated for _, mark in annotations_of(node)]
            named = [(f.name, f.type) for f in fields] + [(c.name, c.type) for c in holder.record_components]
            found[key] = "; ".join((*marks, *(f"{type_} {name}" for name, type_ in named)))
            pending += [c for _, type_ in named for c in resolved(index, type_, holder).classes()]
    return found
