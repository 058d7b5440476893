"""The answer to a question as text, Markdown and one self-contained page."""

from __future__ import annotations

from typing import Any

from checker.report.markdown_text import escaped
from checker.report.pages import render_page
from checker.report.presentable import presentable
from checker.report.wording import listed

Json = dict[str, Any]
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
