"""Classes that lie in state, before and after, and what a real Flink says of each pair."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.flinks import compiled, java

HERE = Path(__file__).parent
NEW_NAMES = {"Renamed": "RenamedNow"}


@dataclass(frozen=True, slots=True)
class Answer:
    """Flink's: how it writes the class before and after, the fields before, and whether the new takes the old."""

    before: str
    after: str
    kind_before: str
    kind_after: str
    fields: tuple[str, ...]
    compatibility: str


def source(side: str) -> str:
    """The Java file of one side, ``before`` or ``after``."""
    return (HERE / side / "Types.java").read_text()


def pairs() -> list[tuple[str, str]]:
    """The class names of both sides."""
    names = re.findall(r"(?:class|enum|record|interface) (\w+)", source("before"))
    return [(name, NEW_NAMES.get(name, name)) for name in names if name != "Types"]


def answers(lines: str) -> list[Answer]:
    """What ``AskTypes`` printed."""
    found = []
    for line in lines.splitlines():
        before, after, base_class, head_class, fields, compatibility = line.split("\t")
        found.append(
            Answer(before, after, base_class, head_class, tuple(f for f in fields.split(",") if f), compatibility)
        )
    return found


def ask(lib: Path, folder: Path, sides: list[Path]) -> str:
    """What the Flink in ``lib`` says of the classes of both sides, which are compiled. Raises CalledProcessError."""
    command = java(compiled(folder, lib, HERE / "java" / "AskTypes.java"), f"{lib}/*")
    asked = [f"lab.Types${base_class}=lab.Types${head_class}" for base_class, head_class in pairs()]
    done = subprocess.run([*command, "AskTypes", *map(str, sides), *asked], check=True, capture_output=True, text=True)
    return done.stdout
