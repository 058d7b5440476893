"""Text of analysed programs inside Markdown, as GitHub and GitLab render it."""

from __future__ import annotations

import html
import re

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+.!|~$-])")
_APART = "&#8203;"
"""A zero-width blank: keeps ``@name`` from notifying people, ``#1`` and URLs from turning into links."""


def escaped(text: str) -> str:
    """Text that shows as it is, wherever it stands in a line or a table cell."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = _SPECIAL.sub(_escape, text)
    text = re.sub(r"@(?=[\w./-])", f"@{_APART}", text)
    return text.replace("://", f":{_APART}//").replace("www\\.", f"www{_APART}\\.")


def html_text(text: str) -> str:
    """Text inside an element that GitHub shows as HTML, such as a ``summary``: no markup, mentions or links in it."""
    text = re.sub(r"[\[\]`*_~|\\]", lambda special: f"&#{ord(special[0])};", html.escape(text, quote=False))
    text = re.sub(r"@(?=[\w./-])", f"@{_APART}", text)
    text = re.sub(r"(?<!&)#(?=\w)", f"#{_APART}", text)
    return text.replace("://", f":{_APART}//").replace("www.", f"www{_APART}.")


def _escape(match: re.Match[str]) -> str:
    character = match[1]
    if character == "#":
        return f"\\#{_APART}"
    # These start something only at the beginning, and sentences are full of them.
    if character in "-.+()" and match.start() > 0:
        return character
    return f"\\{character}"


def code(text: str) -> str:
    """A code span; safe inside a table cell too."""
    text = text.replace("\n", " ")
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * (longest + 1)
    edge = " " if text.startswith("`") or text.endswith("`") or not text.strip() else ""
    return f"{fence}{edge}{text}{edge}{fence}".replace("|", "\\|")


def code_block(text: str, language: str = "") -> str:
    """A fenced block that its own content can't close."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def link(text: str, url: str | None) -> str:
    """A link with code as its text, or only the code where there is no address."""
    return code(text) if url is None else f"[{code(text)}]({url})"
