"""Custom resources of the operator of a revision: plain, built by kustomize, or rendered from charts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from checker.extract.changed_files.entries import deployment_entries
from checker.extract.deployments import charts, kubernetes, releases
from checker.extract.deployments.chart_dependencies import CHART
from checker.extract.deployments.environment_files import NamedVariables
from checker.extract.deployments.filled_manifests import TEMPLATE
from checker.extract.deployments.overlays import KUSTOMIZATIONS, Overlays, Resource, documents
from checker.extract.yaml_texts import with_variables
from checker.model.deployments import PARALLELISM, Deployment
from checker.model.unknowns import Location

RESOURCE = re.compile(r"flink\.apache\.org|\bkind[\"']?:\s*[\"']?Flink(?:Deployment|SessionJob|BlueGreenDeployment)\b")
"""What says that a file may hold custom resources of the operator: their group, or a kind of theirs."""
TEMPLATES = ".tpl"
"""Named templates of Helm charts."""
_YAML = (".yaml", ".yml")


def deployments_of(texts: Mapping[str, str], variables: NamedVariables) -> Iterator[Deployment]:
    """The deployments that resources among some texts describe, each with the files that it was put together from."""
    concerned = {p for p, t in texts.items() if (p.endswith(_YAML) or TEMPLATE.search(p)) and RESOURCE.search(t)}
    if not concerned:
        return
    overlays = Overlays({p: t for p, t in texts.items() if p.endswith(_YAML) or p.endswith(KUSTOMIZATIONS)})
    released = releases.releases(texts)
    built: set[str] = set()
    of_overlays = [(r.folder, r) for r in released if r.folder in overlays.folders()]
    leaves = set(overlays.leaves()).difference(folder for folder, _ in of_overlays)
    for folder, release in (*((leaf, None) for leaf in sorted(leaves)), *of_overlays):
        own = overlays.files_below(folder)
        built |= own
        more = {} if release is None else release.kustomize
        found = [
            Resource(resource.path, variables.inlined(resource.document))
            for resource in overlays.resources(folder, more)
        ]
        target, files = posixpath.basename(folder), own
        if release is not None:
            target, files = release.name, own | set(release.files)
        yield from _deployed(found, texts, target, files)
    chart_folders = sorted({posixpath.dirname(p) for p in texts if posixpath.basename(p) == CHART})
    in_charts = {
        p: c for p in concerned - built for c in chart_folders if p.startswith(posixpath.join(c, "templates/"))
    }
    for chart in sorted(set(in_charts.values())):
        below = [p for p in texts if p.startswith(posixpath.join(chart, ""))]
        common = {p for p in below if p.endswith(TEMPLATES) or posixpath.dirname(p) == chart}
        paths = sorted(p for p, c in in_charts.items() if c == chart)
        named = charts.definitions(chart, texts)
        for environment in charts.environments(chart, texts, released):
            ours = {*common, *paths, *environment.files}
            sides: list[list[Deployment]] = []
            for values in (environment.values, environment.unsure):
                made = {p: charts.rendered(texts[p], chart, texts, values, named) for p in paths if values is not None}
                found = [Resource(p, variables.inlined(d)) for p, text in made.items() for d in documents(text or "")]
                sides.append([*_deployed(found, texts, environment.name or None, ours)])
            yield from (
                sides[0] if environment.unsure is None else _without_outside(sides[0], sides[1], environment.outside)
            )
    plain = sorted(concerned - built - in_charts.keys())
    read = ((path, documents(texts[path]) or documents(with_variables(texts[path]))) for path in plain)
    found = [Resource(path, variables.inlined(d)) for path, built in read for d in built]
    yield from _deployed(found, texts, None, None)


def _without_outside(
    found: Sequence[Deployment], unsure: Sequence[Deployment], outside: tuple[str, ...]
) -> list[Deployment]:
    """Deployments of which only what no value file of another repository may give counts as known."""
    if len(found) != len(unsure):
        unsure = [replace(d, args=None, parallelism=None, filled_later=(PARALLELISM,), filled_by=()) for d in found]
    return [
        replace(
            open_, name=known.name, namespace=known.namespace, target=known.target, places=known.places,
            main=known.main, script=known.script, jar=known.jar, outside=outside, whole_environment=False,
        )
        for known, open_ in zip(found, unsure, strict=True)
    ]  # fmt: skip


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
    r"(?P<field>job\.(?:parallelism|args|jarURI|upgradeMode|allowNonRestoredState|entryClass)|flinkVersion|parallelism\.default)"
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


def _line(text: str) -> int:
    """Where the first custom resource of a file begins."""
    place = text.find("kind: Flink")
    return 1 if place < 0 else text.count("\n", 0, place) + 1
