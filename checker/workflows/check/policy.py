"""A team's policy: suppressions and mapping, and what the configuration takes away from a check."""

from datetime import UTC, datetime

from checker.compare.revisions.mapping import FILE as MAPPING_FILE
from checker.compare.revisions.mapping import MappingEntry, read_mapping
from checker.errors import SettingsError
from checker.revisions import Revision
from checker.settings import Settings
from checker.workflows.check.records import Policy


def policy_of(head: Revision, settings: Settings) -> Policy:
    """Suppressions and mapping of the head. Raises SettingsError."""
    return Policy(
        suppressions=settings.suppressions,
        mapping=mapping_of(head, settings),
        today=datetime.now(UTC).date(),
    )


def mapping_of(revision: Revision, settings: Settings) -> tuple[MappingEntry, ...]:
    """What the mapping file of a revision declares. Raises SettingsError where it is named but missing, or wrong."""
    path = settings.mapping or MAPPING_FILE
    try:
        text = revision.files.read(path).decode("utf-8-sig")
    except KeyError:
        if settings.mapping is not None:
            raise SettingsError(f"{path}: the configuration names it, but {revision.label} has no such file") from None
        return ()
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path}: not UTF-8 at byte {error.start}") from None
    return read_mapping(text, path)


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
