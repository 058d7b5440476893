"""One example per rule of ``gate``: a snapshot, a job that is started from it, and every rule that reports something.

The pages of the rules show the message of their example. ``python -m tests.gate.examples`` writes it there anew.
"""

import textwrap
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from checker.compare.restore.judgement import judge_all, unreadable
from checker.model.declared_state import StateDescriptor, StateKind
from checker.model.findings import RestorePath
from checker.model.restore import Attempt, CandidateJob, CandidateVertex
from checker.model.savepoint import (
    MissingFiles,
    OperatorState,
    Savepoint,
    StateSizes,
)
from checker.model.state_handles import (
    BackendStateType,
    KeyedKind,
    SerializerSnapshot,
    StateHeaders,
    StateMeta,
)
from checker.model.translation import Pattern
from tests.gate.made import oid, operator, savepoint, state, vertex

BASE = "org.apache.flink.api.common.typeutils.base."
KEY_VALUE, OPERATOR, BROADCAST = BackendStateType.KEY_VALUE, BackendStateType.OPERATOR, BackendStateType.BROADCAST


@dataclass(frozen=True)
class Example:
    """One start of a job. ``rules`` are the slugs of everything that is reported about it."""

    snapshot: Savepoint | str
    """Or why its metadata can't be read."""
    job: CandidateJob
    rules: frozenset[str]
    path: RestorePath = RestorePath.SAVEPOINT
    allow: bool = False

    def attempt(self) -> Attempt:
        if isinstance(self.snapshot, str):
            attempts = unreadable("sp", self.job, self.snapshot)
        else:
            attempts = judge_all(self.snapshot, self.job)
        return next(a for a in attempts if (a.path, a.allow_non_restored_state) == (self.path, self.allow))

    def reported(self) -> frozenset[str]:
        attempt = self.attempt()
        rule = {attempt.rule.value} if attempt.rule else set()
        return frozenset({*rule, *(w.rule.value for w in attempt.warnings)})

    def message(self, slug: str) -> str:
        """What the attempt says by one rule."""
        attempt = self.attempt()
        if attempt.rule is not None and attempt.rule.value == slug:
            return attempt.message
        return next(w.message for w in attempt.warnings if w.rule.value == slug)


def example(snapshot: Savepoint | str, job: CandidateJob, *rules: str, **how: Any) -> Example:
    return Example(snapshot, job, frozenset(rules), **how)


def named(number: int, name: str, **changes: Any) -> OperatorState:
    """The state of an operator under its name and uid, as metadata keeps it from version 5 on."""
    return state(number, name=name, uid=name, **changes)


def started(*vertices: CandidateVertex, **fields: Any) -> CandidateJob:
    """A job of operators without named states, on Flink 2.3."""
    return CandidateJob(name="job", vertices=vertices, **{"flink": "2.3", **fields})


def task(number: int, name: str, **fields: Any) -> CandidateVertex:
    """A vertex with one operator whose states are known."""
    vertex_fields = {k: fields.pop(k) for k in ("parallelism", "maximum", "after", "unsure") if k in fields}
    known = {"states": (), "stateful": True, "uid": name, **fields}
    return replace(vertex(number, operator(number, name=name, **known), **vertex_fields), name=name)


def serializer(name: str) -> SerializerSnapshot:
    return SerializerSnapshot(class_name=f"{BASE}{name}Serializer${name}SerializerSnapshot", version=3)


def meta(name: str, kind: str = "VALUE", value: str = "Long", backend: BackendStateType = KEY_VALUE) -> StateMeta:
    option = "KEYED_STATE_TYPE" if backend is KEY_VALUE else "OPERATOR_STATE_DISTRIBUTION_MODE"
    return StateMeta(
        name=name,
        backend_type=backend,
        options=((option, kind),),
        serializers=(("VALUE_SERIALIZER", serializer(value)),),
    )


def holding(number: int, name: str, *metas: StateMeta, key: str | None = None, **changes: Any) -> OperatorState:
    """An operator's state with what the headers of its files say."""
    known = serializer(key) if key else None
    return named(number, name, headers=StateHeaders(states=metas, key_serializer=known), **changes)


def value_state(name: str = "total", kind: StateKind = StateKind.VALUE, value: str = "Long", **more: Any) -> Any:
    return StateDescriptor(name=name, kind=kind, value_type=value, **more)


