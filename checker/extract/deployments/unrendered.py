"""Charts, projects of the CDK, modules of Terraform, templates: what only its own tool makes deployments of.

Nothing is read from them. What that tool renders is read instead, so a report says where that is missing, and an edit
of one that may start a pipeline is not understood.

Resources of other operators and platforms are spelled here as those of Apache's operator: Confluent's
``FlinkApplication``, Spotify's and Google's ``FlinkCluster``, Lyft's ``FlinkApplication``, Ververica Platform's
``Deployment``: where each of them says what a ``FlinkDeployment`` says.
"""

import posixpath
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from shlex import split
from typing import Any

import yaml

from checker.extract.asking.consulted import once
from checker.extract.asking.listing import listing_of
from checker.extract.texts import yaml_documents
from checker.model.deployments import DeploymentKind
from checker.model.nested import gathered, list_in, reached, spelled, table_in, text_in
from checker.model.sources import SourceFiles

OF_OTHERS = re.compile(r"kind[\"']?:\s*[\"']?Flink(?:Application|Cluster)\b|jarUri\b|pythonArtifactUri\b")
"""What says that a file may hold some."""


@cache
def _spellings() -> list[dict[str, Any]]:
    """Kinds of resources, each with where it says what ``FlinkDeploymentSpec`` does (``other_operators.toml``)."""
    text = files("checker.extract.deployments").joinpath("other_operators.toml").read_text(encoding="utf-8")
    spellings: list[dict[str, Any]] = tomllib.loads(text)["resource"]
    return spellings


_DRIVER = "org.apache.flink.client.python.PythonDriver"
_FORMAT = "kubernetes.operator.savepoint.format.type"


