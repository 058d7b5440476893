"""Makes strings of analysed programs safe to show: nothing invisible, nothing that controls a terminal.

Names and uids can hold anything. Every format for people gets its report through ``presentable`` first, so that no
renderer has to think of control characters; each renderer still escapes what is special in its own language.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

_LINES_KEPT = frozenset({"repair", "page", "help", "configuration"})
"""Keys of fields that are several lines by nature."""
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def presentable(document: Any) -> Any:
    """The same document with every string made visible."""
    return _walk(document, keep_lines=False)


def without_graphs(report: dict[str, Any]) -> dict[str, Any]:
    """The report for formats that draw nothing: the graphs are most of its size."""
    return {**report, "pipelines": [{**pipeline, "graphs": None} for pipeline in report["pipelines"]]}


def _walk(value: Any, *, keep_lines: bool) -> Any:
    if isinstance(value, str):
        return "\n".join(visible(line) for line in value.split("\n")) if keep_lines else visible(value)
    if isinstance(value, dict):
        return {visible(key): _walk(item, keep_lines=key in _LINES_KEPT) for key, item in value.items()}
    if isinstance(value, list):
        return [_walk(item, keep_lines=keep_lines) for item in value]
    return value


def visible(text: str) -> str:
    r"""Control, format (right-to-left marks, zero width), private and surrogate characters as ``\x1b``, ``\u202e``."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(c) if unicodedata.category(c) in _INVISIBLE else c for c in text)


def _escape(character: str) -> str:
    known = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(character)
    if known:
        return known
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def short(text: str, limit: int = 80) -> str:
    """At most ``limit`` characters; the middle is cut, since names differ at their ends."""
    if len(text) <= limit:
        return text
    front = (limit - 1) * 2 // 3
    return f"{text[:front]}…{text[len(text) - (limit - 1 - front) :]}"


def one_line(text: str) -> str:
    """All white space as single blanks."""
    return re.sub(r"\s+", " ", text).strip()
