"""``extract``: the topology documents of a revision."""

from __future__ import annotations

import json
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

import typer
import yaml

from checker.commands import options
from checker.errors import CheckerError, UsageError
from checker.extract import registry
from checker.extract.document_writer import topology_document
from checker.revisions import Repository
from checker.settings import read_settings

ExtractFormat = Annotated[str, typer.Option("--format", metavar="FORMAT", help="yaml, json or jsonl.")]


def extract(
    repo: options.Repo = Path("."),
    head: options.Head = "HEAD",
    pipeline: options.Pipelines = None,
    flink: options.Flink = None,
    parallelism: options.Parallelism = None,
    arg: options.Args = None,
    output_format: ExtractFormat = "yaml",
) -> None:
    """Print the topology documents of a revision: what the extractors read, with every unknown and its reason.

    savepoint-checker extract --head HEAD --pipeline OrdersJob > orders.topology.yaml
    """
    if output_format not in ("yaml", "json", "jsonl"):
        raise UsageError(f"--format {output_format}: extract prints yaml, json or jsonl")
    revision = Repository(repo).revision(head)
    settings = read_settings(revision.files).overridden(
        flink=flink, parallelism=parallelism, values=options.values_of(arg)
    )
    discovery = registry.discover(revision.files, settings)
    for note in discovery.notes:
        print(f"note: {note.message}", file=sys.stderr)
    documents, failures = [], []
    for entry in discovery.entries:
        if pipeline and not any(fnmatchcase(entry.name, p) for p in pipeline):
            continue
        extracted = registry.extract(revision.files, entry)
        if extracted is None or extracted.topology is None:
            failures.append(f"{entry.name}: {extracted.failure if extracted else 'not in this revision'}")
        else:
            documents.append(topology_document(extracted.topology))
    if output_format == "json":
        print(json.dumps(documents, ensure_ascii=False, indent=2))
    elif output_format == "jsonl":
        for document in documents:
            print(json.dumps(document, ensure_ascii=False))
    else:
        print(yaml.safe_dump_all(documents, allow_unicode=True, sort_keys=False), end="")
    if failures or not documents:
        raise CheckerError("; ".join(failures) or f"{revision.label}: no pipelines found")
