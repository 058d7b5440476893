"""``ids``: stream graph, chains and operator ids of documents or of a revision's pipelines."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from checker.commands import options
from checker.commands.printed_ids import print_documents, print_topology
from checker.errors import CheckerError, UsageError
from checker.settings import Overrides

if TYPE_CHECKING:
    from checker.extract.runtime.execution import Execution

Files = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[FILE]...", help="Topology documents (.yaml, .json, .jsonl)."),
]
IdsFormat = Annotated[str, typer.Option("--format", metavar="FORMAT", help="text or json.")]
Explain = Annotated[bool, typer.Option("--explain", help="Add what went into each id and why edges don't chain.")]


@dataclass(frozen=True, kw_only=True)
class IdsOptions(options.WhatIsGiven, options.WhatMayRun):
    """What ``ids`` is asked."""

    files: Files = None
    repo: options.Repo = Path(".")
    head: Annotated[str | None, typer.Option("--head", metavar="REV", help="Pipelines of this revision.")] = None
    pipeline: options.Pipelines = None
    output_format: IdsFormat = "text"
    explain: Explain = False


@options.options_of(IdsOptions)
def ids(asked: IdsOptions) -> None:
    """Show operator ids as Flink computes them: of topology documents, or of a revision's pipelines.

    \b
    savepoint-checker ids job.topology.yaml
    savepoint-checker ids --head HEAD --pipeline OrdersJob --format json
    """
    if asked.output_format not in ("text", "json"):
        raise UsageError(f"--format {asked.output_format}: ids prints text or json")
    if asked.files and asked.head is not None:
        raise UsageError("give either files or --head, not both")
    as_json = asked.output_format == "json"
    if asked.files:
        print_documents(asked.files, asked.flink, asked.parallelism, as_json, asked.explain)
        return
    _print_revision(
        asked.repo,
        asked.head or "HEAD",
        pipelines=tuple(asked.pipeline or ()),
        overrides=asked.overrides,
        as_json=as_json,
        explain=asked.explain,
        execution=asked.execution,
    )


def _print_revision(
    repo: Path,
    head: str,
    *,
    pipelines: tuple[str, ...],
    overrides: Overrides,
    as_json: bool,
    explain: bool,
    execution: Execution,
) -> None:
    """Read and print every selected pipeline; one that can't be read is printed as undecided, with the reason.

    Raises UsageError when no pipeline is selected, CheckerError when none of them could be read.
    """
    # Documents need none of these: they are printed without git.
    from checker.engines.progress import waiting
    from checker.revisions import Repository
    from checker.settings import read_settings
    from checker.workflows.reading_revisions import read_pipelines

    repository = Repository(repo)
    revision = repository.revision(head)
    settings = read_settings(revision.files).overridden(overrides)
    execution = replace(execution, jars_root=repository.top)
    read = unread = 0
    with waiting("reading pipelines"):
        everything = list(read_pipelines(revision, settings, pipelines, execution))
    for extracted in everything:
        read += 1
        failure = extracted.failure_and_place
        if extracted.topology is not None:
            try:
                print_topology(extracted.topology, None, as_json, explain, in_rows=False)
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
