"""``check`` from two revisions to a report, whatever the engine."""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from checker.errors import RevisionError, SettingsError, UsageError
from checker.extract.changed_files.difference import differing
from checker.extract.runtime.execution import Execution
from checker.extract.unfollowed.other_jobs import using_flink
from checker.flink.versions import semantics_of
from checker.model.findings import Severity
from checker.model.nested import Json, picked
from checker.model.pipelines import OF_TESTS, ExtractorKind, PipelineEntry, Reason
from checker.model.secrets import masked
from checker.model.sources import OverlaidFiles, SourceFiles
from checker.repair.advice import REPAIR_COMMAND
from checker.report.check.document import report_document
from checker.report.presentable import web_address
from checker.revisions import Repository, Revision
from checker.rules.registry import meets_a_rule, rule_named, rule_page
from checker.settings import Overrides, Settings, read_settings
from checker.workflows.check.both_configurations import (
    Manifests,
    base_settings_of,
    find_pipelines,
    judging_settings,
    notes_on_unrendered,
)
from checker.workflows.check.choosing_extractors import choose
from checker.workflows.check.environments import deployed_side, deployment_notes, is_selected
from checker.workflows.check.pairing import paired_pipelines
from checker.workflows.check.policy import loosened, policy_of
from checker.workflows.check.records import CheckPlan, SideToRead
from checker.workflows.running_programs import Runner, refuse_nothing_to_run, runs_the_program

_MOST = 100
"""The findings of one report that come with source."""
_BESIDE = 2
"""An edit so few lines away from what a finding is about is in its lines of source."""
_LONGEST = 160
"""The characters of a line that are shown."""


_CODE = (".java", ".py", ".sql", ".scala", ".kt")
"""Files whose lines may be shown: manifests and configurations hold values."""
_SECRET = re.compile(r"passw|secret|token|credential|(api|access|private|account).?key", re.IGNORECASE)


def with_excerpts(report: Json, base_files: SourceFiles, head_files: SourceFiles) -> Json:
    """The report, its findings with ``excerpts``: the line of the edit that is the cause, and their own line."""

    @cache
    def lines_of(side: str, file: str) -> list[str]:
        if not file.endswith(_CODE):
            return []
        try:
            return (base_files if side == "base" else head_files).read(file).decode("utf-8-sig").splitlines()
        except (KeyError, UnicodeDecodeError):
            return []

    left = _MOST
    for pipeline in report["pipelines"]:
        rows = [(row[side], row["cause"]) for row in pipeline["operators"] for side in ("base", "head")]
        causes = {operator["key"]: cause for operator, cause in rows if operator}
        for finding in pipeline["findings"][: max(left, 0)]:
            left -= 1
            found = (
                _excerpt(about, side, location, lines_of(side, location["file"]))
                for about, side, location in _places(finding, causes)
            )
            finding["excerpts"] = [excerpt for excerpt in found if excerpt is not None]
    return report


def _places(finding: Json, causes: dict[str, Json | None]) -> Iterator[tuple[str, str, Json]]:
    own = finding["location"]
    operator = finding["head"] or finding["base"]
    cause = causes.get(operator["key"]) if operator else None
    side = "base" if finding["base"] and not finding["head"] else "head"
    if cause and cause["location"]:
        edited, at = "base" if cause["kind"].endswith("removed") else "head", cause["location"]
        beside = own and (edited, at["file"]) == (side, own["file"]) and abs(at["line"] - own["line"]) <= _BESIDE
        if not beside:
            yield "edit", edited, at
    if own:
        yield "finding", side, own


def _excerpt(about: str, side: str, location: Json, lines: list[str]) -> Json | None:
    """The line with its neighbours, None near what may be a secret; the caret stands under the word that it names."""
    number = location["line"]
    around = lines[max(0, number - 3) : number + 2]
    if not 0 < number <= len(lines) or any(_SECRET.search(text) for text in around):
        return None
    line, column = lines[number - 1], location["column"] or 1
    word = re.match(r"\w*", line[column - 1 :])
    first = max(1, number - 1)
    shown = [text.expandtabs(4).rstrip() for text in lines[first - 1 : number + 1]]
    indent = min((len(text) - len(text.lstrip()) for text in shown if text), default=0)
    return {
        "about": about,
        "side": side,
        "location": location,
        "first": first,
        "lines": [masked(text[indent:][:_LONGEST]) for text in shown],
        "caret": max(0, len(line[: column - 1].expandtabs(4)) - indent),
        "width": max(1, len(word[0]) if word else 1),
    }


