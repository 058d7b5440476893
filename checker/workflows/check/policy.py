"""A team's policy: suppressions, baseline, mapping, and what the configuration leaves out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeVar

from checker.compare.revisions.mapping import FILE as MAPPING_FILE
from checker.compare.revisions.mapping import read_mapping
from checker.errors import SettingsError
from checker.model.mapping import MappingEntry
from checker.model.suppressions import BaselineEntry
from checker.revisions import Revision
from checker.rules.policy.suppression_files import read_baseline
from checker.settings import Settings
from checker.workflows.check.baseline import FILE as BASELINE_FILE
from checker.workflows.check.records import Policy

Entry = TypeVar("Entry", MappingEntry, BaselineEntry)


def policy_of(base: Revision, head: Revision, base_settings: Settings, settings: Settings) -> Policy:
    """Suppressions, baseline and mapping: of the head, without what the base does not let a change add.

    Raises SettingsError.
    """
    may = base_settings.changes_may_loosen
    baseline, mapping = _baseline(head, settings), _mapping(head, settings)
    if "baseline" not in may:
        known = {entry.fingerprint for entry in _of_base(_baseline, base, base_settings)}
        baseline = tuple(entry for entry in baseline if entry.fingerprint in known)
    if "mapping" not in may:
        meant = {(e.pipeline, e.old, e.new) for e in _of_base(_mapping, base, base_settings)}
        mapping = tuple(e for e in mapping if (e.pipeline, e.old, e.new) in meant)
    return Policy(
        suppressions=settings.suppressions,
        baseline=baseline,
        mapping=mapping,
        today=datetime.now(UTC).date(),
        new_comments="suppress" in may,
    )


def _baseline(revision: Revision, settings: Settings) -> tuple[BaselineEntry, ...]:
    path = settings.baseline or BASELINE_FILE
    text = _optional(revision, path, required=settings.baseline is not None)
    return () if text is None else read_baseline(text, path)


def _mapping(revision: Revision, settings: Settings) -> tuple[MappingEntry, ...]:
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
