"""Which pipelines a change reaches, decided without reading them: what hooks remember from one run to the next.

A pipeline's topology depends on nothing but the files that were read for it, the names of the files beside them, its
entry and this tool's version. Where all of that is as remembered, and the same on both sides, the change can't have
reached it. What is remembered is only ever used to leave work out; where it is missing or damaged, work is done.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from checker import __version__
from checker.model.pipelines import PipelineEntry
from checker.model.sources import SourceFiles
from checker.workflows.check.records import CheckPlan

Json = dict[str, Any]

_NAME = "reach.json"


class Memory:
    """What is known of earlier runs in one repository, kept in a ``folder`` inside git's own."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / _NAME
        self._known: dict[str, Json] = {}
        try:
            document = json.loads(self._file.read_text(encoding="utf-8"))
            if document["version"] == __version__:
                self._known = dict(document["pipelines"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            pass

    def reaches(self, plan: CheckPlan, name: str) -> bool:
        """Whether the change between the plan's revisions may concern a pipeline."""
        base = next((e for e in plan.base_entries if e.name == name), None)
        head = next((e for e in plan.head_entries if e.name == name), None)
        known = self._known.get(name)
        if base is None or head is None or known is None:
            return True
        try:
            print_of_entry = _print(head)
            same = _print(base) == print_of_entry == known["entry"] and all(
                _state(known["files"], files) == (known["files"], known["beside"])
                for files in (plan.base_files, plan.head_files)
            )
        except (KeyError, TypeError, AttributeError):
            return True
        return not same

    def learn(self, plan: CheckPlan, judged: Iterable[Json]) -> None:
        """Remember what the head of each judged pipeline was read from. A folder that can't be written is left."""
        entries = {e.name: e for e in plan.head_entries}
        for pipeline in judged:
            used, entry = pipeline["files"]["head"], entries.get(pipeline["name"])
            self._known.pop(pipeline["name"], None)
            if used and entry is not None:
                files, beside = _state(used, plan.head_files)
                self._known[pipeline["name"]] = {"entry": _print(entry), "files": files, "beside": beside}
        text = json.dumps({"version": __version__, "pipelines": self._known})
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            temporary = self._file.with_suffix(".part")
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(self._file)
        except OSError:
            pass


def _print(entry: PipelineEntry) -> str:
    return hashlib.sha256(repr(replace(entry, optional=False)).encode("utf-8", "surrogatepass")).hexdigest()


def _state(used: Iterable[str], files: SourceFiles) -> tuple[dict[str, str], str]:
    """Contents of the files used, and the names of all files of their kinds.

    A file that is new can give a name another meaning, even when nobody looked at it.
    """
    contents = {path: files.content_id(path) for path in used}
    endings = tuple({path.rsplit(".", 1)[-1] for path in contents})
    names = "\0".join(path for path in files.paths() if path.endswith(endings))
    return contents, hashlib.sha256(names.encode("utf-8", "surrogatepass")).hexdigest()
