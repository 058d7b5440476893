"""The scope of an audit: one repository or a fleet, the points of each history in order, and the steps between them.

``--fleet FILE`` names repositories by folder:

    [[repository]]
    path = "../orders"            # relative to the file
    [[repository]]
    name = "billing"
    path = "../billing.git"
    range = "v1.0..main"          # wins over --range and --tags of the command line"""

import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from checker import __version__
from checker.errors import CheckerError, UsageError
from checker.files_below import content_of
from checker.flink.versions import semantics_of
from checker.report.presentable import HISTORY
from checker.revisions import Repository
from checker.settings import FILE, Settings, read_settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """Under which other conditions a revision is judged; nothing set = as it is."""

    flink: str | None = None
    parallelism: int | None = None

    @property
    def label(self) -> str:
        """The conditions as the user wrote them."""
        parts = [f"flink={self.flink}"] if self.flink else []
        parts += [f"parallelism={self.parallelism}"] if self.parallelism else []
        return ",".join(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One revision under one set of conditions."""

    commit: str
    label: str
    time: int
    subject: str
    conditions: Conditions = Conditions()


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One point and the one before it. ``id`` names the work: equal ids give equal rows, today and next year."""

    id: str
    series: str
    position: int
    base: Point | None
    """None for the first point of a series."""
    head: Point


@dataclass(frozen=True, kw_only=True)
class AuditedRepository:
    """One repository of an audit: its steps, or why there are none."""

    name: str
    place: str
    repository: Repository | None = None
    settings: Settings = field(default_factory=Settings)
    settings_file: tuple[str, bytes] | None = None
    newest: str = ""
    """The commit that the settings are from: a pipeline that they name has to be there."""
    steps: tuple[Step, ...] = ()
    failure: str | None = None


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What to look at, of each repository."""

    range: str | None = None
    tags: str | None = None
    what_if: tuple[Conditions, ...] = ()
    head: str = "HEAD"

    def __post_init__(self) -> None:
        if self.range and self.tags:
            raise UsageError("--range and --tags are two ways to choose revisions; give one of them")
        if self.range and ".." not in self.range:
            raise UsageError(f"--range {self.range}: must be FIRST..LAST, for example v1.0..HEAD")
        if self.range and "..." in self.range:
            raise UsageError(f"--range {self.range}: an audit follows first parents; give FIRST..LAST with two dots")

    @property
    def nothing(self) -> bool:
        """Whether nothing was asked for."""
        return not (self.range or self.tags or self.what_if)


def conditions_of(texts: Sequence[str]) -> tuple[Conditions, ...]:
    """``flink=2.3`` and ``parallelism=8`` as conditions; a comma joins two. Raises UsageError."""
    found = []
    for text in texts:
        conditions = Conditions()
        for part in text.split(","):
            key, _, value = part.strip().partition("=")
            if key == "flink" and value:
                semantics_of(value)
                conditions = replace(conditions, flink=value)
            elif key == "parallelism" and value.isdecimal() and 0 < int(value) < 2**31:
                conditions = replace(conditions, parallelism=int(value))
            else:
                raise UsageError(f"--what-if {text}: must be flink=VERSION or parallelism=N, or both with a comma")
        found.append(conditions)
    return tuple(found)


def audited(name: str | None, folder: Path, asked: Asked) -> AuditedRepository:
    """One repository, its settings and steps. Raises CheckerError when it can't be read."""
    repository = Repository(folder)
    name = name or repository.remote_name() or repository.top.name
    if asked.range:
        first, _, last = asked.range.partition("..")
        commits = [(c, c[:10]) for c in repository.steps(first or "HEAD", last or "HEAD")]
    elif asked.tags:
        commits = [(repository.commit_of(f"refs/tags/{tag}"), tag) for tag in repository.tags(asked.tags)]
        commits = _merged(commits)
        if not commits:
            raise UsageError(f"no tag matches '{asked.tags}'; 'git fetch --tags' may bring them")
    else:
        commits = []
    newest = commits[-1][0] if commits else repository.commit_of(asked.head)
    files = repository.files_at(newest)
    settings = read_settings(files)
    source = FILE if FILE in files.paths() else None
    about = repository.about([*dict.fromkeys([*(c for c, _ in commits), newest])])

    def point(commit: str, label: str, conditions: Conditions = Conditions()) -> Point:
        info = about[commit]
        return Point(commit=commit, label=label, time=info.time, subject=info.subject, conditions=conditions)

    seed = "\0".join((__version__, name, repr(replace(settings, source=None))))
    lines = [(HISTORY, [point(commit, label) for commit, label in commits])] if commits else []
    here = dict(commits).get(newest, newest[:10])
    for conditions in asked.what_if:
        points = [point(newest, here), point(newest, f"{here} with {conditions.label}", conditions)]
        lines.append((f"what if {conditions.label}", points))
    settings_file = (source, files.read(source)) if source else None
    repository.release()  # a fleet has many: none waits with a process of its own for its turn
    return AuditedRepository(
        name=name,
        place=str(folder),
        repository=repository,
        settings=settings,
        newest=newest,
        settings_file=settings_file,
        steps=tuple(step for series, points in lines for step in _steps(seed, series, points)),
    )


def _merged(commits: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Tags in a row that name the same commit are one point."""
    merged: list[tuple[str, str]] = []
    for commit, label in commits:
        if merged and merged[-1][0] == commit:
            merged[-1] = (commit, f"{merged[-1][1]} = {label}")
        else:
            merged.append((commit, label))
    return merged


def _steps(seed: str, series: str, points: Sequence[Point]) -> list[Step]:
    steps = []
    for position, head in enumerate(points):
        base = points[position - 1] if position else None
        text = "\0".join((seed, series, _key(base), _key(head)))
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]
        steps.append(Step(id=digest, series=series, position=position, base=base, head=head))
    return steps


def _key(point: Point | None) -> str:
    return f"{point.commit} {point.conditions.label}" if point else ""


def attempted(name: str | None, folder: Path, asked: Asked) -> AuditedRepository:
    """Like ``audited``, with the reason in place of steps where the repository can't be read."""
    try:
        return audited(name, folder, asked)
    except CheckerError as error:
        return AuditedRepository(name=name or folder.name, place=str(folder), failure=str(error))


_KEYS = ("name", "path", "range", "tags")
_AT_ONCE = 8
"""Repositories that are looked up at the same time: it is git that they wait for."""


def fleet(members: Sequence[Mapping[str, str]], asked: Asked) -> list[AuditedRepository]:
    """The repositories of ``members_of`` a fleet file, in its order."""

    def found(entry: Mapping[str, str]) -> AuditedRepository:
        chooses = "range" in entry or "tags" in entry
        own = replace(asked, range=entry.get("range"), tags=entry.get("tags")) if chooses else asked
        return attempted(entry.get("name"), Path(entry["path"]), own)

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return list(pool.map(found, members))


def members_of(file: Path) -> list[dict[str, str]]:
    """The tables of a fleet file, paths from its folder on. Raises UsageError."""
    try:
        raw = tomllib.loads(content_of(file).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"--fleet {file}: {error}") from None
    entries = raw.get("repository")
    if set(raw) != {"repository"} or not isinstance(entries, list) or not entries:
        raise UsageError(f"--fleet {file}: must hold [[repository]] tables, and nothing else")
    for number, entry in enumerate(entries, 1):
        where = f"--fleet {file}: repository {number}"
        if not isinstance(entry, dict) or any(not isinstance(v, str) or not v for v in entry.values()):
            raise UsageError(f"{where}: every value must be text")
        unknown = sorted(set(entry) - set(_KEYS))
        if unknown:
            raise UsageError(f"{where}: unknown key '{unknown[0]}'; known are {', '.join(_KEYS)}")
        if "path" not in entry:
            raise UsageError(f"{where}: path is required")
    return [{**e, "path": str(file.parent / e["path"])} for e in entries]
