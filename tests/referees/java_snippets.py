"""Random Java snippets, evaluated by a JVM and by the source reader's interpreter.

By hand: ``python -m tests.referees.java_snippets --count 2000 --seed 1``.
"""

import argparse
import random
import secrets
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from checker.errors import CheckerError
from checker.extract import java
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.unknowns import Unknown
from tests.referees.grammar import Grammar, Scope
from tests.referees.jvm import Jvm, started
from tests.referees.source_tree import Block, Program, shrink
from tests.referees.templates import SUPPORT

_IMPORTS = """package acme;
import java.math.*;
import java.text.MessageFormat;
import java.time.*;
import java.util.*;
import java.util.concurrent.atomic.*;
import java.util.function.*;
import java.util.stream.*;
"""
_JOB = """
import org.apache.flink.streaming.api.environment.*;
public class Job {{
  public static void main(String[] args) throws Exception {{
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.fromSequence(1, 2).uid(Snippets.s{number}()).print();
    env.execute();
  }}
}}
"""
BATCH = 40


class Verdict(StrEnum):
    """What became of one snippet."""

    EQUAL = "equal"
    UNKNOWN = "unknown"
    WRONG = "wrong"


@dataclass(frozen=True)
class Finding:
    """A snippet that the interpreter evaluates to something other than the JVM."""

    seed: int
    code: str
    expected: str
    found: str


@dataclass
class Tally:
    """Counts of verdicts, and of the reasons of unknown results."""

    verdicts: Counter[Verdict] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    uncompilable: int = 0

    def __str__(self) -> str:
        return ", ".join(f"{self.verdicts[v]} {v}" for v in Verdict) + f"; {self.uncompilable} did not compile"


def snippet(seed: int) -> Block:
    """One method ``s0`` that computes a text, or says that an exception ends it."""
    rng = random.Random(seed)
    grammar = Grammar(rng, wild=True)
    scope = Scope()
    statements = grammar.statements(scope, rng.randint(0, 3), 2)
    scope.variables = [v for v in scope.variables if rng.random() < 0.9]
    seen = [f'"{v.name}=" + {_shown(v.type, v.name)}' for v in scope.variables if not v.type.startswith(_FUNCTIONS)]
    result = " + ',' + ".join([f'"" + ({grammar.expression("String", scope, 3)})', *seen])
    trying = [*statements, Block(f"return {result};", keep=True)]
    caught = Block("} catch (RuntimeException problem) {", [Block('return "threw";', keep=True)], keep=True)
    body = Block("try {", trying, "}", [caught], keep=True)
    return Block("static String s0() {", [body], "}", keep=True)


_FUNCTIONS = ("Function<", "Predicate<")


def _shown(type_: str, name: str) -> str:
    return f"Arrays.toString({name})" if type_.endswith("[]") else name


def files(methods: list[str]) -> dict[str, str]:
    """The sources of some snippets."""
    numbered = [method.replace(" s0()", f" s{place}()", 1) for place, method in enumerate(methods)]
    return {
        "acme/Support.java": _IMPORTS + SUPPORT.replace("static int ticks = 0;", "static int ticks = 0;"),
        "acme/Snippets.java": _IMPORTS + "class Snippets {\n" + "\n".join(numbered) + "\n}\n",
    }


def evaluate(method: str) -> str | Unknown:
    """What the interpreter makes of a snippet; a text that starts with ``!`` where it makes nothing of it."""
    contents = files([method]) | {"acme/Job.java": "package acme;" + _JOB.format(number=0)}
    entry = PipelineEntry(
        name="Job", extract=ExtractorKind.JAVA, main="acme.Job", parallelism=4, flink="1.20", discovered=False
    )
    try:
        topology = java.extract(MemoryFiles({f"src/main/java/{p}": t.encode() for p, t in contents.items()}), entry)
    except CheckerError as error:
        why = str(error).splitlines()[0]
        return Unknown(why) if "was not followed to its end" in why else f"! {why}"
    except Exception:
        return "! a defect: " + " | ".join(line.strip() for line in traceback.format_exc().strip().splitlines()[-3:])
    source = topology.transformations[0]
    if topology.variants or topology.variants_unknown is not None:
        return topology.variants_unknown or Unknown(topology.variants[0].when)
    return source.uid if source.uid is not None else "! no uid"


