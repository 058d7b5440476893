"""Small made-up snapshots and jobs for rules that no recording shows alone."""

from dataclasses import replace
from typing import Any

from checker.compare.restore.judgement import judge_all
from checker.model.findings import RestorePath
from checker.model.restore import Attempt, CandidateInput, CandidateJob, CandidateOperator, CandidateVertex
from checker.model.savepoint import FileCounts, MasterState, OperatorState, Savepoint, StateSizes
from checker.model.translation import OperatorId, Pattern


def judge(snapshot: Savepoint, candidate: CandidateJob, path: RestorePath, allow: bool = False) -> Attempt:
    """The attempt of one way to start."""
    attempts = {(a.path, a.allow_non_restored_state): a for a in judge_all(snapshot, candidate)}
    return attempts[path, allow]


def oid(number: int) -> OperatorId:
    return OperatorId(f"{number:032x}")


def state(number: int, **changes: Any) -> OperatorState:
    whole = OperatorState(
        operator_id=oid(number),
        name=None,
        uid=None,
        parallelism=2,
        max_parallelism=128,
        fully_finished=False,
        has_coordinator_state=False,
        present=0b11,
        finished=0,
        has_subtask_state=True,
        sizes=StateSizes(managed_keyed=100),
        operator_states=(),
        keyed_kinds=(),
        key_groups=128,
        input_state=False,
        output_state=False,
        keyed_headers=(),
        operator_headers=(),
        files=FileCounts(),
    )
    return replace(whole, **changes)


def savepoint(*states: OperatorState, version: int = 6, masters: tuple[str, ...] = ()) -> Savepoint:
    return Savepoint(
        path="sp",
        metadata_version=version,
        metadata_size=1,
        metadata_sha256="0" * 64,
        checkpoint_id=1,
        master_states=tuple(MasterState(name=m, version=1, size=1) for m in masters),
        operators=states,
        properties=None,
    )


def operator(number: int | None, **fields: Any) -> CandidateOperator:
    return CandidateOperator(generated=None if number is None else oid(number), **fields)


def vertex(
    head: int,
    *operators: CandidateOperator,
    parallelism: int = 2,
    maximum: int | None = None,
    after: tuple[tuple[int, Pattern], ...] = (),
    unsure: tuple[str, ...] = (),
) -> CandidateVertex:
    return CandidateVertex(
        id=oid(head),
        name=f"V{head}",
        parallelism=parallelism,
        max_parallelism=maximum,
        operators=operators or (operator(head),),
        inputs=tuple(CandidateInput(source=oid(source), pattern=pattern) for source, pattern in after),
        open=unsure,
    )


def job(*vertices: CandidateVertex, **fields: Any) -> CandidateJob:
    return CandidateJob(name="job", vertices=vertices, flink="2.3", **fields)