Entries = tuple[PipelineEntry, ...]
Engine = Callable[[CheckPlan], list[Json]]
Spares = Callable[[PipelineEntry, PipelineEntry, SourceFiles, SourceFiles], bool]
"""Whether a change leaves a pipeline alone, by its entries and the files of base and head."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is asked of a check besides its two revisions."""

    pipelines: Sequence[str] = ()
    overrides: Overrides = field(default_factory=Overrides)
    fail_on: Severity | str | None = "configured"
    execution: Execution = field(default_factory=Execution)
    trust_head: bool = False
    only_source: str | None = None
    """A reason to run no pipeline: what the configuration would have run is read from source too."""
    whole_branch: bool = False
    """For the work tree: the base is that of its branch, as ``repair`` takes it, where none is given."""
    unsaved: Mapping[str, bytes] = field(default_factory=dict)
    """Contents by path that an editor has for files of the head, in place of theirs."""
    spares: Spares | None = None
    """Pipelines of both sides that it names are left out."""
    manifests: Manifests = field(default_factory=Manifests)
    """What tools rendered."""


def plan_check(repo: Path | Repository, base: str | None, head: str, asked: Asked = Asked()) -> CheckPlan:
    """Resolve both revisions, find their pipelines and run those that are to be run.

    Raises RevisionError, SettingsError, UsageError.
    """
    overrides, manifests, pipelines = asked.overrides, asked.manifests, asked.pipelines
    repository = repo if isinstance(repo, Repository) else Repository(repo)
    head_revision = repository.head(head)
    if asked.unsaved:
        head_revision = replace(head_revision, files=OverlaidFiles(head_revision.files, asked.unsaved))
    base_revision = repository.base(base, None if asked.whole_branch else head_revision)
    settings = manifests.marked(read_settings(head_revision.files).overridden(overrides))
    base_settings = manifests.marked(base_settings_of(base_revision.files, settings).overridden(overrides))
    files = manifests.beside(base_revision.files, head_revision.files)
    base_revision, head_revision = replace(base_revision, files=files[0]), replace(head_revision, files=files[1])
    _refuse_unknown_names(settings)
    execution = replace(asked.execution, jars_root=repository.top)
    found = find_pipelines(base_revision.files, head_revision.files, base_settings, settings, execution.progress)
    paired = paired_pipelines(
        deployed_side(found.base, base_revision.files, base_settings),
        deployed_side(found.head, head_revision.files, settings),
        found.notes,
        found.base_notes,
    )
    selected = _selected(paired.base, pipelines), _selected(paired.head, pipelines)
    if pipelines and not any(selected):
        names = ", ".join(sorted({e.name for e in (*paired.head, *paired.base)})) or "none"
        raise UsageError(f"no pipeline called {', '.join(pipelines)}; found: {names}")
    base_entries, head_entries = selected if asked.spares is None else _without_spared(*selected, *files, asked.spares)
    refuse_nothing_to_run((*base_entries, *head_entries), execution)
    trusted = (*_configured_in_base(base_revision), *(head_entries if asked.trust_head else ()))
    if asked.only_source is not None:
        base_entries, head_entries = _from_source(base_entries), _from_source(head_entries)
    named = [{entry.name: entry for entry in entries} for entries in (base_entries, head_entries)]
    choice = choose(
        (
            SideToRead(name="base", files=base_revision.files, commit=base_revision.commit, entries=base_entries),
            SideToRead(name="head", files=head_revision.files, commit=head_revision.commit, entries=head_entries),
        ),
        Runner(execution=execution, trusted=trusted),
    )
    judging, not_yet = judging_settings(base_settings, settings)
    fail_on = judging.fail_on if asked.fail_on == "configured" else asked.fail_on
    policy = policy_of(head_revision, judging)
    return CheckPlan(
        base=_side(base_revision),
        repair_command=_repair_command(repository, base_revision, head_revision, given=base is not None),
        head=_side(head_revision),
        base_entries=tuple(choice.entries["base"]),
        head_entries=tuple(choice.entries["head"]),
        base_read=tuple(choice.read["base"]),
        head_read=tuple(choice.read["head"]),
        asked={name: (named[0].get(name), named[1].get(name)) for name in {*named[0], *named[1]}},
        reasons=choice.reasons if asked.only_source is None else _instead(choice.reasons, asked.only_source),
        base_files=base_revision.files,
        head_files=head_revision.files,
        severities=judging.severities,
        fail_on=None if fail_on is None else Severity(fail_on),
        policy=policy,
        partial=bool(pipelines) or [len(entries) for entries in named] != [len(entries) for entries in selected],
        notes=(
            *paired.renames,
            *deployment_notes(head_entries),
            *(note for note in paired.notes if not pipelines or note.unread is None),
            *choice.notes,
            *notes_on_unrendered(head_revision.files, settings, manifests),
        ),
        loosened=(*loosened(settings), *not_yet),
        repository=repository.remote_name(),
        repository_url=web_address(repository.remote_address),
    )


