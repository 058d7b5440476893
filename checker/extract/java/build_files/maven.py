"""``pom.xml``: properties, dependencies with their management, and the parent."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

from checker.extract.java.build_files.declared import Declared, is_flinks


def read_pom(text: str) -> Declared:
    """What a Maven file declares; nothing where it is not XML."""
    if "<!ENTITY" in text:
        return Declared()
    try:
        root = ElementTree.fromstring(text.lstrip())
    except (ElementTree.ParseError, ValueError):
        return Declared()
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
    values = dict(_properties(root))
    for profile in root.findall("profiles/profile"):
        active = profile.findtext("activation/activeByDefault", "").strip() == "true"
        for name, value in _properties(profile):
            if active:
                values[name] = value
            else:
                values.setdefault(name, value)
    versions = [version for dependency in root.iter("dependency") if (version := _version(dependency))]
    parent = root.find("parent")
    return Declared(
        {name: frozenset({value}) for name, value in values.items()},
        tuple(versions),
        None if parent is None else parent.findtext("relativePath", "../pom.xml").strip() or None,
    )


def _properties(element: ElementTree.Element) -> Iterator[tuple[str, str]]:
    for property_ in element.findall("properties/*"):
        if property_.text and property_.text.strip():
            yield property_.tag, property_.text.strip()


def _version(dependency: ElementTree.Element) -> str | None:
    group, artifact = (dependency.findtext(name, "").strip() for name in ("groupId", "artifactId"))
    return dependency.findtext("version", "").strip() or None if is_flinks(group, artifact) else None
