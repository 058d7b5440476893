"""Which chart or overlay an ``Application`` of Argo CD or a ``HelmRelease`` of Flux deploys, and with which values.

Values follow Argo CD 2 and 3: parameters are above ``valuesObject`` or else ``values``, these above value files, and
all of them above the chart's own.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from checker.extract.deployments.application_sets import elements, filled
from checker.extract.deployments.given_values import with_parameters
from checker.extract.deployments.helm_tools import releases_of
from checker.extract.deployments.overlays import documents, merged
from checker.extract.deployments.released import Release, not_known
from checker.model.foreign_documents import list_in, spelled, table_in, text_in

MENTIONED = re.compile(r"\bkind:\s*[\"']?(?:Application(?:Set)?|HelmRelease)\b")
"""What says that a file may hold such a resource."""
_OPEN = re.compile(r"\$?\{\{[^{}]*\}\}|\$[({][^(){}]*[)}]|\$\w+")
"""What a set of applications, a script or a workflow fills in with something that is not known."""


def takes_json(texts: Mapping[str, str]) -> bool:
    """Whether a set of applications may take its parameters from JSON files."""
    return any("ApplicationSet" in text and ".json" in text for text in texts.values())


def releases(texts: Mapping[str, str]) -> tuple[Release, ...]:
    """Everything that resources among some texts deploy from a folder of the repository."""
    found: list[Release] = []
    charts = any(posixpath.basename(path) == "Chart.yaml" for path in texts)
    for path, text in texts.items():
        for release in releases_of(path, text, texts) if charts else ():
            found.extend(_with_files(release, texts))
        if MENTIONED.search(text):
            for document in documents(text):
                for release in _of_document(path, table_in(document), texts):
                    found.extend(_with_files(release, texts))
    return tuple(found)


def _with_files(release: Release, texts: Mapping[str, str]) -> Iterator[Release]:
    """A release once for each value file of the revision that it may be filled in with; others are from outside."""
    open_ = next((file for file in release.value_files if _OPEN.search(file)), None)
    pattern = re.compile("([^/]+)".join(map(re.escape, _OPEN.split(open_ or ""))))
    made = [release]
    if open_ is not None and _OPEN.sub("", open_).strip("./"):
        matches = ((path, match) for path in sorted(texts) if (match := pattern.fullmatch(path)))
        made = [_for_file(release, open_, path, match[1]) for path, match in matches] or made
    for filled_in in made:
        missing = tuple(file for file in filled_in.value_files if file not in texts and not filled_in.without_missing)
        files = tuple(file for file in filled_in.value_files if file in texts)
        yield replace(filled_in, value_files=files, outside=(*filled_in.outside, *missing))


def _for_file(release: Release, open_: str, path: str, filled_in: str) -> Release:
    name = _OPEN.sub(filled_in, release.name)
    name = name if name != release.name else f"{name}-{filled_in}"
    files = tuple(path if file == open_ else _OPEN.sub(filled_in, file) for file in release.value_files)
    return replace(release, name=name, value_files=files)


def _of_document(path: str, document: Mapping[str, Any], texts: Mapping[str, str]) -> Iterator[Release]:
    kind, spec = document.get("kind"), table_in(document.get("spec"))
    name = text_in(table_in(document.get("metadata")).get("name")) or path
    if kind == "Application":
        yield from _of_application(path, name, spec)
    elif kind == "ApplicationSet":
        for element in elements(spec, texts):
            template = table_in(filled(spec.get("template"), element, spec.get("goTemplate") is True))
            named = text_in(table_in(template.get("metadata")).get("name")) or name
            for release in _of_application(path, named, table_in(template.get("spec"))):
                yield replace(release, parameter_files=element.files)
    elif kind == "HelmRelease":
        chart = table_in(table_in(spec.get("chart")).get("spec"))
        folder = text_in(chart.get("chart"))
        if folder is not None:
            files = (posixpath.normpath(str(file)) for file in list_in(chart.get("valuesFiles")))
            release = Release(
                name=name,
                path=path,
                folder=posixpath.normpath(folder),
                value_files=tuple(files),
                without_missing=chart.get("ignoreMissingValuesFiles") is True,
            )
            yield _with_references(release, spec, texts)


def _with_references(release: Release, spec: Mapping[str, Any], texts: Mapping[str, str]) -> Release:
    """A release of Flux with ``valuesFrom``, later ones on top, below its own ``values``."""
    values: Any = {}
    files, outside = list[str](), list[str]()
    for reference in map(table_in, list_in(spec.get("valuesFrom"))):
        kind, name = spelled(reference.get("kind")), spelled(reference.get("name"))
        key = text_in(reference.get("valuesKey")) or "values.yaml"
        found = [*_config_maps(name, key, texts)] if kind == "ConfigMap" else []
        if len(found) == 1:
            path, text = found[0]
            target = text_in(reference.get("targetPath"))
            whole = next(iter(documents(text)), None)
            given = whole if target is None else with_parameters({}, [(target, text.strip(), True)])
            values = merged(values, table_in(given))
            files.append(path)
        else:
            values = not_known(values)
            outside.append(f"{kind} {name} {key}")
    return replace(
        release,
        values=table_in(merged(values, table_in(spec.get("values")))),
        parameter_files=tuple(files),
        outside=tuple(outside),
    )


def _config_maps(name: str, key: str, texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Files with config maps of a name, and what they hold under a key."""
    for path, text in texts.items():
        if path.endswith((".yaml", ".yml")) and "ConfigMap" in text and name in text:
            for document in map(table_in, documents(text)):
                content = text_in(table_in(document.get("data")).get(key))
                named = table_in(document.get("metadata")).get("name") == name
                if document.get("kind") == "ConfigMap" and named and content is not None:
                    yield path, content