def _refuse_unknown_names(settings: Settings) -> None:
    """Raises SettingsError, UsageError where a configuration names a rule or a Flink version that there is not."""
    for slug in settings.severities:
        rule_named(slug)
    for suppression in settings.suppressions:
        meets_a_rule(suppression.rule, suppression.source)
    for version in {settings.flink, *(p.flink for p in settings.pipelines)}:
        semantics_of(version)


def _without_spared(
    base: Entries, head: Entries, base_files: SourceFiles, head_files: SourceFiles, spares: Spares
) -> tuple[Entries, Entries]:
    """The pipelines of both sides without those that the change leaves alone."""
    before, after = {e.name: e for e in base}, {e.name: e for e in head}
    both = before.keys() & after.keys()
    spared = {name for name in both if spares(before[name], after[name], base_files, head_files)}
    return tuple(e for e in base if e.name not in spared), tuple(e for e in head if e.name not in spared)


def _from_source(entries: Sequence[PipelineEntry]) -> tuple[PipelineEntry, ...]:
    return tuple(replace(e, extract=ExtractorKind.AUTO) if runs_the_program(e) else e for e in entries)


def _instead(reasons: Mapping[str, Reason], why: str) -> dict[str, Reason]:
    """Another reason for those that could have been run."""
    return {name: Reason(why=why) for name, reason in reasons.items() if reason.settled_by is not None}


def _configured_in_base(base: Revision) -> tuple[PipelineEntry, ...]:
    """The pipelines as the base's own configuration names them: what it lets run, the head may let run too."""
    try:
        settings = read_settings(base.files)
    except SettingsError:
        return ()
    return tuple(settings.complete(entry) for entry in settings.pipelines)


def _selected(entries: Sequence[PipelineEntry], globs: Sequence[str]) -> tuple[PipelineEntry, ...]:
    return tuple(e for e in entries if not globs or is_selected(e.name, globs))


def _side(revision: Revision) -> Json:
    return picked(revision, "asked", "label", "commit", "note")


def run_check(plan: CheckPlan, engine: Engine) -> Json:
    """Judge every pipeline and put the report together."""
    pipelines = [_repaired_by(plan.repair_command, pipeline) for pipeline in engine(plan)]
    used = sorted({f["rule"] for p in pipelines for f in p["findings"]})
    report = report_document(
        base=plan.base,
        head=plan.head,
        pipelines=pipelines,
        rules={slug: _rule_document(slug) for slug in used},
        fail_on=plan.fail_on,
        notes=plan.notes,
        loosened=plan.loosened,
        repository=(plan.repository, plan.repository_url),
    )
    return with_excerpts(report, plan.base_files, plan.head_files)


def flink_without_jobs(plan: CheckPlan, report: Json) -> tuple[str, ...]:
    """Files of the head that use Flink, where neither a pipeline nor a program that is not read was found.

    Statements that submit no job belong to a job elsewhere, or to none: these count where the change edits them.
    """
    if report["pipelines"] or any(note["unread"] not in (None, OF_TESTS) for note in report["notes"]):
        return ()
    edited = differing(plan.base_files, plan.head_files)
    return tuple(path for path in using_flink(plan.head_files) if not path.endswith(".sql") or path in edited)


def _repair_command(repository: Repository, base: Revision, head: Revision, *, given: bool) -> str:
    """What makes the repairs, behind a checkout of a head that is not there.

    It names the base that was asked for by a name, and any other that ``repair`` would not choose by itself.
    """
    there = head.commit is None or head.asked == "HEAD" or repository.commit_of("HEAD") == head.commit
    named = given and base.asked != base.commit
    if not named and (given or there):
        try:
            named = repository.base(None, None if there else head).commit != base.commit
        except RevisionError:
            named = True
    moves = not there and base.asked.startswith(("HEAD", "@"))
    name = base.commit if moves and base.commit else base.asked
    against = f" --base {shlex.quote(name)}" if named else ""
    return f"{'' if there else f'git checkout {shlex.quote(head.asked)} && '}{REPAIR_COMMAND}{against}"


def _repaired_by(command: str, pipeline: Json) -> Json:
    """A pipeline whose findings advise the repair by a command."""
    findings = [
        {**finding, "repair": finding["repair"] and finding["repair"].replace(REPAIR_COMMAND, command)}
        for finding in pipeline["findings"]
    ]
    return {**pipeline, "findings": findings}


def _rule_document(slug: str) -> Json:
    rule = rule_named(slug)
    return {"title": rule.title, "severity": rule.severity.value, "page": rule_page(slug)}
