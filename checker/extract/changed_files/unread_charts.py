"""Edits of Helm charts that start programs of Flink with templates which only Helm can fill in."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from checker.extract.changed_files.entries import deployment_entries
from checker.extract.deployments import charts, releases
from checker.extract.deployments.chart_dependencies import CHART, family, with_parts
from checker.extract.deployments.discovery import STARTS, is_command_file, text_of
from checker.extract.deployments.manifests import RESOURCE
from checker.extract.listing import listing_of
from checker.model.changed_files import Entry
from checker.model.sources import SourceFiles
from checker.model.unknowns import Location

_STARTS = re.compile(f"{RESOURCE.pattern}|{STARTS.pattern}")
_VALUES = re.compile(r"values[^/]*\.ya?ml")
_CLASS = re.compile(r"(?<![\w.])(?!org\.apache\.)[a-z]\w*(?:\.\w+)*\.[A-Z]\w*\b|\w+\.py\b")
"""What names a program in a chart: a qualified class, or a script. Classes of Flink are named in its options."""
_OF_PODS = re.compile(
    r"(^|\.)(image\w*|tag|repository|pullPolicy|pullSecrets|resources|limits|requests|cpu|memory|storage\w*|replicas?|"
    r"labels|annotations|nodeSelector|tolerations|affinity|serviceAccount\w*|ingress|service|probes?)(\.|$)",
    re.IGNORECASE,
)
"""Values that say where and with how much pods run."""


def edits_of_unread_charts(
    base: SourceFiles, head: SourceFiles, changed: Sequence[str], program: str
) -> Iterator[tuple[str, Location]]:
    """Name and place of each edited value and template that may start a program, by its class's or script's name."""
    released = {path: folder for files in (base, head) for path, folder in _released(files, changed)}
    for path in changed:
        given = released.get(path)
        chart = (given,) if given is not None else _chart_of(path, head) or _chart_of(path, base)
        values = given is not None or _VALUES.fullmatch(posixpath.basename(path)) is not None
        if chart is None or not any(_may_start(files, chart[0], program, values=values) for files in (base, head)):
            continue
        if not values:
            if _without_comments(base, path) != _without_comments(head, path):
                yield path, Location(path, 1)
            continue
        sides = [deployment_entries(f.read(path)) if path in listing_of(f).all else () for f in (base, head)]
        before, after = ({(e.key, e.value): e for e in _by_parameter(side)} for side in sides)
        edited = {
            key: e.line
            for (key, value), e in (before | after).items()
            if ((key, value) in before) != ((key, value) in after)
        }
        yield from ((key, Location(path, line)) for key, line in sorted(edited.items()) if not _OF_PODS.search(key))


def _released(files: SourceFiles, changed: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Files that give values to a chart from outside of it, each with the chart's folder."""
    paths = listing_of(files).all
    if not any(posixpath.basename(path) == CHART for path in paths):
        return
    concerned = [path for path in paths if path.endswith((".yaml", ".yml")) or is_command_file(path)]
    texts = {path: text for path in concerned if (text := text_of(files, path)) is not None}
    for release in releases.releases(texts):
        if posixpath.join(release.folder, CHART) in paths:
            yield from ((path, release.folder) for path in release.files if path in changed)


def _by_parameter(entries: Sequence[Entry]) -> Iterator[Entry]:
    """The entries of a file of values; of a resource those that give values, parameters by their names."""
    names = {entry.key: entry.value for entry in entries if entry.key.endswith(".name")}
    resource = any(entry.key == "apiVersion" for entry in entries)
    for entry in entries:
        name = names.get(f"{entry.key.removesuffix('.value')}.name") if entry.key.endswith(".value") else None
        if name is not None:
            yield replace(entry, key=name)
        elif not resource or _GIVES.search(entry.key):
            yield entry


_GIVES = re.compile(r"\bhelm\.|\bspec\.values\.")


def _without_comments(files: SourceFiles, path: str) -> list[str]:
    text = files.read(path).decode("utf-8", "replace") if path in listing_of(files).all else ""
    return [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def _chart_of(path: str, files: SourceFiles) -> tuple[str] | None:
    """The folder of the chart whose values or template a file is."""
    folder = posixpath.dirname(path)
    paths = listing_of(files).all
    if _VALUES.fullmatch(posixpath.basename(path)) and posixpath.join(folder, CHART) in paths:
        return (folder,)
    while folder:
        folder, name = posixpath.split(folder)
        if name == "templates" and posixpath.join(folder, CHART) in paths:
            return (folder,)
    return None


def _may_start(files: SourceFiles, chart: str, program: str, *, values: bool) -> bool:
    """Whether a template that can't be filled in here starts Flink, and nothing says that it starts another program."""
    paths = listing_of(files).all
    described = {p: files.read(p).decode("utf-8", "replace") for p in paths if posixpath.basename(p) == CHART}
    every = family(chart, described)
    folders = with_parts(chart, described) if values else every
    below = [path for path in paths if any(path.startswith(posixpath.join(folder, "")) for folder in every)]
    texts = {p: files.read(p).decode("utf-8", "replace") for p in below if p.endswith((".yaml", ".yml", ".tpl"))}
    unread = any(
        any(charts.rendered(texts[path], folder, texts, values, defined) is None for values in environments)
        if RESOURCE.search(texts[path])
        else "{{" in texts[path]
        for folder in folders
        for environments, defined in [_rendering(folder, texts)]
        for path in texts
        if path.startswith(posixpath.join(folder, "templates/")) and _STARTS.search(texts[path])
    )
    whole = "\n".join(t for p, t in texts.items() if any(p.startswith(posixpath.join(f, "")) for f in folders))
    return unread and (re.search(rf"\b{re.escape(program)}\b", whole) is not None or _CLASS.search(whole) is None)


def _rendering(chart: str, texts: Mapping[str, str]) -> tuple[list[Mapping[str, Any]], tuple[str, ...]]:
    """The values of a chart in each of its environments, and its named templates."""
    return [found.values for found in charts.environments(chart, texts, ())], charts.definitions(chart, texts)
