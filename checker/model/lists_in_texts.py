"""Lists inside of texts: of arguments, types, columns."""

from __future__ import annotations


def split_list(text: str) -> list[str]:
    """Elements between commas that stand outside of brackets and quotes."""
    found, opened, start, quoted = [], "", 0, False
    for place, char in enumerate(text):
        if char == "'":
            quoted = not quoted
        elif quoted:
            continue
        elif char in "([{" or (char == "<" and (text[:place][-1:].isalnum() or text[:place].endswith(("_", "$")))):
            opened += char  # ARRAY<INT>; others compare
        elif char in ")]}" or (char == ">" and opened.endswith("<")):
            opened = opened[:-1]
        elif char == "," and not opened:
            found.append(text[start:place].strip())
            start = place + 1
    last = text[start:].strip()
    return [*found, last] if last or found else []
