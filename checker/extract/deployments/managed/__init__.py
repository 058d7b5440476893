"""Amazon's Managed Service for Apache Flink: its applications, as templates, plans and projects describe them.

In: the path and text of one file. Out: deployments. Called by the search for deployments; a kind of file is one module,
and ``application`` turns what they all describe, ``AWS::KinesisAnalyticsV2::Application``, into a deployment.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from checker.extract.deployments.managed import application, plans, templates
from checker.model.deployments import Deployment

_TEMPLATE = ".template"
_TYPE = "AWS::KinesisAnalyticsV2::Application"


def may_describe(path: str, text: str) -> bool:
    """Whether a file may describe applications, by its name and by what it holds."""
    if posixpath.basename(path) == application.NAME:
        return True
    named = path.endswith((".json", ".yaml", ".yml", _TEMPLATE))
    return named and (_TYPE in text or (path.endswith(".json") and plans.RESOURCE in text))


def deployments_of(path: str, text: str) -> Iterator[Deployment]:
    """The applications that a file describes."""
    if posixpath.basename(path) == application.NAME:
        yield from application.deployments_of(path, text)
    elif _TYPE in text:
        yield from templates.deployments_of(path, text)
    elif path.endswith(".json") and plans.RESOURCE in text:
        yield from plans.deployments_of(path, text)
