"""``ids --head``: the pipelines of a revision. Apart from ``ids`` so that documents need no git."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from checker.commands.ids import print_topology
from checker.errors import CheckerError
from checker.extract.runtime.extracting import Execution
from checker.revisions import Repository
from checker.settings import read_settings
from checker.workflows.reading_revisions import read_pipelines


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
    execution: Execution,
) -> None:
    """Read and print every selected pipeline; one that can't be read is printed as undecided, with the reason.

    Raises UsageError when no pipeline is selected, CheckerError when none of them could be read.
    """
    repository = Repository(repo)
    revision = repository.revision(head)
    settings = read_settings(revision.files).overridden(flink=flink, parallelism=parallelism, values=values)
    execution = replace(execution, jars_root=repository.top)
    read = unread = 0
    for extracted in read_pipelines(revision, settings, pipelines, execution):
        read += 1
        failure = extracted.failure or "could not be read"
        if extracted.topology is not None:
            try:
                print_topology(extracted.topology, None, as_json, explain, indent=None)
                continue
            except CheckerError as error:
                failure = str(error)
        unread += 1
        _print_unread(extracted.entry.name, failure, as_json)
    if unread == read:
        raise CheckerError(f"none of the {unread} pipelines could be read")


def _print_unread(name: str, failure: str, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"name": name, "undecided": [{"reason": failure, "nodes": []}]}))
    else:
        print(f"{name}: could not be read: {failure}\n")
