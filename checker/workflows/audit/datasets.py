"""The Parquet datasets of audits: append only, and nothing counts that is not in the ledger.

    DATA/topologies/repository=.../pipeline=.../*.parquet     and the same for operators and findings
    DATA/ledger/000001.json                                    what one wave wrote, with sizes and digests
    DATA/staging/                                              a wave in the making

A wave is written to ``staging``, moved into place and then entered into the ledger, which is one atomic rename: a run
that is killed before leaves files that are not trusted, and the next run removes them. One run at a time writes.
"""

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
from filelock import FileLock, Timeout

from checker import __version__
from checker.errors import CheckerError, UsageError
from checker.files_below import FilesBelow, placed
from checker.model.secrets import masked
from checker.workflows.audit.judging import FINDING, JUDGED, OPERATOR, columns

DATASETS = ("topologies", "operators", "findings")
_LEDGER, _STAGING, _LOCK = "ledger", "staging", "lock"


class DatasetError(CheckerError):
    """The datasets can't be read or written."""


@dataclass
class Datasets:
    """The datasets below one folder, held by this run. ``notes`` say what had to be repaired."""

    folder: Path
    files: dict[str, list[Path]] = field(default_factory=lambda: {name: [] for name in DATASETS})
    """Dataset → files that count."""
    done: dict[str, set[str]] = field(default_factory=dict)
    """Repository → ids of the steps that are in the files."""
    notes: list[str] = field(default_factory=list)
    entries: int = 0

    @property
    def staging(self) -> Path:
        """A folder for the next wave; of what lies in it only the files that the wave names count."""
        path = self.folder / _STAGING
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True, exist_ok=True)  # tasks of a run that failed may still write into it
        return path

    def commit(self, staging: Path, files: Sequence[Mapping[str, Any]], steps: Mapping[str, Sequence[str]]) -> None:
        """Take over files that a wave wrote below ``staging``, and what it was about.

        Each file has a ``dataset``, a ``path`` below ``staging``, ``bytes`` and ``sha256``.
        """
        number = self.entries + 1
        moved: list[tuple[Mapping[str, Any], Path]] = []
        for count, file in enumerate(sorted(files, key=lambda file: str(file["path"]))):
            source = staging / file["path"]
            target = self.folder / Path(file["path"]).parent / f"{number:06d}-{count:05d}.parquet"
            target.parent.mkdir(parents=True, exist_ok=True)
            source.replace(target)
            moved.append((file, target))
        document = {
            "format": "savepoint-checker/ledger",
            "version": 1,
            "tool": __version__,
            "steps": {repository: list(ids) for repository, ids in steps.items()},
            "files": [
                {
                    "dataset": file["dataset"],
                    "path": path.relative_to(self.folder).as_posix(),
                    "bytes": file["bytes"],
                    "sha256": file["sha256"],
                }
                for file, path in moved
            ],
        }
        name, text = f"{_LEDGER}/{number:06d}.json", json.dumps(document, ensure_ascii=False, indent=1)
        FilesBelow(self.folder).replace(name, text.encode("utf-8", "surrogatepass"), lasting=True)
        self._take(document, [(file["dataset"], path) for file, path in moved])
        self.entries = number

    def _take(self, document: dict[str, Any], files: Sequence[tuple[str, Path]]) -> None:
        for dataset, path in files:
            self.files[dataset].append(path)
        for repository, ids in document["steps"].items():
            self.done.setdefault(repository, set()).update(ids)

    def _read(self) -> None:
        """Read the ledger; an entry whose files are not what it says does not count any more."""
        ledger = self.folder / _LEDGER
        ledger.mkdir(exist_ok=True)
        for entry in sorted(ledger.glob("[0-9]*.json*")):
            self.entries = max(self.entries, int(entry.name.split(".")[0]))
        for entry in sorted(ledger.glob("[0-9]*.json")):
            damage = None
            try:
                document = json.loads(entry.read_text(encoding="utf-8"))
                files = [(f["dataset"], self.folder / f["path"], f) for f in document["files"]]
                damage = next((f"{f['path']} {d}" for _, path, f in files if (d := _damage(path, f))), None)
                if not isinstance(document["steps"], dict) or any(d not in DATASETS for d, _, _ in files):
                    damage = "it does not hold what a ledger holds"
            except (OSError, ValueError, KeyError, TypeError):
                damage = "it can't be read"
            if damage is None:
                self._take(document, [(d, p) for d, p, _ in files])
            else:
                entry.replace(entry.with_suffix(".json.damaged"))
                self.notes.append(f"{_LEDGER}/{entry.name}: {damage}: what it stood for is computed again")

    def _tidy(self) -> None:
        """Remove what killed runs left and damaged entries named: while the lock is held nothing else writes."""
        shutil.rmtree(self.folder / _STAGING, ignore_errors=True)
        trusted = {path for files in self.files.values() for path in files}
        orphans = [
            path
            for dataset in DATASETS
            for path in (self.folder / dataset).glob("repository=*/pipeline=*/*.parquet")
            if path not in trusted
        ]
        for path in orphans:
            path.unlink()
        if orphans:
            self.notes.append(f"{len(orphans)} files of runs that did not end well were removed")


