"""The input of an audit's tasks: a stretch of one repository's history, with all contents that extractors may read.

A stretch holds consecutive revisions as differences, and each content once; it is written to one file, from which its
tasks read it. Several tasks share a stretch, each reads some of its pipelines. What is too much for one file is cut
into several stretches, so that memory does not grow with the length of a history.
"""

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from uuid import uuid4

from checker.errors import CheckerError, RevisionError
from checker.extract.changed_files.difference import why_unreadable
from checker.extract.changed_files.unread_starts import may_hold_command
from checker.extract.deployments.discovery import tells_of_starts
from checker.extract.paths import kind_of
from checker.model.nested import Json
from checker.model.sources import SourceFiles, links_of, submodules_of
from checker.revisions import Repository
from checker.workflows.audit.planning import AuditedRepository, Point, Step
from checker.workflows.carried_files import may_be_read, pack

MAX_CONTENT = 4 * 1024 * 1024
"""Bytes of a file beyond which its content does not travel, unless it is a topology document."""
MAX_PACKED = 48 * 1024 * 1024
"""Packed bytes of one wave after which the next one begins."""
MAX_REVISIONS = 2_000
"""Revisions of one wave."""
_FIRST = 1 / 8
"""Part of the most that a wave may hold in the first one."""
_STRETCHES_A_SLOT = 2
"""Parts that a history of documents is cut into for each slot: each reads all of them once more."""
_FEWEST_REVISIONS = 10
"""A stretch is not cut shorter to make tasks: each reads all pipelines once at its first revision."""
_PROGRAM = re.compile(rb"\bmain\s*\(|pyflink")
_CODE = (".java", ".py", ".kt", ".scala")
_BINARY = (".jar", ".zip", ".gz", ".tgz", ".tar", ".class", ".parquet", ".bin", ".so", ".dll", ".exe", ".jks", ".p12")
"""Ends of files that are no texts, whatever they hold."""
_BYTES_A_UNIT = 60
"""Bytes of code that take as long to read as one pipeline at one step takes to be judged, for ten public histories."""


@dataclass(frozen=True, slots=True)
class Task:
    """One share of the pipelines of a stretch."""

    repository: str
    stretch: str
    """The stretch's file."""
    share: int = 0
    shares: int = 1


@dataclass(frozen=True, slots=True)
class Written:
    """A stretch in its file, and how much work it is."""

    repository: str
    file: str
    pipelines: int
    """An estimate of their number."""
    work: int
    """An estimate, to share the work evenly."""


