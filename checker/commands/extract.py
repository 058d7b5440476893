"""``extract``: the topology documents of a revision."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer
import yaml

from checker.commands import options
from checker.engines.progress import waiting
from checker.errors import CheckerError, UsageError
from checker.extract.documents.writer import topology_document
from checker.revisions import Repository
from checker.settings import read_settings
from checker.workflows.reading_revisions import read_pipelines

ExtractFormat = Annotated[str, typer.Option("--format", metavar="FORMAT", help="yaml, json or jsonl.")]


@dataclass(frozen=True, kw_only=True)
class ExtractOptions(options.WhatIsGiven, options.WhatMayRun):
    """What ``extract`` is asked."""

    repo: options.Repo = Path(".")
    head: options.Head = "HEAD"
    pipeline: options.Pipelines = None
    output_format: ExtractFormat = "yaml"


@options.options_of(ExtractOptions)
def extract(asked: ExtractOptions) -> None:
    """Print the topology documents of a revision: what the extractors read, with every unknown and its reason.

    \b
    savepoint-checker extract --head HEAD --pipeline OrdersJob > orders.topology.yaml
    """
    if asked.output_format not in ("yaml", "json", "jsonl"):
        raise UsageError(f"--format {asked.output_format}: extract prints yaml, json or jsonl")
    repository = Repository(asked.repo)
    revision = repository.revision(asked.head)
    settings = read_settings(revision.files).overridden(asked.overrides)
    execution = replace(asked.execution, jars_root=repository.top)
    documents, failures = [], []
    with waiting("reading pipelines"):
        for extracted in read_pipelines(revision, settings, tuple(asked.pipeline or ()), execution):
            if extracted.topology is None:
                failures.append(f"{extracted.entry.name}: {extracted.failure_and_place}")
            else:
                documents.append(topology_document(extracted.topology))
    if asked.output_format == "json":
        print(json.dumps(documents, ensure_ascii=False, indent=2))
    elif asked.output_format == "jsonl":
        for document in documents:
            print(json.dumps(document, ensure_ascii=False))
    else:
        print(yaml.safe_dump_all(documents, allow_unicode=True, sort_keys=False), end="")
    if failures:
        raise CheckerError("; ".join(failures))
