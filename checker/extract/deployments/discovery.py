"""Every deployment that a revision describes: manifests, overlays, and start commands in scripts."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from checker.errors import RevisionError
from checker.extract.asking.consulted import once
from checker.extract.deployments import commands, containers, environment_files, kubernetes, managed
from checker.extract.deployments.cluster_configuration import (
    PROPERTIES,
    ClusterConfiguration,
    configurations_of,
    of_containers,
    unstarted,
    with_configuration,
)
from checker.extract.deployments.environment_files import NamedVariables, overridden, with_env_files
from checker.extract.deployments.overlays import documents
from checker.extract.deployments.started import STANDALONE
from checker.extract.deployments.unrendered import RESOURCE, STARTS, may_be_unrendered
from checker.extract.deployments.variables_of_scripts import assignments
from checker.extract.paths import shared_parts
from checker.model.deployments import Deployment
from checker.model.sources import SourceFiles
from checker.model.unknowns import Location

MAX_BYTES = 1_000_000
"""Larger YAML files and scripts are data, not deployments."""
_YAML = (".yaml", ".yml")
_SCRIPT = re.compile(
    r"(?:.*\.(?:sh|bash|zsh|mk|just)|Makefile|GNUmakefile|[jJ]ustfile|Jenkinsfile|Dockerfile.*|.*\.Dockerfile|"
    r"(?:docker-)?compose.*\.ya?ml|\.gitlab-ci\.ya?ml|Taskfile\.ya?ml|(?:azure|bitbucket)-pipelines.*\.ya?ml|"
    r"(?:buildspec|cloudbuild).*\.ya?ml|\.(?:travis|drone)\.ya?ml|[\w-]+|.*\.(?:service|(?:sh|service)\.j2))"
)
_NAMED_VARIABLES = re.compile(r"kind:\s*[\"']?(?:ConfigMap|Secret)\b|(?:configMap|secret)Generator\s*:")
_ENV_FILE = ".env"
_OVERRIDING = re.compile(r"compose\.override\.ya?ml$")
"""What docker compose puts on top of the file that it stands beside."""
_WORKFLOWS = (".github/workflows/", ".circleci/", ".buildkite/")


def deployments(files: SourceFiles) -> tuple[Deployment, ...]:
    """All deployments of a revision, sorted by place; found out once."""
    return once(files, "deployments", _deployments)


def _deployments(files: SourceFiles) -> tuple[Deployment, ...]:
    texts = _texts(files)
    found = [*_written(texts)]
    mains = {d.main for d in found}
    for path, text in texts.items():
        if environment_files.is_image_file(path):  # what runs the image otherwise comes first
            found.extend(d for d in containers.job_of_image(path, text) if d.main is None or d.main not in mains)
    configurations = _configurations(texts)
    found = [replace(_initialized(d, files), files=d.files or (d.location.file,)) for d in found]
    found = [with_configuration(d, configurations) for d in _in_images(found, texts)]
    return tuple(sorted(found, key=lambda d: (d.location, d.target)))


def _written(texts: Mapping[str, str]) -> Iterator[Deployment]:
    """The deployments that the texts of a revision describe, as they stand there."""
    variables = _variables(texts)
    yield from kubernetes.resources_of(texts, variables)
    for path, text in texts.items():
        concerned = (
            path.endswith(_YAML) and not runs_tests(path, text) and STARTS.search(text) and not _OVERRIDING.search(path)
        )
        ours = [*_of_containers(path, texts, variables)] if concerned else []
        if (
            not ours
            and is_script(path)
            and not runs_tests(path, text)
            and any(word in text for word in ("flink", "sql-client", "/jars/", *STANDALONE))
        ):
            ours = [*commands.deployments_of(text, path, path), *commands.posted_runs(text, path, path)]
        yield from (replace(d, files=d.files or (d.location.file,)) for d in ours)
        yield from managed.deployments_of(path, text)


def _in_images(found: Sequence[Deployment], texts: Mapping[str, str]) -> Iterator[Deployment]:
    """Deployments with what the image files of the revision say of their jars, and of variables they may set."""
    jars, variables = environment_files.jars(texts), environment_files.variables(texts)
    for deployment in found:
        own = {name for name, _ in deployment.environment}
        yield replace(
            deployment,
            copied_from=jars.get(deployment.jar or "", ()),
            filled_later=tuple(sorted({*deployment.filled_later, *(variables - own)})),
        )


def _initialized(deployment: Deployment, files: SourceFiles) -> Deployment:
    """The deployment with the repository's path of the file that initializes the SQL client: None without one."""
    if deployment.initialized_by is None:
        return deployment
    wanted = posixpath.normpath(deployment.initialized_by)
    scripts = [path for path in files.paths() if path.endswith(".sql")]
    longest = max((shared_parts(path, wanted) for path in scripts), default=0)
    named = [path for path in scripts if longest > 0 and shared_parts(path, wanted) == longest]
    return replace(deployment, initialized_by=named[0] if len(named) == 1 else None)


def cluster_alone(files: SourceFiles) -> Deployment | None:
    """The cluster's configuration, for a program whose start is written down nowhere."""
    return once(files, "cluster alone", lambda seen: unstarted(_configurations(_texts(seen))))


