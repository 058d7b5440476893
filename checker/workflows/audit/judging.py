"""Stages 2 and 3 of an audit: both topologies of a step → verdict, operators with ids and ingredients, findings."""

import json
from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa

from checker.cache import active_cache
from checker.compare import compare_pipelines
from checker.errors import defect_message
from checker.extract.documents.fields import from_text
from checker.model.account import Account, Explanation
from checker.model.deployments import PARALLELISM, Deployment
from checker.model.findings import RestorePath, Severity, Verdict
from checker.model.nested import Json
from checker.model.translation import Translation
from checker.rules.suppressions import UNDECIDED_RULES
from checker.workflows.check.records import JudgeTask, ReadPipeline
from checker.workflows.check.stages import as_one_program, judge_stage, translate_stage

Deployments = tuple[Deployment | None, Deployment | None]


def columns(written: str) -> list[pa.Field]:
    """Columns in their order: ``names: type; names: type``, where ``[type]`` is a list."""
    found = []
    for names, kind in (part.split(":") for part in written.split(";")):
        single = pa.type_for_alias(kind.strip(" []\n"))
        found += [pa.field(name, pa.list_(single) if "[" in kind else single) for name in names.split()]
    return found


OPERATOR = pa.struct(
    columns(
        "key name uid uid_hash id vertex: string; stateful: bool; basis: string; position: int64; "
        "chained_outputs inputs: [string]; previous_key previous_name previous_id match: string; id_changed: bool; "
        "verdict verdict_last_state cause_kind cause file: string; line: int64"
    )
)
"""One operator of the head, or with ``key`` null one that the step took away."""
FINDING = pa.struct(columns("rule severity fingerprint operator message repair file: string; line: int64"))
PAIR = ("repository", "pipeline", "base_key", "head_key", "account", "deployments", "one_program")
"""What a verdict rests on."""
JUDGED = pa.schema(
    [
        *columns("status: string; errors warnings moved undecided: int32; lost lost_ids ids: [string]; cause: string"),
        ("operators", pa.list_(OPERATOR)),
        ("findings", pa.list_(FINDING)),
    ]
)
_OF_KEYS = ("key-selector-changed",)
"""Rules whose errors lose state although every operator restores."""
_OF_DEPLOYMENTS = ("deployment-", "flink-version-changed")
"""Rules about the deployment, which say something where the graph stays what it was."""
_LOST = (Verdict.FAILS, Verdict.STARTS_EMPTY, Verdict.MISASSIGNED, Verdict.DROPPED)


def judged(unit: Json) -> Json:
    """One step of one pipeline."""
    same = unit["base_key"] == unit["head_key"]
    head = _side(unit, "head")
    base = head if same else _side(unit, "base")
    if unit["one_program"]:
        base, head = (as_one_program(side) for side in (base, head))
    try:
        document = judge_sides(unit["pipeline"], base, head, unit["severities"], unit["account"], unit["deployments"])
    except Exception as error:
        # One pipeline that finds a defect of ours is a row that says so, not the end of the run.
        return _defect(defect_message(error))
    account, redeployed = unit["account"], _given_otherwise(*unit["deployments"])
    row = _counts(document, (*_OF_KEYS, *(_OF_DEPLOYMENTS if redeployed else ())))
    if same and not redeployed and (account is None or not account.not_understood):
        row["status"] = {"unreadable": "still-unreadable", "refused": "refused"}.get(row["status"], "unchanged")
    row["operators"] = list(_operators(document))
    row["findings"] = [_finding(f) for f in document["findings"]]
    return row


_GIVEN = ("kind", "name", "namespace", "args", "parallelism", "flink", "environment", "properties", "upgrade_mode",
          "allow_non_restored_state", "savepoint")  # fmt: skip


def _given_otherwise(base: Deployment | None, head: Deployment | None) -> bool:
    """Whether both sides are given different things, wherever that is written."""
    if base is None or head is None:
        return False
    options = (dict(side.configuration).get(PARALLELISM) for side in (base, head))
    return len(set(options)) > 1 or any(getattr(base, name) != getattr(head, name) for name in _GIVEN)


