"""Gradle and sbt files, their properties and version catalogs: declarations found in the text, comments left out."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from checker.extract.java.build_files.declared import Declared, is_flinks

_COMMENT = re.compile(
    r'((?<!\\)(?:"""(?:.|\n)*?"""|\'\'\'(?:.|\n)*?\'\'\'|"(?:\\.|[^"\\\n])*+"|\'(?:\\.|[^\'\\\n])*+\'))|'
    r"//[^\n]*|/\*(?:.|\n)*?(?:\*/|\Z)"
)
_LITERAL = r"""["'](\d+\.\d[^"'\s]*)["']"""
_VALUES = (
    # flinkVersion = '1.20.0', ext.flinkVersion = …, val flinkVersion: String = …, public static final String FLINK = …
    re.compile(rf"\b([A-Za-z_]\w*)\s*(?::\s*String\s*)?=\s*{_LITERAL}"),
    # flink: '1.20.0' and "flink" to "1.20.0" in maps
    re.compile(rf"\b([A-Za-z_]\w*)[\"']?\s*:\s*{_LITERAL}"),
    re.compile(rf"[\"']([\w.-]+)[\"']\s+to\s+{_LITERAL}"),
    # extra["flinkVersion"] = …, extra.set("flinkVersion", …), set("flinkVersion", …)
    re.compile(rf"\[\s*[\"']([\w.-]+)[\"']\s*\]\s*=\s*{_LITERAL}"),
    re.compile(rf"\bset\(\s*[\"']([\w.-]+)[\"']\s*,\s*{_LITERAL}"),
    # val flinkVersion by extra("1.20.0"), by extra { … }
    re.compile(rf"\bval\s+(\w+)(?:\s*:\s*String)?\s+by\s+extra\s*[({{]\s*{_LITERAL}"),
)
_TEXT_OR_NAME = r"""(["'][^"'\n]+["']|[A-Za-z_][\w.]*(?:\(["']?[\w.]*["']?\))?(?:\[["'][\w.-]+["']\])?)"""
_NOTATIONS = (
    # "org.apache.flink:flink-core:1.20.0", with ${…} or $… as version, or followed by + flinkVersion
    re.compile(r"""["']([\w.]+):(flink-[^:"'\n]+):([^"'@\n]+)(?:@\w+)?["']"""),
    re.compile(r"""["']([\w.]+):(flink-[^:"'\n]+):["']\s*\+\s*([A-Za-z_][\w.]*)"""),
    # group: 'org.apache.flink', name: 'flink-core', version: …; in Kotlin with =
    re.compile(
        rf"group\s*[:=]\s*[\"']([\w.]+)[\"']\s*,\s*name\s*[:=]\s*[\"'](flink-[^\"'\n]+)[\"']\s*,\s*"
        rf"version\s*[:=]\s*{_TEXT_OR_NAME}"
    ),
    # ("org.apache.flink", "flink-core", …)
    re.compile(rf"\(\s*[\"']([\w.]+)[\"']\s*,\s*[\"'](flink-[^\"'\n]+)[\"']\s*,\s*{_TEXT_OR_NAME}"),
    # sbt: "org.apache.flink" %% "flink-core" % …
    re.compile(rf"[\"']([\w.]+)[\"']\s*%%?\s*[\"'](flink-[^\"'\n]+)[\"']\s*%\s*{_TEXT_OR_NAME}"),
)


def read_script(text: str) -> Declared:
    """What a Gradle or sbt file declares, or a Kotlin, Groovy, Scala or Java file of constants beside it."""
    text = _COMMENT.sub(lambda match: match.group(1) or " ", text)
    values: dict[str, set[str]] = {}
    for pattern in _VALUES:
        for name, value in pattern.findall(text):
            values.setdefault(name, set()).add(value)
    versions = [
        version.strip("\"'") for pattern in _NOTATIONS for group, artifact, version in pattern.findall(text)
        if is_flinks(group, artifact)
    ]  # fmt: skip
    return Declared({name: frozenset(several) for name, several in values.items()}, tuple(versions))


def read_properties(text: str) -> Declared:
    """``gradle.properties``: the last value of a name holds."""
    values = re.findall(r"^[ \t]*(?![#!])([\w.-]+)[ \t]*[=:][ \t]*(\S+)", text, re.MULTILINE)
    return Declared({name: frozenset({value}) for name, value in values})


def read_catalog(text: str) -> Declared:
    """``libs.versions.toml``: versions by name, and the libraries that refer to them."""
    try:
        table: dict[str, Any] = tomllib.loads(text)
    except (ValueError, RecursionError):
        return Declared()
    known, libraries = (table.get(key) for key in ("versions", "libraries"))
    values = {name: frozenset({v}) for name, version in _items(known) if (v := _rich(version))}
    versions = [version for _, library in _items(libraries) if (version := _library(library))]
    return Declared(values, tuple(versions))


def _items(table: object) -> list[tuple[str, Any]]:
    return list(table.items()) if isinstance(table, dict) else []


def _rich(version: Any) -> str | None:
    """A version as text, or the strictest part of a rich one."""
    if isinstance(version, dict):
        version = next((version[key] for key in ("strictly", "require", "prefer") if key in version), None)
    return version if isinstance(version, str) else None


def _library(library: Any) -> str | None:
    """The version of a library that is Flink's own, or the name of one."""
    if isinstance(library, str):
        library = dict(zip(("group", "name", "version"), library.split(":"), strict=False))
    if not isinstance(library, dict):
        return None
    group, _, artifact = str(library.get("module") or f"{library.get('group')}:{library.get('name')}").partition(":")
    if not is_flinks(group, artifact):
        return None
    version = library.get("version")
    if isinstance(version, dict) and "ref" in version:
        return str(version["ref"])
    return _rich(version)
