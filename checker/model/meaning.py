"""What an operator of a SQL plan computes and keeps, with columns as where they come from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

LOG = "change log"
"""``operator`` of a source that goes on at a place in a log, and never reads whole what is added to its tables."""
LOG_AND_NEW_TABLES = "change log and new tables"
"""The same of one that does."""

COLUMN = "\u00a7"
"""Stands behind each column of a table, in what an operator computes and keeps."""


@dataclass(frozen=True, slots=True)
class TableColumns:
    """The columns of a table in their order."""

    table: str
    """What identifies its data; empty where nothing does."""
    columns: tuple[str, ...]

    def named(self, column: str) -> str:
        """A column of it as meanings have it."""
        return f"{self.table}.{column}{COLUMN}" if self.table else f"{column}{COLUMN}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """Results have no names, so that an alias or another view changes nothing."""

    computes: str
    """The operator and its attributes."""
    keeps: tuple[str, ...] = ()
    """What its state is read as, in this order: the columns of the key, accumulators, the columns of rows."""
    tables: tuple[TableColumns, ...] = field(default=(), compare=False)
    """Those of which columns are in it."""

    @property
    def shown(self) -> str:
        """For a reader."""
        kept = f" that keeps {'; '.join(self.keeps)}" if self.keeps else ""
        return f"{self.computes}{kept}".replace(COLUMN, "")

    def with_names(self, names: Mapping[str, str]) -> Meaning:
        """The same of columns or tables that are called otherwise."""
        if not names:
            return self
        old = re.compile(rf"(?<![\w$.])(?:{'|'.join(map(re.escape, sorted(names, key=len, reverse=True)))})")

        def renamed(text: str) -> str:
            return old.sub(lambda match: names[match[0]], text)

        return replace(self, computes=renamed(self.computes), keeps=tuple(map(renamed, self.keeps)))
