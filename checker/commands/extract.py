"""``extract``: the topology documents of a revision."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
import yaml

from checker.commands import options
from checker.engines.progress import say, waiting
from checker.errors import CheckerError, UsageError
from checker.extract.documents.writer import topology_document
from checker.extract.runtime.execution import Execution
from checker.revisions import Repository
from checker.settings import read_settings
from checker.workflows.reading_revisions import read_pipelines

ExtractFormat = Annotated[str, typer.Option("--format", metavar="FORMAT", help="yaml, json or jsonl.")]


def extract(
    repo: options.Repo = Path("."),
    head: options.Head = "HEAD",
    pipeline: options.Pipelines = None,
    flink: options.Flink = None,
    parallelism: options.Parallelism = None,
    arg: options.Args = None,
    unset: options.Unset = None,
    assume: options.Assume = None,
    allow_exec: options.AllowExec = False,
    flink_home: options.FlinkHome = None,
    exec_timeout: options.ExecTimeout = 120.0,
    output_format: ExtractFormat = "yaml",
) -> None:
    """Print the topology documents of a revision: what the extractors read, with every unknown and its reason.

    \b
    savepoint-checker extract --head HEAD --pipeline OrdersJob > orders.topology.yaml
    """
    if output_format not in ("yaml", "json", "jsonl"):
        raise UsageError(f"--format {output_format}: extract prints yaml, json or jsonl")
    repository = Repository(repo)
    revision = repository.revision(head)
    settings = read_settings(revision.files).overridden(options.overrides(flink, parallelism, arg, unset, assume))
    execution = Execution(
        allow_exec=allow_exec, flink_home=flink_home, seconds=exec_timeout, jars_root=repository.top, progress=say
    )
    documents, failures = [], []
    with waiting("reading pipelines"):
        for extracted in read_pipelines(revision, settings, tuple(pipeline or ()), execution):
            if extracted.topology is None:
                failures.append(f"{extracted.entry.name}: {extracted.failure_and_place}")
            else:
                documents.append(topology_document(extracted.topology))
    if output_format == "json":
        print(json.dumps(documents, ensure_ascii=False, indent=2))
    elif output_format == "jsonl":
        for document in documents:
            print(json.dumps(document, ensure_ascii=False))
    else:
        print(yaml.safe_dump_all(documents, allow_unicode=True, sort_keys=False), end="")
    if failures:
        raise CheckerError("; ".join(failures))
