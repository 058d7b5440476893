"""Recorded restore attempts of SQL scripts against what the checker says of the same two scripts.

``python benchmarks/sql_cases.py CASES.jsonl.gz`` plans every script once and judges each attempt as ``check`` does. The
recordings' connector ``lab`` is built as Kafka's source, so scripts are judged with ``kafka`` in its place. Prints one
line for each attempt that is not decided and right, and the shares.
"""

import argparse
import collections
import gzip
import json
import re
import tarfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from checker.extract.runtime.execution import Execution
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import MemoryFiles
from checker.workflows.check.records import JudgeTask, ReadPipeline, SideToRead
from checker.workflows.check.stages import judge_stage
from checker.workflows.planning_scripts import plan_scripts

_LAB = re.compile(r"'connector'\s*=\s*'lab'(?P<rest>[^)]*)\)")
_FORMAT = {"all": "debezium-json", "upsert": "json"}
_RESTORED = ("RESTORED",)
_WARNED = "restores, with a warning"
_PASSED = ("restores", _WARNED)
_OTHERWISE = ("meaning-changed", "state-expires-earlier")
_LOST = ("REFUSED", "FAILED_IN_TASK", "RESTORED_WITH_LOSS")


def as_kafka(script: str) -> str:
    """The script with Kafka's tables in place of the recorder's own connector."""

    def table(match: re.Match[str]) -> str:
        mode = re.search(r"'changelog'\s*=\s*'(\w+)'", match["rest"])
        kind = mode[1] if mode else "insert"
        connector = "upsert-kafka" if kind == "upsert" else "kafka"
        return f"'connector'='{connector}','value.format'='{_FORMAT.get(kind, 'json')}')"

    return _LAB.sub(table, script)


Files = tuple[tuple[str, str], ...]
"""What one side of an attempt executes: file names and texts, the script last."""


def files_of(case: dict[str, Any], side: str, plans: dict[str, str], base_plans: dict[Any, str]) -> Files:
    """A script, or a script that executes a compiled plan after the same definitions."""
    script = as_kafka(case[f"{side}_script"])
    planned = case["savepoint_from" if side == "base" else "execution"] == "compiled_plan"
    if not planned:
        return (("job.sql", script),)
    plan = base_plans[case["flink_from"], case["base"]] if side == "base" else case["plan_file"]
    text = re.sub(r'("connector"\s*:\s*)"lab"', r'\1"kafka"', plans[plan])
    text = re.sub(r'"changelog"\s*:\s*"all"', '"value.format" : "debezium-json"', text)
    if '"changelog"' in text:
        text = re.sub(r'("connector"\s*:\s*)"kafka"', r'\1"upsert-kafka"', text)
    definitions = re.split(r"(?im)^\s*(?:execute\s+statement|begin\s+statement|insert\b)", script)[0]
    return (("plan.json", text), ("job.sql", f"{definitions}\nEXECUTE PLAN 'plan.json';\n"))


def sides_of(cases: list[dict[str, Any]], plans: dict[str, str]) -> dict[str, dict[str, list[ReadPipeline]]]:
    """Case → side → its jobs: each distinct script planned once."""
    base_plans = {
        (c["flink_from"], c["base"]): c["plan_file"]
        for c in cases
        if c["edit"] == "control" and c["execution"] == "compiled_plan" and c["flink_from"] == c["flink_to"]
    }
    wanted: dict[tuple[str, bool, Files], str] = {}
    used: dict[tuple[str, str], tuple[str, bool, Files]] = {}
    for case in cases:
        for side, version in (("base", case["flink_from"]), ("head", case["flink_to"])):
            key = (version, case.get("session") == "fresh", files_of(case, side, plans, base_plans))
            wanted.setdefault(key, f"script{len(wanted)}")
            used[case["name"], side] = key
    contents, entries = {}, []
    for (version, fresh, files), name in wanted.items():
        for file, text in files:
            contents[f"{name}.{file}"] = text.replace("'plan.json'", f"'{name}.plan.json'").encode()
        script = f"{name}.job.sql"
        entry = PipelineEntry(name=name, extract=ExtractorKind.SQL, file=script, flink=version, parallelism=1)
        values = (("execution.target", "kubernetes-application"),) if fresh else ()
        entries.append(replace(entry, optional=False, values=values))
    side = SideToRead(name="all", files=MemoryFiles(contents), entries=entries)
    by_script: dict[str, list[ReadPipeline]] = collections.defaultdict(list)
    for pipeline in plan_scripts([side], Execution(progress=print))["all"]:
        by_script[pipeline.name.partition(" (")[0]].append(pipeline)
    return {
        case["name"]: {side: by_script[wanted[used[case["name"], side]]] for side in ("base", "head")} for case in cases
    }


