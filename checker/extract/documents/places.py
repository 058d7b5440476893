"""Where a topology document declares its operators: the line of each ``id``."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from checker.model.topology import Topology, Transformation
from checker.model.unknowns import Location

_ID = re.compile(r"""(?:^|[\s{,"'-])id["']?[ \t]*:[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s,}#][^,}#\n]*))""")
_BETWEEN, _COMMA = re.compile(r"\s*"), re.compile(r"\s*,\s*")
_SEPARATOR = re.compile(r"^---(?:\s|$)", re.M)


def located(topology: Topology, text: str, file: str, index: int) -> Topology:
    """The topology with the lines of its declarations, where it names no other places itself.

    In a file with several documents only those of YAML streams and JSON lines are looked for; a line that can't be
    found is left out.
    """
    lines = _lines_of_ids(_part(text, file, index), text)
    own = {handle: Location(file, line) for handle, line in lines.items()}

    def placed(transformation: Transformation) -> Transformation:
        return (
            replace(transformation, location=own.get(transformation.id))
            if transformation.location is None
            else transformation
        )

    return replace(
        topology,
        transformations=tuple(placed(transformation) for transformation in topology.transformations),
        variants=tuple(
            replace(
                variant, transformations=tuple(placed(transformation) for transformation in variant.transformations)
            )
            for variant in topology.variants
        ),
    )


def _part(text: str, file: str, index: int) -> tuple[int, int]:
    """Begin and end of the document with this index."""
    if file.endswith(".jsonl"):
        starts = [match.start() for match in re.finditer(r"^[^\n]*\S[^\n]*$", text, re.M)]
    elif file.endswith(".json"):
        starts = _starts_in_json(text)
    else:
        starts = [match.end() for match in _SEPARATOR.finditer(text)]
        if not starts or text[: starts[0]].strip("- \r\n\ufeff"):
            starts = [0, *starts]
        starts = [s for s, end in zip(starts, [*starts[1:], len(text)], strict=True) if text[s:end].strip()]
    if index >= len(starts):
        return 0, 0
    return starts[index], starts[index + 1] if index + 1 < len(starts) else len(text)


def _starts_in_json(text: str) -> list[int]:
    """Where the documents of a JSON file start: one, or those of a list."""
    place = len(text) - len(text.lstrip(" \t\r\n\ufeff"))
    if not text.startswith("[", place):
        return [0]
    starts: list[int] = []
    decoder = json.JSONDecoder()
    comma = _BETWEEN.match(text, place + 1)
    while comma is not None and not text.startswith("]", comma.end()):
        starts.append(comma.end())
        _, end = decoder.raw_decode(text, comma.end())
        comma = _COMMA.match(text, end)
    return starts


def _lines_of_ids(part: tuple[int, int], text: str) -> dict[str, int]:
    """The line of the first ``id`` with each value in a part of the text."""
    found: dict[str, int] = {}
    place, line = 0, 1
    for match in _ID.finditer(text, *part):
        line += text.count("\n", place, match.end())
        place = match.end()
        value = next(group for group in match.groups() if group is not None)
        found.setdefault(value.strip(), line)
    return found