def _texts(files: SourceFiles) -> dict[str, str]:
    """Every file that may say how something is deployed."""
    named = (p for p in files.paths() if p.endswith(_YAML) or is_command_file(p))
    found = {p: t for p in named if (t := text_of(files, p)) is not None}
    tables = (p for p in files.paths() if p.endswith(".json") and "node_modules/" not in p)
    read = {p: t for p in tables if (t := text_of(files, p)) is not None}
    return found | {p: t for p, t in read.items() if RESOURCE.search(t) or managed.may_describe(p, t)}


def _configurations(texts: Mapping[str, str]) -> list[ClusterConfiguration]:
    found: list[ClusterConfiguration] = []
    for path, text in texts.items():
        if path.endswith(_YAML):
            found.extend(configurations_of(path, text))
            if PROPERTIES in text or "jobmanager" in text:
                for document in documents(text):
                    started = containers.containers_of(document, {})
                    found.extend(of_containers(path, ((c.words, dict(c.environment)) for c in started)))
    return list(dict.fromkeys(found))


def _variables(texts: Mapping[str, str]) -> NamedVariables:
    named = ((path, text) for path, text in texts.items() if path.endswith((*_YAML, "Kustomization")))
    telling = ((path, text) for path, text in named if _NAMED_VARIABLES.search(text))
    return NamedVariables(((path, document) for path, text in telling for document in documents(text)), texts)


def _of_containers(path: str, texts: Mapping[str, str], variables: NamedVariables) -> Iterator[Deployment]:
    """Jobs of docker compose, which reads ``.env`` beside the file, and of workloads of Kubernetes."""
    known = assignments(texts.get(posixpath.join(posixpath.dirname(path), _ENV_FILE), ""))
    override = next((o for ending in _YAML if (o := f"{path.rpartition('.')[0]}.override{ending}") in texts), None)
    files = () if override is None else (path, override)
    for document in documents(texts[path]):
        metadata = document.get("metadata") if isinstance(document, dict) else None
        namespace = metadata.get("namespace") if isinstance(metadata, dict) else None
        line = texts[path].count("\n", 0, max(0, STARTS.search(texts[path]).start())) + 1  # type: ignore[union-attr]
        target = namespace if isinstance(namespace, str) else path
        if override is not None:
            document = next((overridden(document, above) for above in documents(texts[override])), document)
        filled = with_env_files(variables.inlined(document), path, texts)
        for found in containers.deployments_of(filled, Location(path, line), target, known):
            yield replace(found, files=files)


def is_command_file(path: str) -> bool:
    """Whether a file that is not YAML may hold start commands, variables of docker compose, or applications."""
    return is_script(path) or path.endswith((_ENV_FILE, ".template"))


def tells_of_starts(path: str) -> bool:
    """Whether a file may say how programs are started, or a change of it may alter what other files say of that."""
    return path.endswith((*_YAML, ".sql", ".json")) or is_command_file(path) or may_be_unrendered(path)


def is_script(path: str) -> bool:
    """Whether a file that is not YAML is looked through for commands, and workflows are."""
    name = posixpath.basename(path)
    return bool(_SCRIPT.fullmatch(name)) or (path.startswith(_WORKFLOWS) and name.endswith(_YAML))


def text_of(files: SourceFiles, path: str) -> str | None:
    """The text of a file that may say how programs are started, None where it is too large for that."""
    try:
        data = files.read(path)
    except RevisionError:
        if "." in posixpath.basename(path) and not path.endswith(".json"):
            raise
        return None  # neither script nor manifest, but something so large that the clone leaves it out
    if len(data) > MAX_BYTES:
        return None
    return data.decode("utf-8", "replace")


_OF_CI = re.compile(
    r"\.(?:github/workflows|circleci|buildkite)/[^/]+\.ya?ml|"
    r"(?:.*/)?(?:\.gitlab-ci|\.travis|\.drone|(?:azure|bitbucket)-pipelines[^/]*|(?:buildspec|cloudbuild)[^/]*)\.ya?ml"
)
_OF_BENCHMARKS = re.compile(r"(?:^|[/_.-])(?:bench|(?:micro)?benchmark(?:s|ing)?)(?=[/_.-])")
_DEPLOYS = re.compile(r"deploy|release|publish|prod", re.IGNORECASE)
_TESTS = re.compile(r"(?<![a-z])(?:tests?|e2e|integration|smoke|it|verify|pr)(?![a-z])", re.IGNORECASE)
_OWN_CLUSTER = re.compile(
    r"\bstart-cluster\.sh\b|\b(?:docker[- ]compose|podman[- ]compose)\b[^\n]{0,500}\bup\b|"
    r"\b(?:kind|k3d)\b[^\n]{0,500}\bcreate\b|"
    r"\bminikube\b[^\n]{0,500}\bstart\b"
)


def runs_tests(path: str, text: str) -> bool:
    """Whether a workflow of CI starts jobs to test them: on a cluster of its own, for pull requests, or by its name.

    What measures jobs is known by its own name or that of its folder.
    """
    if _OF_BENCHMARKS.search(path):
        return True
    if _OF_CI.fullmatch(path) is None or _DEPLOYS.search(posixpath.basename(path)):
        return False
    named = _TESTS.search(posixpath.basename(path)) is not None
    return named or "pull_request" in text or _OWN_CLUSTER.search(text) is not None
