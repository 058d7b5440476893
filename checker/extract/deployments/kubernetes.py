"""Custom resources of the Flink Kubernetes operator (``flink.apache.org/v1beta1``) as deployments.

Fields follow ``FlinkDeploymentSpec``, ``FlinkSessionJobSpec``, ``JobSpec`` and ``FlinkBlueGreenDeploymentSpec`` of the
operator 1.0 to 1.13.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from checker.extract.changed_files.entries import deployment_entries
from checker.extract.deployments.cluster_configuration import flat
from checker.extract.deployments.environment_files import NamedVariables
from checker.extract.deployments.overlays import KUSTOMIZATIONS, Overlays, Resource, documents, merged
from checker.extract.deployments.started import script_arguments, script_of
from checker.extract.deployments.unrendered import RESOURCE, as_apaches, in_chart
from checker.extract.deployments.variables_of_scripts import fillers
from checker.extract.texts import with_variables
from checker.model.deployments import PARALLELISM, RESOURCES, UPGRADE_MODE, Deployment, DeploymentKind, UpgradeMode
from checker.model.nested import list_in, spelled, table_in, text_in
from checker.model.unknowns import Location

_REFERENCE = re.compile(r"\$\(\w+\)|\$\{|\{\{")
"""What Kubernetes, a shell or a template fills in later."""
_MAIN_CONTAINER = "flink-main-container"
_OF_MASTER = "containerized.master.env."
"""Options that set environment variables of the process that runs the program's ``main``."""


Clusters = Mapping[str, Sequence[tuple[str, Any, Mapping[str, Any]]]]
"""Name → file, namespace, specification of the clusters without a job of their own.

What they say holds for jobs that are submitted to them.
"""


def _session_clusters(documents: Iterable[tuple[str, Any]]) -> Clusters:
    """Those among documents with their files."""
    found: dict[str, list[tuple[str, Any, Mapping[str, Any]]]] = {}
    pending = list(documents)
    for path, document in pending:  # which grows
        table = table_in(document)
        if table.get("kind") == "List":
            pending.extend((path, item) for item in list_in(table.get("items")))
        spec, metadata = table_in(table.get("spec")), table_in(table.get("metadata"))
        name = metadata.get("name")
        if table.get("kind") == DeploymentKind.FLINK_DEPLOYMENT and not spec.get("job") and isinstance(name, str):
            found.setdefault(name, []).append((path, metadata.get("namespace"), spec))
    return found


def _cluster(clusters: Clusters, name: str | None, namespace: Any) -> tuple[str, Mapping[str, Any]] | None:
    """The file and the specification of a cluster; None where several that it may be are not alike."""
    every = clusters.get(name or "", [])
    found = [cluster for cluster in every if cluster[1] == namespace] or every
    alike = found and all(spec == found[0][2] for _, _, spec in found)
    return (found[0][0], found[0][2]) if alike else None


def deployments_of(document: Any, location: Location, target: str | None, clusters: Clusters) -> Iterator[Deployment]:
    """The deployments that one YAML document describes; ``target`` None = the namespace distinguishes environments."""
    document = as_apaches(document) if isinstance(document, dict) else {}
    kind = document.get("kind")
    if kind == "List":
        for item in list_in(document.get("items")):
            yield from deployments_of(item, location, target, clusters)
    elif kind in RESOURCES:
        found = _deployment(document, DeploymentKind(kind), location, target, clusters)
        if found is not None:
            yield found


