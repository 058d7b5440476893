"""Applications of CloudFormation templates (YAML and JSON): literals, and parameters with their defaults.

What another intrinsic function fills in later is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from checker.extract.deployments.managed.application import LATER, applications
from checker.extract.deployments.overlays import documents
from checker.model.deployments import Deployment
from checker.model.foreign_documents import table_in
from checker.model.unknowns import Location

_REFERENCE: Final = re.compile(r"!Ref\s+[\"']?(\w+)[\"']?")
_ONE_WORD: Final = re.compile(r"!(?:Ref|GetAtt|ImportValue|Condition)\s+[^\s,\]}]+")
_FILLED_IN: Final = re.compile(r"\$\{(\w+)\}")
_TAG: Final = re.compile(r"(?<=[\s\[:-])!(?:Sub|Join|If|Select|FindInMap|Split|Equals|Not|And|Or|Base64|Cidr|GetAZs)\b")


def deployments_of(path: str, text: str) -> Iterator[Deployment]:
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
