"""The configurations of both revisions: a change can't hide what it breaks with its own configuration.

A pipeline is looked for with both. The base is read with its own configuration wherever that leaves no more open than
the head's does. And what the head's configuration takes away from the check holds only once the base has it too, but
for suppressions and the mapping, each of which needs a reason.

Manifests that a tool rendered: given on the command line beside both revisions, or missing.
"""

import json
import posixpath
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from checker.errors import CheckerError, SettingsError, UsageError
from checker.extract import registry
from checker.extract.deployments.overlays import documents
from checker.extract.deployments.unrendered import unrendered
from checker.flink import translate
from checker.model.findings import Severity
from checker.model.pipelines import ExtractorKind, Note, PipelineEntry
from checker.model.sources import OverlaidFiles, SourceFiles
from checker.rules.registry import all_rules
from checker.settings import Settings, read_settings

_UNREADABLE = 1_000_000


@dataclass(frozen=True, kw_only=True)
class FoundPipelines:
    """The pipelines of both revisions, those that stand for the same under the same name, and what was noted."""

    base: tuple[PipelineEntry, ...]
    head: tuple[PipelineEntry, ...]
    notes: tuple[Note, ...]
    base_notes: tuple[Note, ...]
    """About what was recognised in the base and is not read."""


def base_settings_of(files: SourceFiles, head: Settings) -> Settings:
    """The base's own configuration; the head's where the base's can't be read."""
    try:
        return read_settings(files)
    except SettingsError:
        return head


def find_pipelines(
    base_files: SourceFiles,
    head_files: SourceFiles,
    base_settings: Settings,
    head_settings: Settings,
    progress: Callable[[str], None] | None = None,
) -> FoundPipelines:
    """Every pipeline that either configuration finds in either revision. ``progress`` gets what is looked at."""

    def looked_at(done: int, total: int) -> None:
        if progress is not None and total > 1:
            progress(f"looking for pipelines, program {done + 1} of {total}")

    head_settings = replace(
        head_settings,
        pipeline_seconds=base_settings.pipeline_seconds,
        pipeline_megabytes=base_settings.pipeline_megabytes,
    )
    head_found = registry.discover(head_files, head_settings, progress=looked_at)
    head = {e.name: replace(e, optional=e.discovered) for e in head_found.entries}
    base_found = registry.discover(base_files, head_settings, progress=looked_at)
    base = {e.name: e for e in base_found.entries}
    notes: list[Note] = []
    if _reading(base_settings) != _reading(head_settings):
        under_base = {e.name: e for e in registry.discover(head_files, base_settings).entries}
        for own in registry.discover(base_files, base_settings).entries:
            name = _name_in_head(own, base, head)
            if name is not None:
                for renamed in [n for n, e in base.items() if n not in (name, *head) and _program(e) == _program(own)]:
                    del base[renamed]
                base[name] = _readable(base_files, replace(own, name=name), base.get(name))
            else:
                name = own.name if own.name not in head else f"{own.name} ({own.main or own.file})"
                base[name] = replace(own, name=name)
                if own.name in under_base and _program(under_base[own.name]) == _program(own):
                    head[name] = replace(under_base[own.name], name=name, optional=True)
                message = f"{name} is compared as the base configures it: the head's configuration leaves it out"
                notes.append(Note(message=message))
    return FoundPipelines(
        base=tuple(base[name] for name in sorted(base)),
        head=tuple(head[name] for name in sorted(head)),
        notes=(*head_found.notes, *notes),
        base_notes=base_found.notes,
    )


def _reading(settings: Settings) -> Settings:
    """What of a configuration may decide which pipelines are found and how they are read: all but what judges them."""
    return replace(
        settings, fail_on=None, mapping=None, suppressions=(), severities={}, source=None, rendered=(),
    )  # fmt: skip


def _program(entry: PipelineEntry) -> tuple[str | None, int]:
    return entry.main or entry.file, entry.index


def _name_in_head(
    own: PipelineEntry, base: Mapping[str, PipelineEntry], head: Mapping[str, PipelineEntry]
) -> str | None:
    """What the head's configuration calls a pipeline of the base: by its program, or by the name both give to it."""
    if not own.discovered and own.name in head and not head[own.name].discovered:
        return own.name
    same = [name for name, entry in base.items() if _program(entry) == _program(own)]
    if own.name in same:
        return own.name
    return same[0] if same else None


