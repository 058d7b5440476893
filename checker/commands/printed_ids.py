"""What ``ids`` prints of topologies, without the options of the command line: documents need none of its modules."""

from __future__ import annotations

import gc
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from checker.errors import DocumentError
from checker.extract.documents.reader import iterate_documents
from checker.files_below import content_of
from checker.flink import translate
from checker.model.topology import Topology
from checker.report.ids.document import Json, ids_document
from checker.report.ids.text import ids_text

_ALLOCATED = 2_000_000
"""Objects made between two searches for garbage: documents and graphs leave hardly any."""


def print_plainly(arguments: Sequence[str]) -> bool:
    """Do what ``ids FILE... [--flink VERSION] [--format FORMAT]`` asks; False, with nothing done, of any other options.

    Raises CheckerError.
    """
    files: list[Path] = []
    flink, form = None, "text"
    rest = iter(arguments)
    for argument in rest:
        if argument == "--flink":
            flink = next(rest, "-")
        elif argument == "--format":
            form = next(rest, "-")
        elif argument.startswith("-"):
            return False
        else:
            files.append(Path(argument))
    if not files or form not in ("text", "json") or (flink or "").startswith("-"):
        return False
    print_documents(files, flink, None, form == "json", explain=False)
    return True


def print_documents(
    files: Sequence[Path], flink: str | None, parallelism: int | None, as_json: bool, explain: bool
) -> None:
    """Translate the topologies of documents and print what comes of each. Raises DocumentError."""
    gc.set_threshold(_ALLOCATED)
    for path in files:
        for _, topology in iterate_documents(_text(path), str(path)):
            if parallelism is not None:
                topology = replace(topology, parallelism=parallelism)
            print_topology(topology, flink, as_json, explain, in_rows=not path.name.endswith(".jsonl"))


def _text(path: Path) -> str:
    try:
        return content_of(path).decode("utf-8-sig")
    except FileNotFoundError:
        raise DocumentError(f"{path}: no such file") from None
    except UnicodeDecodeError as error:
        raise DocumentError(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8") from None
    except OSError as error:
        raise DocumentError(f"{path}: can't be read: {error.strerror}") from None


def print_topology(topology: Topology, flink: str | None, as_json: bool, explain: bool, in_rows: bool) -> None:
    """Translate one topology and print what came of it."""
    translation = translate(topology, flink)
    if as_json:
        document = ids_document(translation, explain=explain)
        print(_rows(document) if in_rows else json.dumps(document, check_circular=False))
    else:
        print(ids_text(translation))


def _rows(document: Json) -> str:
    """A document with a line for each node and vertex: the encoder that indents takes four times as long."""
    parts = []
    for key, value in document.items():
        text = json.dumps(value, check_circular=False)
        if value and isinstance(value, list):
            opening = f'{{"{next(iter(value[0]))}": '  # how each row begins; no text holds a quote as it is
            rows = text[1:-1].replace(f", {opening}", f",\n    {opening}")
            text = f"[\n    {rows}\n  ]"
        parts.append(f'  "{key}": {text}')
    return "{\n" + ",\n".join(parts) + "\n}"
