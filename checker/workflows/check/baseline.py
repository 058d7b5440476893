"""Writing the baseline: what a comparison found, accepted with one reason."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import date

from checker.model.findings import Severity
from checker.report.check.document import Json, to_json
from checker.rules.policy.suppression_files import BASELINE_VERSION, read_baseline

FILE = "savepoint-baseline.json"
"""Where a baseline lies unless the configuration says otherwise."""


def extended(
    report: Json, before: str | None, source: str, *, reason: str, expires: date | None, today: date
) -> tuple[str, int]:
    """The text of a baseline file with the findings of a report, and how many are new.

    ``before`` is its text so far, None where there is none: its entries stay, with their reasons, but for those that
    have expired and are written anew. Notes (severity ``info``) stop nothing and are left out. Raises SettingsError.
    """
    accepted = [
        {"fingerprint": f["fingerprint"], "rule": f["rule"], "pipeline": f["pipeline"], "operators": _operators(f)}
        for pipeline in report["pipelines"]
        for f in pipeline["findings"]
        if f["severity"] != Severity.INFO
    ]
    until = {} if expires is None else {"expires": expires.isoformat()}
    added = [{**entry, "reason": reason, **until} for entry in accepted]
    kept = list(_still_valid(before, source, {entry["fingerprint"] for entry in added}, today))
    return to_json({"baseline": BASELINE_VERSION, "findings": [*kept, *added]}) + "\n", len(added)


def _operators(finding: Json) -> Sequence[str]:
    """The keys of all operators that a finding speaks of, as ``stable_key`` makes them."""
    sides = [side for side in (finding["head"] or finding["base"], *finding["followers"]) if side is not None]
    keys = [side["key"] if side["uid"] is None else f"uid:{side['uid']}" for side in sides]
    return sorted(dict.fromkeys(keys or [finding["operator_key"]]))


def _still_valid(before: str | None, source: str, renewed: set[str], today: date) -> Iterator[Json]:
    if before is None:
        return
    entries = read_baseline(before, source)
    for raw, entry in zip(json.loads(before).get("findings", ()), entries, strict=True):
        over = entry.expires is not None and entry.expires < today
        if not (over and entry.fingerprint in renewed):
            yield raw
