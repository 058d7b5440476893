"""Operator ids, and what went into each: kept so that a change can be explained."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

from checker.model.unknowns import Unknown

OperatorId = NewType("OperatorId", str)
"""32 lower-case hex digits, as Flink prints an OperatorID or JobVertexID."""


class Basis(StrEnum):
    """What a generated id rests on."""

    UID = "uid"
    POSITION = "position"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingredients:
    """What went into a generated id (StreamGraphHasherV2): kept so that a change can be explained.

    ``position`` is the number of nodes hashed before this one, None when it can't be known;
    ``chained_outputs`` and ``inputs`` are node numbers in edge order (an input twice is folded twice).
    """

    basis: Basis
    position: int | None
    chained_outputs: tuple[int, ...] = ()
    inputs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The ids of one stream node.

    ``generated`` is Flink's word: it also holds the id made from a uid. None = undecided, for ``reasons``.
    ``user`` is what ``setUidHash`` gave, in lower case.
    """

    node: int
    generated: OperatorId | None
    user: OperatorId | None
    ingredients: Ingredients
    reasons: tuple[Unknown, ...] = ()
