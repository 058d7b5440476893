"""``savepoint-checker.toml`` of the head revision."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, TypeVar

from checker.errors import SettingsError, did_you_mean
from checker.model.deployments import Deployment, DeploymentKind, UpgradeMode
from checker.model.findings import Severity, Suppression
from checker.model.nested import toml
from checker.model.pipelines import ExtractorKind, PipelineEntry, with_values
from checker.model.sources import SourceFiles
from checker.model.unknowns import Location
from checker.time_limits import ALLOWANCE, Allowance

FILE = "savepoint-checker.toml"
_TOP = ("flink", "parallelism", "max_parallelism", "args", "values", "fail_on", "discover", "exclude", "mapping",
        "assume", "unset", "deployments", "deployment", "rendered",
        "pipeline", "suppress", "rules", "pipeline_seconds", "pipeline_megabytes")  # fmt: skip
_DEPLOYMENT = ("pipeline", "environment", "args", "env", "unset", "parallelism", "max_parallelism", "flink",
               "configuration", "upgrade_mode", "allow_non_restored_state")  # fmt: skip
DEFAULTS = "defaults"
"""The only assumption that can be asked for: values that are not known to be given are not given."""
_PIPELINE = ("name", "extract", "main", "file", "files", "args", "values", "parallelism", "max_parallelism", "flink",
             "build", "jars", "unset")  # fmt: skip
_SUPPRESS = ("rule", "operator", "pipeline", "reason", "expires")


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    """What a command line says on top of a configuration, for every pipeline."""

    flink: str | None = None
    parallelism: int | None = None
    values: tuple[tuple[str, str], ...] = ()
    unset: tuple[str, ...] = ()
    assume_defaults: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the configuration says; every field has a default, so no configuration works too."""

    flink: str | None = None
    parallelism: int | None = None
    max_parallelism: int | None = None
    args: tuple[str, ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    unset: tuple[str, ...] = ()
    """Arguments, environment variables and system properties that are not given."""
    assume_defaults: bool = False
    deployments: bool = True
    """Whether deployments are looked for in manifests and scripts."""
    configured_deployments: tuple[Deployment, ...] = ()
    rendered: tuple[str, ...] = ()
    """Globs of the manifests that charts, the CDK or Terraform are rendered to."""
    pipeline_seconds: int = ALLOWANCE.seconds
    """Processor time that reading one pipeline may take."""
    pipeline_megabytes: int = ALLOWANCE.megabytes
    fail_on: Severity | None = Severity.ERROR
    """The lowest severity that makes ``check`` exit with 1; None = never."""
    discover: bool = True
    exclude: tuple[str, ...] = ()
    """Globs of paths in which no pipelines are looked for."""
    mapping: str | None = None
    pipelines: tuple[PipelineEntry, ...] = ()
    suppressions: tuple[Suppression, ...] = ()
    severities: Mapping[str, Severity | None] = field(default_factory=dict)
    """Rule slug → severity, None = off."""
    source: str | None = None
    """The file it was read from, None without configuration."""

    def overridden(self, given: Overrides) -> Settings:
        """With what the command line says on top."""
        return replace(
            _overridden(self, given),
            unset=(*self.unset, *given.unset),
            assume_defaults=self.assume_defaults or given.assume_defaults,
            pipelines=tuple(_overridden(pipeline, given) for pipeline in self.pipelines),
        )

    def complete(self, entry: PipelineEntry) -> PipelineEntry:
        """An entry with what applies to all pipelines, where it says nothing itself."""
        values = {**dict(self.values), **dict(entry.values)}
        return replace(
            entry,
            flink=entry.flink or self.flink,
            parallelism=entry.parallelism or self.parallelism,
            max_parallelism=entry.max_parallelism or self.max_parallelism,
            args=with_values(entry.args or self.args, values.items()),
            values=tuple(values.items()),
            unset=tuple(sorted({*self.unset, *entry.unset})),
            assume_defaults=self.assume_defaults,
            allowance=Allowance(self.pipeline_seconds, self.pipeline_megabytes),
        )


_Configured = TypeVar("_Configured", "Settings", PipelineEntry)


def _overridden(configured: _Configured, given: Overrides) -> _Configured:
    return replace(
        configured,
        flink=given.flink or configured.flink,
        parallelism=given.parallelism or configured.parallelism,
        values=tuple({**dict(configured.values), **dict(given.values)}.items()),
    )


def read_settings(files: SourceFiles) -> Settings:
    """The settings of a revision; defaults when it has none. Raises SettingsError."""
    if FILE not in files.paths():
        return Settings()
    data = files.read(FILE)
    try:
        return _at_its_line(_toml(data), data)
    except RecursionError:
        raise SettingsError(f"{FILE}: nested too deeply") from None


def _at_its_line(table: Any, data: bytes) -> Settings:
    """The settings; of a key that is unknown, the error says in which line it stands."""
    try:
        return parse_settings(table, FILE)
    except UnknownKeyError as error:
        key = re.compile(rf"^\s*(?:\[.*)?[\"']?\b{re.escape(error.key)}\b".encode())
        line = next((n for n, text in enumerate(data.splitlines(), 1) if key.search(text)), None)
        raise SettingsError(f"{error}" if line is None else f"{error} (line {line})") from None


class UnknownKeyError(SettingsError):
    """A key that the configuration does not have."""

    def __init__(self, where: str, key: str, known: Sequence[str]) -> None:
        hint = did_you_mean(key, known) or f"; known are {', '.join(known)}"
        super().__init__(f"{where}: unknown key '{key}'{hint}")
        self.key = key


_MOST_ENTRIES = 2_000
"""Of one list of a configuration."""


def _toml(data: bytes) -> dict[str, Any]:
    try:
        return toml(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise SettingsError(f"{FILE}: not UTF-8 at byte {error.start}") from None
    except ValueError as error:  # of a number that is too long, too
        raise SettingsError(f"{FILE}: not TOML: {error}") from None


def parse_settings(table: Any, where: str) -> Settings:
    """Settings from a parsed table. Raises SettingsError naming the key."""
    reader = _Reader(table, where, _TOP)
    severities = {}
    for slug, level in reader.mapping("rules").items():
        severities[slug] = _severity(level, f"{where}: rules.{slug}", off="off")
    fail_on = reader.raw.get("fail_on")
    return Settings(
        flink=reader.text("flink"),
        parallelism=reader.number("parallelism"),
        max_parallelism=reader.number("max_parallelism"),
        args=reader.texts("args"),
        values=reader.pairs("values"),
        unset=reader.texts("unset"),
        assume_defaults=bool(reader.some_of("assume", (DEFAULTS,))),
        deployments=reader.boolean("deployments", True),
        configured_deployments=tuple(
            _deployment(t, f"{where}: deployment {n}") for n, t in enumerate(reader.tables("deployment"), 1)
        ),
        rendered=reader.texts("rendered"),
        pipeline_seconds=reader.number("pipeline_seconds") or Settings().pipeline_seconds,
        pipeline_megabytes=reader.number("pipeline_megabytes") or Settings().pipeline_megabytes,
        fail_on=Severity.ERROR if fail_on is None else _severity(fail_on, f"{where}: fail_on", off="never"),
        discover=reader.boolean("discover", True),
        exclude=reader.texts("exclude"),
        mapping=reader.text("mapping"),
        pipelines=_unique(
            [_pipeline(t, f"{where}: pipeline {n}") for n, t in enumerate(reader.tables("pipeline"), 1)], where
        ),
        suppressions=tuple(
            _suppression(t, f"{where}: suppress {n}") for n, t in enumerate(reader.tables("suppress"), 1)
        ),
        severities=severities,
        source=where,
    )


def _deployment(table: Any, where: str) -> Deployment:
    reader = _Reader(table, where, _DEPLOYMENT)
    pipeline, mode = reader.text("pipeline"), reader.one_of("upgrade_mode", tuple(UpgradeMode))
    if not pipeline:
        raise SettingsError(f"{where}: pipeline is required: the name of what is deployed")
    return Deployment(
        kind=DeploymentKind.CONFIGURED,
        name=pipeline,
        target=reader.text("environment") or "",
        location=Location(where.partition(":")[0], 1),
        pipeline=pipeline,
        args=reader.texts("args") if "args" in reader.raw else None,
        environment=reader.pairs("env"),
        unset=reader.texts("unset"),
        parallelism=reader.number("parallelism"),
        max_parallelism=reader.number("max_parallelism"),
        flink=reader.text("flink"),
        configuration=reader.pairs("configuration"),
        upgrade_mode=None if mode is None else UpgradeMode(mode),
        allow_non_restored_state=reader.boolean("allow_non_restored_state", False) or None,
    )


def _severity(value: Any, where: str, *, off: str) -> Severity | None:
    if value == off:
        return None
    try:
        return Severity(value)
    except ValueError:
        raise SettingsError(f"{where}: must be error, warning, info or {off}, not {value!r}") from None


def _unique(entries: list[PipelineEntry], where: str) -> tuple[PipelineEntry, ...]:
    names: set[str] = set()
    for entry in entries:
        if entry.name in names:
            raise SettingsError(f"{where}: two pipelines are called '{entry.name}'; give each its own name")
        names.add(entry.name)
    return tuple(entries)


def _pipeline(table: Any, where: str) -> PipelineEntry:
    reader = _Reader(table, where, _PIPELINE)
    name = reader.text("name")
    if not name:
        raise SettingsError(f"{where}: name is required")
    extract = ExtractorKind(reader.one_of("extract", tuple(ExtractorKind)) or ExtractorKind.AUTO)
    main, file, files = reader.text("main"), reader.text("file"), reader.texts("files")
    if files and (main or file or not all(path.endswith(".sql") for path in files)):
        raise SettingsError(f"{where} '{name}': files are SQL scripts in order, without main or file")
    file = files[-1] if files else file
    if extract in (ExtractorKind.DOCUMENT, ExtractorKind.SQL) and not file:
        raise SettingsError(f'{where} \'{name}\': extract = "{extract}" needs file = "PATH"')
    if not (main or file):
        needed = 'main = "the.main.Class"' + (' or file = "PATH"' if extract is ExtractorKind.AUTO else "")
        raise SettingsError(f"{where} '{name}': extract = \"{extract}\" needs {needed}")
    return PipelineEntry(
        name=name,
        extract=extract,
        main=main,
        file=file,
        files=files,
        args=reader.texts("args"),
        no_args=reader.raw.get("args") == [],
        values=reader.pairs("values"),
        parallelism=reader.number("parallelism"),
        max_parallelism=reader.number("max_parallelism"),
        flink=reader.text("flink"),
        build=reader.text("build"),
        jars=reader.texts("jars"),
        unset=reader.texts("unset"),
        discovered=False,
    )


def _suppression(table: Any, where: str) -> Suppression:
    reader = _Reader(table, where, _SUPPRESS)
    rule, reason = reader.text("rule"), reader.text("reason")
    if not rule:
        raise SettingsError(f"{where}: rule is required")
    if not reason or not reason.strip():
        raise SettingsError(f"{where}: reason is required: say why '{rule}' may be ignored")
    expires = reader.raw.get("expires")
    if isinstance(expires, str):
        try:
            expires = date.fromisoformat(expires)
        except ValueError:
            raise SettingsError(f"{where}: expires must be a date such as 2027-03-31, not '{expires}'") from None
    if expires is not None and (not isinstance(expires, date) or hasattr(expires, "hour")):
        raise SettingsError(f"{where}: expires must be a date such as 2027-03-31")
    return Suppression(
        rule=rule,
        operators=reader.text_or_texts("operator"),
        pipeline=reader.text("pipeline"),
        reason=reason.strip(),
        expires=expires,
        source=where,
    )


class _Reader:
    """One table of the configuration: every access checks the type, unknown keys are errors."""

    def __init__(self, table: Any, where: str, known: tuple[str, ...]) -> None:
        if not isinstance(table, dict):
            raise SettingsError(f"{where}: must be a table")
        for key in table:
            if key not in known:
                raise UnknownKeyError(where, key, known)
        self.raw: dict[str, Any] = table
        self.where = where

    def _typed(self, key: str, kind: type, what: str) -> Any:
        value = self.raw.get(key)
        if value is not None and (not isinstance(value, kind) or (kind is int and isinstance(value, bool))):
            quoted = "; put it in quotes, as it is written" if kind is str and isinstance(value, int | float) else ""
            raise SettingsError(f"{self.where}: {key} must be {what}, not {value!r}{quoted}")
        if isinstance(value, list) and len(value) > _MOST_ENTRIES:
            raise SettingsError(f"{self.where}: {key} has more than {_MOST_ENTRIES:,} entries")
        return value

    def text(self, key: str) -> str | None:
        value: str | None = self._typed(key, str, "text")
        return value

    def one_of(self, key: str, known: Sequence[str]) -> str | None:
        value = self.text(key)
        if value is not None and value not in known:
            raise SettingsError(f"{self.where}: {key} must be one of {', '.join(known)}, not '{value}'")
        return value

    def some_of(self, key: str, known: Sequence[str]) -> tuple[str, ...]:
        value = self.texts(key)
        for text in value:
            if text not in known:
                raise SettingsError(f"{self.where}: {key}: '{text}' is not one of {', '.join(known)}")
        return value

    def boolean(self, key: str, default: bool) -> bool:
        value = self._typed(key, bool, "true or false")
        return default if value is None else bool(value)

    def number(self, key: str) -> int | None:
        value: int | None = self._typed(key, int, "a whole number")
        if value is not None and not 1 <= value <= 2**31 - 1:
            raise SettingsError(f"{self.where}: {key} must be 1 or more, not {value}")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self._typed(key, list, "a list of texts") or []
        if not all(isinstance(text, str) for text in value):
            raise SettingsError(f"{self.where}: {key} must be a list of texts")
        return tuple(value)

    def text_or_texts(self, key: str) -> tuple[str, ...]:
        value = self.raw.get(key)
        if value is not None and not isinstance(value, (str, list)):
            raise SettingsError(f"{self.where}: {key} must be a text or a list of texts")
        return (value,) if isinstance(value, str) else self.texts(key)

    def mapping(self, key: str) -> dict[str, Any]:
        value: dict[str, Any] = self._typed(key, dict, "a table") or {}
        return value

    def pairs(self, key: str) -> tuple[tuple[str, str], ...]:
        return tuple((k, str(v).lower() if isinstance(v, bool) else str(v)) for k, v in self.mapping(key).items())

    def tables(self, key: str) -> list[Any]:
        value: list[Any] = self._typed(key, list, f"a list of tables ([[{key}]])") or []
        return value