def _readable(files: SourceFiles, own: PipelineEntry, twin: PipelineEntry | None) -> PipelineEntry:
    """The base's pipeline as its own configuration has it, unless the head's leaves less of it open."""
    if twin is None or replace(own, optional=twin.optional, discovered=twin.discovered) == twin:
        return own
    if ExtractorKind.FLINK in (own.extract, twin.extract):
        return own
    return own if _open(files, own) <= _open(files, twin) else twin


def _open(files: SourceFiles, entry: PipelineEntry) -> int:
    """How many questions reading a pipeline leaves open."""
    extracted = registry.extract(files, entry)
    if extracted is None or extracted.topology is None:
        return _UNREADABLE
    try:
        return len(translate(extracted.topology).undecided)
    except CheckerError:
        return _UNREADABLE


def judging_settings(base: Settings, head: Settings) -> tuple[Settings, tuple[str, ...]]:
    """The head's configuration, as strict as the base's, and what of it does not hold yet."""
    not_yet: list[str] = []
    severities = dict(head.severities)
    defaults = {rule.slug: rule.severity for rule in all_rules()}
    for slug in sorted(defaults.keys() & {*base.severities, *head.severities}):
        before, after = (settings.severities.get(slug, defaults[slug]) for settings in (base, head))
        if _rank(after) < _rank(before):
            severities[slug] = before
            not_yet.append(f"rule {slug} is {_text(after)}, but {_text(before)} until the base says so too")
    fail_on = head.fail_on
    if _threshold(head.fail_on) > _threshold(base.fail_on):
        fail_on = base.fail_on
        not_yet.append(
            f"fail_on is {head.fail_on or 'never'}, but {base.fail_on or 'never'} until the base says so too"
        )
    return replace(head, severities=severities, fail_on=fail_on), tuple(not_yet)


def _text(severity: Severity | None) -> str:
    return severity.value if severity is not None else "off"


def _rank(severity: Severity | None) -> int:
    return -1 if severity is None else severity.rank


def _threshold(fail_on: Severity | None) -> int:
    """The rank from which on findings fail the check; above all ranks for never."""
    return _UNREADABLE if fail_on is None else fail_on.rank


_FOLDER = "rendered"
"""Where given manifests lie, as reports name them."""


@dataclass(frozen=True, slots=True)
class Manifests:
    """What was given: names and texts of the head's; of the base's, None where the head's hold for both."""

    head: Sequence[tuple[str, str]] = ()
    base: Sequence[tuple[str, str]] | None = None

    def beside(self, base: SourceFiles, head: SourceFiles) -> tuple[SourceFiles, SourceFiles]:
        """The files of both revisions with what was given. Raises UsageError for what is no manifest."""
        if not self.head and not self.base:
            return base, head
        after = _paths(self.head, ())
        before = after if self.base is None else _paths(self.base, tuple(after))
        return OverlaidFiles(base, before), OverlaidFiles(head, after)

    def marked(self, settings: Settings) -> Settings:
        """The settings by which it counts as rendered of this revision: where each revision has its own."""
        return settings if self.base is None else replace(settings, rendered=(*settings.rendered, f"{_FOLDER}/*"))


def _paths(given: Sequence[tuple[str, str]], names: Sequence[str]) -> dict[str, bytes]:
    """Given manifests by their paths. Those of the base lie where the head's lie, in their order."""
    found: dict[str, bytes] = {}
    for number, (name, text) in enumerate(given):
        if not any(isinstance(document, dict | list) for document in documents(text)) and text.strip():
            raise UsageError(f"--manifests {name}: neither YAML nor JSON; give what the tool prints, rendered")
        stem = posixpath.basename(name).removesuffix(".yaml").removesuffix(".yml").removesuffix(".json")
        ending = "json" if _is_json(text) else "yaml"
        path = names[number] if number < len(names) else f"{_FOLDER}/{number + 1}-{stem}.{ending}"
        found[path] = text.encode()
    return found


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def notes_on_unrendered(files: SourceFiles, settings: Settings, manifests: Manifests) -> Iterator[Note]:
    """What of a revision would have to be rendered and nobody rendered, said once."""
    if not settings.deployments or settings.rendered or manifests.head:
        return
    found = unrendered(files)
    if not found:
        return
    counted = Counter(each.tool for each in found)
    what = ", ".join(f"{count} {tool if count > 1 else tool.singular}" for tool, count in counted.items())
    folders = ", ".join(each.folder or "." for each in found)
    verb = "is" if len(found) == 1 else "are"
    yield Note(
        message=f"{what} {verb} not rendered: {folders}; give the rendered manifests with --manifests, or with "
        "rendered in the configuration (docs/deployments.md)"
    )
