"""The answer to a question as text, Markdown and one self-contained page."""

from __future__ import annotations

from typing import Any

from checker.report.markdown_text import escaped
from checker.report.pages import render_page
from checker.report.presentable import presentable

Json = dict[str, Any]


def answer_text(document: Json) -> str:
    """An answer for a terminal."""
    table = [document["columns"], *_cells(document)]
    widths = [max(len(row[place]) for row in table) for place in range(len(document["columns"]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]
    return "\n".join([document["title"], "", *(lines if len(table) > 1 else ["none"])]) + "\n"


def answer_markdown(document: Json) -> str:
    """An answer as Markdown."""
    table = [document["columns"], ["---"] * len(document["columns"])]
    table += [[escaped(cell) for cell in row] for row in _cells(document)]
    lines = ["| " + " | ".join(row) + " |" for row in table]
    return "\n".join([f"# {document['title']}", "", *(lines if len(lines) > 2 else ["None."])]) + "\n"


def answer_html(document: Json) -> str:
    """An answer as one page."""
    view = {"title": document["title"], "columns": document["columns"], "rows": _cells(document)}
    return render_page("answer.html", "audit.css", view=view)


def _cells(document: Json) -> list[list[str]]:
    rows = presentable(document)["rows"]
    return [["" if cell is None else " ".join(str(cell).split()) for cell in row] for row in rows]
