"""Applications of CloudFormation templates (YAML and JSON). What an intrinsic function fills in later is not known."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from checker.extract.deployments.managed.application import LATER, applications
from checker.extract.deployments.overlays import documents
from checker.model.deployments import Deployment
from checker.model.foreign_documents import table_in
from checker.model.unknowns import Location

_ONE_WORD: Final = re.compile(r"!(?:Ref|GetAtt|ImportValue|Condition)\s+[^\s,\]}]+")
_TAG: Final = re.compile(r"(?<=[\s\[:-])!(?:Sub|Join|If|Select|FindInMap|Split|Equals|Not|And|Or|Base64|Cidr|GetAZs)\b")


def deployments_of(path: str, text: str) -> Iterator[Deployment]:
    """The applications of one template."""
    for document in documents(_TAG.sub("", _ONE_WORD.sub(f'"{LATER}"', text))):
        for name, resource in table_in(table_in(document).get("Resources")).items():
            if table_in(resource).get("Type") == "AWS::KinesisAnalyticsV2::Application":
                line = text.count("\n", 0, max(0, text.find(name))) + 1
                yield from applications(name, table_in(resource).get("Properties", {}), Location(path, line))