@contextmanager
def datasets(place: Path | str) -> Iterator[Datasets]:
    """The datasets below a folder, which is made where it is missing. Raises CheckerError."""
    if "://" in str(place):
        raise UsageError(f"--data {masked(str(place))}: must be a folder of this machine")
    folder = Path(place).absolute()
    try:
        below, name = placed(folder)
        below.make_folder(name)
        linked = next((inner for inner in folder.rglob("*") if inner.is_symlink()), None)
        if linked is not None:
            raise DatasetError(f"--data {folder}: '{linked.name}' is a symbolic link, which no audit makes")
        with FileLock(folder / _LOCK, timeout=0):
            kept = Datasets(folder)
            kept._read()
            kept._tidy()
            try:
                yield kept
            finally:
                shutil.rmtree(folder / _STAGING, ignore_errors=True)
    except Timeout:
        raise UsageError(f"--data {folder}: another run writes here; wait for it, or give another folder") from None
    except OSError as error:
        raise DatasetError(f"--data {folder}: {error.strerror or error}") from error


def print_of(path: Path) -> dict[str, Any]:
    """Size and digest of a file."""
    with path.open("rb") as file:
        return {"bytes": path.stat().st_size, "sha256": hashlib.file_digest(file, "sha256").hexdigest()}


def _damage(path: Path, entry: dict[str, Any]) -> str | None:
    if not path.is_file():
        return "is missing"
    return None if print_of(path) == {"bytes": entry["bytes"], "sha256": entry["sha256"]} else "is damaged"


_STEP = columns("step commit: string; time: int64; conditions: string")
"""``conditions`` are those of a what-if as it was asked, null for revisions as they are."""
SUMMARY = ("status", "errors", "warnings", "moved", "undecided", "lost", "lost_ids", "ids", "cause")
"""What the dataset ``topologies`` says about the step that led to a topology."""

TOPOLOGIES = pa.schema(
    [
        *_STEP,
        *columns("previous_commit tool key extractor topology failure severities: string"),
        *(JUDGED.field(n) for n in SUMMARY),
    ]
)
OPERATORS = pa.schema([*_STEP, *OPERATOR])
FINDINGS = pa.schema([*_STEP, *FINDING])
TABLES = {"topologies": TOPOLOGIES, "operators": OPERATORS, "findings": FINDINGS}
PARTITIONS = pa.schema(columns("repository pipeline: string"))
POINTS = pa.schema(columns("repository step series: string; place: int64; first: bool"))
"""The steps that a report is about; ``place`` orders them within their repository, ``first``
marks the beginning of a series."""


def ddl(schema: pa.Schema) -> str:
    """A schema as Spark spells it."""
    return ", ".join(f"`{field.name}` {_type(field.type)}" for field in schema)


def _type(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return f"array<{_type(kind.value_type)}>"
    return {"string": "string", "int64": "bigint", "binary": "binary"}[str(kind)]
