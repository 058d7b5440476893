"""A team's policy: suppressions, baseline and mapping, and writing the baseline."""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime
from typing import TypeVar

from checker.compare.revisions.mapping import FILE as MAPPING_FILE
from checker.compare.revisions.mapping import MappingEntry, read_mapping
from checker.errors import SettingsError
from checker.model.findings import BaselineEntry, Severity
from checker.model.nested import Json, to_json
from checker.revisions import Revision
from checker.rules.suppressions import BASELINE_VERSION, read_baseline
from checker.settings import Settings
from checker.workflows.check.records import Policy

Entry = TypeVar("Entry", MappingEntry, BaselineEntry)


def policy_of(base: Revision, head: Revision, base_settings: Settings, settings: Settings) -> Policy:
    """Suppressions, baseline and mapping: of the head, without what the base does not let a change add.

    Raises SettingsError.
    """
    may = base_settings.changes_may_loosen
    baseline, mapping = _baseline(head, settings), mapping_of(head, settings)
    if "baseline" not in may:
        known = {entry.fingerprint for entry in _of_base(_baseline, base, base_settings)}
        baseline = tuple(entry for entry in baseline if entry.fingerprint in known)
    if "mapping" not in may:
        meant = {(e.pipeline, e.old, e.new, e.state) for e in _of_base(mapping_of, base, base_settings)}
        mapping = tuple(e for e in mapping if (e.pipeline, e.old, e.new, e.state) in meant)
    return Policy(
        suppressions=settings.suppressions,
        baseline=baseline,
        mapping=mapping,
        today=datetime.now(UTC).date(),
    )


def _baseline(revision: Revision, settings: Settings) -> tuple[BaselineEntry, ...]:
    path = settings.baseline or FILE
    text = _optional(revision, path, required=settings.baseline is not None)
    return () if text is None else read_baseline(text, path)


def mapping_of(revision: Revision, settings: Settings) -> tuple[MappingEntry, ...]:
    """What the mapping file of a revision declares. Raises SettingsError."""
    path = settings.mapping or MAPPING_FILE
    text = _optional(revision, path, required=settings.mapping is not None)
    return () if text is None else read_mapping(text, path)


def _of_base(
    read: Callable[[Revision, Settings], tuple[Entry, ...]], base: Revision, settings: Settings
) -> tuple[Entry, ...]:
    try:
        return read(base, settings)
    except SettingsError:
        return ()


def _optional(revision: Revision, path: str, *, required: bool) -> str | None:
    """A configuration file as text. Raises SettingsError when it is named but missing, or no text."""
    try:
        return revision.files.read(path).decode("utf-8-sig")
    except KeyError:
        if required:
            raise SettingsError(f"{path}: the configuration names it, but {revision.label} has no such file") from None
        return None
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path}: not UTF-8 at byte {error.start}") from None


def loosened(settings: Settings) -> tuple[str, ...]:
    """What the configuration takes away from the check, for the reader of the report."""
    sentences = [
        f"{settings.source}: rule {slug} is {level.value if level else 'off'}"
        for slug, level in sorted(settings.severities.items())
    ]
    if not settings.discover:
        sentences.append(f"{settings.source}: pipelines are not discovered, only configured ones are checked")
    sentences.extend(f"{settings.source}: no pipelines are looked for in {glob}" for glob in settings.exclude)
    return tuple(sentences)


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
