"""What was read, without a judgement: ``ids`` and ``extract`` of a revision.

``ids`` shows stream graph, chains and operator ids, also of documents; ``extract`` prints topology documents.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from checker.commands import options
from checker.errors import CheckerError, DocumentError, UsageError
from checker.extract.documents.fields import topology_document
from checker.extract.documents.reader import iterate_documents
from checker.flink import translate
from checker.model.nested import to_json
from checker.model.topology import Topology
from checker.report.ids import ids_document, ids_text, unread_document
from checker.report.presentable import visible_lines

if TYPE_CHECKING:
    from checker.model.pipelines import Extracted


@dataclass(frozen=True, kw_only=True)
class IdsOptions(options.WhatIsGiven, options.WhatMayRun):
    """What ``ids`` is asked."""

    files: list[Path] | None = None
    repo: Path = Path(".")
    head: str | None = None
    pipeline: list[str] | None = None
    output_format: str = "text"
    explain: bool = False


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
    _print_revision(asked, as_json)


def _print_revision(asked: IdsOptions, as_json: bool) -> None:
    """Read and print every selected pipeline; one that can't be read is printed as undecided, with the reason.

    Raises UsageError when no pipeline is selected, CheckerError when none of them could be read.
    """
    unread = 0
    everything = _read(asked)
    for extracted in everything:
        failure = extracted.failure_and_place
        if extracted.topology is not None:
            try:
                print_topology(extracted.topology, None, as_json, asked.explain, in_rows=False)
                continue
            except CheckerError as error:
                failure = str(error)
        unread += 1
        if as_json:
            print(to_json(unread_document(extracted.entry.name, failure), indented=False))
        else:
            print(visible_lines(f"{extracted.entry.name}: could not be read: {failure}\n"))
    if unread == len(everything):
        raise CheckerError(f"none of the {unread} pipelines could be read")


def _read(asked: IdsOptions | ExtractOptions) -> list[Extracted]:
    """The selected pipelines of a revision."""
    # Documents need none of these: they are printed without git.
    from checker.engines.progress import waiting
    from checker.revisions import Repository
    from checker.settings import read_settings
    from checker.workflows.reading_revisions import read_pipelines

    repository = Repository(asked.repo)
    revision = repository.revision(asked.head or "HEAD")
    settings = read_settings(revision.files).overridden(asked.overrides)
    execution = replace(asked.execution, jars_root=repository.top)
    with waiting("reading pipelines"):
        return list(read_pipelines(revision, settings, tuple(asked.pipeline or ()), execution))


def print_documents(
    files: Sequence[Path], flink: str | None, parallelism: int | None, as_json: bool, explain: bool
) -> None:
    """Translate the topologies of documents and print what comes of each. Raises DocumentError."""
    gc.set_threshold(2_000_000)  # objects between two searches for garbage: graphs leave hardly any
    for path in files:
        for _, topology in iterate_documents(options.text_of(path, DocumentError), str(path)):
            if parallelism is not None:
                topology = replace(topology, parallelism=parallelism)
            print_topology(topology, flink, as_json, explain, in_rows=not path.name.endswith(".jsonl"))


def print_topology(topology: Topology, flink: str | None, as_json: bool, explain: bool, in_rows: bool) -> None:
    """Translate one topology and print what came of it."""
    translation = translate(topology, flink)
    if as_json:
        document = ids_document(translation, explain=explain)
        print(to_json(document, indented=in_rows))
    else:
        print(visible_lines(ids_text(translation)))


@dataclass(frozen=True, kw_only=True)
class ExtractOptions(options.WhatIsGiven, options.WhatMayRun):
    """What ``extract`` is asked."""

    repo: Path = Path(".")
    head: str = "HEAD"
    pipeline: list[str] | None = None
    output_format: str = "yaml"


def extract(asked: ExtractOptions) -> None:
    """Print the topology documents of a revision: what the extractors read, with every unknown and its reason.

    \b
    savepoint-checker extract --head HEAD --pipeline OrdersJob > orders.topology.yaml
    """
    if asked.output_format not in ("yaml", "json", "jsonl"):
        raise UsageError(f"--format {asked.output_format}: extract prints yaml, json or jsonl")
    documents, failures = [], []
    for extracted in _read(asked):
        if extracted.topology is None:
            failures.append(f"{extracted.entry.name}: {extracted.failure_and_place}")
        else:
            documents.append(topology_document(extracted.topology))
    if asked.output_format == "json":
        print(to_json(documents))
    elif asked.output_format == "jsonl":
        for document in documents:
            print(to_json(document, indented=False))
    else:
        import yaml

        text = yaml.safe_dump_all(documents, allow_unicode=True, sort_keys=False)
        if visible_lines(text) != text:
            text = yaml.safe_dump_all(documents, sort_keys=False)
        print(text, end="")
    if failures:
        raise CheckerError("; ".join(failures))
