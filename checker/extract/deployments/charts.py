"""Helm charts: templates whose only variables are values, filled in from the chart's values files.

A template with functions that are not known here is not rendered: what it deploys is not known without Helm.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import yaml

from checker.extract.deployments.go_templates import NeedsHelmError, Renderer
from checker.extract.deployments.overlays import LATER, documents, merged
from checker.extract.deployments.releases import Release
from checker.extract.yaml_texts import yaml_documents

CHART = "Chart.yaml"
_VALUES_FILE = re.compile(r"values(?:[-._](?P<environment>[\w-]+))?\.ya?ml")
_FILE = re.compile(r"\{\{-?\s*\(?\s*(?:tpl\s*\(\s*)?\.Files\.\w+[^{}]*\}\}")
"""What takes the content of another file of the chart."""


def environments(
    chart: str, texts: Mapping[str, str], released: Iterable[Release]
) -> Iterator[tuple[str, Mapping[str, Any], tuple[str, ...]]]:
    """The environments of a chart by its folder: a name, the merged values, and files outside of it that give some.

    These are what resources release of it; else its own values files, and the name is empty for the chart's own values.
    """
    below = {p: _VALUES_FILE.fullmatch(posixpath.basename(p)) for p in texts if posixpath.dirname(p) == chart}
    named = {p: m["environment"] for p, m in below.items() if m is not None}
    common = _values(next((texts[p] for p, e in named.items() if e is None), ""))
    own = [release for release in released if release.folder == chart]
    for release in own:
        yield release.name, release.over(common, texts), (release.path, *release.value_files)
    if own:
        return
    others = sorted((e, p) for p, e in named.items() if e is not None)
    if not others:
        yield "", common, ()
    for environment, path in others:
        yield environment, merged(common, _values(texts[path])), ()


def rendered(template: str, chart: str, texts: Mapping[str, str], values: Mapping[str, Any]) -> str | None:
    """A template of the chart in a folder with its values; None where Helm is needed to tell."""
    described = _values(texts.get(posixpath.join(chart, CHART), ""))
    renderer = Renderer({
        "Values": _inner(values),
        "Release": {"Name": "release", "Namespace": "release", "Service": "Helm"},
        "Chart": {str(key)[:1].upper() + str(key)[1:]: value for key, value in described.items()},
        "Template": {"BasePath": f"{posixpath.basename(chart)}/templates"},
    })  # fmt: skip
    try:
        below = posixpath.join(chart, "templates/")
        for path in sorted(path for path in texts if path.startswith(below) and "define" in texts[path]):
            renderer.define(texts[path])
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


def _values(text: str) -> Mapping[str, Any]:
    found = next(iter(documents(text)), None)
    return found if isinstance(found, dict) else {}
