"""Rows that an audit's tasks get: a stretch of one repository's history, with every content that extractors may read.

A stretch holds consecutive revisions as differences, and each content once. What is too big for one row is cut into
several waves, so that memory does not grow with the length of a history.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from checker.revisions import Repository
from checker.workflows.audit.planning import AuditedRepository, Point, Step
from checker.workflows.carried_files import may_be_read, pack

MAX_CONTENT = 4 * 1024 * 1024
"""Bytes of a file beyond which its content does not travel, unless it is a topology document."""
MAX_PACKED = 48 * 1024 * 1024
"""Packed bytes of one wave after which the next one begins."""
MAX_REVISIONS = 2_000
"""Revisions of one wave."""

_FILE = pa.struct([pa.field("path", pa.string()), pa.field("content_id", pa.string())])
_REVISION = pa.struct(
    [
        pa.field("step", pa.string()),
        pa.field("commit", pa.string()),
        pa.field("time", pa.int64()),
        pa.field("flink", pa.string()),
        pa.field("parallelism", pa.int64()),
        pa.field("changed", pa.list_(_FILE)),
        pa.field("removed", pa.list_(pa.string())),
    ]
)
STRETCHES = pa.schema(
    [
        pa.field("repository", pa.string()),
        pa.field("share", pa.int32()),
        pa.field("shares", pa.int32()),
        pa.field("newest", pa.string()),
        pa.field("settings_path", pa.string()),
        pa.field("settings_content", pa.binary()),
        pa.field("revisions", pa.list_(_REVISION)),
        pa.field(
            "contents",
            pa.list_(pa.struct([pa.field("content_id", pa.string()), pa.field("packed", pa.binary())])),
        ),
    ]
)


@dataclass
class Wave:
    """Stretches that are computed and committed together."""

    rows: list[dict[str, object]] = field(default_factory=list)
    steps: dict[str, list[str]] = field(default_factory=dict)
    """Repository → ids of the steps in it."""
    packed: int = 0
    revisions: int = 0

    @property
    def table(self) -> pa.Table:
        """The rows as Arrow."""
        return pa.Table.from_pylist(self.rows, schema=STRETCHES)

    @property
    def full(self) -> bool:
        """Whether the next stretch belongs to another wave."""
        return self.packed >= MAX_PACKED or self.revisions >= MAX_REVISIONS


def waves(repositories: Iterable[AuditedRepository], done: dict[str, set[str]], slots: int) -> Iterator[Wave]:
    """The steps that are not done yet, in waves of at least ``slots`` rows where there is enough to do."""
    wave = Wave()
    for audited in repositories:
        if audited.repository is None:
            continue
        for steps in _runs(audited.steps, set(done.get(audited.name, ()))):
            for part in _parts(steps, slots):
                _add(wave, audited, audited.repository, part, shares=max(1, slots // max(1, len(steps))))
                if wave.full:
                    yield wave
                    wave = Wave()
    if wave.rows:
        yield wave


def _runs(steps: Sequence[Step], done: set[str]) -> Iterator[list[Step]]:
    """Runs of consecutive steps that are still to do."""
    run: list[Step] = []
    for step in steps:
        if run and (step.id in done or step.series != run[-1].series):
            yield run
            run = []
        if step.id not in done:
            run.append(step)
            done.add(step.id)
    if run:
        yield run


def _parts(steps: list[Step], slots: int) -> Iterator[list[Step]]:
    """Equal parts: one for every slot, or of at most ``MAX_REVISIONS / slots`` revisions."""
    size = max(1, min(-(-len(steps) // slots), MAX_REVISIONS // slots))
    for start in range(0, len(steps), size):
        yield steps[start : start + size]


def _add(wave: Wave, audited: AuditedRepository, repository: Repository, steps: list[Step], *, shares: int) -> None:
    contents: dict[str, bytes] = {}
    revisions: list[dict[str, object]] = []
    before: dict[str, str] = {}
    first = steps[0]
    points = [*([(None, first.base)] if first.base else []), *((s, s.head) for s in steps)]
    commit = None
    for step, point in points:
        listing = before if point.commit == commit else _listing(repository, point, contents)
        revisions.append(_revision(step, point, before, listing))
        before, commit = listing, point.commit
    path, content = audited.settings_file or (None, None)
    packed = [{"content_id": key, "packed": data} for key, data in contents.items() if data]
    for share in range(shares):
        wave.rows.append(
            {
                "repository": audited.name,
                "share": share,
                "shares": shares,
                "newest": audited.newest,
                "settings_path": path,
                "settings_content": content,
                "revisions": revisions,
                "contents": packed,
            }
        )
    wave.steps.setdefault(audited.name, []).extend(s.id for s in steps)
    wave.packed += sum(map(len, contents.values())) * shares
    wave.revisions += len(steps)


def _listing(repository: Repository, point: Point, contents: dict[str, bytes]) -> dict[str, str]:
    """What extractors may read of a revision; contents not seen before are packed."""
    files = repository.revision(point.commit).files
    listing = {path: files.content_id(path) for path in files.paths() if may_be_read(path)}
    for path, content_id in listing.items():
        if content_id not in contents:
            content = files.read(path)
            fits = len(content) <= MAX_CONTENT or ".topology." in path
            contents[content_id] = pack(content) if fits else b""
    return listing


def _revision(step: Step | None, point: Point, before: dict[str, str], now: dict[str, str]) -> dict[str, object]:
    return {
        "step": step.id if step else None,
        "commit": point.commit,
        "time": point.time,
        "flink": point.conditions.flink,
        "parallelism": point.conditions.parallelism,
        "changed": [{"path": p, "content_id": c} for p, c in now.items() if before.get(p) != c],
        "removed": [path for path in before if path not in now],
    }
