"""Amazon's Managed Service for Apache Flink: its applications, as templates, plans and projects describe them.

An ``AWS::KinesisAnalyticsV2::Application`` becomes a deployment. Fields are called as in CloudFormation.
"""

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from checker.extract.deployments.overlays import documents
from checker.model.deployments import PARALLELISM, Deployment, DeploymentKind, UpgradeMode
from checker.model.nested import list_in, table_in
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


def _in_properties(path: str, text: str) -> Iterator[Deployment]:
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


RESOURCE: Final = "aws_kinesisanalyticsv2_application"
_TOP = {"name": "ApplicationName"}


def _in_plans(path: str, text: str) -> Iterator[Deployment]:
    """The applications that a plan leads to, those of its modules included."""
    try:
        plan = table_in(json.loads(text))
    except (ValueError, RecursionError):
        return
    for resource in _resources(table_in(table_in(plan.get("planned_values", plan.get("values"))).get("root_module"))):
        values = table_in(resource.get("values"))
        properties = {_TOP.get(key, _pascal(key)): _described(value) for key, value in values.items()}
        configuration = properties.get("ApplicationConfiguration")
        if isinstance(configuration, dict) and "RunConfiguration" in configuration:
            properties["RunConfiguration"] = configuration["RunConfiguration"]
        name = str(resource.get("address", RESOURCE))
        line = text.count("\n", 0, max(0, text.find(json.dumps(name)))) + 1
        yield from applications(name, properties, Location(path, line))


def _resources(module: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    found = map(table_in, list_in(module.get("resources")))
    yield from (r for r in found if r.get("type") == RESOURCE and r.get("mode", "managed") == "managed")
    for inner in list_in(module.get("child_modules")):
        yield from _resources(table_in(inner))


def _described(value: Any) -> Any:
    """A block in the words of CloudFormation: one that stands once is a table, property groups are a list."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        return _described(value[0])
    if not isinstance(value, dict):
        return LATER if value is None else {} if value == [] else value
    found = {_pascal(key): _described(part) for key, part in value.items() if key != "property_group"}
    if "property_group" in value:
        found["PropertyGroups"] = [
            {"PropertyGroupId": group.get("property_group_id"), "PropertyMap": group.get("property_map") or LATER}
            for group in map(table_in, list_in(value["property_group"]))
        ]
    return found


def _pascal(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


_REFERENCE: Final = re.compile(r"!Ref\s+[\"']?(\w+)[\"']?")
_ONE_WORD: Final = re.compile(r"!(?:Ref|GetAtt|ImportValue|Condition)\s+[^\s,\]}]+")
_FILLED_IN: Final = re.compile(r"\$\{(\w+)\}")
_TAG: Final = re.compile(r"(?<=[\s\[:-])!(?:Sub|Join|If|Select|FindInMap|Split|Equals|Not|And|Or|Base64|Cidr|GetAZs)\b")


def _in_templates(path: str, text: str) -> Iterator[Deployment]:
    """The applications of one template."""
    referred = _REFERENCE.sub(r'"${\1}"', text)
    for document in documents(_TAG.sub("", _ONE_WORD.sub(f'"{LATER}"', referred))):
        declared = table_in(table_in(document).get("Parameters"))
        defaults = {key: about["Default"] for key, about in declared.items() if "Default" in table_in(about)}
        for name, resource in table_in(table_in(document).get("Resources")).items():
            if table_in(resource).get("Type") == "AWS::KinesisAnalyticsV2::Application":
                line = text.count("\n", 0, max(0, text.find(name))) + 1
                written = table_in(resource).get("Properties", {})
                described = _with_defaults(written, defaults)
                assumed = () if described == written else (f"parameters of {path} have their defaults",)
                raw = applications(name, written, Location(path, line))
                for found, unfilled in zip(applications(name, described, Location(path, line)), raw, strict=True):
                    given = tuple(pair for pair in unfilled.filled_by if pair[1] in declared)
                    parameters = tuple(dict.fromkeys(by for _, by in given))
                    yield replace(found, assumed=assumed, filled_by=(*found.filled_by, *given), parameters=parameters)


def _with_defaults(value: Any, defaults: Mapping[str, Any]) -> Any:
    """Properties with the values of parameters that have one."""
    if isinstance(value, list):
        return [_with_defaults(part, defaults) for part in value]
    if isinstance(value, dict):
        referred = value.get("Ref") if len(value) == 1 else None
        inner = {key: _with_defaults(part, defaults) for key, part in value.items()}
        return inner if not isinstance(referred, str) else _with_defaults(f"${{{referred}}}", defaults)
    if not isinstance(value, str):
        return value
    return _FILLED_IN.sub(lambda match: str(defaults.get(match[1], match[0])), value)


_TEMPLATE = ".template"
_TYPE = "AWS::KinesisAnalyticsV2::Application"


def may_describe(path: str, text: str) -> bool:
    """Whether a file may describe applications, by its name and by what it holds."""
    if posixpath.basename(path) == NAME:
        return True
    named = path.endswith((".json", ".yaml", ".yml", _TEMPLATE))
    return named and (_TYPE in text or (path.endswith(".json") and RESOURCE in text))


def deployments_of(path: str, text: str) -> Iterator[Deployment]:
    """The applications that a file describes."""
    if posixpath.basename(path) == NAME:
        yield from _in_properties(path, text)
    elif _TYPE in text:
        yield from _in_templates(path, text)
    elif path.endswith(".json") and RESOURCE in text:
        yield from _in_plans(path, text)
