"""The report of an audit as text, Markdown and one self-contained page."""

import re
from collections.abc import Iterable, Iterator

from checker.model.nested import Json
from checker.report.pages import environment, render_page
from checker.report.presentable import HISTORY, code, escaped, presentable, short
from checker.report.wording import day, listed, plural

MARKS = {
    "unchanged": "·", "changed": "~", "broke": "X", "repaired": "+", "undecided": "?", "unreadable": "!",
    "refused": "x", "added": "a", "removed": "r",
}  # fmt: skip
WORDS = {
    "changed": "changed, state kept", "broke": "state broke", "repaired": "state repaired", "undecided": "undecided",
    "unreadable": "could not be read", "refused": "Flink would refuse it", "added": "added", "removed": "removed",
    "unchanged": "unchanged",
}  # fmt: skip
_OUTCOMES = (
    ("broke", "would lose state"), ("undecided", "undecided"), ("unreadable", "could not be read"),
    ("changed", "changed, with its state kept"),
)  # fmt: skip
"""What a line counts, and what it then says of its pipeline: the first that it has.

Where only the revision as it is could not be read, its line counts that too, and the answer is undecided.
"""
_KEPT = "as before"
_IN_ORDER = (*(outcome for _, outcome in _OUTCOMES), _KEPT)
_WIDEST = 120
_MOST_IN_TEXT = 200
_TOOLS: Json = {"plural": plural, "short": short, "words": WORDS, "marks": MARKS, "most": _MOST_IN_TEXT}


def audit_text(document: Json) -> str:
    """An audit's document for a terminal."""
    return _plain("audit.txt", document)


def audit_markdown(document: Json) -> str:
    """An audit's document as Markdown."""
    return _plain("audit.md", document)


def audit_html(document: Json) -> str:
    """An audit's document as one page: the newest break, then all steps, newest first."""
    view = _view(presentable(document), latest=None)
    shown = {change["shown"] for change in view["changes"]}
    view |= {
        "newest_break": next((change for change in view["changes"] if change["shown"] == "broke"), None),
        "shown": [status for status in WORDS if status in shown],
    }
    return render_page("audit.html", "audit.css", view=view, **_TOOLS)


def _plain(name: str, document: Json) -> str:
    view = _view(presentable(document), latest=_WIDEST)
    return environment(autoescape=False).get_template(name).render(view=view, text=escaped, code=code, **_TOOLS)


def headline(document: Json) -> str:
    """The answer in one line."""
    counts = document["counts"]
    if not counts["units"] and counts["unreadable_repositories"]:
        return f"{plural(counts['unreadable_repositories'], 'repository', 'repositories')} could not be read"
    if not counts["units"]:
        return "No pipelines found: nothing was audited"
    if counts["broke"]:
        mended = f", {counts['repaired']} repaired later" if counts["repaired"] else ""
        return f"State broke {plural(counts['broke'], 'time')}{mended}"
    if document["verdict"] == "undecided":
        return "No step is known to have broken state, but some could not be decided"
    return "No step broke state"