def verdict_of(case: dict[str, Any], read: dict[str, list[ReadPipeline]]) -> tuple[str, str]:
    """What the checker says of the first job of both scripts: (verdict, the first reason)."""
    if not read["base"] or not read["head"]:
        return "undecided", "not planned"
    base, head = (replace(read[side][0], name=case["name"]) for side in ("base", "head"))
    document = judge_stage(JudgeTask(name=case["name"], base=base, head=head))
    index = 1 if case["allow_non_restored"] else 0
    verdicts = collections.Counter()
    reasons: dict[str, str] = {}
    for operator in document["operators"]:
        verdict = operator["verdicts"][index]
        verdicts[verdict["verdict"]] += 1
        reasons.setdefault(verdict["verdict"], f"{(operator['base'] or operator['head'])['name']}: {verdict['reason']}")
    if any(document["failure"].values()):
        return "undecided", str(document["failure"])
    for wanted in ("fails", "undecided", "misassigned", "dropped", "starts-empty"):
        if verdicts[wanted]:
            return wanted, reasons[wanted]
    if any(finding["rule"] == "differs-between-runs" for finding in document["findings"]):
        return "undecided", "the ids of its operators are not the same in every session"
    warnings = [finding for finding in document["findings"] if finding["rule"] in _OTHERWISE]
    return (_WARNED, warnings[0]["message"]) if warnings else ("restores", "")


def right(case: dict[str, Any], verdict: str) -> bool | None:
    """Whether a verdict agrees with the recording; None where it is left open.

    What restores into an operator that computes something else has to be said, and nothing of an edit of the layout.
    Two releases of Flink describe one operator differently, and some options only how it is written.
    """
    if verdict == "undecided":
        return None
    outcome = case["outcome"]
    if outcome == "RESTORED":
        warned = verdict in (_WARNED, "misassigned")
        if case["edit_kind"] in ("control", "cosmetic", "rename"):
            return verdict == "restores"
        spelled = case["edit_kind"] in ("option", "select_add") or case["flink_from"] != case["flink_to"]
        same = spelled or not case["restored_into_changed"]
        return warned or (same and verdict == "restores")
    if outcome == "RESTORED_WITH_LOSS":
        return verdict in ("misassigned", "dropped", "starts-empty")
    return verdict in ("fails", "misassigned") if outcome in ("REFUSED", "FAILED_IN_TASK") else verdict not in _PASSED


def main() -> None:
    """Judge the attempts that the arguments select."""
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", type=Path)
    parser.add_argument("--only", default=".", help="a regular expression over the names of attempts")
    parser.add_argument("--what", default="strict", choices=("strict", "upgrade", "allow", "plans"))
    parser.add_argument("--plans", type=Path, help="the archive of compiled plans")
    arguments = parser.parse_args()
    with gzip.open(arguments.cases, "rt") as stream:
        cases = [json.loads(line) for line in stream]
    cases = [
        case
        for case in cases
        if ("compiled_plan" in (case["execution"], case["savepoint_from"])) == (arguments.what == "plans")
        and re.search(arguments.only, case["name"])
        and case["outcome"] != "PLAN_FAILED"
        and case["allow_non_restored"] == (arguments.what == "allow")
        and (arguments.what == "plans" or (case["flink_from"] == case["flink_to"]) == (arguments.what != "upgrade"))
    ]
    for case in cases:
        for field in ("restored_into_changed", "lost_states"):
            case.setdefault(field, [])
    plans = {}
    if arguments.plans is not None:
        with tarfile.open(arguments.plans) as archive:
            for member in archive:
                stream = archive.extractfile(member)
                if stream is not None:
                    plans[member.name] = stream.read().decode()
    read = sides_of(cases, plans)
    counts: collections.Counter[str] = collections.Counter()
    for case in cases:
        verdict, reason = verdict_of(case, read[case["name"]])
        agrees = right(case, verdict)
        lost = case["outcome"] in _LOST and verdict in _PASSED
        counts["lost state passed" if lost else {True: "right", False: "wrong", None: "open"}[agrees]] += 1
        if agrees is not True:
            print(f"{case['name']}  {case['outcome']}  {case['edit_kind']} → {verdict}: {reason[:300]}")
    print(dict(counts), f"{counts['right'] / max(len(cases), 1):.1%} of {len(cases)} decided and right")


if __name__ == "__main__":
    main()