def expected(methods: list[str], jvm: Jvm, tally: Tally) -> list[str | None]:
    """What the JVM returns, None for what does not compile."""
    reset = [method.replace("try {", "Lib.ticks = 0; try {", 1) for method in methods]
    answer = jvm.snippets(files(reset), "acme.Snippets")
    if "uncompilable" not in answer:
        found: list[str | None] = answer["results"]
        return found
    if len(methods) == 1:
        tally.uncompilable += 1
        return [None]
    half = len(methods) // 2
    return [*expected(methods[:half], jvm, tally), *expected(methods[half:], jvm, tally)]


def judge(seeds: Iterable[int], jvm: Jvm, tally: Tally) -> list[Finding]:
    """The snippets of some seeds that are evaluated wrongly."""
    blocks = {seed: snippet(seed) for seed in seeds}
    methods = ["\n".join(block.lines()) for block in blocks.values()]
    found: list[Finding] = []
    for (seed, _), method, true in zip(blocks.items(), methods, expected(methods, jvm, tally), strict=True):
        if true is None:
            continue
        verdict, what = _compare(method, true)
        tally.verdicts[verdict] += 1
        if verdict is Verdict.UNKNOWN:
            tally.reasons[what.split(" [")[0]] += 1
        if verdict is Verdict.WRONG:
            found.append(Finding(seed, method, true, what))
    return found


def _compare(method: str, true: str) -> tuple[Verdict, str]:
    result = evaluate(method)
    if isinstance(result, Unknown):
        return Verdict.UNKNOWN, result.reason
    return (Verdict.EQUAL if result == true else Verdict.WRONG), result


def minimised(finding: Finding, jvm: Jvm) -> Finding:
    """A finding with all statements dropped that it does not need."""
    block = snippet(finding.seed)
    program = Program({"s": [block]}, {})
    last = [finding]

    def fails() -> bool:
        method = "\n".join(block.lines())
        answer = jvm.snippets(files([method.replace("try {", "Lib.ticks = 0; try {", 1)]), "acme.Snippets")
        if "uncompilable" in answer:
            return False
        true = answer["results"][0]
        verdict, what = _compare(method, true)
        if verdict is Verdict.WRONG:
            last.append(Finding(finding.seed, method, true, what))
        return verdict is Verdict.WRONG

    shrink(program, fails, tries=40)
    return last[-1]


def describe(finding: Finding) -> str:
    """A finding for people."""
    return f"--- seed {finding.seed}\n{finding.code}\nJVM:  {finding.expected!r}\nhere: {finding.found!r}"


def main() -> int:
    """Run many snippets, print what is wrong and the counts."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--count", type=int, default=400)
    options.add_argument("--seed", type=int, default=None)
    options.add_argument("--flink", default="1.20.5")
    options.add_argument("--minimise", type=int, default=20, help="how many findings to make smaller")
    options.add_argument("--reasons", type=int, default=40, help="how many reasons of unknown results to print")
    given = options.parse_args()
    first = given.seed if given.seed is not None else secrets.randbelow(1_000_000_000)
    print(f"seeds {first} to {first + given.count - 1}")
    tally, begun = Tally(), time.monotonic()
    with started(given.flink) as jvm:
        for start in range(first, first + given.count, BATCH):
            for finding in judge(range(start, min(start + BATCH, first + given.count)), jvm, tally):
                given.minimise -= 1
                print(describe(minimised(finding, jvm) if given.minimise >= 0 else finding), flush=True)
    print(tally, f"({time.monotonic() - begun:.0f} s)")
    for reason, count in tally.reasons.most_common(given.reasons):
        print(f"{count:6} {reason}")
    return 1 if tally.verdicts[Verdict.WRONG] else 0


if __name__ == "__main__":
    sys.exit(main())
