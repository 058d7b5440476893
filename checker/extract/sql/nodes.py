"""The kinds of nodes of a compiled plan: the name of the transformation each makes, and whether it keeps state.

Source: the ``ExecNode`` classes of Flink's planner (``*_TRANSFORMATION`` constants), 1.15 to 2.3.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from checker.model.flink_releases import minor_of
from checker.model.topology import Kind
from checker.model.unknowns import Cause, Unknown

_FORMATS = (((1, 16), "<id>_<transformation>"), ((1, 15), "<id>_<type>_<version>_<transformation>"))
"""The default of ``table.exec.uid.format`` from each version on, newest first."""
_FORMAT_KEY = "table.exec.uid.format"

VIRTUAL = frozenset({"exchange", "union"})
BY_POSITION = frozenset({"match", "interval-join", "python-calc", "python-correlate"})
"""Nodes that may become several operators beside the one that is named."""


@dataclass(frozen=True, slots=True)
class NodeKind:
    """``transformation`` is the last part of the uid."""

    transformation: str
    stateful: bool | Unknown
    kind: Kind = Kind.OPERATOR


_CONNECTOR = Unknown("the connector decides whether there is state", Cause.CONNECTOR)


def _same(*names: str, stateful: bool) -> dict[str, NodeKind]:
    return {name: NodeKind(name, stateful) for name in names}


NODES: dict[str, NodeKind] = {
    "table-source-scan": NodeKind("source", _CONNECTOR, Kind.SOURCE),
    "sink": NodeKind("sink", _CONNECTOR, Kind.SINK),
    **_same("calc", "watermark-assigner", "expand", "correlate", "drop-update-before", "mini-batch-assigner",
            "local-group-aggregate", "local-window-aggregate", stateful=False),
    **_same("group-aggregate", "global-group-aggregate", "incremental-group-aggregate", "join", "temporal-join",
            "interval-join", "rank", "deduplicate", "window-aggregate", "global-window-aggregate", "window-join",
            "window-rank", "window-deduplicate", "over-aggregate", "changelog-normalize", "match", "limit",
            "sort-limit", "temporal-sort", "group-window-aggregate", "group-table-aggregate", stateful=True),
    "lookup-join": NodeKind("lookup-join", Unknown("a lookup join may keep what it looked up", Cause.EXTERNAL)),
    "window-table-function": NodeKind("window", Unknown("a window function of its own may hold state", Cause.EXTERNAL)),
}  # fmt: skip
"""Type of a node without ``stream-exec-`` and its version → what it is."""


def uid_of(node: dict[str, Any], transformation: str, name: str, version: str, flink: str) -> str | Unknown:
    """The uid that Flink gives the operator: the plan's own format, else the default of ``flink``."""
    configuration = node.get("configuration")
    given = configuration.get(_FORMAT_KEY) if isinstance(configuration, dict) else None
    default = next((pattern for since, pattern in _FORMATS if minor_of(flink) >= since), _FORMATS[-1][1])
    pattern = given if isinstance(given, str) else default
    values = {"id": str(node["id"]), "type": name, "version": version, "transformation": transformation}
    unknown = [key for key in re.findall(r"<(\w+)>", pattern) if key not in values]
    if unknown:
        return Unknown(f"the uid format '{pattern}' names <{unknown[0]}>, which is not known", Cause.UNSUPPORTED)
    return re.sub(r"<(\w+)>", lambda match: values[match[1]], pattern)
