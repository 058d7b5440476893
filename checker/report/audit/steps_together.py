"""Steps of an audit that say the same, put together: a program that is not read stays unread in every step."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from checker.report.presentable import short
from checker.report.wording import listed, plural

Json = dict[str, Any]

_PATH = re.compile(r"(?<![^\s:'\"])[^\s:'\"]*/[^\s:'\"]+")


def together(changes: Iterable[Json]) -> list[Json]:
    """Equal steps as one entry, in the order given: it names all pipelines, and ``steps`` where there are several.

    What could not be read for one reason is one entry; what is undecided for one reason, an entry for each step.
    """
    groups: dict[object, list[Json]] = {}
    for number, change in enumerate(changes):
        same: object = (change["repository"], change["series"], change["shown"], _PATH.sub("…", change["cause"] or ""))
        if change["shown"] != "unreadable":
            same = (same, change["place"]) if change["shown"] == "undecided" and not change["lost"] else number
        groups.setdefault(same, []).append(change)
    return [_entry(group) for group in groups.values()]


def _entry(group: list[Json]) -> Json:
    first = group[0]
    names = list(dict.fromkeys(change["pipeline"] for change in group))
    causes = {change["cause"] for change in group}
    steps = len({change["place"] for change in group})
    return {
        **first,
        "pipeline": listed([short(name, 60) for name in names], 3) if len(names) > 1 else names[0],
        "cause": first["cause"] if len(causes) == 1 else _PATH.sub("…", first["cause"]),
        "steps": f" in {plural(steps, 'step')}" if steps > 1 else "",
    }
