"""Containers that submit or are a job: services of docker compose, workloads of Kubernetes, steps of workflows."""

import posixpath
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from checker.extract.deployments import commands, environment_files
from checker.extract.deployments.started import STANDALONE, joined, standalone_job
from checker.extract.deployments.variables_of_scripts import Expanded, Known, expanded
from checker.model.deployments import Deployment, DeploymentKind
from checker.model.nested import list_in, spelled, table_in
from checker.model.unknowns import Location

_WORKLOADS = frozenset({"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "Pod"})
_RUN = ("command", "args")
_SCRIPT = ("script", "source")
"""Where steps of Tekton and Argo have a whole script."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """One container with what it runs. ``unset`` are variables whose default docker compose takes."""

    name: str
    words: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]
    unset: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    """Variables whose value is not written down."""
    open: bool = False
    """Whether there may be more variables."""


def deployments_of(document: Any, location: Location, target: str, known: Known) -> Iterator[Deployment]:
    """The jobs that the containers of a document run; ``known`` are variables that docker compose knows."""
    for container in containers_of(document, known):
        environment = dict(container.environment)
        assumed = tuple(f"{name} is not set where docker compose runs" for name in container.unset)
        for found in _jobs(container, location, target, environment):
            yield replace(
                found,
                location=location,
                name=f"{location.file}:{container.name}",
                environment=tuple(
                    sorted(
                        {**{k: v for k, v in environment.items() if "$" not in v}, **dict(found.environment)}.items()
                    )
                ),
                filled_later=tuple(
                    sorted({*found.filled_later, *container.later, *(k for k, v in environment.items() if "$" in v)})
                ),
                whole_environment=found.kind is DeploymentKind.STANDALONE and not container.open,
                assumed=(*assumed, *found.assumed),
            )


def job_of_image(path: str, text: str) -> Iterator[Deployment]:
    """The cluster that is one job as which an image starts by itself."""
    words, environment = environment_files.start_of(text)
    if any(posixpath.basename(word) in STANDALONE for word in words):
        container = Container(name=posixpath.basename(path), words=words, environment=environment, open=True)
        place = Location(path, text.count("\n", 0, max(text.find("standalone-job"), 0)) + 1)
        for found in _jobs(container, place, path, dict(environment)):
            yield replace(found, location=place, environment=tuple(sorted(environment)))


def containers_of(document: Any, known: Known) -> Iterator[Container]:
    """Services of a compose file, the containers of a workload, or those in any other resource (Argo, Tekton)."""
    table = table_in(document)
    if isinstance(table.get("services"), dict):
        for name, service in table_in(table["services"]).items():
            yield _service(name, table_in(service), known)
    elif table.get("kind") in _WORKLOADS:
        for pod in _pods(table):
            for container in map(table_in, list_in(pod.get("initContainers")) + list_in(pod.get("containers"))):
                yield _of_pod(container)
    elif not str(table.get("kind", "Flink")).startswith("Flink"):
        yield from map(_of_pod, _nested(table))


def _nested(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Every table below a document that has an image and says what it runs."""
    pending: list[Any] = [document]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            if "image" in value and any(key in value for key in (*_RUN, *_SCRIPT)):
                yield value
            else:
                pending.extend(reversed(value.values()))
        elif isinstance(value, list):
            pending.extend(reversed(value))


def _of_pod(container: Mapping[str, Any]) -> Container:
    return Container(
        name=str(container.get("name", "")),
        words=(
            *(word for key in _RUN for word in _words(container.get(key))),
            *(container[key] for key in _SCRIPT if isinstance(container.get(key), str)),
        ),
        environment=_environment(container.get("env")),
        later=_named_only(container.get("env")),
        open=bool(list_in(container.get("envFrom"))),
    )


def _service(name: str, service: Mapping[str, Any], known: Known) -> Container:
    unset: list[str] = []

    def filled(text: str) -> str:
        done: Expanded = expanded(text.replace("$$", "\0"), known)
        unset.extend(done.unset)
        return done.text.replace("\0", "$")

    words = tuple(filled(w) for w in (*_words(service.get("entrypoint")), *_words(service.get("command"))))
    only_words = tuple(dict.fromkeys(unset))
    environment = tuple((key, filled(value)) for key, value in _environment(service.get("environment")))
    return Container(
        name=name,
        words=words,
        environment=environment,
        unset=only_words,
        later=_named_only(service.get("environment")),
        open="env_file" in service,
    )


def _jobs(
    container: Container, location: Location, target: str, environment: Mapping[str, str]
) -> Iterator[Deployment]:
    """A script in one word (``sh -c``), ``flink run``, or a cluster that is one job."""
    for word in container.words:
        if " " in word or "\n" in word:
            yield from commands.deployments_of(word, location.file, target, environment)
    plain = [w for w in container.words if " " not in w and "\n" not in w]
    standalone = next((n for n, w in enumerate(plain) if posixpath.basename(w) in STANDALONE), None)
    if standalone is not None:
        job = standalone_job(plain[standalone + 1 :], location, target, environment)
        yield from () if job is None else (job,)
    elif len(plain) == len(container.words):
        yield from commands.deployments_of(joined(container.words), location.file, target, environment)


def _pods(workload: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The pod specifications of a workload."""
    spec = table_in(workload.get("spec"))
    if workload.get("kind") == "Pod":
        yield spec
    if workload.get("kind") == "CronJob":
        spec = table_in(table_in(spec.get("jobTemplate")).get("spec"))
    yield table_in(table_in(spec.get("template")).get("spec"))


def _words(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        try:
            return tuple(shlex.split(value))
        except ValueError:
            return ()
    return tuple(str(v) for v in list_in(value))


def _environment(value: Any) -> tuple[tuple[str, str], ...]:
    """``env`` of Kubernetes, and both spellings of docker compose."""
    if isinstance(value, dict):
        return tuple((str(k), spelled(v)) for k, v in value.items() if v is not None)
    found = []
    for item in list_in(value):
        if isinstance(item, str) and "=" in item:
            found.append((item.partition("=")[0], item.partition("=")[2]))
        elif isinstance(item, dict) and isinstance(item.get("name"), str) and item.get("value") is not None:
            found.append((item["name"], spelled(item["value"])))
    return tuple(found)


def _named_only(value: Any) -> tuple[str, ...]:
    """Variables without a value: docker compose passes on its own, Kubernetes takes them from elsewhere."""
    if isinstance(value, dict):
        return tuple(str(k) for k, v in value.items() if v is None)
    plain = [item for item in list_in(value) if isinstance(item, str) and "=" not in item]
    elsewhere = [item for item in map(table_in, list_in(value)) if "valueFrom" in item]
    return (*plain, *(str(item.get("name")) for item in elsewhere))