def as_apaches(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The document with what it says where a ``FlinkDeployment`` says it; Confluent's specifications are its."""
    group = text_in(document.get("apiVersion")) or ""
    for spelling in _spellings():
        if document.get("kind") == spelling["named"] and group.startswith(spelling["group"]):
            return _spelled_anew(document, spelling)
    return document


def _spelled_anew(document: Mapping[str, Any], spelling: Mapping[str, Any]) -> Mapping[str, Any]:
    made: dict[str, Any] = {"kind": DeploymentKind[spelling["kind"]], "metadata": document.get("metadata"), "spec": {}}
    for path, theirs in spelling["paths"].items():
        value = _at(document, theirs)
        if value is not None:
            _put(made, path, value)
    spec = made["spec"]
    job = spec.get("job")
    if not isinstance(job, dict):
        return made
    mode = _at(document, spelling["mode_at"])
    job["upgradeMode"] = spelling["modes"].get("" if mode is None else spelled(mode), "${later}")
    if isinstance(job.get("args"), str):
        job["args"] = split(job["args"])
    script = job.pop("script", None)
    if script is not None:
        job.update(entryClass=_DRIVER, args=["-py", script, *(job.get("args") or ())])
    version = re.match(r"(\d+)\.(\d+)", str(spec.get("flinkVersion")))
    if version is not None:
        spec["flinkVersion"] = f"v{version[1]}_{version[2]}"
    if "format" in spec:
        _put(made, "spec.flinkConfiguration", {**table_in(spec.get("flinkConfiguration")), _FORMAT: spec.pop("format")})
    if "env" in spec or "envFrom" in spec:
        container = {key: spec.pop(key) for key in ("env", "envFrom") if key in spec}
        _put(made, "spec.podTemplate.spec.containers", [container])
    return made


def _at(document: Any, path: str) -> Any:
    for part in path.split(".") if path else ():
        document = table_in(document).get(part)
    return document if path else None


def _put(document: dict[str, Any], path: str, value: Any) -> None:
    *parts, last = path.split(".")
    for part in parts:
        document = document.setdefault(part, {})
    document[last] = value


RESOURCE = re.compile(
    r"flink\.apache\.org|kind[\"']?:\s*[\"']?Flink(?:Deployment|SessionJob|BlueGreenDeployment)\b|" + OF_OTHERS.pattern
)
"""What says that a file may hold custom resources of an operator: their group, or a kind of theirs."""
STARTS = re.compile(r"flink[\"']?,?\s*[\"']?run|standalone-job|job-cluster|sql-client\.sh")
"""What says that a container submits or is a job."""
VALUES = re.compile(r"(?:^|/)[\w.-]*values[\w.-]*\.ya?ml$")
_STARTS_IN_CHART = re.compile(f"{RESOURCE.pattern}|{STARTS.pattern}")
_OF_CHARTS = (".yaml", ".yml", ".tpl")
_TEMPLATE = re.compile(r"\.(?:ya?ml|json)[.-](?:tmpl|tpl|template|in|envsubst|dist|j2|jinja2?)$")
_OF_CDK = re.compile(r"(?<!\.d)\.(?:ts|js|py|java)$|(?:^|/)cdk\.json$")
_DEPENDENCIES = frozenset({
    "cdk.json", "package.json", "requirements.txt", "pyproject.toml", "setup.py", "Pipfile", "pom.xml", "build.gradle",
    "build.gradle.kts",
})  # fmt: skip
_NAMES_CDK = re.compile(r"aws-cdk|aws_cdk|awscdk")
_OF_TERRAFORM = re.compile(r"\.tf(?:vars|tpl)?(?:\.json)?$")
_APPLICATION = re.compile(rf"aws_kinesisanalyticsv2_application|(?:{RESOURCE.pattern})|\bkind\s*=\s*\"Flink\w+\"")
"""What starts Flink in a module: an application of Amazon's service, or a resource of an operator."""
_GIVES = re.compile(rf"{_APPLICATION.pattern}|^[ \t]*(?:variable|module)\s+\"|^[ \t]*locals\s*\{{", re.M)
_MODULE = re.compile(r"^module\s+\"([^\"]+)\"\s*\{(?:(?!^\})[\s\S])*?^[ \t]*source\s*=\s*\"([^\"]+)\"", re.M)
_ELSEWHERE = re.compile(r"(?:^|/)(?:node_modules|cdk\.out|tests?|src/test|docs?|\.terraform)/")
_LARGEST = 1_000_000


class Tool(StrEnum):
    """What renders, in the words of a report: several of what it renders."""

    HELM = "charts"
    CDK = "projects of the CDK"
    TERRAFORM = "modules of Terraform"
    TEMPLATE = "templates"

    @property
    def singular(self) -> str:
        """A single one."""
        words = self.split(" ")
        return " ".join((words[0].removesuffix("s"), *words[1:]))


@dataclass(frozen=True, slots=True)
class Unrendered:
    """One chart, project, module or template that seems to start Flink, with its texts by path."""

    tool: Tool
    folder: str
    """The path of a template, which is a file."""
    texts: Mapping[str, str]
    charts_above: frozenset[str] = frozenset()
    """The folders of charts that a chart is a part of, in which others give it values."""
    given_below: frozenset[str] = frozenset()
    """The keys below which these do that."""

    @property
    def text(self) -> str:
        """All of its texts."""
        return "\n".join(self.texts.values())


def in_chart(path: str, paths: Collection[str]) -> bool:
    """Whether a file is a template of a chart."""
    folder = path
    while folder := posixpath.dirname(folder):
        if posixpath.basename(folder) == "templates" and f"{posixpath.dirname(folder)}/Chart.yaml".lstrip("/") in paths:
            return True
    return False


def unrendered(files: SourceFiles) -> tuple[Unrendered, ...]:
    """What of a revision has to be rendered before anybody knows how it starts Flink."""
    return once(files, "what has to be rendered", lambda seen: tuple(_found(seen)))


def may_be_unrendered(path: str) -> bool:
    """Whether a file has the name of one that has to be rendered."""
    return bool(path.endswith(".tpl") or _TEMPLATE.search(path) or _OF_CDK.search(path) or _OF_TERRAFORM.search(path))


def _found(files: SourceFiles) -> Iterator[Unrendered]:
    paths = sorted(path for path in listing_of(files).all if not _ELSEWHERE.search(path))
    yield from _of_helm(files, paths)
    for path, text in _texts(files, (path for path in paths if _TEMPLATE.search(path))).items():
        if RESOURCE.search(text):
            yield Unrendered(Tool.TEMPLATE, path, {path: text})
    yield from _of_terraform(_texts(files, (path for path in paths if _OF_TERRAFORM.search(path))))
    lists = _texts(files, (path for path in paths if posixpath.basename(path) in _DEPENDENCIES))
    for project in sorted({posixpath.dirname(path) for path, text in lists.items() if _belongs_to_cdk(path, text)}):
        named = (path for path in paths if _OF_CDK.search(path) and _is_below(path, project))
        texts = {path: text for path, text in _texts(files, named).items() if _belongs_to_cdk(path, text)}
        if any("kinesisanalytics" in text for text in texts.values()):
            yield Unrendered(Tool.CDK, project, texts)


def _of_helm(files: SourceFiles, paths: Sequence[str]) -> Iterator[Unrendered]:
    """Each chart that starts Flink; each one that uses such a chart as a library, with what that says."""
    described = (path for path in paths if posixpath.basename(path) in ("Chart.yaml", "requirements.yaml"))
    charts: dict[str, dict[str, Any]] = {}
    for path, text in _texts(files, described).items():
        with suppress(yaml.YAMLError):
            for document in yaml_documents(text):
                charts.setdefault(posixpath.dirname(path), {}).update(table_in(document))
    for chart in charts:
        texts = _of_chart(files, paths, chart)
        if any("/templates/" in f"/{path}" and _STARTS_IN_CHART.search(text) for path, text in texts.items()):
            used = {parent: keys for parent in charts if (keys := _keys_in(parent, chart, charts)) and parent != chart}
            if charts[chart].get("type") == "library":
                for parent in used:
                    yield Unrendered(Tool.HELM, parent, {**texts, **_of_chart(files, paths, parent)})
            else:
                above = reached(used, lambda part: (p for p in charts if p != part and _keys_in(p, part, charts)))
                yield Unrendered(Tool.HELM, chart, texts, frozenset(above), frozenset({"global"}.union(*used.values())))


def _of_chart(files: SourceFiles, paths: Sequence[str], chart: str) -> dict[str, str]:
    return _texts(files, (path for path in paths if _is_below(path, chart) and path.endswith(_OF_CHARTS)))


def _keys_in(parent: str, chart: str, charts: Mapping[str, Mapping[str, Any]]) -> set[str]:
    """The keys below which a chart gives values to another one that it names as its dependency, or that lies in it."""
    name = text_in(charts[chart].get("name")) or posixpath.basename(chart)
    found = {name} if _is_below(chart, posixpath.join(parent, "charts")) else set()
    for dependency in map(table_in, list_in(charts[parent].get("dependencies"))):
        folder = (text_in(dependency.get("repository")) or "").partition("file://")[2]
        here = not folder or posixpath.normpath(posixpath.join(parent, folder)) == chart
        if dependency.get("name") == name and here:
            conditions = (text_in(dependency.get("condition")) or "").split(",")
            found.update({text_in(dependency.get("alias")) or name, *(c.partition(".")[0] for c in conditions if c)})
    return found


def _of_terraform(texts: Mapping[str, str]) -> Iterator[Unrendered]:
    """Each folder with applications, with those that call it as a module, and those whose outputs these use."""
    by_folder = gathered((posixpath.dirname(path), path) for path in texts if path.endswith((".tf", ".tf.json")))
    called: dict[str, dict[str, str]] = {folder: {} for folder in by_folder}
    for folder, paths in by_folder.items():
        for name, source in (found for path in paths for found in _MODULE.findall(texts[path])):
            called[folder][posixpath.normpath(posixpath.join(folder, source))] = name
    for folder in sorted(folder for folder, paths in by_folder.items() if _starts_flink(texts, paths)):
        modules = {folder, *(caller for caller, used in called.items() if folder in used)}
        code = "\n".join(texts[path] for module in modules for path in by_folder[module])
        given = {used for module in modules for used, name in called[module].items() if f"module.{name}." in code}
        modules |= given & by_folder.keys()
        own = {path: text for path, text in texts.items() if _module_of(path, by_folder) in modules}
        telling = {p: t for p, t in own.items() if "tfvars" in p or _GIVES.search(t)}
        yield Unrendered(Tool.TERRAFORM, folder, telling)


def _starts_flink(texts: Mapping[str, str], paths: Iterable[str]) -> bool:
    return any(_APPLICATION.search(texts[path]) for path in paths)


def _module_of(path: str, modules: Collection[str]) -> str:
    """The nearest folder with code of Terraform: values for several environments lie below it."""
    folder = posixpath.dirname(path)
    while folder and folder not in modules:
        folder = posixpath.dirname(folder)
    return folder


def _belongs_to_cdk(path: str, text: str) -> bool:
    return path.endswith((".ts", "cdk.json")) or _NAMES_CDK.search(text) is not None


def _texts(files: SourceFiles, paths: Iterable[str]) -> dict[str, str]:
    read = ((path, files.read(path)) for path in paths)
    return {path: data.decode("utf-8", "replace") for path, data in read if len(data) <= _LARGEST}


def _is_below(path: str, folder: str) -> bool:
    return not folder or path.startswith(f"{folder}/")
