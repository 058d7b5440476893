"""Tables of small programs, in YAML."""

from pathlib import Path
from typing import Any

import yaml

READINGS = Path(__file__).parent.parent / "data" / "readings"


def table(name: str) -> Any:
    """One of the tables."""
    return yaml.load((READINGS / name).read_text("utf-8"), yaml.CSafeLoader)


def made_differently(name: str) -> list[dict[str, str]]:
    """Edits of one kind by which a program makes a value differently."""
    found: list[dict[str, str]] = table("made-differently.yaml")[name]
    return found
