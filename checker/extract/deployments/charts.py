"""Helm charts: templates whose only variables are values, filled in from the chart's values files.

A template with control structures or functions other than ``quote``, ``default`` and ``toYaml`` is not rendered: what
it deploys can't be told without Helm.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

from checker.extract.deployments.overlays import documents, merged

CHART = "Chart.yaml"
_VALUES_FILE = re.compile(r"values(?:[-._](?P<environment>[\w-]+))?\.ya?ml")
_ACTION = re.compile(r"\{\{-?\s*(?P<expression>.*?)\s*-?\}\}", re.DOTALL)
_VALUE = re.compile(
    r"\.Values\.(?P<path>[\w.-]+)(?:\s*\|\s*default\s+(?P<default>\"[^\"]*\"|[\w.-]+))?"
    r"(?:\s*\|\s*(?P<quote>quote|squote|toYaml|int))*"
)


def environments(chart: str, texts: Mapping[str, str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The environments of a chart by its folder: a name, empty for the chart's own values, and the merged values."""
    below = {p: _VALUES_FILE.fullmatch(posixpath.basename(p)) for p in texts if posixpath.dirname(p) == chart}
    named = {p: m["environment"] for p, m in below.items() if m is not None}
    common = _values(next((texts[p] for p, e in named.items() if e is None), ""))
    others = sorted((e, p) for p, e in named.items() if e is not None)
    if not others:
        yield "", common
    for environment, path in others:
        yield environment, merged(common, _values(texts[path]))


def rendered(template: str, values: Mapping[str, Any]) -> str | None:
    """A template with its values; None where Helm is needed to tell."""
    missing = False

    def fill(match: re.Match[str]) -> str:
        nonlocal missing
        expression = match["expression"]
        if expression.startswith("/*"):
            return ""
        found = _VALUE.fullmatch(expression)
        if found is None and expression.startswith((".Release.", ".Chart.")):
            return "release"
        value = None if found is None else _looked_up(values, found["path"])
        if found is not None and value is None and found["default"] is not None:
            value = found["default"].strip('"')
        if found is None or value is None or isinstance(value, dict | list):
            missing = True
            return ""
        text = str(value).lower() if isinstance(value, bool) else str(value)
        return f'"{text}"' if found["quote"] in ("quote", "squote") else text

    text = _ACTION.sub(fill, template)
    return None if missing else text


def _looked_up(values: Any, path: str) -> Any:
    for key in path.split("."):
        values = values.get(key) if isinstance(values, dict) else None
    return values


def _values(text: str) -> Mapping[str, Any]:
    found = next(iter(documents(text)), None)
    return found if isinstance(found, dict) else {}
