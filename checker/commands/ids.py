"""``ids``: stream graph, chains and operator ids of documents or of a revision's pipelines."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

import typer

from checker.commands import options
from checker.errors import CheckerError, DocumentError, UsageError
from checker.extract import registry
from checker.extract.documents import iterate_documents
from checker.flink import translate
from checker.model.graphs import Translation
from checker.model.pipelines import Extracted
from checker.model.topology import Topology
from checker.report.ids import Json, ids_document
from checker.report.ids_text import ids_text
from checker.revisions import Repository
from checker.settings import read_settings

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
    output_format: IdsFormat = "text",
    explain: Explain = False,
) -> None:
    """Show operator ids as Flink computes them: of topology documents, or of a revision's pipelines.

    savepoint-checker ids job.topology.yaml
    savepoint-checker ids --head HEAD --pipeline OrdersJob --format json
    """
    if output_format not in ("text", "json"):
        raise UsageError(f"--format {output_format}: ids prints text or json")
    if files and head is not None:
        raise UsageError("give either files or --head, not both")
    as_json = output_format == "json"
    if files:
        for path in files:
            _print_documents(path, flink, parallelism, as_json, explain)
        return
    repository = Repository(repo)
    revision = repository.revision(head or "HEAD")
    settings = read_settings(revision.files).overridden(
        flink=flink, parallelism=parallelism, values=options.values_of(arg)
    )
    discovery = registry.discover(revision.files, settings)
    entries = [e for e in discovery.entries if not pipeline or any(fnmatchcase(e.name, p) for p in pipeline)]
    for note in discovery.notes:
        print(f"note: {note.message}", file=sys.stderr)
    if not entries:
        names = ", ".join(e.name for e in discovery.entries) or "none"
        wanted = f" called {', '.join(pipeline)}" if pipeline else ""
        raise UsageError(f"{revision.label}: no pipeline{wanted} found; found: {names}")
    unread = 0
    for entry in entries:
        extracted = registry.extract(revision.files, entry) or Extracted(
            entry=entry, failure="the revision has no such class or file"
        )
        if extracted.topology is None:
            unread += 1
            document: Json = {"name": entry.name, "undecided": [{"reason": extracted.failure, "nodes": []}]}
            _print(document, None, as_json, indent=None)
        else:
            _print_one(extracted.topology, flink, as_json, explain, indent=None)
    if unread == len(entries):
        raise CheckerError(f"none of the {unread} pipelines could be read")


def _print_documents(path: Path, flink: str | None, parallelism: int | None, as_json: bool, explain: bool) -> None:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DocumentError(f"{path}: no such file") from None
    except UnicodeDecodeError as error:
        raise DocumentError(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8") from None
    except OSError as error:
        raise DocumentError(f"{path}: can't be read: {error.strerror}") from None
    indent = None if path.name.endswith(".jsonl") else 2
    for _, topology in iterate_documents(text, str(path)):
        if parallelism is not None:
            topology = replace(topology, parallelism=parallelism)
        _print_one(topology, flink, as_json, explain, indent)


def _print_one(topology: Topology, flink: str | None, as_json: bool, explain: bool, indent: int | None) -> None:
    translation = translate(topology, flink)
    _print(ids_document(translation, explain=explain), translation, as_json, indent)


def _print(document: Json, translation: Translation | None, as_json: bool, indent: int | None) -> None:
    if as_json:
        print(json.dumps(document, ensure_ascii=True, indent=indent))
    elif translation is None:
        print(f"{document['name']}: could not be read: {document['undecided'][0]['reason']}\n")
    else:
        print(ids_text(translation))
