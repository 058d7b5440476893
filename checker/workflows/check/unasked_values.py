"""Values of the command line that no program asks for, as far as names tell: a misspelled one would change nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from checker.model.pipelines import Note
from checker.model.sources import SourceFiles

_READ = (
    ".java",
    ".py",
    ".sql",
    ".kt",
    ".scala",
    ".properties",
    ".conf",
    ".yaml",
    ".yml",
    ".json",
    ".xml",
    ".toml",
    ".sh",
)
_OF_FLINK = re.compile(
    r"(?:pipeline|execution|table|parallelism|taskmanager|jobmanager|state|python|restart-strategy|env|cluster|rest|"
    r"high-availability|security|metrics|fs|s3|kubernetes|classloader|akka|pekko|blob|heartbeat|slotmanager)\b.*\."
)
"""Options of Flink, which no program has to name."""


def unasked_values(values: Iterable[tuple[str, str]], files: SourceFiles) -> Iterator[Note]:
    """A note for each key whose last part is in no file of a revision, however its words are joined there."""
    wanted = {key: _letters(key.rpartition(".")[2]) for key, _ in values if not _OF_FLINK.match(key)}
    for path in files.paths() if wanted else ():
        if path.endswith(_READ):
            text = _letters(files.read(path).decode("utf-8", "replace"))
            wanted = {key: word for key, word in wanted.items() if word not in text}
            if not wanted:
                return
    for key in wanted:
        yield Note(message=f"--arg {key}: nothing in the repository asks for it, so it has no effect")


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()
