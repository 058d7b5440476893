"""A topology as text, for rows of Spark and datasets: where it does not leave the process it stays an object."""

from __future__ import annotations

import json

from checker.extract.documents.fields import topology_of
from checker.extract.documents.writer import topology_document
from checker.model.topology import Topology


def as_text(topology: Topology | None) -> str | None:
    """The document of a topology as JSON."""
    return None if topology is None else json.dumps(topology_document(topology), ensure_ascii=False)


def from_text(text: str | None) -> Topology | None:
    """The topology of such a text. Raises BadFieldError."""
    return None if text is None else topology_of(json.loads(text))
