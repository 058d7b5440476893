"""Which charts of the repository ``helm`` itself, helmfile, kustomize and Terraform release, and with which values.

Read are ``helm upgrade``, ``install`` and ``template`` in scripts and workflows, ``releases`` of helmfile,
``helmCharts`` of a kustomization and ``helm_release`` of Terraform's provider. Values follow Helm 3.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from checker.extract.deployments import hcl
from checker.extract.deployments.given_values import Parameter, with_parameters
from checker.extract.deployments.overlays import KUSTOMIZATIONS, LATER, documents, merged
from checker.extract.deployments.released import Release
from checker.extract.deployments.runs_of_tests import runs_tests
from checker.extract.deployments.shell_words import first_command, split
from checker.extract.deployments.variables import assignments, expanded
from checker.extract.deployments.variables_of_scripts import MAKEFILE, as_shell, found_set
from checker.model.foreign_documents import list_in, spelled, table_in, text_in

_COMMAND = re.compile(
    r"(?:^|[\s\"'/@(&;|])helm3?[ \t]+(?:[^\n;&|#\"']*[ \t])?(?:upgrade|install|template)(?=[ \t])", re.M
)
_CONTINUED = re.compile(r"\\\n[ \t]*")
_FLAGS = frozenset({
    "--install", "-i", "--wait", "--atomic", "--create-namespace", "--debug", "--dry-run", "--force",
    "--dependency-update", "--cleanup-on-fail", "--reuse-values", "--reset-values", "--wait-for-jobs", "--no-hooks",
    "--skip-crds", "--devel", "--verify", "--generate-name", "-g", "--include-crds", "--validate",
    "--reset-then-reuse-values", "--disable-openapi-validation",
})  # fmt: skip
"""Options that take no value."""
_SETTING = {"--set": True, "--set-string": False}
_UNKNOWN_SETTING = ("--set-json", "--set-file", "--set-literal")
_PAIR = re.compile(r"((?:\\.|[^=,\\])+)=(\{[^}]*\}|(?:\\.|[^,\\])*)(?:,|$)")
_PLAIN_VARIABLE = re.compile(r"\$([A-Za-z_]\w*|[\d@*])")
_FILLED = re.compile(r"[$`]|\{\{")
_FILE = re.compile(r"\$\{\s*file\(\s*\"?([^\"()]+?)\"?\s*\)\s*\}")
_MODULE = re.compile(r"\$\{path\.(?:module|root|cwd)\}/?")
_HELMFILE = re.compile(r"(?:.*/)?helmfile(?:\.d/.*|[^/]*)\.ya?ml(?:\.gotmpl)?")


def releases_of(path: str, text: str, texts: Mapping[str, str]) -> Iterator[Release]:
    """What one file releases of charts in folders of the repository."""
    if path.endswith(".tf"):
        yield from _of_terraform(path, text) if "helm_release" in text else ()
    elif path.endswith(KUSTOMIZATIONS):
        yield from _of_kustomization(path, text) if "helmCharts" in text else ()
    elif _HELMFILE.fullmatch(path):
        yield from _of_helmfile(path, text)
    elif _COMMAND.search(text) and not runs_tests(path, text):
        yield from _of_commands(path, text, texts)


def _of_commands(path: str, text: str, texts: Mapping[str, str]) -> Iterator[Release]:
    text = as_shell(text, path)
    known = {**found_set(path, text, texts), **({} if MAKEFILE.search(path) else assignments(text))}
    for match in _COMMAND.finditer(text):
        if text[text.rfind("\n", 0, match.end()) + 1 : match.end()].lstrip().startswith(("#", "echo", "//")):
            continue
        line = _CONTINUED.sub(" ", text[match.end() : match.end() + 4000]).partition("\n")[0]
        words = [expanded(word, known).text for word in split(first_command(line))]
        yield from _of_words(path, words, texts)


def _of_words(path: str, words: list[str], texts: Mapping[str, str]) -> Iterator[Release]:
    rest, plain, files = list(words), list[str](), list[str]()
    parameters: list[Parameter] = []
    while rest:
        word = rest.pop(0)
        key, equals, value = word.partition("=")
        if not word.startswith("-"):
            plain.append(word)
        elif key not in _FLAGS:
            value = value if equals else rest.pop(0) if rest else ""
            if key in ("-f", "--values"):
                files += value.split(",")
            elif key in _SETTING:
                parameters += [(name, _later(given), _SETTING[key]) for name, given in _PAIR.findall(value)]
            elif key in _UNKNOWN_SETTING:
                parameters.append((value.partition("=")[0], LATER, False))
    for word in plain:
        folder = _place(path, word, texts)
        if folder is not None:
            name = next((text for text in plain if text != word and not _FILLED.search(text)), path)
            yield _release(path, name, folder, [_file(path, file, texts) for file in files], {}, parameters)


def _of_helmfile(path: str, text: str) -> Iterator[Release]:
    for document in documents(text):
        for given in map(table_in, list_in(table_in(document).get("releases"))):
            chart = text_in(given.get("chart")) or ""
            if chart.startswith("."):
                values = list_in(given.get("values"))
                files = [_beside(path, value) for value in values if isinstance(value, str)]
                inline: Any = {}
                for value in values:
                    inline = merged(inline, table_in(value))
                pairs = map(table_in, list_in(given.get("set")))
                parameters = [(spelled(p.get("name")), _later(spelled(p.get("value", LATER))), True) for p in pairs]
                yield _release(
                    path, text_in(given.get("name")) or path, _beside(path, chart), files, inline, parameters
                )


def _of_kustomization(path: str, text: str) -> Iterator[Release]:
    for document in documents(text):
        table = table_in(document)
        home = text_in(table_in(table.get("helmGlobals")).get("chartHome")) or "charts"
        for given in map(table_in, list_in(table.get("helmCharts"))):
            name = text_in(given.get("name")) or ""
            files = [given.get("valuesFile"), *list_in(given.get("additionalValuesFiles"))]
            paths = [_beside(path, file) for file in files if isinstance(file, str)]
            release = text_in(given.get("releaseName")) or posixpath.basename(posixpath.dirname(path)) or name
            folder = _beside(path, posixpath.join(home, name))
            yield _release(path, release, folder, paths, table_in(given.get("valuesInline")), ())


def _of_terraform(path: str, text: str) -> Iterator[Release]:
    for resource in hcl.parsed(text).get("resource", ()):
        for name, described in table_in(table_in(resource).get("helm_release")).items():
            for block in map(table_in, described if isinstance(described, list) else [described]):
                chart = _MODULE.sub("", text_in(block.get("chart")) or "")
                given = (_FILE.search(_MODULE.sub("", str(value))) for value in list_in(block.get("values")))
                paths = [_beside(path, file[1]) for file in given if file is not None]
                yield _release(path, name, _beside(path, chart), paths, {}, _pairs(block.get("set")))


def _release(
    path: str, name: str, folder: str, files: Sequence[str], values: Mapping[str, Any], parameters: Sequence[Parameter]
) -> Release:
    made = Release(name=name, path=path, folder=folder, value_files=tuple(files), exclusive=False)
    return replace(made, values=with_parameters(values, parameters))


def _pairs(given: Any) -> list[Parameter]:
    """Tables with a name and a value each."""
    pairs = map(table_in, list_in(given))
    return [(spelled(pair.get("name")), _later(spelled(pair.get("value", LATER))), True) for pair in pairs]


def _later(value: str) -> str:
    """A value with its variables as manifests have them."""
    named = _PLAIN_VARIABLE.sub(r"${\1}", value)
    return LATER if _FILLED.search(value) and "${" not in named and "{{" not in named else named


def _place(path: str, word: str, texts: Mapping[str, str]) -> str | None:
    """The folder of a chart that a word names, from the root of the repository or from the script's folder."""
    for folder in (posixpath.normpath(word), _beside(path, word)):
        if posixpath.join(folder, "Chart.yaml") in texts:
            return folder
    return None


def _file(path: str, name: str, texts: Mapping[str, str]) -> str:
    found = posixpath.normpath(name)
    return _beside(path, name) if found not in texts and _beside(path, name) in texts else found


def _beside(path: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
