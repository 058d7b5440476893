"""Manifests that a tool rendered: given on the command line beside both revisions, or missing."""

from __future__ import annotations

import json
import posixpath
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from checker.errors import UsageError
from checker.extract.deployments import unrendered
from checker.extract.deployments.overlays import documents
from checker.model.pipelines import Note
from checker.model.sources import OverlaidFiles, SourceFiles
from checker.settings import Settings

_FOLDER = "rendered"
"""Where given manifests lie, as reports name them."""


@dataclass(frozen=True, slots=True)
class Manifests:
    """What was given: names and texts of the head's; of the base's, None where the head's hold for both."""

    head: Sequence[tuple[str, str]] = ()
    base: Sequence[tuple[str, str]] | None = None

    def beside(self, base: SourceFiles, head: SourceFiles) -> tuple[SourceFiles, SourceFiles]:
        """The files of both revisions with what was given. Raises UsageError for what is no manifest."""
        if not self.head and not self.base:
            return base, head
        after = _paths(self.head, ())
        before = after if self.base is None else _paths(self.base, tuple(after))
        return OverlaidFiles(base, before), OverlaidFiles(head, after)

    def marked(self, settings: Settings) -> Settings:
        """The settings by which it counts as rendered of this revision: where each revision has its own."""
        return settings if self.base is None else replace(settings, rendered=(*settings.rendered, f"{_FOLDER}/*"))


def _paths(given: Sequence[tuple[str, str]], names: Sequence[str]) -> dict[str, bytes]:
    """Given manifests by their paths. Those of the base lie where the head's lie, in their order."""
    found: dict[str, bytes] = {}
    for number, (name, text) in enumerate(given):
        if not any(isinstance(document, dict | list) for document in documents(text)) and text.strip():
            raise UsageError(f"--manifests {name}: neither YAML nor JSON; give what the tool prints, rendered")
        stem = posixpath.basename(name).removesuffix(".yaml").removesuffix(".yml").removesuffix(".json")
        ending = "json" if _is_json(text) else "yaml"
        path = names[number] if number < len(names) else f"{_FOLDER}/{number + 1}-{stem}.{ending}"
        found[path] = text.encode()
    return found


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def notes_on_unrendered(files: SourceFiles, settings: Settings, manifests: Manifests) -> Iterator[Note]:
    """What of a revision would have to be rendered and nobody rendered, said once."""
    if not settings.deployments or settings.rendered or manifests.head:
        return
    found = unrendered(files)
    if not found:
        return
    counted = Counter(each.tool for each in found)
    what = ", ".join(f"{count} {tool if count > 1 else tool.singular}" for tool, count in counted.items())
    folders = ", ".join(each.folder or "." for each in found)
    verb = "is" if len(found) == 1 else "are"
    yield Note(
        message=f"{what} {verb} not rendered: {folders}; give the rendered manifests with --manifests, or with "
        "rendered in the configuration (docs/deployments.md)"
    )
