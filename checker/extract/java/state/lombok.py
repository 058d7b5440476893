"""Members that Lombok's annotations generate, as far as Flink's type extraction asks for them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from checker.extract.java.syntax.declarations import ClassDecl, FieldDecl
from checker.extract.java.syntax.tree import Node, field, text

_CONSTRUCTORS = frozenset({"NoArgsConstructor", "AllArgsConstructor", "RequiredArgsConstructor"})
_HIDDEN = re.compile(r"\b(PRIVATE|PACKAGE|PROTECTED|MODULE|NONE)\b")


@dataclass(frozen=True, slots=True)
class GeneratedConstructors:
    """``any``: whether there are some; ``without_arguments``: is one without arguments public? None = there is none."""

    any: bool
    without_arguments: bool | None = None


def generated_constructors(decl: ClassDecl) -> GeneratedConstructors:
    """The constructors that the class's annotations generate."""
    marks = _annotations(decl.node)
    if "NoArgsConstructor" in marks:
        return GeneratedConstructors(any=True, without_arguments=not _HIDDEN.search(marks["NoArgsConstructor"]))
    asked = marks.keys() & (_CONSTRUCTORS | {"Value", "Builder", "SuperBuilder"})
    if asked & {"AllArgsConstructor", "Value", "Builder", "SuperBuilder"}:
        return GeneratedConstructors(any=not decl.constructors or bool(asked & _CONSTRUCTORS))
    if "RequiredArgsConstructor" in marks or ("Data" in marks and not decl.constructors):
        if any(_required(f) for f in decl.fields.values() if not f.static):
            return GeneratedConstructors(any=True)
        hidden = _HIDDEN.search(marks.get("RequiredArgsConstructor", ""))
        return GeneratedConstructors(any=True, without_arguments=not hidden)
    return GeneratedConstructors(any=False)


def generates_getter(declared: FieldDecl) -> bool:
    """Whether a public getter is generated for the field."""
    own, of_class = _annotations(declared.node), _annotations(declared.owner.node)
    if "Getter" in own:
        return not _HIDDEN.search(own["Getter"])
    if "Getter" in of_class:
        return not _HIDDEN.search(of_class["Getter"])
    return bool(of_class.keys() & {"Data", "Value"})


def generated_setter(declared: FieldDecl) -> str | None:
    """The name, in lower case without underscores, of the public setter that is generated for the field."""
    own, of_class = _annotations(declared.node), _annotations(declared.owner.node)
    if declared.final or re.search(r"fluent\s*=\s*true", own.get("Accessors", of_class.get("Accessors", ""))):
        return None
    asked = own.get("Setter", of_class.get("Setter", "" if "Data" in of_class else None))
    if asked is None or _HIDDEN.search(asked):
        return None
    flag = str(declared.type) == "boolean" and re.match(r"is[A-Z]", declared.name)
    return "set" + declared.name[2 if flag else 0 :].lower().replace("_", "")


def _required(declared: FieldDecl) -> bool:
    return declared.value is None and (declared.final or "NonNull" in _annotations(declared.node))


def _annotations(node: Node) -> dict[str, str]:
    """Simple names of a declaration's annotations, with their arguments as text."""
    holder = next((child for child in node.children if child.type == "modifiers"), None)
    if holder is None:
        return {}
    marks = [part for part in holder.children if part.type in ("annotation", "marker_annotation")]
    return {text(field(mark, "name")).rpartition(".")[2]: text(field(mark, "arguments")) for mark in marks}
