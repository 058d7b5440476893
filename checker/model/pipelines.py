"""Which pipelines a revision holds, and what came of reading each."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from checker.model.deployments import PARALLELISM, Deployment, DeploymentKind
from checker.model.secrets import secret_texts
from checker.model.topology import Topology
from checker.model.unknowns import Location
from checker.time_limits import ALLOWANCE, Allowance

_BY_THE_PLATFORM = re.compile(
    r"(?:java|javax|os|user|file|line|path|sun|jdk|native|stdout|stderr|log4j\d?)\..*|PATH|HOME|HOSTNAME|USER|PWD|LANG|TZ|"
    r"TERM|SHLVL|_|(?:LC|JAVA|FLINK|HADOOP|KUBERNETES)_.*|.*_SERVICE_(?:HOST|PORT).*|.*_PORT(?:_.*)?"
)
"""Names that a JVM, an image of Flink or Kubernetes set by themselves: never assumed to be unset."""


FLINKS_KEYS = ("pipeline.", "execution.", "parallelism.", "table.", "state.", "python.", "restart-strategy", "cluster.")
"""Begins of Flink's own configuration keys, as far as they concern a graph."""


class ExtractorKind(StrEnum):
    """How a pipeline is read."""

    AUTO = "auto"
    """The best that is at hand: a document or plan, the program itself where it may run, else its source."""
    DOCUMENT = "document"
    JAVA = "java"
    PYTHON = "python"
    SQL = "sql"
    """SQL scripts and compiled plans, planned by Flink's planner."""
    FLINK = "flink"


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineEntry:
    """One pipeline to read: from the configuration, or discovered.

    ``main`` is a fully qualified class (java, flink) or a script path (python); ``file`` the document or source file.
    Running it needs ``build`` or ``jars``. ``args`` are the program's arguments, ``values`` configuration values by
    key. ``flink`` and ``parallelism``, where set, win over what the program's build files say and stand for what the
    deployment passes; None = not given.
    """

    name: str
    extract: ExtractorKind
    main: str | None = None
    file: str | None = None
    files: tuple[str, ...] = ()
    """Several files in order that are one pipeline (SQL scripts); ``file`` is then the last of them."""
    index: int = 0
    """Which document of a file with several (``.jsonl``, multi-document YAML)."""
    args: tuple[str, ...] = ()
    no_args: bool = False
    """Whether the configuration says that there are none."""
    values: tuple[tuple[str, str], ...] = ()
    parallelism: int | None = None
    max_parallelism: int | None = None
    flink: str | None = None
    build: str | None = None
    jars: tuple[str, ...] = ()
    discovered: bool = True
    optional: bool = True
    """Whether a revision may lack it: the configuration of the head names pipelines that the head must have."""
    deployment: Deployment | None = None
    """How an environment runs it, where the repository says so."""
    may_be_deployed: tuple[Deployment, ...] = ()
    """Deployments that run it or another pipeline: which of them is not known."""
    resources_of_others: frozenset[str] = frozenset()
    """Names of the operator's resources that run other pipelines."""
    unset: tuple[str, ...] = ()
    """Arguments, environment variables and system properties that somebody said are not given."""
    assume_defaults: bool = False
    """Whether values that are not known to be given count as not given. Reports state this assumption."""
    allowance: Allowance = ALLOWANCE
    """What reading it may take."""
    assume_needed: bool = False
    """Whether of these the ones that the program has no default for count as given: it ends without them."""

    @property
    def secrets(self) -> frozenset[str]:
        """What is given to it that looks like a secret."""
        found = secret_texts(self.args, self.values)
        for deployment in filter(None, (self.deployment, *self.may_be_deployed)):
            properties = (value for _, group in deployment.properties for value in group)
            named = (*deployment.configuration, *deployment.environment, *properties)
            found |= secret_texts(deployment.args or (), named)
        return found

    @property
    def is_manifest(self) -> bool:
        """Whether all that is known of a program is the manifest that starts it."""
        return self.main is None and self.deployment is not None and self.file == self.deployment.location.file

    @property
    def arguments_known(self) -> bool:
        """Whether ``args`` are all arguments of the program: configured, or those of a deployment."""
        deployed = self.deployment is not None and self.deployment.args is not None
        return bool(self.args) or not self.discovered or deployed or self.assume_defaults

    @property
    def arguments_assumed(self) -> bool:
        """Whether it is not known which arguments are passed: required ones are unknown, others not given."""
        return self.assume_defaults and not replace(self, assume_defaults=False).arguments_known

    @property
    def arguments_by_name(self) -> bool:
        """Whether arguments may be given by name alone: who asks for names knows them, nobody how they are spelled."""
        deployed = self.deployment is not None and self.deployment.args is not None
        named = any(not key.startswith(FLINKS_KEYS) for key, _ in self.values)
        return named and self.arguments_known and not (self.args or self.no_args or deployed)

    @property
    def texts_known(self) -> bool:
        """Whether the program's arguments are known as texts, in their order: what a program goes through itself."""
        return (
            self.arguments_known and not self.arguments_by_name and not (self.assume_needed and self.arguments_assumed)
        )

    @property
    def default_parallelism(self) -> int | None:
        """What operators without a parallelism of their own get: ``parallelism.default`` is 1 unless it is set."""
        return 1 if self._parallelism_assumed else self.parallelism

    @property
    def _parallelism_assumed(self) -> bool:
        later = () if self.deployment is None else self.deployment.filled_later
        return self.parallelism is None and self.assume_defaults and PARALLELISM not in later

    def is_unset(self, name: str) -> bool:
        """Whether an environment variable or system property is known, or assumed, not to be set."""
        if name in self.unset:
            return True
        deployed = self.deployment
        if _BY_THE_PLATFORM.fullmatch(name) is not None or (deployed is not None and name in deployed.filled_later):
            return False
        if deployed is not None and deployed.kind is DeploymentKind.MANAGED_FLINK and name.startswith("AWS_"):
            return False  # where it runs and as whom: the service says so
        return self.assume_defaults or (deployed is not None and deployed.whole_environment)

    def is_needed(self, name: str) -> bool:
        """Whether a variable or system property without a default counts as given, whatever its value is."""
        known = name in self.unset or (self.deployment is not None and self.deployment.whole_environment)
        return self.assume_needed and not known

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What is taken for granted about how it runs, as reports print it."""
        found = [f"{name} is not set" for name in self.unset]
        if self.assume_defaults:
            found += ["default parallelism 1"] if self._parallelism_assumed else []
            found += ["no program arguments but required ones"] if self.arguments_assumed else []
            found.append("no environment variables and system properties but those given")
            found.append("no resources but those of the repository")
            found += ["those without a default are given: the program ends without them"] if self.assume_needed else []
        elif self.deployment is not None and self.deployment.whole_environment:
            found.append(f"no environment variables but those in {self.deployment.location.file}")
        return (*found, *(self.deployment.assumed if self.deployment else ()))

    @property
    def configuration(self) -> tuple[tuple[str, str], ...]:
        """Flink's own configuration: the deployment's, with configured values on top."""
        return (*(self.deployment.configuration if self.deployment else ()), *self.values)

    @property
    def options(self) -> tuple[tuple[str, str], ...]:
        """The configuration without what the start gives in another way, which wins: ``-p``, ``job.parallelism``."""
        own = {PARALLELISM: self.parallelism, "pipeline.max-parallelism": self.max_parallelism}
        given = dict(self.values)
        return tuple((key, value) for key, value in self.configuration if key in given or own.get(key) is None)

    @property
    def environment(self) -> tuple[tuple[str, str], ...]:
        """Environment variables: the deployment's, with configured values on top."""
        return (*self.values, *(self.deployment.environment if self.deployment else ()))

    @property
    def all_variables(self) -> str:
        """What stands for all environment variables, where a program asks for one whose name is not known."""
        given = hashlib.sha256(repr(sorted(set(self.environment))).encode("utf-8", "surrogatepass"))
        return f"environment variables {given.hexdigest()[:16]}"


