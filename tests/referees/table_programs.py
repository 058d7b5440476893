"""Random programs with tables: operator ids and chains of every job as real Flink has them, against ours.

By hand: ``python -m tests.referees.table_programs --count 40 --seed 1``.
"""

import argparse
import json
import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from checker.extract.runtime.execution import Execution
from checker.flink import translate
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.workflows.check.records import ReadPipeline, SideToRead
from checker.workflows.planning_programs import plan_programs
from tests.referees.jvm import PARALLELISM, Jvm, started
from tests.referees.table_program_generator import MAIN, Generator

Chains = list[list[str]]
"""The operator ids of each vertex, sorted."""


@dataclass(frozen=True)
class Case:
    """One job of a program in one language, and its chains in Flink."""

    name: str
    path: str
    text: str
    index: int
    chains: Chains


def cases_of(seed: int, jvm: Jvm) -> list[Case] | str:
    """The jobs of a seed's program, or why Flink does not take it."""
    java, python = Generator(seed).programs()
    answer = jvm.graphs({"a/Job.java": java}, MAIN, [()])
    if "uncompilable" in answer:
        return f"{answer['uncompilable']}\n{java}"
    (result,) = answer["results"]
    if "vertices" not in result or "thrown" in result:
        return f"{result.get('thrown') or result}\n{java}"
    graphs = [result, *result["further"]]
    found = [Case(f"{seed} java {n}", f"p{seed}/a/Job.java", java, n, chains(g)) for n, g in enumerate(graphs)]
    if python is not None:
        found += [Case(f"{seed} python {n}", f"p{seed}/job.py", python, n, chains(g)) for n, g in enumerate(graphs)]
    return found


def chains(graph: dict[str, Any]) -> Chains:
    """The chains of a recorded graph."""
    return sorted(sorted(vertex[2]) for vertex in graph["vertices"])


def read(cases: Sequence[Case], flink: str) -> dict[str, ReadPipeline]:
    """Every case, read from source and planned, all in one go."""
    files = MemoryFiles({case.path: case.text.encode() for case in cases})
    entries = [
        PipelineEntry(
            name=case.name, file=case.path, main=case.path if case.path.endswith(".py") else None, index=case.index,
            flink=flink, parallelism=PARALLELISM,
            extract=ExtractorKind.PYTHON if case.path.endswith(".py") else ExtractorKind.JAVA,
        )
        for case in cases
    ]  # fmt: skip
    side = SideToRead(name="head", files=files, entries=entries)
    return {pipeline.name: pipeline for pipeline in plan_programs([side], Execution(fetch=False))["head"]}


def verdict(case: Case, found: ReadPipeline | None) -> tuple[str, str]:
    """``exact``, ``undecided`` or ``wrong``, and why."""
    if found is None or found.topology is None:
        return "undecided", "not read"
    translation = translate(found.topology)
    if not translation.certain:
        return "undecided", translation.undecided[0].unknown.reason
    if translation.job_graph is None:
        return "wrong", str(translation.refusal)
    ids = {identity.node: identity.generated or "" for identity in translation.identities}
    ours = sorted(sorted(ids[pipeline] for pipeline in vertex.operators) for vertex in translation.job_graph.vertices)
    return ("exact", "") if ours == case.chains else ("wrong", f"Flink: {case.chains}\nhere:  {ours}")


def main() -> None:
    """A batch of seeds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1_000_000_000))
    parser.add_argument("--flink", default="1.20.5")
    parser.add_argument("--record", type=Path, help="write the cases of Flink to this file and read nothing")
    given = parser.parse_args()
    tally: Counter[str] = Counter()
    cases: list[Case] = []
    with started(given.flink) as jvm:
        for seed in range(given.seed, given.seed + given.count):
            found = cases_of(seed, jvm)
            if isinstance(found, str):
                tally["not taken by Flink"] += 1
                print(f"{seed}: {found}")
            else:
                cases += found
    if given.record is not None:
        given.record.write_text("".join(json.dumps(asdict(case)) + "\n" for case in cases), "utf-8")
        return
    planned = read(cases, given.flink)
    for case in cases:
        what, why = verdict(case, planned.get(case.name))
        tally[what] += 1
        if what != "exact":
            print(f"{case.name}: {what}: {why}\n{case.text if what == 'wrong' else ''}")
    print(f"seeds {given.seed} to {given.seed + given.count - 1}: {dict(tally)}")


if __name__ == "__main__":
    main()
