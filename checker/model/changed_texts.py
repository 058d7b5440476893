"""Texts written in a program that another revision has changed where they stand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from checker.model.unknowns import Location


@dataclass(frozen=True, slots=True)
class ChangedText:
    """A text between quotes, or a part of it, before and after; where it stands now."""

    before: str
    after: str
    location: Location


def renamed_by(texts: Iterable[ChangedText], old: str, new: str) -> ChangedText | None:
    """The only changed text that makes one name of another, None where it is none or several."""
    found = [text for text in texts if new.replace(text.after, text.before) == old != new]
    return found[0] if len(found) == 1 else None