def _of_application(path: str, name: str, spec: Mapping[str, Any]) -> Iterator[Release]:
    sources = [table_in(source) for source in (spec.get("source"), *list_in(spec.get("sources")))]
    own = {source.get("repoURL") for source in sources if text_in(source.get("path")) is not None}
    others = {f"${s['ref']}": s for s in sources if isinstance(s.get("ref"), str) and s.get("repoURL") not in own}
    for source in sources:
        folder = text_in(source.get("path"))
        if folder is None:
            continue
        helm = table_in(source.get("helm"))
        folder = posixpath.normpath(folder)
        files = [str(file) for file in list_in(helm.get("valueFiles"))]
        outside = [(others.get(file.partition("/")[0]), file) for file in files]
        yield Release(
            name=name,
            path=path,
            folder="" if folder == "." else folder,
            value_files=tuple(_value_file(folder, file) for source, file in outside if source is None),
            outside=tuple(
                f"{s.get('repoURL')} {s.get('targetRevision')} {file}" for s, file in outside if s is not None
            ),
            values=_values(helm),
            kustomize=table_in(source.get("kustomize")),
            without_missing=helm.get("ignoreMissingValueFiles") is True,
        )


def _value_file(folder: str, name: str) -> str:
    """The path of a value file: relative to the chart, or to the root (``/…``, ``$values/…``)."""
    if name.startswith("$"):
        return posixpath.normpath(name.partition("/")[2])
    return posixpath.normpath(name.lstrip("/") if name.startswith("/") else posixpath.join(folder, name))


def _values(helm: Mapping[str, Any]) -> Mapping[str, Any]:
    given = helm.get("valuesObject")
    if not isinstance(given, dict):
        given = next(iter(documents(text_in(helm.get("values")) or "")), None)
    parameters = map(table_in, list_in(helm.get("parameters")))
    pairs = ((text_in(p.get("name")), p.get("value"), p.get("forceString") is not True) for p in parameters)
    named = [(name, spelled(value), typed) for name, value, typed in pairs if name is not None and value is not None]
    return with_parameters(table_in(given), named)
