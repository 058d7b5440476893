"""How the jobs of a Java program become topologies: what operators are called, and what tells them apart."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import Any

from checker.extract.datastream.assembling import Reading
from checker.extract.datastream.records import Draft, Job


def outline(job: Job) -> Any:
    """The shape of a job, roughly: equal outlines become one shape in the end."""
    number = {id(draft): place for place, draft in enumerate(job.drafts)}
    return tuple(
        (d.site.trail, d.site.place, d.site.call, d.kind, d.operator, tuple(number.get(id(i), -1) for i in d.inputs),
          tuple(operator.kind for stage in (d.pre_write, d.pre_commit, d.post_commit) for operator in stage))
        for d in job.drafts
    )  # fmt: skip


def _base(draft: Draft) -> str:
    """The uid, else the call and where it stands."""
    if isinstance(draft.uid, str) and draft.uid and not draft.uid_depends_on:
        return draft.uid
    where = draft.site.path[-1] if draft.site.path else "main"
    call = draft.site.call
    if draft.variable is not None and "#" not in call:
        return f"{where}/{draft.variable}:{call}"
    return f"{where}/{call}"


def _iterations(drafts: Sequence[Draft]) -> dict[int, str]:
    """For operators that one call makes several times: digests of what their functions hold and of their names."""
    made = Counter((draft.site.path, draft.site.call, draft.site.place) for draft in drafts)
    several = [d for d in drafts if made[d.site.path, d.site.call, d.site.place] > 1 and not d.kind.virtual]
    return {
        id(draft): hashlib.sha256(f"{draft.holds}\0{draft.name}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
        for draft in several
        if draft.holds is not None and (draft.name is None or isinstance(draft.name, str))
    }


READING = Reading(extractor="java", program="the program", base=_base, iterations=_iterations, joins=True)
