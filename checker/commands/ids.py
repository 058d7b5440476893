"""``ids``: stream graph, chains and operator ids of documents or of a revision's pipelines."""

from __future__ import annotations

import json
from dataclasses import replace
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


def ids(
    files: Files = None,
    repo: options.Repo = Path("."),
    head: Annotated[str | None, typer.Option("--head", metavar="REV", help="Pipelines of this revision.")] = None,
    pipeline: options.Pipelines = None,
    flink: options.Flink = None,
    parallelism: options.Parallelism = None,
    arg: options.Args = None,
    unset: options.Unset = None,
    assume: options.Assume = None,
    allow_exec: options.AllowExec = False,
    flink_home: options.FlinkHome = None,
    exec_timeout: options.ExecTimeout = 120.0,
    output_format: IdsFormat = "text",
    explain: Explain = False,
) -> None:
    """Show operator ids as Flink computes them: of topology documents, or of a revision's pipelines.

    \b
    savepoint-checker ids job.topology.yaml
    savepoint-checker ids --head HEAD --pipeline OrdersJob --format json
    """
    if output_format not in ("text", "json"):
        raise UsageError(f"--format {output_format}: ids prints text or json")
    if files and head is not None:
        raise UsageError("give either files or --head, not both")
    as_json = output_format == "json"
    if files:
        print_documents(files, flink, parallelism, as_json, explain)
        return
    from checker.engines.progress import say
    from checker.extract.runtime.execution import Execution

    _print_revision(
        repo,
        head or "HEAD",
        pipelines=tuple(pipeline or ()),
        overrides=options.overrides(flink, parallelism, arg, unset, assume),
        as_json=as_json,
        explain=explain,
        execution=Execution(allow_exec=allow_exec, flink_home=flink_home, seconds=exec_timeout, progress=say),
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