def _view(document: Json, *, latest: int | None) -> Json:
    """The document with what the templates show beside it."""
    document["headline"] = headline(document)
    document["changes"].sort(key=lambda change: (change["head"]["time"], change["place"]), reverse=True)
    document["what_ifs"] = list(_what_ifs(document["pipelines"]))
    for change in document["changes"]:
        change["shown"] = "repaired" if change["repairs"] else change["status"]
        change["when"] = day(change["head"]["time"])
        change["label"] = change["head"]["label"]
    document["changes"] = together(document["changes"])
    for line in document["timeline"]:
        steps = line["steps"][-latest:] if latest else line["steps"]
        line["earlier"] = len(line["steps"]) - len(steps)
        line["steps"] = steps
        most = max([step["moved"] for step in steps] or [0])
        for place, step in enumerate(steps):
            step["x"] = place * 14
            step["bar"] = -(-40 * step["moved"] // most) if most else 0
        places = {step["place"]: number for number, step in enumerate(steps)}
        for pipeline in line["pipelines"]:
            pipeline["marks"] = _marks(pipeline["cells"], list(places))
            pipeline["cells"] = [
                {**cell, "x": places[cell["place"]] * 14, "step": steps[places[cell["place"]]]}
                for cell in pipeline["cells"]
                if cell["place"] in places
            ]
        line["width"] = max(14, 14 * len(steps))
    return document


def _what_ifs(pipelines: list[Json]) -> Iterator[str]:
    """The answer to every question that was asked about a repository, in a line.

    ``what if flink=2.3 (orders): 2 pipelines lose state (a, b)``
    """
    asked: dict[tuple[str, str], dict[str, list[str]]] = {}
    for line in pipelines:
        if line["series"] != HISTORY:
            outcomes = asked.setdefault((line["series"], line["repository"]), {o: [] for o in _IN_ORDER})
            outcomes[next((o for name, o in _OUTCOMES if line[name]), _KEPT)].append(line["pipeline"])
    for (series, repository), outcomes in sorted(asked.items()):
        parts = [
            f"{plural(len(names), 'pipeline')} {outcome}{'' if outcome == _KEPT else f' ({listed(names, 5)})'}"
            for outcome, names in outcomes.items()
            if names
        ]
        yield f"{series} ({repository}): {', '.join(parts)}"


def _marks(cells: list[Json], places: list[int]) -> str:
    """One character per step; what could not be read, or was refused, stays so until something changes."""
    status = {cell["place"]: cell["status"] for cell in cells}
    before = [cell["status"] for cell in cells if places and cell["place"] < places[0]]
    last = before[-1] if before else "unchanged"
    marks = ""
    for place in places:
        last = status.get(place, last if last in ("unreadable", "refused") else "unchanged")
        marks += MARKS[last]
    return marks


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


_COMMITS = ("commit", "repaired by")
_PIPELINE = "pipeline"
_MOST_ALIKE = 5
_NARROW = ("what if", "when", "commit", "then", "repaired by", "repaired on", "month")
"""Columns of short texts, which a page does not break."""


def answer_text(document: Json) -> str:
    """An answer for a terminal."""
    table = [document["columns"], *_cells(document)]
    widths = [max(len(row[place]) for row in table) for place in range(len(document["columns"]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]
    notes = [f"\nnote: {note}" for note in presentable(document)["notes"]]
    return "\n".join([document["title"], "", *(lines if len(table) > 1 else ["none"]), *notes]) + "\n"


def answer_markdown(document: Json) -> str:
    """An answer as Markdown."""
    table = [document["columns"], ["---"] * len(document["columns"])]
    table += [[escaped(cell) for cell in row] for row in _cells(document)]
    lines = ["| " + " | ".join(row) + " |" for row in table]
    notes = [f"\n{escaped(note)}" for note in presentable(document)["notes"]]
    return "\n".join([f"# {document['title']}", "", *(lines if len(lines) > 2 else ["None."]), *notes]) + "\n"


def answer_html(document: Json) -> str:
    """An answer as one page."""
    kept = {name: document[name] for name in ("title", "columns", "notes")}
    view = {**kept, "rows": _cells(document), "narrow": _NARROW}
    return render_page("answer.html", "audit.css", view=view)


def _cells(document: Json) -> list[list[str]]:
    """Rows for people: commits by their first digits, and pipelines of which the same is to be said in one row."""
    columns = document["columns"]
    found: dict[tuple[str, ...], tuple[list[str], list[str]]] = {}
    for row in presentable(document)["rows"]:
        cells = ["" if cell is None else " ".join(str(cell).split()) for cell in row]
        cells = [cell[:10] if name in _COMMITS else cell for name, cell in zip(columns, cells, strict=True)]
        if _PIPELINE not in columns:
            found[str(len(found)),] = cells, []
            continue
        place = columns.index(_PIPELINE)
        first, alike = found.setdefault((*cells[:place], *cells[place + 1 :]), (cells, []))
        alike.append(cells[place])
        first[place] = listed(alike, _MOST_ALIKE)
    return [cells for cells, _ in found.values()]
