"""The checker's verdict beside Flink's, for edits that random generators make.

By hand, longer than CI does: ``python -m tests.referees.state_verdicts --seed 7 --count 200 [--kind window]``.
"""

import argparse
import time
from dataclasses import dataclass
from random import Random

from checker.compare import compare_pipelines
from checker.extract import java
from checker.flink import translate
from checker.model.findings import Finding, Severity
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.model.translation import Translation
from checker.rules import Revision, RuleContext, run_rules
from tests.referees.restores import Cluster, CompileError, Restored, cluster
from tests.referees.state_edits import KINDS, Edit, random_edit

UNDECIDED = frozenset({"undecided", "type-change-to-check"})

LEFT = frozenset({"state-removed"})
"""What Flink restores in silence although nobody asks for it any more."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One edit with both verdicts."""

    edit: Edit
    flink: Restored
    errors: tuple[Finding, ...]

    @property
    def lost(self) -> bool:
        """Flink refuses the state, or the program does not find it."""
        return self.flink.verdict in ("FAILED", "EMPTY")

    @property
    def missed(self) -> bool:
        """State is lost and nothing is said."""
        return self.lost and not self.errors

    @property
    def false_alarm(self) -> bool:
        """State restores and an error says that it does not. What is undecided is none."""
        certain = [f for f in self.errors if f.rule not in UNDECIDED | LEFT]
        return self.flink.verdict == "RESTORED" and bool(certain)

    @property
    def undecided(self) -> bool:
        """All that is said is that it can't be told."""
        return bool(self.errors) and all(f.rule in UNDECIDED for f in self.errors)


def read(source: str, version: str) -> Translation:
    """The program as the Java reader has it."""
    files = MemoryFiles({"src/main/java/Job.java": source.encode()})
    minor = ".".join(version.split(".")[:2])
    entry = PipelineEntry(name="job", extract=ExtractorKind.JAVA, main="Job", flink=minor, parallelism=1)
    return translate(java.extract(files, entry))


def errors(edit: Edit, version: str) -> tuple[Finding, ...]:
    """The checker's errors about an edit."""
    base, head = read(edit.before, version), read(edit.after, version)
    comparison = compare_pipelines("job", base, head)
    context = RuleContext(
        pipeline="job", base=Revision(translation=base), head=Revision(translation=head), comparison=comparison
    )
    return tuple(f for f in run_rules(context) if f.severity is Severity.ERROR)


def judge(edit: Edit, asked: Cluster, version: str, backend: str) -> Judged:
    """Both verdicts on one edit. Raises CompileError for a program that is none."""
    return Judged(edit, asked.restore(edit.before, edit.after, backend), errors(edit, version))


def main() -> None:
    """Print every disagreement, then the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--flink", default="1.20.5")
    parser.add_argument("--backend", default="hashmap")
    options = parser.parse_args()
    random = Random(options.seed)
    counts: dict[str, int] = {}
    with cluster(options.flink) as asked:
        for number in range(options.count):
            kind = options.kind or KINDS[number % len(KINDS)]
            try:
                found = judge(random_edit(kind, random), asked, options.flink, options.backend)
            except CompileError as error:
                print(f"{kind}: does not compile: {error}")
                counts["uncompilable"] = counts.get("uncompilable", 0) + 1
                continue
            rules = ", ".join(sorted({f.rule for f in found.errors})) or "-"
            what = [
                name
                for name, holds in (
                    ("missed", found.missed),
                    ("false-alarm", found.false_alarm),
                    ("undecided-lost", found.undecided and found.lost),
                    ("undecided-safe", found.undecided and not found.lost and found.flink.verdict == "RESTORED"),
                )
                if holds
            ]
            for name in (found.flink.verdict, *what):
                counts[name] = counts.get(name, 0) + 1
            print(f"{number} {kind}: {found.flink.verdict} {rules} {what} {found.flink.message[:160]}", flush=True)
            if what:
                print(difference(found.edit), *(f"  ! {f.message}" for f in found.errors), sep="\n", flush=True)
    print(f"seed {options.seed}: {counts}")


def difference(edit: Edit) -> str:
    """The lines that an edit changes."""
    before, after = edit.before.splitlines(), edit.after.splitlines()
    gone = [f"  - {line.strip()}" for line in before if line not in after]
    return "\n".join([*gone, *(f"  + {line.strip()}" for line in after if line not in before)])


if __name__ == "__main__":
    main()