def with_values(args: tuple[str, ...], values: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """A program's arguments with values that are given by name: ``--key value``, ``-key value``, ``--key=value``."""
    found = list(args)
    for key, value in values:
        for place, argument in enumerate(args):
            name, equals, _ = argument.partition("=")
            if name not in (f"--{key}", f"-{key}", key if equals else ""):
                continue
            if equals:
                found[place] = f"{name}={value}"
            elif place + 1 < len(args) and not args[place + 1].startswith("-"):
                found[place + 1] = value
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a pipeline with ``auto`` is read as it is.

    ``settled_by`` is the option that would have its program run, which settles what the source leaves open.
    """

    why: str
    settled_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Something a reader of the report has to know that is not a finding: a file recognised but not read."""

    message: str
    location: Location | None = None
    unread: str | None = None
    """Why a program that was recognised is not read, in words that many programs share: ``in Kotlin``."""
    pipeline: str | None = None
    """The one pipeline, or unread program, that it is about: said only where there is more to say of that one."""


OF_TESTS = "in test sources"
"""Why a main method of tests is not read: it is no job that is deployed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """The pipelines of one revision, sorted by name, and what was recognised but can't be read."""

    entries: tuple[PipelineEntry, ...]
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """One pipeline, read: a topology (with unknowns for what could not be determined), or why there is none."""

    entry: PipelineEntry
    topology: Topology | None = None
    failure: str | None = None
    failure_location: Location | None = None
    ends: bool = False
    """Whether it was read to its end, and executes no job with what it is given."""
    how: str | None = None
    """What exactly was run, where a program was: ``read by real Flink 1.20.5 (build "mvn package")``."""
    reason: Reason | None = None

    @property
    def failure_and_place(self) -> str:
        """The failure with its file and line, for those who print one sentence."""
        place = "" if self.failure_location is None else f" ({self.failure_location})"
        return f"{self.failure or 'could not be read'}{place}"
