"""Two captures of one program in fresh JVMs: what differs between them will differ in every deployment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Record = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unstable:
    """One operator whose identity, or a job whose shape, differs from run to run."""

    job: int
    operator: str
    """The operator's name in the first run, empty where the whole graph differs."""
    what: str
    first: str
    second: str

    def __str__(self) -> str:
        subject = f"operator '{self.operator}'" if self.operator else "the job"
        return f"{subject}: {self.what} is {self.first} in one run and {self.second} in the next of the same program"


def unstable(first: tuple[Record, ...], second: tuple[Record, ...]) -> tuple[Unstable, ...]:
    """Uids, ids and shapes that differ between two runs, by operator; empty when a program is deterministic."""
    if len(first) != len(second):
        return (
            Unstable(job=0, operator="", what="the number of jobs", first=str(len(first)), second=str(len(second))),
        )
    found: list[Unstable] = []
    for number, (first_job, second_job) in enumerate(zip(first, second, strict=True)):
        found.extend(_of_job(number, first_job, second_job))
    return tuple(found)


def _of_job(number: int, first: Record, second: Record) -> list[Unstable]:
    names = [[node["name"] for node in job["nodes"]] for job in (first, second)]
    if len(names[0]) != len(names[1]):
        sizes = [f"{len(n)} operators" for n in names]
        return [Unstable(job=number, operator="", what="its size", first=sizes[0], second=sizes[1])]
    ids = [job.get("operator_ids", {}) for job in (first, second)]
    found = []
    for a, b in zip(first["nodes"], second["nodes"], strict=True):
        pairs = [(field, a[field], b[field]) for field in ("uid", "uid_hash")]
        pairs.append(("operator id", ids[0].get(str(a["id"])), ids[1].get(str(b["id"]))))
        different = next(((what, x, y) for what, x, y in pairs if x != y), None)
        if different:
            what, x, y = different
            found.append(Unstable(job=number, operator=a["name"], what=what, first=str(x), second=str(y)))
    return found
