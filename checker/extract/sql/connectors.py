"""``connectors.toml``, read once, as the planner wants it for a version of Flink."""

import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from checker.extract.asking.consulted import ask
from checker.extract.paths import in_tests
from checker.model.sources import SourceFiles

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


class Part(StrEnum):
    """Which of a table's operators are concerned."""

    ALL = "all"
    SOURCE = "source"
    SINK = "sink"


@dataclass(frozen=True, slots=True, order=True)
class OpenTable:
    """``definition`` is all that may decide on what is not known: where it is equal, so are the operators."""

    table: str
    part: Part
    why: str
    definition: str


_FOLDER = "META-INF/services/"
_FACTORIES = f"{_FOLDER}org.apache.flink.table.factories."


def own_factories(files: SourceFiles) -> tuple[str, ...]:
    """Their classes by qualified names: no code of a program names them."""
    paths = [path for path in ask(files, "within", _FOLDER) if _FACTORIES in path and not in_tests(path)]
    lines = [line for path in paths for line in files.read(path).decode("utf-8", "replace").splitlines()]
    return tuple(dict.fromkeys(name for line in lines if (name := line.partition("#")[0].strip())))
