"""Which pipelines a task of an audit has, and what the next revision calls them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from checker.errors import CheckerError
from checker.extract import registry
from checker.model.deployments import Deployment
from checker.model.pipelines import PipelineEntry
from checker.settings import Settings
from checker.workflows.audit.stretches import Task
from checker.workflows.carried_files import CarriedFiles, NotCarriedError
from checker.workflows.check.environments import DeployedSide, deployed_side
from checker.workflows.check.renames import follow_numbers, follow_renames

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Share:
    """Which pipelines a task reads, where several tasks share the same revisions."""

    task: Task
    strict: bool
    """Whether a pipeline that the settings name has to be there: in the revision that they are from."""
    configured: tuple[PipelineEntry, ...]

    def holds(self, name: str) -> bool:
        """Whether it reads a pipeline. Names that discovery makes of one name are in one share."""
        plain = name.partition(" ")[0].rpartition("/")[2].rpartition(".")[2]
        place = self.task.placed.get(plain)
        if place is None:
            digest = hashlib.sha256(plain.encode("utf-8", "surrogatepass")).digest()
            place = int.from_bytes(digest[:4]) % self.task.shares
        return place == self.task.share

    def concerns(self, types: Collection[str]) -> bool:
        """Whether it matters which pipelines a file is that declares these types."""
        mains = {(entry.main or "").replace("$", ".").rpartition(".")[2] for entry in self.configured}
        return any(self.holds(name) or name in mains for name in types)


@dataclass(frozen=True, slots=True, eq=False)
class Pipelines:
    """What one revision has, as far as a task looked."""

    files: CarriedFiles
    settings: Settings
    found: tuple[Deployment, ...]
    own: tuple[PipelineEntry, ...] = ()
    """The pipelines of the task that are there; a configured one that was renamed is not."""

    @property
    def whole(self) -> DeployedSide:
        """With the pipelines of all tasks. What they found by now is in the cache."""
        entries = registry.discover(self.files, self.settings).entries
        return deployed_side(entries, self.files, self.settings, self.found)

    @property
    def there(self) -> list[PipelineEntry]:
        """The pipelines of all tasks that are there."""
        return [e for e in self.whole.entries if e.discovered or registry.extract(self.files, e) is not None]


def renames(before: Pipelines, now: Pipelines) -> dict[str, tuple[str, PipelineEntry]]:
    """Name → the name that ``check`` compares it under, and the base's entry; of those with another name only.

    A pipeline of another task may be what one of this task was: where any comes or goes, all are looked at.
    """
    files = before.files, now.files
    old = _named_alike(before.own, now.own)
    after = follow_numbers([replace(e, name=name) for name, e in old.items()], now.own, *files)[0]
    if {e.name for e in after} != {e.name for e in now.own}:
        try:
            base, new = before.there, now.there
        except (CheckerError, NotCarriedError):
            return {}  # pipelines of a revision can't be found, which is a row of its own
        old = _named_alike(base, new)
        after = follow_renames([replace(e, name=name) for name, e in old.items()], new, *files)[0]
    pairs = zip(old.items(), after, strict=True)
    return {name: (entry.name, own) for (name, own), entry in pairs if entry.name != name}


def _named_alike(before: Sequence[PipelineEntry], now: Sequence[PipelineEntry]) -> dict[str, PipelineEntry]:
    return with_names_of({e.name: e for e in before}, {e.name: e for e in now}, lambda entry: entry)


def with_names_of(before: Mapping[str, T], now: Mapping[str, T], entry: Callable[[T], PipelineEntry]) -> dict[str, T]:
    """What a revision has under the names of the next one: another class of a name gives both longer names."""
    new = {_identity(entry(found)): name for name, found in now.items() if name not in before}
    names = {name: new.get(_identity(entry(found)), name) for name, found in before.items() if name not in now}
    return {names.get(name, name): found for name, found in before.items()}


def _identity(entry: PipelineEntry) -> str:
    """What a pipeline is, whatever it is called: the program and the job of it, or the name that a team gave."""
    if not entry.discovered:
        return entry.name
    return "\0".join((entry.extract, entry.main or "", entry.file or "", str(entry.index)))
