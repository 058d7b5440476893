"""Custom resources of the operator of a revision: plain or rendered, in YAML or JSON, or built by kustomize."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from checker.extract.changed_files.entries import deployment_entries
from checker.extract.deployments import kubernetes
from checker.extract.deployments.environment_files import NamedVariables
from checker.extract.deployments.overlays import KUSTOMIZATIONS, Overlays, Resource, documents
from checker.extract.deployments.unrendered import RESOURCE, in_chart
from checker.extract.texts.yaml_texts import with_variables
from checker.model.deployments import Deployment
from checker.model.unknowns import Location

ENDINGS = (".yaml", ".yml", ".json")
"""How names of manifests end."""


def deployments_of(texts: Mapping[str, str], variables: NamedVariables) -> Iterator[Deployment]:
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
    clusters = kubernetes.SessionClusters()
    for resource in found:
        clusters.add(resource.path, [resource.document])
    for resource in found:
        place = Location(resource.path, _line(texts.get(resource.path, "")))
        for started in kubernetes.deployments_of(resource.document, place, target, clusters):
            own = (resource.path, *started.files) if files is None else (*files, *started.files)
            places = _places(resource, started, texts, own)
            yield replace(started, files=tuple(sorted(set(own))), places=tuple(places.items()))


_FIELD = re.compile(
    r"(?P<document>(?:\d+\.)?(?:items\.\d+\.)?)(?:.*\.)?"
    r"(?P<field>job\.(?:parallelism|args|jarURI|upgradeMode|allowNonRestoredState|entryClass)|flinkVersion|parallelism\.default|"
    r"state\.backend(?:\.type)?)"
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