def _deployment(
    document: Mapping[str, Any], kind: DeploymentKind, location: Location, target: str | None, clusters: Clusters
) -> Deployment | None:
    metadata, spec = table_in(document.get("metadata")), table_in(document.get("spec"))
    if kind is DeploymentKind.BLUE_GREEN:
        spec = table_in(table_in(spec.get("template")).get("spec"))
    session = text_in(spec.get("deploymentName")) if kind is DeploymentKind.FLINK_SESSION_JOB else None
    cluster = _cluster(clusters, session, metadata.get("namespace"))
    if cluster is not None:
        spec = table_in(merged(cluster[1], spec))
    job = table_in(spec.get("job"))
    if not job:
        return None  # a session cluster: its jobs are submitted by others
    arguments = _arguments(job.get("args"))
    written = [spelled(v) for v in list_in(job.get("args"))]
    configuration, later = _flattened(spec.get("flinkConfiguration"))
    variables, unread, whole = _environment(spec, configuration)
    given = _number(job.get("parallelism"))
    if given is None and spelled(job.get("parallelism") or 0) != "0":
        later = {*later, PARALLELISM}
    mode = _upgrade_mode(job.get("upgradeMode"))
    if mode is None and job.get("upgradeMode"):
        later = {*later, UPGRADE_MODE}
    uri, main = text_in(job.get("jarURI")), text_in(job.get("entryClass"))
    script = script_of(main, arguments or ())
    return Deployment(
        kind=kind,
        name=text_in(metadata.get("name")) or location.file,
        target=target or text_in(metadata.get("namespace")) or "",
        location=location,
        namespace=text_in(metadata.get("namespace")),
        main=None if script is not None else main,
        script=script,
        jar=None if uri is None else uri.rpartition("/")[2],
        image=text_in(spec.get("image")),
        args=arguments if script is None or arguments is None else script_arguments(arguments),
        parallelism=given,
        flink=_version(spec.get("flinkVersion")),
        configuration=tuple(sorted((k, v) for k, v in configuration.items() if k not in later)),
        environment=tuple(sorted(variables.items())),
        filled_later=tuple(sorted({*later, *unread})),
        filled_by=fillers(written, {**configuration, PARALLELISM: spelled(job.get("parallelism") or "")}),
        cluster=session,
        files=() if cluster is None else (cluster[0],),
        whole_environment=whole and kind is not DeploymentKind.FLINK_SESSION_JOB,
        upgrade_mode=mode,
        allow_non_restored_state=allow if isinstance(allow := job.get("allowNonRestoredState"), bool) else None,
        savepoint=text_in(job.get("initialSavepointPath")),
    )


def _arguments(value: Any) -> tuple[str, ...] | None:
    """The program's arguments; a manifest without any gives none. None = something fills them in later."""
    if value is not None and not isinstance(value, list):
        return None
    given = tuple(spelled(v) for v in list_in(value))
    return None if any(_REFERENCE.search(argument) for argument in given) else given


def _environment(spec: Mapping[str, Any], configuration: Mapping[str, str]) -> tuple[dict[str, str], set[str], bool]:
    """Variables of the main container, a job manager's own pod template on top of the common one.

    Also the names of those that something fills in later, and whether there are no others.
    """
    found: dict[str, str] = {}
    later: set[str] = set()
    whole = not any(key.startswith("env.java.opts") for key in configuration)  # system properties
    for holder in (spec, table_in(spec.get("jobManager"))):
        whole = whole and not isinstance(holder.get("podTemplate"), str)  # filled in later
        pod = table_in(table_in(holder.get("podTemplate")).get("spec"))
        for container in map(table_in, list_in(pod.get("containers"))):
            if container.get("name", _MAIN_CONTAINER) != _MAIN_CONTAINER:
                continue
            for variable in map(table_in, list_in(container.get("env"))):
                name, value = variable.get("name"), variable.get("value")
                if isinstance(name, str) and "valueFrom" not in variable:
                    found[name] = spelled(value or "")
                elif isinstance(name, str):
                    found.pop(name, None)
                    later.add(name)
            whole = whole and not list_in(container.get("envFrom"))
    found |= {k.removeprefix(_OF_MASTER): v for k, v in configuration.items() if k.startswith(_OF_MASTER)}
    later |= {name for name, value in found.items() if _REFERENCE.search(value)}
    return {name: value for name, value in found.items() if name not in later}, later, whole


