"""``ids --head``: the pipelines of a revision. Apart from ``ids`` so that documents need no git."""

from __future__ import annotations

import json
import sys
from fnmatch import fnmatchcase
from pathlib import Path

from checker.commands.ids import print_topology
from checker.errors import CheckerError, UsageError
from checker.extract import registry
from checker.model.pipelines import Extracted
from checker.revisions import Repository
from checker.settings import read_settings


def print_revision(
    repo: Path,
    head: str,
    *,
    pipelines: tuple[str, ...],
    flink: str | None,
    parallelism: int | None,
    values: tuple[tuple[str, str], ...],
    as_json: bool,
    explain: bool,
) -> None:
    """Read and print every selected pipeline; one that can't be read is printed as undecided, with the reason.

    Raises UsageError when no pipeline is selected, CheckerError when none of them could be read.
    """
    revision = Repository(repo).revision(head)
    settings = read_settings(revision.files).overridden(flink=flink, parallelism=parallelism, values=values)
    discovery = registry.discover(revision.files, settings)
    entries = [e for e in discovery.entries if not pipelines or any(fnmatchcase(e.name, p) for p in pipelines)]
    for note in discovery.notes:
        print(f"note: {note.message}", file=sys.stderr)
    if not entries:
        names = ", ".join(e.name for e in discovery.entries) or "none"
        wanted = f" called {', '.join(pipelines)}" if pipelines else ""
        raise UsageError(f"{revision.label}: no pipeline{wanted} found; found: {names}")
    unread = 0
    for entry in entries:
        extracted = registry.extract(revision.files, entry) or Extracted(
            entry=entry, failure="the revision has no such class or file"
        )
        if extracted.topology is not None:
            print_topology(extracted.topology, None, as_json, explain, indent=None)
        else:
            unread += 1
            _print_unread(entry.name, extracted.failure or "could not be read", as_json)
    if unread == len(entries):
        raise CheckerError(f"none of the {unread} pipelines could be read")


def _print_unread(name: str, failure: str, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"name": name, "undecided": [{"reason": failure, "nodes": []}]}))
    else:
        print(f"{name}: could not be read: {failure}\n")