def _side(unit: Json, side: str) -> ReadPipeline | None:
    read = unit[side]
    if read is None:
        return None
    return ReadPipeline(
        name=unit["pipeline"], extractor=read.extractor, topology=read.topology, failure=read.failure,
        failure_location=read.failure_location, refused=read.refused,
    )  # fmt: skip


def judge_sides(
    pipeline: str,
    base: ReadPipeline | None,
    head: ReadPipeline | None,
    severities: str,
    account: Account | None = None,
    deployments: Deployments = (None, None),
) -> Json:
    """The document of ``check`` for one pipeline."""
    levels = {slug: Severity(level) if level else None for slug, level in json.loads(severities).items()}
    return judge_stage(
        JudgeTask(name=pipeline, base=base, head=head, severities=levels, account=account, deployments=deployments)
    )


def _defect(message: str) -> Json:
    return {
        "errors": 0,
        "warnings": 0,
        "moved": 0,
        "undecided": 1,
        "status": "unreadable",
        "cause": message,
        **{name: [] for name in ("lost", "lost_ids", "ids", "operators", "findings")},
    }


def _counts(document: Json, rules: tuple[str, ...] = _OF_KEYS) -> Json:
    severities = [f["severity"] for f in document["findings"]]
    found = [f for f in document["findings"] if f["rule"].startswith(rules)]
    stopped = any(f["severity"] == Severity.ERROR for f in found)
    rows = document["operators"]
    lost = [row for row in rows if _verdict(row, "savepoint") in _LOST and row["base"]]
    undecided = sum(_verdict(row, "savepoint") == Verdict.UNDECIDED for row in rows)
    moved = [row for row in rows if row["base"] and row["head"] and row["id_changed"]]
    causes = [row["cause"]["text"] for row in (*lost, *moved) if row["cause"]]
    refused = (
        document["failure"]["head"] if document["status"] == "refused" and not document["failure"]["base"] else None
    )
    failure = document["failure"]["head"] or document["failure"]["base"]
    status = _status(document, broke=bool(lost) or refused or stopped, undecided=undecided, changed=bool(found))
    if status in ("undecided", "broke"):
        errors_first = sorted(document["findings"], key=lambda f: f["severity"] != Severity.ERROR)
        causes += [f["message"] for f in errors_first]
    return {
        "status": status,
        "errors": severities.count("error"),
        "warnings": severities.count("warning"),
        "moved": len(moved),
        "undecided": undecided,
        "lost": [row["base"]["name"] for row in lost],
        "lost_ids": sorted({_claimed(row["base"]) for row in lost}),
        "ids": sorted({_claimed(row["head"]) for row in rows if row["head"]}),
        "cause": failure or next(iter([*causes, *(f["message"] for f in found)]), None),
    }


def _claimed(side: Json) -> str:
    """The id under which state is looked for, "" = undecided."""
    return str(side["uid_hash"] or side["id"] or "")


def _status(document: Json, *, broke: bool, undecided: int, changed: bool) -> str:
    status = str(document["status"])
    if status == "unreadable":
        # Readable again: what became of its state in the meantime is not known.
        return status if document["failure"]["head"] else "undecided"
    if status in ("added", "removed"):
        return status
    if broke:
        return "broke"
    if status == "refused" and all(document["failure"].values()):
        return status
    edits = document["account"] and document["account"]["counts"][Explanation.NOT_UNDERSTOOD]
    if undecided or edits or any(f["rule"] in UNDECIDED_RULES for f in document["findings"]):
        return "undecided"
    status = {"batch": "unchanged", "refused": "changed"}.get(status, status)  # Flink refuses it no more
    return "changed" if changed and status == "unchanged" else status


def _verdict(row: Json, path: str) -> str | None:
    for verdict in row["verdicts"]:
        if verdict["path"] == path and not verdict["allow_non_restored_state"]:
            return str(verdict["verdict"])
    return None


