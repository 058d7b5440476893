"""Whether partial matches of a CEP pattern fit another version of it: by the names of the stages they wait in.

A match that waits in a stage which is gone makes ``NFA`` throw. New stages, another contiguity, and stages that became
optional leave every name as it was. Quantifiers make names of their own, so any other quantifier is open. Asked of
1.20.5 and 2.3.0.
"""

from __future__ import annotations

import re

from checker.compare.fit.types import SAME, Fit, TypeFit

_STAGES = re.compile(r"NFAState\[(.*)\]")
_STAGE = re.compile(r"(?:begin|next|followedBy|followedByAny|notNext|notFollowedBy) ('[^']*'|\"[^\"]*\")(?: [^'\"]*)?")
_GONE = "the job fails at the next element of such a key (FlinkRuntimeException: State {} does not exist in the NFA)"
_NAMES_STAY = frozenset({"optional"})


def pattern_fit(before: str, after: str) -> TypeFit | None:
    """The answer for two lists of stages; None where one is none."""
    old, new = _STAGES.fullmatch(before), _STAGES.fullmatch(after)
    if old is None or new is None:
        return None
    was, now = _stages(old[1]), _stages(new[1])
    if was is None or now is None:
        return None
    if next(iter(was), None) != next(iter(now), None):
        first = next(iter(was), "")
        why = f"the pattern begins with another stage than {first}: every key that it has seen waits in the old one"
        return TypeFit(Fit.INCOMPATIBLE, why, effect=_GONE.format(first))
    gone = [name for name in was if name not in now]
    if gone:
        why = f"stage {', '.join(gone)} of the pattern is gone: matches that wait in it fail"
        return TypeFit(Fit.INCOMPATIBLE, why, effect=_GONE.format(gone[0]))
    changed = [name for name in was if was[name] != now[name]]
    if changed:
        return TypeFit(Fit.OPEN, f"stage {', '.join(changed)} of the pattern has other quantifiers")
    return SAME


def _stages(text: str) -> dict[str, list[str]] | None:
    """Stages by name, with the calls on each that decide names; None where a stage is nested or named twice."""
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    for call in text.split(", "):
        stage = _STAGE.fullmatch(call)
        if stage is not None:
            current = []
            if found.setdefault(stage[1], current) is not current:
                return None
        elif current is None or "'" in call or '"' in call or "[" in call:
            return None
        elif call not in _NAMES_STAY:
            current.append(call)
    return found
