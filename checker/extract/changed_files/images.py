"""Edits of the Flink image that programs run in: image files, compose files and manifests."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from checker.extract.changed_files.difference import differing
from checker.extract.changed_files.variables import may_set
from checker.extract.deployments.image_files import is_image_file
from checker.extract.listing import listing_of
from checker.model.sources import SourceFiles
from checker.model.unknowns import Location

_GIVEN = re.compile(r"^[ \t]*(?:ARG|ENV)[ \t]+(\w+)[= ][\"']?([\w.-]+)", re.M)
_USED = re.compile(r"\$\{?(\w+)(?::-([\w.-]+))?\}?")
_IMAGE = re.compile(
    r"^[ \t-]*(?:FROM(?:[ \t]+--\S+)?|image:)[ \t]+[\"']?(?:[\w.:-]+/)*(?:flink|pyflink):v?(\d+\.\d+)", re.M
)
_BUILDS = ("pom.xml", "build.gradle", "build.gradle.kts", "build.sbt")


@dataclass(frozen=True, slots=True)
class ChangedImage:
    """The minor releases of Flink's images that a file names, in both revisions."""

    location: Location
    base: frozenset[str]
    head: frozenset[str]


def changed_images(base: SourceFiles, head: SourceFiles, main: str) -> Iterator[ChangedImage]:
    """Files that name another release of Flink's image, and may describe where a program runs."""
    for path in differing(base, head):
        if not (is_image_file(path) or may_set(path)) or not _concerns(path, head, main):
            continue
        before, after = (_releases(files, path) for files in (base, head))
        if before and after and before != after:
            yield ChangedImage(Location(path, 1), before, after)


def _concerns(path: str, files: SourceFiles, main: str) -> bool:
    """Whether a file stands above a program's source, or in a folder that is not a module of its own."""
    folder = posixpath.dirname(path)
    if not folder or main.startswith(f"{folder}/"):
        return True
    return not any(posixpath.join(folder, name) in listing_of(files).all for name in _BUILDS)


def _releases(files: SourceFiles, path: str) -> frozenset[str]:
    if path not in listing_of(files).all:
        return frozenset()
    text = files.read(path).decode("utf-8", "replace")
    given = dict(_GIVEN.findall(text))
    filled = _USED.sub(lambda used: str(given.get(used[1]) or used[2] or ""), text)
    return frozenset(_IMAGE.findall(filled))
