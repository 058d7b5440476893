"""Amazon's Managed Service for Apache Flink: its applications, as infrastructure code and projects describe them.

In: the path and text of one file. Out: deployments. Called by the search for deployments; a kind of file is one module,
and ``application`` turns what they all describe, ``AWS::KinesisAnalyticsV2::Application``, into a deployment.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from checker.extract.deployments.managed import property_files
from checker.model.deployments import Deployment
from checker.model.sources import SourceFiles

_TEMPLATES = (".template", ".template.json")
_TERRAFORM = ".tf"
_VALUES = ".tfvars"
_CONSTRUCTS = (".ts", ".py", ".java")
"""Languages of the CDK that are read."""


_DEPENDENCIES = (
    "package.json", "requirements.txt", "pyproject.toml", "setup.py", "Pipfile", "pom.xml", "build.gradle",
    "build.gradle.kts",
)  # fmt: skip
_CDK = re.compile(rb"aws-cdk|aws_cdk|awscdk")
"""What says in a list of dependencies that a project uses the CDK."""


def may_describe(path: str) -> bool:
    """Whether a file has the name of one that may describe applications. Any YAML file may describe one."""
    if posixpath.basename(path) in (property_files.NAME, "cdk.json") or path.endswith(
        (*_TEMPLATES, _TERRAFORM, _VALUES)
    ):
        return True
    return path.endswith(_CONSTRUCTS) and not path.endswith(".d.ts") and "node_modules/" not in path


def without_front_ends(concerned: Sequence[str], files: SourceFiles) -> Sequence[str]:
    """Files without the TypeScript, Python and Java of projects that have nothing to do with the CDK."""
    paths = files.paths()
    if any(posixpath.basename(path) == "cdk.json" for path in paths):
        return concerned
    named = [path for path in paths if posixpath.basename(path) in _DEPENDENCIES and "node_modules/" not in path]
    folders = [posixpath.dirname(path) for path in named if _CDK.search(files.read(path))]
    return [p for p in concerned if not p.endswith(_CONSTRUCTS) or any(_is_below(p, f) for f in folders)]


def _is_below(path: str, folder: str) -> bool:
    return not folder or path.startswith(f"{folder}/")


def deployments_of(path: str, text: str, texts: Mapping[str, str]) -> Iterator[Deployment]:
    """The applications that a file describes. The reader of each kind is imported when a file needs it."""
    if posixpath.basename(path) == property_files.NAME:
        yield from property_files.deployments_of(path, text)
    elif path.endswith(_TERRAFORM):
        if "aws_kinesisanalyticsv2_application" in text:
            from checker.extract.deployments.managed import terraform

            yield from terraform.deployments_of(path, text, texts)
    elif path.endswith(_CONSTRUCTS):
        if "kinesisanalytics" in text and path.endswith(".py"):
            from checker.extract.deployments.managed import cdk_python

            yield from cdk_python.deployments_of(path, text)
        elif "kinesisanalytics" in text and path.endswith(".java"):
            from checker.extract.deployments.managed import cdk_java

            yield from cdk_java.deployments_of(path, text)
        elif "kinesisanalytics" in text:
            from checker.extract.deployments.managed import cdk

            yield from cdk.deployments_of(path, text, texts)
    elif "AWS::KinesisAnalyticsV2::Application" in text:
        from checker.extract.deployments.managed import templates

        yield from templates.deployments_of(path, text)
