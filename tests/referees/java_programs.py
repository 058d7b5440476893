"""Random Java programs, captured by real Flink under several argument vectors, against the source reader.

By hand: ``python -m tests.referees.java_programs --count 500 --seed 1``.
"""

import argparse
import secrets
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from checker.errors import CheckerError, GraphTooLargeError, NotFollowedError
from checker.extract import java
from checker.flink.translate import translate
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from tests.extract.java.recorded import Outcome, compare
from tests.referees.jvm import PARALLELISM, Jvm, started
from tests.referees.program_generator import MAIN, ProgramGenerator
from tests.referees.source_tree import Program, shrink
from tests.referees.templates import SUPPORT


class Verdict(StrEnum):
    """What became of one reading."""

    EXACT = "exact"
    UNDECIDED = "undecided"
    WRONG = "wrong"


@dataclass(frozen=True)
class Reading:
    """One reading of a program and how it compares; ``vector`` None: nobody knows the arguments."""

    vector: tuple[str, ...] | None
    verdict: Verdict
    reason: str = ""


@dataclass
class Tally:
    """Counts of verdicts and of reasons."""

    known: Counter[Verdict] = field(default_factory=Counter)
    unknown: Counter[Verdict] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    uncompilable: int = 0
    thrown: int = 0
    """Runs of programs that end with an exception in Flink."""

    def add(self, readings: list[Reading]) -> None:
        """Count the readings of one program."""
        for reading in readings:
            (self.unknown if reading.vector is None else self.known)[reading.verdict] += 1
            if reading.verdict is Verdict.UNDECIDED and reading.vector is not None:
                self.reasons[reading.reason] += 1

    def __str__(self) -> str:
        known, unknown = (", ".join(f"{c[v]} {v}" for v in Verdict if c[v]) for c in (self.known, self.unknown))
        return (
            f"with arguments: {known}; arguments unknown: {unknown}; "
            f"{self.uncompilable} programs did not compile, {self.thrown} runs ended with an exception"
        )


@dataclass(frozen=True)
class Case:
    """A program and the argument vectors that it is run with."""

    seed: int
    program: Program
    vectors: tuple[tuple[str, ...], ...]


def generated(seed: int, flink: str) -> Case:
    """The case of a seed."""
    generator = ProgramGenerator(seed, flink)
    return Case(seed, generator.program(), generator.vectors)


def judge(case: Case, jvm: Jvm, flink: str, tally: Tally | None = None) -> list[Reading]:
    """All readings of a program; none where it does not compile."""
    files = case.program.render()
    answer = jvm.graphs(files, MAIN, case.vectors)
    if "uncompilable" in answer:
        if tally is not None:
            tally.uncompilable += 1
        return []
    graphs: list[dict[str, Any]] = answer["results"]
    if tally is not None:
        tally.thrown += sum("vertices" not in graph for graph in graphs)
    readings = [read(files, vector, [graph], flink) for vector, graph in zip(case.vectors, graphs, strict=True)]
    return [*readings, read(files, None, graphs, flink)]