@dataclass
class Wave:
    """Stretches that are computed and committed together."""

    slots: int
    folder: Path
    """Where its stretches lie."""
    share: float = 1
    """Of the most that a wave may hold, the part at which it is full."""
    stretches: list[Written] = field(default_factory=list)
    steps: dict[str, list[str]] = field(default_factory=dict)
    """Repository → ids of the steps in it."""
    failed: dict[str, str] = field(default_factory=dict)
    """Repository → why its revisions can't be read."""
    packed: int = 0
    revisions: int = 0

    @property
    def full(self) -> bool:
        """Whether the next stretch belongs to another wave."""
        return self.packed >= MAX_PACKED * self.share or self.revisions >= MAX_REVISIONS * self.share

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The largest stretches first, each with as many shares as it is parts of what one slot does in this wave."""
        part = sum(stretch.work for stretch in self.stretches) / self.slots
        found: list[Task] = []
        for stretch in sorted(self.stretches, key=lambda cut: (-cut.work, cut.repository)):
            shares = max(1, min(stretch.pipelines, self.slots, ceil(stretch.work / part)))
            found += (Task(stretch.repository, stretch.file, share, shares) for share in range(shares))
        return tuple(found)


def waves(
    repositories: Iterable[AuditedRepository], done: dict[str, set[str]], slots: int, folder: Path
) -> Iterator[Wave]:
    """The steps that are not done yet, in waves that lie each in a folder of their own below ``folder``.

    The first ones are small where there is more than one slot: work begins before all is packed.
    """
    todo = [
        (audited, audited.repository, steps)
        for audited in repositories
        if audited.repository is not None
        for steps in _runs(audited.steps, set(done.get(audited.name, ())))
    ]
    wanted = -(-slots * _STRETCHES_A_SLOT // max(1, len(todo))) if slots > 1 else 1
    wave = Wave(slots, folder / "1", _FIRST if slots > 1 else 1)
    failed: set[str] = set()
    for audited, repository, steps in todo:
        rest: Sequence[Step] = [] if audited.name in failed else steps
        even = max(_FEWEST_REVISIONS, ceil(len(steps) / wanted))
        while rest:
            stretch = _Stretch(audited, repository)
            try:
                rest = stretch.fill(rest, MAX_REVISIONS - wave.revisions, even)
            except (CheckerError, OSError) as error:  # a damaged repository stops no other
                wave.failed[audited.name] = str(error)
                failed.add(audited.name)
                break
            _add(wave, stretch)
            if wave.full:
                yield wave
                wave = Wave(slots, folder / str(int(wave.folder.name) + 1), min(1, 2 * wave.share))
        repository.release()
    if wave.stretches or wave.failed:
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


class _Stretch:
    """Consecutive revisions, as they are gathered."""

    def __init__(self, audited: AuditedRepository, repository: Repository) -> None:
        self.audited = audited
        self._repository = repository
        self.contents: dict[str, bytes] = {}
        self.revisions: list[Json] = []
        self.steps: list[str] = []
        self.programs: set[str] = set()
        """Names of programs' files, as far as a quick look shows."""
        self.documents: set[str] = set()
        self._stubs: set[str] = set()
        """Contents that travel by their names only."""
        self.packed = self.code = 0

    def fill(self, steps: Sequence[Step], most: int, even: int) -> Sequence[Step]:
        """Take the first of these steps, as many as fit; the others.

        ``even`` is the number for one of several tasks, where they can't share the pipelines.
        """
        before: dict[str, str] = {}
        named: Json = {}
        commit = None
        first = steps[0].base
        points = [*([(None, first)] if first else []), *((s, s.head) for s in steps)]
        for step, point in points:
            listing = before
            if point.commit != commit:
                files = self._repository.files_at(point.commit)
                listing = self._listing(files)
                named = {"links": dict(links_of(files)), "submodules": dict(submodules_of(files))}
            self.revisions.append({**_revision(step, point, before, listing), **named})
            before, commit = listing, point.commit
            if step is not None:
                self.steps.append(step.id)
                if self._ends(most, even):
                    break
        return steps[len(self.steps) :]

    def _ends(self, most: int, even: int) -> bool:
        taken = len(self.steps)
        if self.packed >= MAX_PACKED or taken >= most:
            return True
        return len(self.programs) < 2 and taken >= even

    def _listing(self, files: SourceFiles) -> dict[str, str]:
        """What a revision has that pipelines may depend on; contents not seen before are packed."""
        listing = {path: files.content_id(path) for path in files.paths() if _matters(path)}
        for path, content_id in listing.items():
            if content_id in self.contents and not (content_id in self._stubs and _is_read(path)):
                continue
            content = _content(files, path)
            if content is None:
                self._stubs.add(content_id)
                self.contents[content_id] = pack(f"\0{content_id}".encode())
                continue
            self._stubs.discard(content_id)
            fits = len(content) <= MAX_CONTENT or ".topology." in path
            self.contents[content_id] = pack(content) if fits else b""
            self.packed += len(self.contents[content_id])
            if path.endswith(".sql") or ".topology." in path:
                self.documents.add(path)
            elif path.endswith(_CODE):
                self.code += len(content)
                if path.endswith((".java", ".py")) and b"flink" in content and _PROGRAM.search(content):
                    self.programs.add(path.rpartition("/")[2].partition(".")[0])
        return listing

    def write(self, file: Path) -> None:
        """Write everything to a file: contents in base64, as ``read_stretch`` gives them back."""
        contents = {key: b64encode(data).decode() for key, data in self.contents.items() if data}
        path, content = self.audited.settings_file or (None, b"")
        row = {
            "repository": self.audited.name,
            "newest": self.audited.newest,
            "settings": None if path is None else [path, b64encode(content).decode()],
            "revisions": self.revisions,
            "contents": contents,
        }
        file.write_text(json.dumps(row), encoding="ascii")


def read_stretch(file: Path) -> Json:
    """What was written of a stretch."""
    row: Json = json.loads(file.read_text(encoding="ascii"))
    settings = row["settings"] and {row["settings"][0]: b64decode(row["settings"][1])}
    return {**row, "settings": settings, "contents": {key: b64decode(data) for key, data in row["contents"].items()}}


def _matters(path: str) -> bool:
    """Whether anything of a pipeline, or of what is said of its edits, depends on a file that is called like this."""
    return (
        _is_read(path)
        or may_hold_command(path)
        or any(kind_of(path, ending) is not None for ending in (".java", ".py"))
    )


def _is_read(path: str) -> bool:
    return may_be_read(path) or tells_of_starts(path)


def _content(files: SourceFiles, path: str) -> bytes | None:
    """What a file holds, None for one that no program reads as a text, or that a partial clone leaves out."""
    if _is_read(path):
        return files.read(path)
    try:
        content = b"\0" if path.endswith(_BINARY) else files.read(path)
    except RevisionError:
        return None
    return content if why_unreadable(content) is None else None


def _add(wave: Wave, stretch: _Stretch) -> None:
    wave.folder.mkdir(parents=True, exist_ok=True)
    file = wave.folder / f"{uuid4().hex}.stretch"  # a task that remembers a stretch knows it by its name
    stretch.write(file)
    pipelines = len(stretch.programs) + len(stretch.documents)
    work = (stretch.code if stretch.programs else 0) + _BYTES_A_UNIT * len(stretch.revisions) * (1 + pipelines)
    wave.stretches.append(Written(stretch.audited.name, str(file), pipelines, work))
    wave.steps.setdefault(stretch.audited.name, []).extend(stretch.steps)
    wave.packed += stretch.packed
    wave.revisions += len(stretch.steps)


def _revision(step: Step | None, point: Point, before: dict[str, str], now: dict[str, str]) -> Json:
    return {
        "step": step.id if step else None,
        "commit": point.commit,
        "time": point.time,
        "conditions": point.conditions.label or None,
        "flink": point.conditions.flink,
        "parallelism": point.conditions.parallelism,
        "changed": {p: c for p, c in now.items() if before.get(p) != c},
        "removed": [path for path in before if path not in now],
    }
