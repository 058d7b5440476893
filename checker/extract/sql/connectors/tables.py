"""``connectors.toml``, read once, as the planner wants it for a version of Flink."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

Spec = dict[str, Any]

_FORMATS = ("value.format", "format")


@cache
def connectors(minor: tuple[int, int]) -> dict[str, Spec]:
    """Connector → its shape in a minor of Flink; every value that depends on the format is spelled out."""
    data = tomllib.loads(Path(__file__).with_name("connectors.toml").read_text("utf-8"))
    modes = {name: mode for mode, names in data["formats"].items() for name in names}
    by_format = {"options": list(_FORMATS), "values": modes, "default": "insert", "only": True}
    found: dict[str, Spec] = {}
    for entry in data["connector"]:
        spec = {key: by_format if value == "by-format" else value for key, value in entry.items() if key != "names"}
        for part in ("source", "sink"):
            newer = spec.pop(f"{part}_2", None)
            if newer is not None and minor >= (2, 0):
                spec[part] = newer
        if minor < (1, 15) and spec.get("sink") in ("stateless", "stateful"):
            spec["sink"] = "legacy"  # connectors moved to Flink's new sinks with 1.15, Kafka's with 1.14
        if minor < (1, 14) and "kafka" in "".join(entry["names"]):
            spec |= {"source": "legacy-parallel", "sink": "legacy-stateful", **data["kafka_until_1_13"]}
        if minor < (1, 16) and "python-input-format" in entry["names"]:
            continue  # PyFlink took another source for objects of the script
        for name in entry["names"]:
            found[name] = spec
    return found