def _operators(document: Json) -> Iterator[Json]:
    graph = document["graphs"]["head"] or {}
    nodes = {node["node"]: node["explained"] for node in graph.get("nodes", [])}
    explained = {e["key"]: e for e in nodes.values()}
    for row in document["operators"]:
        head, base = row["head"], row["base"]
        about = explained.get(head["key"], {}) if head else {}
        shown = (head or base)["location"] or {}
        yield {
            **{name: head[name] if head else None for name in ("key", "uid", "uid_hash", "id", "vertex")},
            "name": (head or base)["name"],
            "stateful": row["stateful"],
            "basis": about.get("basis"),
            "position": about.get("position"),
            "chained_outputs": [nodes[n]["key"] for n in about.get("chained_outputs", [])],
            "inputs": [nodes[n]["key"] for n in about.get("inputs", [])],
            "previous_key": base["key"] if base else None,
            "previous_name": base["name"] if base else None,
            "previous_id": base["id"] if base else None,
            "match": row["match"]["basis"],
            "id_changed": row["id_changed"],
            "verdict": _verdict(row, "savepoint"),
            "verdict_last_state": _verdict(row, "last-state"),
            "cause_kind": row["cause"]["kind"] if row["cause"] else None,
            "cause": row["cause"]["text"] if row["cause"] else None,
            "file": shown.get("file"),
            "line": shown.get("line"),
        }


def _finding(finding: Json) -> Json:
    location = finding["location"] or {}
    return {
        **{name: finding[name] for name in ("rule", "severity", "fingerprint", "message", "repair")},
        "operator": finding["operator_key"],
        "file": location.get("file"),
        "line": location.get("line"),
    }


def repairs(line: Sequence[Json], topology: Callable[[Json], str | None]) -> Iterator[Json]:
    """The steps of one pipeline, in order → the steps at which a break was repaired, and which one.

    Repaired = compared with the last revision before the break, nothing is lost any more. ``line`` holds rows of
    the dataset ``topologies``, but for the topologies themselves, of which few are asked for.
    """
    good: Json | None = None
    broken: Json | None = None
    for before, row in zip([None, *line], line, strict=False):
        if good is None:
            if row["status"] == "broke" and before is not None:
                good, broken = before, row
            continue
        assert broken is not None
        if before is None or row["key"] == before["key"] or not row["key"] or row["status"] == "unchanged":
            continue
        if not _may_be_back(broken, row):
            continue
        if _keeps_state(good, row, topology):
            yield {"repository": row["repository"], "pipeline": row["pipeline"], "step": row["step"],
                   "repairs": broken["step"]}  # fmt: skip
            good = broken = None


def _keeps_state(good: Json, row: Json, topology: Callable[[Json], str | None]) -> bool:
    """Whether a stored step, compared with another one, loses nothing: found out once for equal topologies."""
    cache = active_cache()
    key = "\0".join(("keeps state", good["key"], row["key"], row["severities"]))
    known = [] if cache is None else cache.rows(key)
    if not known:
        base, head = (_stored(side, topology) for side in (good, row))
        known = [False]
        if not _loses_state(base, head):
            document = judge_sides(row["pipeline"], base, head, row["severities"])
            known = [_counts(document)["status"] in ("unchanged", "changed")]
        if cache is not None:
            cache.keep(key, known[0])
    return bool(known[0])


def _loses_state(base: ReadPipeline | None, head: ReadPipeline | None) -> bool:
    """Whether a savepoint of the base certainly doesn't restore whole into the head, whatever the rules say."""
    before, after = (None if side is None else translate_stage(side) for side in (base, head))
    if not isinstance(before, Translation) or not isinstance(after, Translation):
        return False
    operators = compare_pipelines("", before, after).operators
    return any(o.base is not None and o.verdicts and o.verdict(RestorePath.SAVEPOINT) in _LOST for o in operators)


def _may_be_back(broken: Json, row: Json) -> bool:
    """False when a lost id is certainly still without an operator: most revisions after a break need no judging."""
    ids = set(row["ids"])
    return "" in ids or "" in broken["lost_ids"] or ids.issuperset(broken["lost_ids"])


def _stored(row: Json, topology: Callable[[Json], str | None]) -> ReadPipeline | None:
    if not row["key"]:
        return None
    return ReadPipeline(
        name=row["pipeline"], extractor=row["extractor"], topology=from_text(topology(row)), failure=row["failure"]
    )
