"""``deployments``: what the repository says of how its pipelines are deployed."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from checker.commands import options
from checker.errors import UsageError
from checker.extract import registry
from checker.extract.deployments import deployed_as, documented_deployments
from checker.extract.deployments import deployments as found_in
from checker.model.deployments import Deployment
from checker.model.secrets import masked_arguments, masked_values
from checker.revisions import Repository
from checker.settings import read_settings

DeploymentsFormat = Annotated[str, typer.Option("--format", metavar="FORMAT", help="text or json.")]


def deployments(
    repo: options.Repo = Path("."), head: options.Head = "HEAD", output_format: DeploymentsFormat = "text"
) -> None:
    """Show the deployments that a revision describes, and the pipeline that each of them runs.

    Read are custom resources of the Flink Kubernetes operator (plain, rendered, or built by kustomize), applications
    of Managed Flink, and `flink run` in scripts, Makefiles, Dockerfiles, compose files, CI configurations, and
    documents such as a README, which count for pipelines that nothing else starts.
    """
    if output_format not in ("text", "json"):
        raise UsageError(f"--format {output_format}: deployments prints text or json")
    files = Repository(repo).revision(head).files
    settings = read_settings(files)
    entries = registry.discover(files, settings).entries
    found = settings.configured_deployments
    if settings.deployments:
        found = (*found, *found_in(files), *documented_deployments(files))
    pipelines = {d: [e.name for e in entries if deployed_as(e, entries, (d,), files)] for d in found}
    if output_format == "json":
        print(json.dumps([{**asdict(_shown(d)), "pipelines": p} for d, p in pipelines.items()], indent=2))
    elif not found:
        print("no deployments found")
    else:
        for deployment, names in pipelines.items():
            print(_line(_shown(deployment), names))


def _shown(deployment: Deployment) -> Deployment:
    """Without what looks like a secret."""
    return replace(
        deployment,
        args=None if deployment.args is None else masked_arguments(deployment.args),
        configuration=masked_values(deployment.configuration),
        environment=masked_values(deployment.environment),
        properties=tuple((group, masked_values(values)) for group, values in deployment.properties),
    )


def _line(deployment: Deployment, names: list[str]) -> str:
    given = {
        "environment": deployment.target or None,
        "program": deployment.main or deployment.script or deployment.jar,
        "args": "not known" if deployment.args is None else " ".join(deployment.args) or "none",
        "parallelism": deployment.parallelism,
        "Flink": deployment.flink,
        "upgrade mode": deployment.upgrade_mode,
    }
    facts = ", ".join(f"{what} {value}" for what, value in given.items() if value is not None)
    runs = ", ".join(names) or "no pipeline of this repository"
    return f"{deployment.location}  {deployment.kind} {deployment.name} → {runs}\n  {facts}"