def _flattened(value: Any) -> tuple[dict[str, str], set[str]]:
    """``flinkConfiguration``: flat keys, or nested tables since operator 1.13; and what a template fills in later."""
    found = dict(flat(table_in(value)))
    return found, {key for key, text in found.items() if _REFERENCE.search(text)}


def _version(value: Any) -> str | None:
    """``v1_20`` → ``1.20``."""
    match = re.fullmatch(r"v(\d+)_(\d+)", value) if isinstance(value, str) else None
    return f"{match[1]}.{match[2]}" if match else None


def _upgrade_mode(value: Any) -> UpgradeMode | None:
    return UpgradeMode(value) if isinstance(value, str) and value in set(UpgradeMode) else None


def _number(value: Any) -> int | None:
    if isinstance(value, str) and value.isdecimal():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 1 <= value < 2**15 else None


ENDINGS = (".yaml", ".yml", ".json")
"""How names of manifests end."""


def resources_of(texts: Mapping[str, str], variables: NamedVariables) -> Iterator[Deployment]:
    """The deployments that resources among some texts describe, each with the files that it was put together from."""
    concerned = {path for path, text in texts.items() if path.endswith(ENDINGS) and RESOURCE.search(text)}
    if not concerned:
        return
    overlays = Overlays({p: t for p, t in texts.items() if p.endswith(ENDINGS) or p.endswith(KUSTOMIZATIONS)})
    built: set[str] = set()
    for folder in overlays.leaves():
        own = overlays.files_below(folder)
        built |= own
        found = [Resource(r.path, variables.inlined(r.document)) for r in overlays.resources(folder)]
        yield from _deployed(found, texts, posixpath.basename(folder), own)
    plain = sorted(path for path in concerned - built if not in_chart(path, texts))
    read = ((path, documents(texts[path]) or documents(with_variables(texts[path]))) for path in plain)
    found = [Resource(path, variables.inlined(d)) for path, built in read for d in built]
    yield from _deployed(found, texts, None, None)


def _deployed(
    found: Sequence[Resource], texts: Mapping[str, str], target: str | None, files: Iterable[str] | None
) -> Iterator[Deployment]:
    """The deployments of what is applied together. ``files`` are those that it was put together from, else its own."""
    clusters = _session_clusters((resource.path, resource.document) for resource in found)
    for resource in found:
        place = Location(resource.path, _line(texts.get(resource.path, "")))
        for started in deployments_of(resource.document, place, target, clusters):
            own = (resource.path, *started.files) if files is None else (*files, *started.files)
            places = _places(resource, started, texts, own)
            yield replace(started, files=tuple(sorted(set(own))), places=tuple(places.items()))


_FIELD = re.compile(
    r"(?P<document>(?:\d+\.)?(?:items\.\d+\.)?)(?:.*\.)?"
    r"(?P<field>job\.(?:parallelism|args|jarURI|upgradeMode|allowNonRestoredState|entryClass)|flinkVersion|parallelism\.default|"
    r"pipeline\.max-parallelism|state\.backend(?:\.type)?)"
)


def _places(
    resource: Resource, started: Deployment, texts: Mapping[str, str], files: Iterable[str]
) -> dict[str, Location]:
    """Where the fields of a resource stand: in a patch of it, or else in its own document."""
    found: dict[str, Location] = {}
    for path in (resource.path, *sorted(set(files) - {resource.path})):
        if RESOURCE.search(texts.get(path, "")):
            entries = [(_FIELD.fullmatch(e.key), e) for e in deployment_entries(texts[path].encode())]
            names = {e.key: e.value for _, e in entries if e.key.endswith("metadata.name")}
            for match, entry in entries:
                if match is not None and names.get(f"{match['document']}metadata.name", "\0") in started.name:
                    found[match["field"]] = Location(path, entry.line)
    return found


_KIND = re.compile(r"\bkind[\"']?:\s*[\"']?Flink")


def _line(text: str) -> int:
    """Where the first custom resource of a file begins."""
    place = _KIND.search(text)
    return 1 if place is None else text.count("\n", 0, place.start()) + 1
