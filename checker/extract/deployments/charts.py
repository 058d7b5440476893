"""Helm charts: templates whose only variables are values, filled in from the chart's values files.

A template with functions that are not known here is not rendered: what it deploys is not known without Helm.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from checker.extract.deployments.chart_dependencies import CHART, Dependencies, charts_of, family, values_in
from checker.extract.deployments.go_templates import NeedsHelmError, Renderer
from checker.extract.deployments.overlays import LATER, merged
from checker.extract.deployments.released import Release, not_known
from checker.extract.yaml_texts import yaml_documents

_YAML = (".yaml", ".yml")
_MOST_LEVELS = 5
_VALUES_FILE = re.compile(r"values(?:[-._](?P<environment>[\w-]+))?\.ya?ml")
_FILE = re.compile(r"\{\{-?\s*\(?\s*(?:tpl\s*\(\s*)?\.Files\.\w+[^{}]*\}\}")
"""What takes the content of another file of the chart."""


@dataclass(frozen=True, slots=True)
class Environment:
    """One environment of a chart: a name, the merged values, and files outside of the chart that give some."""

    name: str
    values: Mapping[str, Any]
    files: tuple[str, ...] = ()
    unsure: Mapping[str, Any] | None = None
    """The values without what files of other repositories may give otherwise; None without such files."""
    outside: tuple[str, ...] = ()
    """These files."""


def environments(chart: str, texts: Mapping[str, str], released: Iterable[Release]) -> Iterator[Environment]:
    """The environments of a chart by its folder.

    These are what resources release of it, and the environments of the charts that it is a part of; else its own
    values files, and the name is empty for the chart's own values.
    """
    yield from _environments(chart, texts, tuple(released), charts_of(texts), 0)


def _environments(
    chart: str, texts: Mapping[str, str], released: Sequence[Release], every: Mapping[str, Dependencies], level: int
) -> Iterator[Environment]:
    below = {p: _VALUES_FILE.fullmatch(posixpath.basename(p)) for p in texts if posixpath.dirname(p) == chart}
    named = {p: m["environment"] for p, m in below.items() if m is not None}
    common = values_in(next((texts[p] for p, e in named.items() if e is None), ""))
    own = [release for release in released if release.folder == chart]
    for release in own:
        values, unsure = release.over(common, texts), release.unsure(common, texts)
        yield Environment(release.name, values, release.files, unsure, release.outside)
    wholes = [(whole, part) for whole, parts in every.items() for part in parts if part.folder == chart]
    for whole, part in wholes if level < _MOST_LEVELS else ():
        files = tuple(path for path in texts if posixpath.dirname(path) == whole and path.endswith(_YAML))
        for around in _environments(whole, texts, released, every, level + 1):
            if part.enabled(around.values):
                several = len(wholes) > 1
                name = "-".join(filter(None, (posixpath.basename(whole), part.name, around.name)))
                unsure = None if around.unsure is None else part.of(around.unsure, not_known(common))
                yield Environment(
                    name if several else around.name,
                    part.of(around.values, common),
                    (*files, *around.files),
                    unsure,
                    around.outside,
                )
    if wholes or any(release.exclusive for release in own):
        return
    used = {file for release in own for file in release.value_files}
    others = sorted((e, p) for p, e in named.items() if e is not None and p not in used)
    if not others and not own:
        yield Environment("", common)
    for environment, path in others:
        yield Environment(environment, merged(common, values_in(texts[path])))


def definitions(chart: str, texts: Mapping[str, str]) -> tuple[str, ...]:
    """The templates with named parts that those of a chart may include, its own last."""
    below = [posixpath.join(folder, "templates/") for folder in family(chart, texts)]
    return tuple(texts[p] for folder in below for p in sorted(texts) if p.startswith(folder) and "define" in texts[p])


def rendered(
    template: str, chart: str, texts: Mapping[str, str], values: Mapping[str, Any], defined: Iterable[str]
) -> str | None:
    """A template of the chart in a folder with its values and named parts; None where Helm is needed to tell."""
    described = values_in(texts.get(posixpath.join(chart, CHART), ""))
    renderer = Renderer({
        "Values": _inner(values),
        "Release": {"Name": "release", "Namespace": "release", "Service": "Helm"},
        "Chart": {str(key)[:1].upper() + str(key)[1:]: value for key, value in described.items()},
        "Template": {"BasePath": f"{posixpath.basename(chart)}/templates"},
    })  # fmt: skip
    try:
        for definition in defined:
            renderer.define(definition)
        text = renderer.rendered(_FILE.sub(LATER, template))
        yaml_documents(text)
    except (NeedsHelmError, yaml.YAMLError):
        return None
    return text


def _inner(values: Any) -> Any:
    """Values as templates see them: keys are texts."""
    if isinstance(values, dict):
        return {str(key): _inner(value) for key, value in values.items()}
    return [_inner(value) for value in values] if isinstance(values, list) else values
