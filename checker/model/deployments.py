"""How a pipeline is deployed: what a manifest or a start command of the repository gives to its program."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from checker.model.unknowns import Location

PARALLELISM = "parallelism.default"
"""Flink's option for the parallelism of operators without one of their own."""
JOB_ID = "$internal.pipeline.job-id"
"""The id by which high availability keeps a job's checkpoints."""
UPGRADE_MODE = "job.upgradeMode"
"""The operator's field for the upgrade mode, where something fills it in later."""
STATE_BACKEND = ("state.backend.type", "state.backend")
"""Flink's option for the state backend, and its older name."""
_SNAPSHOT = ("execution.savepoint.path", "execution.state-recovery.path")
"""Flink's options for what a job starts from: since 1.11, and since 1.20."""


_BACKENDS = {
    "rocks": "rocksdb",
    "forst": "forst",
    "hash": "hashmap",
    "mem": "hashmap",
    "fs": "hashmap",
    "jobm": "hashmap",
}
"""How names of backends, of their factories and classes begin in small letters → today's name."""


def backend_named(name: str) -> str:
    """Today's name of a state backend: what ``FsStateBackend``, ``filesystem`` and ``hashmap`` keep is read alike."""
    simple = name.rpartition(".")[2].lower().removeprefix("embedded").replace("filesystem", "fs")
    return next((today for start, today in _BACKENDS.items() if simple.startswith(start)), name)


class DeploymentKind(StrEnum):
    """Where a deployment is written down."""

    FLINK_DEPLOYMENT = "FlinkDeployment"
    FLINK_SESSION_JOB = "FlinkSessionJob"
    BLUE_GREEN = "FlinkBlueGreenDeployment"
    FLINK_APPLICATION = "FlinkApplication"
    """Of Confluent's manager, or of Lyft's operator."""
    FLINK_CLUSTER = "FlinkCluster"
    """Of Spotify's and Google's operator."""
    VERVERICA = "Ververica deployment"
    COMMAND = "flink run"
    REST = "REST run"
    """A jar that is run through Flink's REST API."""
    SQL_CLIENT = "sql-client"
    STANDALONE = "standalone job"
    """A cluster that is one job: ``standalone-job`` of Flink's image, in a container."""
    MANAGED_FLINK = "Managed Flink application"
    """An application of Amazon's service, in a template of CloudFormation."""
    CLUSTER = "cluster configuration"
    """Nothing says how the job is started, but the cluster's own configuration is there."""
    CONFIGURED = "configured deployment"


RESOURCES = (
    DeploymentKind.FLINK_DEPLOYMENT, DeploymentKind.FLINK_SESSION_JOB, DeploymentKind.BLUE_GREEN,
    DeploymentKind.FLINK_APPLICATION, DeploymentKind.FLINK_CLUSTER, DeploymentKind.VERVERICA,
)  # fmt: skip
"""Resources of an operator, which keeps the state of a job with its resource."""


class UpgradeMode(StrEnum):
    """``spec.job.upgradeMode`` of the Flink Kubernetes operator: what a new version of the job starts from."""

    STATELESS = "stateless"
    """Nothing: every upgrade starts without state."""
    SAVEPOINT = "savepoint"
    LAST_STATE = "last-state"
    """The last checkpoint, by high availability metadata."""


_FILLED_IN = re.compile(r"\$\{[^}]*\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """One job as one environment runs it. ``None`` means that the deployment says nothing about it.

    ``main`` is the entry class, ``script`` the path of a PyFlink script or SQL file inside the image, ``jar`` the jar's
    file name. ``args`` are complete where they are given; ``None`` = not known. ``configuration`` are Flink's
    own keys, ``environment`` variables of the process that builds the job graph. ``target`` distinguishes environments:
    an overlay's folder, a namespace, or a file.
    """

    kind: DeploymentKind
    name: str
    target: str
    location: Location
    identity: str | None = None
    """The name by which Amazon's service knows an application, as it is written, with ``${…}`` for what is not."""
    namespace: str | None = None
    """The namespace of a resource of Kubernetes, where it is written down."""
    files: tuple[str, ...] = ()
    """Every file that it was put together from."""
    main: str | None = None
    script: str | None = None
    initialized_by: str | None = None
    """The path of a SQL file that the SQL client runs before ``script``."""
    jar: str | None = None
    image: str | None = None
    """The image that a resource of the operator runs."""
    args: tuple[str, ...] | None = None
    written: tuple[str, ...] = ()
    """The arguments of a command as they are written, where something in them is filled in."""
    parallelism: int | None = None
    max_parallelism: int | None = None
    flink: str | None = None
    configuration: tuple[tuple[str, str], ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    properties: tuple[tuple[str, tuple[tuple[str, str | None], ...]], ...] = ()
    """Property groups of Managed Flink, by name; None for a value that is filled in later."""
    upgrade_mode: UpgradeMode | None = None
    allow_non_restored_state: bool | None = None
    savepoint: str | None = None
    pipeline: str | None = None
    """The pipeline's name, or a glob of names, where that is given instead of a program."""
    unset: tuple[str, ...] = ()
    """Arguments and environment variables that are known not to be given."""
    filled_later: tuple[str, ...] = ()
    """Options of Flink and environment variables to which something gives a value that is not written down."""
    filled_by: tuple[tuple[str, str], ...] = ()
    """What gives them these values: the option's or argument's name (empty for one without), and a variable's."""
    parameters: tuple[str, ...] = ()
    """Those of these variables that are parameters of its template: commands give them as ``NAME=``."""
    outside: tuple[str, ...] = ()
    """What gives values to it and is not in the repository, or not followed: value files, secrets, edits by ``yq``."""
    cluster: str | None = None
    """The session cluster that a job is submitted to, where that is a resource of the operator."""
    whole_environment: bool = False
    """Whether no variables are set but those of ``environment`` and ``filled_later``."""
    copied_from: tuple[str, ...] = ()
    """What image files make the jar from: names of jars and modules; a folder, with "/", for the one built there."""
    places: tuple[tuple[str, Location], ...] = ()
    """Where fields of a resource stand, by their keys: ``job.parallelism``."""
    rendered: bool = False
    """Whether it is of a file that the user named as what a tool rendered of this very revision."""
    assumed: tuple[str, ...] = ()
    """What was put together by a likely guess about the deployment, as reports print it."""

    def place_of(self, *fields: str) -> Location:
        """Where the first of some fields stands, or else the deployment itself."""
        known = dict(self.places)
        return next((known[field] for field in fields if field in known), self.location)

    @property
    def starts_from_snapshot(self) -> bool:
        """Whether it names the snapshot that the job starts from, by an option of the command line or of Flink."""
        options = {*dict(self.configuration), *self.filled_later}
        return self.savepoint is not None or not options.isdisjoint(_SNAPSHOT)

    def is_succeeded_by(self, later: Deployment) -> bool:
        """Whether the operator takes ``later`` for a new version of this job: no resources, or one and the same.

        A resource is known by its kind, name and namespace; a namespace that is not written down may be any.
        Amazon's service knows an application by its name; names with other unknown parts may be the same.
        """
        if None not in (self.identity, later.identity):
            parts = [_FILLED_IN.findall(name or "") for name in (self.identity, later.identity)]
            return self.identity == later.identity or parts[0] != parts[1]
        if self.kind not in RESOURCES or later.kind not in RESOURCES:
            return True
        apart = None not in (self.namespace, later.namespace) and self.namespace != later.namespace
        return (self.kind, self.name) == (later.kind, later.name) and not apart
