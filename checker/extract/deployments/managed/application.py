"""An ``AWS::KinesisAnalyticsV2::Application`` as a deployment. Fields are called as in CloudFormation."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from checker.model.deployments import PARALLELISM, Deployment, DeploymentKind, UpgradeMode
from checker.model.foreign_documents import list_in, table_in
from checker.model.unknowns import Location

RUN_OPTIONS: Final = "kinesis.analytics.flink.run.options"
LATER: Final = "${later}"
"""Stands for a value that is filled in later, where a description holds one."""
_ASSET = re.compile(r"(?:^|/)[0-9a-f]{32,}\.jar$")
"""A file that the CDK called after its content."""
Groups = Mapping[str, tuple[tuple[str, str | None], ...]]
"""Property groups by name: keys and values, None for a value that is filled in later."""


def applications(name: str, described: Any, location: Location) -> Iterator[Deployment]:
    """The deployment that the properties of the resource describe; ``name`` where they give it none.

    None for a notebook (Zeppelin) and for an application of SQL, which run no program.
    """
    properties = described if isinstance(described, dict) else {"ApplicationConfiguration": LATER}
    configuration = table_in(properties.get("ApplicationConfiguration"))
    groups = groups_of(table_in(configuration.get("EnvironmentProperties")).get("PropertyGroups")) or {}
    options = dict(groups.get(RUN_OPTIONS, ()))
    content = table_in(table_in(configuration.get("ApplicationCodeConfiguration")).get("CodeContent"))
    key = literal(table_in(content.get("S3ContentLocation")).get("FileKey")) or ""
    runtime = literal(properties.get("RuntimeEnvironment")) or ""
    if runtime.startswith(("ZEPPELIN", "SQL")):
        return
    version = re.fullmatch(r"FLINK-(\d+)_(\d+)", runtime)
    start = table_in(properties.get("RunConfiguration"))
    run = table_in(start.get("FlinkRunConfiguration"))
    scaled = _parallelism(properties.get("ApplicationConfiguration", {}))
    named = str(properties.get("ApplicationName", LATER))
    yield Deployment(
        kind=DeploymentKind.MANAGED_FLINK,
        name=literal(named) or name,
        identity=None if LATER in named else named,
        target=location.file,
        location=location,
        files=(location.file,),
        script=_script(options.get("python"), key),
        jar=key.rpartition("/")[2] if key.endswith(".jar") and not _ASSET.search(key) else None,
        args=(),
        parallelism=_number(scaled),
        filled_by=tuple(dict.fromkeys(_fillers([(PARALLELISM, scaled), *_values(configuration)]))),
        outside=tuple(str(text) for text in (scaled, properties.get("RuntimeEnvironment")) if "${" in str(text)),
        flink=f"{version[1]}.{version[2]}" if version else None,
        upgrade_mode=_upgrade_mode(configuration, start),
        allow_non_restored_state=True if literal(run.get("AllowNonRestoredState")) == "true" else None,
        properties=without_options(groups),
        whole_environment=True,  # the service passes on none of the user's own
    )


def _script(path: str | None, archive: str) -> str | None:
    """The path of a script inside of its archive, which is called as the folder that it is made of is."""
    name = archive.rpartition("/")[2]
    return f"{name.removesuffix('.zip')}/{path}" if path and "/" not in path and name.endswith(".zip") else path


def _upgrade_mode(configuration: Mapping[str, Any], start: Mapping[str, Any]) -> UpgradeMode | None:
    """What an update starts from: a snapshot that the service takes before, unless these are switched off."""
    restoring = table_in(start.get("ApplicationRestoreConfiguration"))
    if literal(restoring.get("ApplicationRestoreType")) == "SKIP_RESTORE_FROM_SNAPSHOT":
        return UpgradeMode.STATELESS
    enabled = literal(table_in(configuration.get("ApplicationSnapshotConfiguration")).get("SnapshotsEnabled"))
    return {"true": UpgradeMode.SAVEPOINT, "false": UpgradeMode.STATELESS}.get((enabled or "").lower())


def _parallelism(configuration: Any) -> Any:
    """The parallelism of the application as it is written: 1 where nothing does, ``LATER`` where something else may."""
    given = configuration
    for name in ("FlinkApplicationConfiguration", "ParallelismConfiguration"):
        if not isinstance(given, dict):
            return LATER
        given = given.get(name, {})
    if not isinstance(given, dict):
        return LATER
    if not given or literal(given.get("ConfigurationType")) == "DEFAULT":
        return 1
    return given.get("Parallelism", LATER)


def _number(written: Any) -> int | None:
    text = literal(written) or ""
    return int(text) if text.isdecimal() and 1 <= int(text) < 2**15 else None


def _values(configuration: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """What the program is given, by key, as it is written."""
    for group in list_in(table_in(configuration.get("EnvironmentProperties")).get("PropertyGroups")):
        yield from table_in(table_in(group).get("PropertyMap")).items()


def _fillers(written: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, str]]:
    """What the expressions name that give values: variables of Terraform, properties, variables of the environment."""
    for name, value in written:
        for expression in re.findall(r"\$\{[^}]*\}", value) if isinstance(value, str) and value != LATER else ():
            yield from ((name, word) for word in _WORD.findall(expression) if word not in _OF_LANGUAGES)


_WORD = re.compile(r"(?<![\w-])[A-Za-z_][\w-]*(?![\w-]|\()")
_OF_LANGUAGES = frozenset(
    {"var", "local", "this", "props", "node", "process", "env", "scope", "self", "module", "data"}
)
"""What expressions begin with."""


def groups_of(given: Any) -> Groups | None:
    """Property groups, spelled as in templates and in the service's own file; None where not all are written down."""
    found: dict[str, tuple[tuple[str, str | None], ...]] = {}
    for group in given if isinstance(given, list) else ():
        name, values = table_in(group).get("PropertyGroupId"), table_in(group).get("PropertyMap", {})
        if literal(name) is None or not isinstance(values, dict):
            return None
        found[str(name)] = tuple((str(key), literal(value)) for key, value in values.items())
    return found


def without_options(groups: Groups) -> tuple[tuple[str, tuple[tuple[str, str | None], ...]], ...]:
    """The groups that a program reads, sorted by name."""
    return tuple(sorted((group, values) for group, values in groups.items() if group != RUN_OPTIONS))


def literal(value: Any) -> str | None:
    """A value that nothing fills in later."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str | int | float) and "${" not in str(value) else None


NAME: Final = "application_properties.json"


def deployments_of(path: str, text: str) -> Iterator[Deployment]:
    """The application whose property groups the project keeps, if the file says which script it runs."""
    try:
        groups = groups_of(json.loads(text))
    except (ValueError, RecursionError):
        return
    script = dict((groups or {}).get(RUN_OPTIONS, ())).get("python")
    if groups is None or script is None:
        return
    folder = posixpath.dirname(path)
    yield Deployment(
        kind=DeploymentKind.MANAGED_FLINK,
        name=posixpath.basename(folder) or NAME,
        target=path,
        location=Location(path, 1),
        files=(path,),
        script=posixpath.normpath(posixpath.join(folder, script)),
        args=(),
        properties=without_options(groups),
        whole_environment=True,
        assumed=(f"the application properties are those of {path}",),
    )
