"""A bound on work that can grow exponentially with the size of a program, the same on every machine."""

from __future__ import annotations

from dataclasses import dataclass

_STEPS = 10_000
"""About ten times what the largest functions of everyday programs need."""
_A_STEP = 100
"""Characters of text that count as one more step."""


class EffortError(Exception):
    """The bound of steps was reached: the caller has to answer from less."""


@dataclass
class Effort:
    """The steps that are left for one answer."""

    left: int = _STEPS

    def take(self, steps: int) -> None:
        """Note some steps. Raises EffortError when none is left."""
        self.left -= steps
        if self.left < 0:
            raise EffortError
