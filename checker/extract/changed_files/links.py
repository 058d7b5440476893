"""Files that can be reached through symbolic links, which no reader follows."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping

from checker.model.sources import SourceFiles, links_of

_MOST_LINKS = 300
_MOST_FILES = 20_000


def through_links(files: SourceFiles) -> Mapping[str, str]:
    """Path through a link → content id of the file there; a link that leads out of the repository → what it says."""
    links = dict(list(links_of(files).items())[:_MOST_LINKS])
    if not links:
        return {}
    paths = files.paths()
    found: dict[str, str] = {}
    for link, text in links.items():
        target = _target(link, links)
        inside = [p for p in paths if target is not None and (p == target or p.startswith(f"{target}/"))]
        if not inside or len(found) + len(inside) > _MOST_FILES:
            found[link] = text
            continue
        for path in inside:
            found[link + path[len(target or "") :]] = files.content_id(path)
    return found


def _target(link: str, links: Mapping[str, str]) -> str | None:
    """The path that a link stands for, through further links; None where it leaves the repository."""
    path = link
    for _ in range(10):
        start = next((at for at in _starts(path) if at in links), None)
        if start is None:
            return path
        path = posixpath.normpath(posixpath.join(posixpath.dirname(start), links[start]) + path[len(start) :])
        if path.startswith(("..", "/")) or path == ".":
            return None
    return None


def _starts(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[: number + 1]) for number in range(len(parts))]
