"""Flink's own configuration as a repository holds it: ``flink-conf.yaml``, ``config.yaml``, config maps, containers.

Which of several files a job is started with is often not written down. What all of those agree on is taken, from the
same file as the start command first, and reports name the file as an assumption.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from checker.extract.deployments.overlays import documents
from checker.model.deployments import PARALLELISM, Deployment, DeploymentKind
from checker.model.nested import spelled
from checker.model.unknowns import Location

_FILES = ("flink-conf.yaml", "flink-conf.yml", "config.yaml", "config.yml")
_MARKS = ("jobmanager.", "taskmanager.", "parallelism.", "state.", "execution.", "rest.", "high-availability")
_STARTED = (DeploymentKind.COMMAND, DeploymentKind.STANDALONE, DeploymentKind.REST)
_PLAIN = "1"
"""``parallelism.default`` of a cluster whose configuration does not say it."""


PROPERTIES = "FLINK_PROPERTIES"
_JOB_MANAGER = re.compile(
    r"(?<![\w.:/-])(?:[\w./-]*/)?(?:jobmanager(?:\.sh)?|standalone-job(?:\.sh)?|job-cluster)(?![\w.:/-])"
)
_TASK_MANAGER = re.compile(r"(?<![\w.:/-])(?:[\w./-]*/)?taskmanager(?:\.sh)?(?![\w.:/-])")
"""Arguments that tell Flink's image which process to start."""


@dataclass(frozen=True, slots=True)
class ClusterConfiguration:
    """One configuration of a cluster and the file that it stands in."""

    path: str
    values: tuple[tuple[str, str], ...]
    later: tuple[str, ...] = ()
    """Keys whose value something fills in later."""


def settings_of(text: str) -> Iterator[tuple[str, str]]:
    """The lines ``key: value`` of a ``flink-conf.yaml``; nested tables of a ``config.yaml`` as flat keys."""
    nested = next(iter(documents(text)), None)
    if isinstance(nested, dict):
        yield from flat(nested)
        return
    for line in text.splitlines():
        key, colon, value = line.strip().partition(": ")
        if colon and key and not key.startswith("#"):
            yield key.strip(), value.partition(" #")[0].strip()


def flat(table: Mapping[Any, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """The values of nested tables, each with the keys on the way to it."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{key}.")
        elif value is not None:
            yield f"{prefix}{key}", spelled(value)


def configurations_of(path: str, text: str) -> Iterator[ClusterConfiguration]:
    """The configurations that a file holds: one of its own, or several in config maps."""
    if posixpath.basename(path) in _FILES:
        found = _configuration(path, text)
        if found is not None:
            yield found
        return
    if not any(name in text for name in _FILES):
        return
    for document in documents(text):
        data = document.get("data") if isinstance(document, dict) and document.get("kind") == "ConfigMap" else None
        for name, content in data.items() if isinstance(data, dict) else ():
            if name in _FILES and isinstance(content, str):
                found = _configuration(path, content)
                if found is not None:
                    yield found


def of_containers(
    path: str, found: Iterable[tuple[Sequence[str], Mapping[str, str]]]
) -> Iterator[ClusterConfiguration]:
    """What the variable ``FLINK_PROPERTIES`` of containers in a file says; task managers decide on no job.

    A container is the words of its command and its environment.
    """
    for command, environment in found:
        properties, words = environment.get(PROPERTIES), " ".join(command)
        if _TASK_MANAGER.search(words):
            continue
        if properties is not None or _JOB_MANAGER.search(words):
            yield ClusterConfiguration(path, *_parted(properties or ""))


def _configuration(path: str, text: str) -> ClusterConfiguration | None:
    values, later = _parted(text)
    return ClusterConfiguration(path, values, later) if any(k.startswith(_MARKS) for k, _ in values) else None


def _parted(text: str) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    given = tuple(settings_of(text))
    later = tuple(k for k, v in given if "$" in v or "{{" in v)
    return tuple((k, v) for k, v in given if k not in later), later


def with_configuration(found: Deployment, configurations: Iterable[ClusterConfiguration]) -> Deployment:
    """A start command with the configuration of the cluster that it most likely uses."""
    own = dict(found.configuration)
    if found.kind not in _STARTED:
        return found
    every = list(configurations)
    near = [c for c in every if c.path == found.location.file and (c.values or c.later)] or every
    given = found.parallelism is not None or PARALLELISM in (*own, *found.filled_later)
    agreed = _common(near) if given else _agreed(near, every)
    if not agreed or (given and found.kind is DeploymentKind.STANDALONE):
        return found  # a container that is one job has its options in its own variable
    paths = sorted({c.path for c in near})
    return replace(
        found,
        configuration=tuple(sorted((k, v) for k, v in {**agreed, **own}.items() if k not in found.filled_later)),
        files=tuple(sorted({*found.files, *paths})),
        assumed=(*found.assumed, f"the cluster is configured by {', '.join(paths[:3])}"),
    )


def unstarted(configurations: Iterable[ClusterConfiguration]) -> Deployment | None:
    """The deployment of a program whose start is written down nowhere: the cluster's configuration alone."""
    near = list(configurations)
    agreed = _agreed(near, near)
    if not agreed:
        return None
    paths = sorted({c.path for c in near})
    return Deployment(
        kind=DeploymentKind.CLUSTER,
        name=paths[0],
        target="",
        location=Location(paths[0], 1),
        files=tuple(paths),
        configuration=tuple(sorted(agreed.items())),
        assumed=(f"the cluster is configured by {', '.join(paths[:3])}",),
    )


def _common(near: list[ClusterConfiguration]) -> dict[str, str]:
    """What all that is written down says alike, the parallelism left out."""
    tables = [dict(c.values) for c in near if c.values or c.later] or [{}]
    return {k: v for k, v in tables[0].items() if k != PARALLELISM and all(t.get(k) == v for t in tables)}


def _agreed(near: list[ClusterConfiguration], every: list[ClusterConfiguration]) -> dict[str, str]:
    """What all near ones say alike; nothing where they differ in the parallelism, or leave it to another one."""
    written = [c for c in near if c.values or c.later] or near  # what is written down is what the others are given too
    if not written or any(PARALLELISM in c.later for c in written):
        return {}
    tables = [dict(c.values) for c in written]
    agreed = {k: v for k, v in tables[0].items() if all(t.get(k) == v for t in tables)}
    given = any(PARALLELISM in table for table in tables)
    if given or any(PARALLELISM in (*dict(c.values), *c.later) for c in every):
        return agreed if PARALLELISM in agreed else {}
    return {**agreed, PARALLELISM: _PLAIN}