def read(files: Mapping[str, str], vector: tuple[str, ...] | None, graphs: list[dict[str, Any]], flink: str) -> Reading:
    """Read a program, with its arguments or without, and compare with all graphs that it can have."""
    contents = {
        f"src/main/{'java' if path.endswith('.java') else 'resources'}/{path}": text.encode()
        for path, text in files.items()
    }
    entry = PipelineEntry(
        name="Job", extract=ExtractorKind.JAVA, main=MAIN, args=vector or (), parallelism=PARALLELISM, flink=flink,
        discovered=vector is None,
    )  # fmt: skip
    built = [graph for graph in graphs if "vertices" in graph]
    try:
        topology = java.extract(MemoryFiles(contents), entry)
        translation = translate(topology, flink)
    except (NotFollowedError, GraphTooLargeError) as error:
        return Reading(vector, Verdict.UNDECIDED, str(error).splitlines()[0])
    except CheckerError as error:
        return Reading(vector, Verdict.WRONG if built else Verdict.EXACT, str(error).splitlines()[0])
    except Exception:
        return Reading(vector, Verdict.WRONG, "a defect: " + traceback.format_exc().strip().splitlines()[-1])
    if not built:
        certain = translation.certain and translation.refusal is None and vector is not None
        exact = translation.refusal is not None
        verdict = Verdict.WRONG if certain else Verdict.EXACT if exact else Verdict.UNDECIDED
        return Reading(vector, verdict, f"read as a job, in Flink: {graphs[0]}")
    shapes = [
        replace(topology, transformations=variant.transformations, variants=(), variants_unknown=None)
        for variant in topology.variants
    ]
    translations = [translate(shape, flink) for shape in shapes] or [translation]
    undecided = ""
    for graph in built:
        found = [compare(computed, graph) for computed in translations]
        best = next((c for c in found if c.outcome is Outcome.EXACT), None)
        best = best or next((c for c in found if c.outcome is Outcome.UNDECIDED), found[0])
        if best.outcome is Outcome.SILENT and topology.variants_unknown is None:
            return Reading(vector, Verdict.WRONG, best.reason)
        if best.outcome is not Outcome.EXACT:
            undecided = best.reason
    if topology.variants:
        undecided = undecided or f"one of several shapes: {topology.variants[0].when}"
    return Reading(vector, Verdict.UNDECIDED, undecided) if undecided else Reading(vector, Verdict.EXACT)


def minimised(case: Case, jvm: Jvm, flink: str) -> Case:
    """The same program with all dropped that is not needed to be read wrongly."""

    def fails() -> bool:
        return any(reading.verdict is Verdict.WRONG for reading in judge(case, jvm, flink))

    shrink(case.program, fails)
    return case


def findings(seeds: Iterable[int], jvm: Jvm, flink: str, tally: Tally) -> Iterator[tuple[Case, list[Reading]]]:
    """The programs of some seeds that are read wrongly."""
    for seed in seeds:
        case = generated(seed, flink)
        readings = judge(case, jvm, flink, tally)
        tally.add(readings)
        if any(reading.verdict is Verdict.WRONG for reading in readings):
            yield case, readings


def describe(case: Case, readings: list[Reading]) -> str:
    """A finding for people."""
    texts = [text for path, text in case.program.render().items() if path.endswith(".java")]
    code = [line for text in texts for line in text.splitlines() if not line.startswith(("import ", "package "))]
    wrong = [f"{r.vector}: {r.reason}" for r in readings if r.verdict is Verdict.WRONG]
    return "\n".join([f"--- seed {case.seed}", *wrong, "\n".join(code).replace(SUPPORT, "")])


def main() -> int:
    """Run many programs, print what is wrong and the counts."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--count", type=int, default=100)
    options.add_argument("--seed", type=int, default=None)
    options.add_argument("--flink", default="1.20.5")
    options.add_argument("--reasons", type=int, default=15, help="how many reasons of undecided readings to print")
    options.add_argument("--minimise", type=int, default=10, help="how many failing programs to make smaller")
    given = options.parse_args()
    first = given.seed if given.seed is not None else secrets.randbelow(1_000_000_000)
    tally, begun = Tally(), time.monotonic()
    print(f"seeds {first} to {first + given.count - 1}, Flink {given.flink}")
    with started(given.flink) as jvm:
        for case, readings in findings(range(first, first + given.count), jvm, given.flink, tally):
            given.minimise -= 1
            if given.minimise >= 0:
                readings = judge(minimised(case, jvm, given.flink), jvm, given.flink)
            print(describe(case, readings), flush=True)
    print(tally, f"({time.monotonic() - begun:.0f} s)")
    for reason, count in tally.reasons.most_common(given.reasons):
        print(f"{count:6} {reason}")
    return 1 if tally.known[Verdict.WRONG] or tally.unknown[Verdict.WRONG] else 0


if __name__ == "__main__":
    sys.exit(main())
