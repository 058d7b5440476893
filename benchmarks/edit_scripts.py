"""Random edit scripts against real Flink: do the verdicts follow from the true ids, and is the named cause the edit?

    python -m benchmarks.edit_scripts --flink 1.20 --count 200

Every script edits a random topology one to three times. Verdicts are held against set arithmetic on the ids that
Flink itself computes for both sides; the cause named for a moved id has to be one of the edits that were made.
"""

import argparse
import random
import sys

from checker.compare import compare_pipelines
from checker.extract.documents.fields import topology_document, topology_of
from checker.flink import translate
from checker.repair import edited as edited_topology
from checker.repair import edits_of, plan_repairs
from tests.compare.edit_scripts import Made, edited, named, stateful_document, wrong_verdict
from tests.conformance.ask_flink import Answer, ask_flink
from tests.conformance.random_documents import Document

Script = tuple[Document, Document, list[Made]]


def scripts(seed: int, count: int, version: str) -> list[Script]:
    """Edit scripts whose both sides Flink accepts, as far as we can tell."""
    rng = random.Random(seed)
    found: list[Script] = []
    while len(found) < count:
        base = {**stateful_document(rng, len(found)), "flink": version}
        head, made = edited(rng, base, rng.randint(1, 3))
        if not any(translate(topology_of(d)).refusal for d in (base, head)):
            found.append((base, head, made))
    return found


def ids(answer: Answer) -> set[str]:
    """All generated ids of a job."""
    return {o["generated"] for v in answer["vertices"] for o in v["operators"]}


def claimed(answer: Answer) -> set[str]:
    """All ids that operators of a job claim state under."""
    return ids(answer) | {o["user"] for v in answer["vertices"] for o in v["operators"] if o["user"]}


def main() -> int:
    """Print the shares; 1 when a verdict is wrong or fewer than 95 % of the causes are the edit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flink", default="1.20")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    made_scripts = scripts(options.seed, options.count, options.flink)
    answers = ask_flink(options.flink, [d for base, head, _ in made_scripts for d in (base, head)])
    verdicts = wrong = causes = right = repairs = unrepaired = 0
    repaired: list[tuple[Document, set[str | None]]] = []
    for number, (base, head, made) in enumerate(made_scripts):
        true_base, true_head = ids(answers[2 * number]), ids(answers[2 * number + 1])
        before, after = translate(topology_of(base)), translate(topology_of(head))
        comparison = compare_pipelines(base["name"], before, after)
        for row in comparison.operators:
            if row.base is not None:
                verdicts += 1
                problem = wrong_verdict(row, before.node_by_key[row.base.key], true_head)
                if row.base.id not in true_base:
                    problem = f"{row.base.name}: Flink has no id {row.base.id} in the base"
                if problem:
                    wrong += 1
                    print(f"script {number}: {problem}", file=sys.stderr)
            if row.id_changed:
                causes += 1
                right += row.cause is not None and named(made, row.cause.kind, row.cause.operator)
        planned = plan_repairs(before, after, comparison)
        repairs += len(planned)
        unrepaired += sum(not r.offered for r in planned)
        document = topology_document(edited_topology(after.topology, edits_of(planned)))
        repaired.append((document, {r.base.id for r in planned if r.offered and r.base is not None}))
    print(f"Flink {options.flink}: {len(made_scripts)} scripts, {verdicts} verdicts, {wrong} wrong")
    print(f"causes: {right} of {causes} moved ids name an edit that was made ({right / max(causes, 1):.1%})")
    unclaimed = 0
    for (_, wanted), answer in zip(repaired, ask_flink(options.flink, [d for d, _ in repaired]), strict=True):
        unclaimed += len(wanted - claimed(answer))
    print(
        f"repairs: {repairs - unrepaired} of {repairs} broken operators have one, "
        f"{unclaimed} of them not claimed by Flink"
    )
    wrong += unclaimed
    return int(wrong > 0 or right < 0.95 * causes)


if __name__ == "__main__":
    sys.exit(main())
