"""Members that Lombok's annotations generate, as far as Flink's type extraction asks for them.

Settings lie in ``lombok.config`` files: the nearest folder's wins, up to a file that stops the search. Asked of Lombok
1.18 with Flink 1.20.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass

from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import ClassDecl, FieldDecl
from checker.extract.java.syntax.tree import Node, field, text

_CONSTRUCTORS = frozenset({"NoArgsConstructor", "AllArgsConstructor", "RequiredArgsConstructor"})
CONFIGURATION = "lombok.config"
_SETTING = re.compile(r"\s*([\w.]+)\s*(\+|)=\s*(\S+)")
_PREFIX = "lombok.accessors.prefix"
_FLUENT = re.compile(r"fluent\s*=\s*(true|false)")
_MADE_FINAL = re.compile(r"makeFinal\s*=\s*(true|false)")
_HIDDEN = re.compile(r"\b(PRIVATE|PACKAGE|PROTECTED|MODULE|NONE)\b")


@dataclass(frozen=True, slots=True)
class LombokSettings:
    """What ``lombok.config`` decides: fluent accessors, prefixes that their names leave out, fields made final."""

    fluent: bool = False
    prefixes: tuple[str, ...] = ()
    final: bool = False


def lombok_settings(index: ClassIndex, path: str) -> LombokSettings:
    """The settings that hold for a source file."""
    there = frozenset(path for path in index.ask("ending", CONFIGURATION) if posixpath.basename(path) == CONFIGURATION)
    found: dict[str, str] = {}
    prefixes: list[str] = []
    folder = posixpath.dirname(path)
    while there:
        config = posixpath.join(folder, CONFIGURATION)
        lines = index.read(config).decode("utf-8", "replace").splitlines() if config in there else ()
        settings = [match for line in lines if (match := _SETTING.match(line)) is not None]
        prefixes += [m[3] for m in settings if m[2] == "+" and m[1].lower() == _PREFIX]
        for match in reversed(settings):
            found.setdefault(match[1].lower(), match[3].lower())
        if not folder or found.get("config.stopbubbling") == "true":
            break
        folder = posixpath.dirname(folder)
    return LombokSettings(
        fluent=found.get("lombok.accessors.fluent") == "true",
        prefixes=tuple(prefixes),
        final=found.get("lombok.fielddefaults.defaultfinal") == "true",
    )


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
        bare = [f for f in decl.fields.values() if not f.static and f.value is None]
        if any(f.final or "NonNull" in _annotations(f.node) for f in bare):
            return GeneratedConstructors(any=True)
        hidden = _HIDDEN.search(marks.get("RequiredArgsConstructor", ""))
        return GeneratedConstructors(any=True, without_arguments=not hidden)
    return GeneratedConstructors(any=False)


def generates_getter(declared: FieldDecl, settings: LombokSettings) -> bool:
    """Whether a public getter that has the field's name is generated for it."""
    own, of_class = _annotations(declared.node), _annotations(declared.owner.node)
    if _renamed(own, of_class, settings):
        return False
    if "Getter" in own:
        return not _HIDDEN.search(own["Getter"])
    if "Getter" in of_class:
        return not _HIDDEN.search(of_class["Getter"])
    return bool(of_class.keys() & {"Data", "Value"})


def generated_setter(declared: FieldDecl, settings: LombokSettings) -> str | None:
    """The name, in lower case without underscores, of the public setter that is generated for the field."""
    own, of_class = _annotations(declared.node), _annotations(declared.owner.node)
    asked_fluent = _FLUENT.search(own.get("Accessors", of_class.get("Accessors", "")))
    fluent = settings.fluent if asked_fluent is None else asked_fluent[1] == "true"
    if fluent or _final(declared, own, of_class, settings) or _renamed(own, of_class, settings):
        return None
    asked = own.get("Setter", of_class.get("Setter", "" if "Data" in of_class else None))
    if asked is None or _HIDDEN.search(asked):
        return None
    flag = str(declared.type) == "boolean" and re.match(r"is[A-Z]", declared.name)
    return "set" + declared.name[2 if flag else 0 :].lower().replace("_", "")


def _renamed(own: dict[str, str], of_class: dict[str, str], settings: LombokSettings) -> bool:
    """Whether accessors leave out a prefix of field names: then none has the name that Flink looks for."""
    return bool(settings.prefixes) or "prefix" in own.get("Accessors", of_class.get("Accessors", ""))


def _final(declared: FieldDecl, own: dict[str, str], of_class: dict[str, str], settings: LombokSettings) -> bool:
    asked = _MADE_FINAL.search(of_class.get("FieldDefaults", ""))
    made = settings.final if asked is None else asked[1] == "true"
    return declared.final or (made and "NonFinal" not in own)


def _annotations(node: Node) -> dict[str, str]:
    """Simple names of a declaration's annotations, with their arguments as text."""
    holder = next((child for child in node.children if child.type == "modifiers"), None)
    if holder is None:
        return {}
    marks = [part for part in holder.children if part.type in ("annotation", "marker_annotation")]
    return {text(field(mark, "name")).rpartition(".")[2]: text(field(mark, "arguments")) for mark in marks}
