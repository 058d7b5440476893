"""Edits of the Flink image that programs run in: image files, compose files and manifests."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from checker.extract.asking.consulted import ask
from checker.extract.asking.listing import listing_of
from checker.extract.changed_files.difference import differing
from checker.extract.changed_files.variables import may_set
from checker.extract.deployments.image_files import is_image_file, jars
from checker.extract.deployments.matching import makers_of
from checker.extract.deployments.unrendered import RESOURCE
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


def changed_images(
    base: SourceFiles, head: SourceFiles, main: str, resources: frozenset[str]
) -> Iterator[ChangedImage]:
    """Files that name another release of Flink's image, and may describe where a program runs.

    ``resources`` are the names of the operator's resources that run it, where these are known.
    """
    for path in differing(base, head):
        if not (is_image_file(path) or may_set(path)) or is_elsewhere(path, base, head, main):
            continue
        before, after = (_releases(files, path, resources) for files in (base, head))
        if before and after and before != after:
            yield ChangedImage(Location(path, 1), before, after)


def is_elsewhere(path: str, base: SourceFiles, head: SourceFiles, main: str) -> bool:
    """Whether a file belongs to a module that a program's source is not part of, or to an image of others only."""
    folder = posixpath.dirname(path)
    while folder and not main.startswith(f"{folder}/"):
        if any(posixpath.join(folder, name) in listing_of(head).all for name in _BUILDS):
            return True
        folder = posixpath.dirname(folder)
    return is_image_file(path) and all(_holds_others(path, files, main) for files in (base, head))


def _holds_others(path: str, files: SourceFiles, main: str) -> bool:
    """Whether an image file copies jars of the repository's modules, and none of the module of a program."""
    if path not in listing_of(files).all:
        return True
    copied = jars({path: files.read(path).decode("utf-8", "replace")})
    makers = makers_of([*copied, *(source for sources in copied.values() for source in sources)], files)
    own = next(iter(ask(files, "module", posixpath.dirname(main))), None)
    return bool(makers) and own not in makers


def _releases(files: SourceFiles, path: str, resources: frozenset[str]) -> frozenset[str]:
    """The releases that a file names; of several manifests those of the resources, where these are known."""
    if path not in listing_of(files).all:
        return frozenset()
    text = files.read(path).decode("utf-8", "replace")
    if resources and RESOURCE.search(text):
        parts = re.split(r"^---.*$", text, flags=re.M)
        own = re.compile(rf"\bname:\s*[\"']?(?:{'|'.join(map(re.escape, sorted(resources)))}|\S{{0,500}}?[{{$])")
        text = "\n".join(part for part in parts if not RESOURCE.search(part) or own.search(part))
    given = dict(_GIVEN.findall(text))
    filled = _USED.sub(lambda used: str(given.get(used[1]) or used[2] or ""), text)
    return frozenset(_IMAGE.findall(filled))