FINISHED: dict[str, Any] = {"fully_finished": True, "present": 0, "has_subtask_state": False, "sizes": StateSizes()}
IN_FLIGHT = StateSizes(input_channels=512)
TOTALS, SPLITS = named(1, "totals"), named(2, "orders", has_coordinator_state=True, sizes=StateSizes(coordinator=64))
KEPT = task(1, "totals")
CHAINED = replace(
    vertex(1, operator(2, name="sink", states=()), operator(1, name="totals", states=())), name="totals -> sink"
)

EXAMPLES: dict[str, Example] = {
    # What refuses the start, or leaves it undecided.
    "unreadable-metadata": example("sp/_metadata: no such file", started(KEPT), "unreadable-metadata"),
    "metadata-version": example(savepoint(TOTALS), started(KEPT, flink="1.20"), "metadata-version"),
    "refused-program": example(savepoint(TOTALS), started(refusal="Hash collision on user-specified ID \"totals\"."),
                               "refused-program"),
    "unread-pipeline": example(savepoint(TOTALS), started(failure="no class com.acme.Main"), "unread-pipeline"),
    "unclaimed-state": example(savepoint(TOTALS), started(task(7, "sums")), "unclaimed-state"),
    "no-operator-for-state": example(savepoint(TOTALS), started(task(7, "sums")), "no-operator-for-state",
                                     path=RestorePath.LAST_STATE),
    "max-parallelism-mismatch": example(savepoint(TOTALS), started(task(1, "totals", maximum=256)),
                                        "max-parallelism-mismatch"),
    "parallelism-above-max": example(savepoint(named(1, "totals", max_parallelism=4)),
                                     started(task(1, "totals", parallelism=5)),
                                     "parallelism-above-max"),
    "parallelism-above-configured-max": example(savepoint(TOTALS),
                                                started(task(1, "totals", parallelism=200, maximum=128)),
                                                "parallelism-above-configured-max"),
    "mixed-finished-operators": example(savepoint(TOTALS, named(2, "sink", **FINISHED)), started(CHAINED),
                                        "mixed-finished-operators"),
    "finished-behind-running": example(
        savepoint(SPLITS, named(1, "totals", **FINISHED)),
        started(task(2, "orders", coordinator=True), task(1, "totals", after=((2, Pattern.ALL_TO_ALL),))),
        "finished-behind-running"),
    "partially-finished-behind-running": example(
        savepoint(SPLITS, named(1, "totals", finished=0b01)),
        started(task(2, "orders", coordinator=True), task(1, "totals", after=((2, Pattern.ALL_TO_ALL),))),
        "partially-finished-behind-running"),
    "channel-state-in-chain": example(
        savepoint(named(1, "totals", input_state=True), named(2, "sink", input_state=True, sizes=IN_FLIGHT)),
        started(CHAINED), "channel-state-in-chain"),
    "missing-state-file": example(
        replace(savepoint(TOTALS), files=MissingFiles(checked=2, total=2, missing=("sp/a1b2",),
                                                                 missing_count=1, owners=(oid(1),))),
        started(KEPT), "missing-state-file"),
    "state-backend-mismatch": example(savepoint(named(1, "totals", keyed_kinds=(KeyedKind.INCREMENTAL,))),
                                      started(KEPT, state_backend="hashmap"), "state-backend-mismatch"),
    "name-in-both-kinds": example(
        savepoint(holding(1, "totals", meta("rates", "SPLIT_DISTRIBUTE", backend=OPERATOR),
                          meta("rates", "BROADCAST", backend=BROADCAST))),
        started(task(1, "totals", states=(value_state("rates", StateKind.OPERATOR_LIST),))),
        "name-in-both-kinds", "list-broadcast-swapped"),
    "key-serializer-changed": example(savepoint(holding(1, "totals", key="Long")),
                                      started(task(1, "totals", key_type="String")), "key-serializer-changed"),
    "state-kind-changed": example(
        savepoint(holding(1, "totals", meta("total"))),
        started(task(1, "totals", states=(value_state(kind=StateKind.LIST),))), "state-kind-changed"),
    "state-type-changed": example(
        savepoint(holding(1, "totals", meta("total"))),
        started(task(1, "totals", states=(value_state(value="String"),))), "state-type-changed"),
    "state-ttl-changed": example(
        savepoint(holding(1, "totals", meta("total")), version=4),
        started(task(1, "totals", states=(value_state(ttl=True),)), flink="1.20"), "state-ttl-changed",
        "identity-not-verifiable"),
    "distribution-mode-changed": example(
        savepoint(holding(1, "totals", meta("total", "SPLIT_DISTRIBUTE", backend=OPERATOR))),
        started(task(1, "totals", states=(value_state(kind=StateKind.OPERATOR_UNION_LIST),))),
        "distribution-mode-changed"),
    "undecided-id": example(savepoint(TOTALS), started(vertex(9, operator(None)),
                                                                  open=("the uid is read from a file",)),
                            "undecided-id"),
    "undecided-parallelism": example(savepoint(TOTALS),
                                     started(task(1, "totals", unsure=("parallelism comes from --parallelism",))),
                                     "undecided-parallelism"),
    # What Flink does without a message.
    "state-dropped": example(savepoint(TOTALS), started(task(7, "sums")), "state-dropped", allow=True),
    "in-flight-data-lost": example(
        savepoint(TOTALS, named(2, "sink", input_state=True, sizes=IN_FLIGHT)), started(CHAINED),
        "in-flight-data-lost"),
    "source-starts-over": example(savepoint(TOTALS), started(KEPT, task(7, "orders", coordinator=True)),
                                  "source-starts-over"),
    "coordinator-starts-fresh": example(
        savepoint(SPLITS), started(task(9, "orders", coordinator=True, user=oid(2))), "coordinator-starts-fresh"),
    "id-claimed-twice": example(savepoint(TOTALS), started(KEPT, task(7, "sums", user=oid(1))), "id-claimed-twice"),
    "operator-misassigned": example(savepoint(TOTALS), started(task(1, "alerts"), task(7, "totals")),
                                    "operator-misassigned"),
    "identity-not-verifiable": example(savepoint(TOTALS, version=3), started(KEPT), "identity-not-verifiable"),
    "mixed-max-parallelism": example(
        savepoint(TOTALS, named(2, "sink", max_parallelism=256)),
        started(CHAINED), "mixed-max-parallelism"),
    "state-orphaned": example(savepoint(holding(1, "totals", meta("total"))), started(KEPT), "state-orphaned"),
    "list-broadcast-swapped": example(
        savepoint(holding(1, "totals", meta("rates", "SPLIT_DISTRIBUTE", backend=OPERATOR))),
        started(task(1, "totals", states=(value_state("rates", StateKind.BROADCAST),))), "list-broadcast-swapped"),
    "state-backend-not-compared": example(savepoint(named(1, "totals", keyed_kinds=(KeyedKind.HEAP,))),
                                          started(KEPT), "state-backend-not-compared"),
    "master-state-ignored": example(savepoint(TOTALS, version=5, masters=("pravega",)), started(KEPT),
                                    "master-state-ignored"),
    "files-not-checked": example(
        replace(savepoint(TOTALS), files=MissingFiles(checked=0, total=2, missing=(), missing_count=0,
                                                                 unreachable=("s3://bucket is not reachable",))),
        started(KEPT), "files-not-checked"),
    "flink-version-not-checked": example(savepoint(TOTALS), started(KEPT, flink=None),
                                         "flink-version-not-checked"),
}  # fmt: skip


def shown(slug: str) -> str:
    """The section of a rule's page with what its example is told."""
    message = "\n".join(
        textwrap.fill(line, 110, break_long_words=False) for line in EXAMPLES[slug].message(slug).split("\n")
    )
    return f"## Example\n\n```text\n{message}\n```\n"


def main() -> None:
    folder = Path(str(files("checker.rules.gate")))
    for slug in EXAMPLES:
        page = folder / f"{slug.replace('-', '_')}.md"
        if page.exists():
            text = page.read_text("utf-8")
            before, _, rest = text.partition("## Example\n")
            rest = rest.partition("## Repair\n")[2] if rest else ""
            if not rest:
                before, _, rest = text.partition("## Repair\n")
            page.write_text(f"{before}{shown(slug)}\n## Repair\n{rest}", "utf-8")


if __name__ == "__main__":
    main()
