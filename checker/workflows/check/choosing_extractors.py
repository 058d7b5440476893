"""``extract = "auto"``: by which means a pipeline is read, the same for both of its revisions.

Real Flink and a source reader describe one program in different words (handles, expanded sinks, names of states), so
what is read by one of them on one side and by the other on the other side would differ where the program does not.
Where one side can't be run, both are read from source, and the report says why.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter

from checker.extract import registry
from checker.extract.automatic import document_kind, unread
from checker.extract.runtime.execution import Execution
from checker.model.nested import unknowns_in
from checker.model.pipelines import FLINKS_KEYS, ExtractorKind, Note, PipelineEntry, Reason
from checker.model.sources import SourceFiles
from checker.model.unknowns import Cause
from checker.report.presentable import one_line, short
from checker.workflows.check.records import ReadPipeline, SideToRead
from checker.workflows.check.vanished import still_there
from checker.workflows.planning_programs import loaded_scripts, using_tables
from checker.workflows.running_programs import Runner, lacks, missing_here, runs_the_program

ALLOW = "--allow-exec"
NOT_ALLOWED = Reason(why=f"{ALLOW} is not given", settled_by=ALLOW)


@dataclass(kw_only=True)
class Choice:
    """What is read while planning, side by side, and what is left to the engines, which read source only."""

    entries: dict[str, list[PipelineEntry]] = field(default_factory=dict)
    read: dict[str, list[ReadPipeline]] = field(default_factory=dict)
    reasons: dict[str, Reason] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)


def choose(sides: Sequence[SideToRead], runner: Runner) -> Choice:
    """Read whatever has to be run on this machine, and say why the rest is not."""
    choice = Choice(entries={s.name: [] for s in sides}, read={s.name: [] for s in sides})
    sides = _without_planned(_without_loaded(sides), choice, runner)
    for name in sorted({e.name for side in sides for e in side.entries if not _is_further(e)}):
        there = [(side, entry) for side in sides if (entry := side.entry(name)) is not None]
        if any(runs_the_program(entry) for _, entry in there):
            # One configuration wants it run: what the other leaves to us is run as well, so that both are read alike.
            there = [
                (side, replace(e, extract=ExtractorKind.FLINK) if e.extract is ExtractorKind.AUTO else e)
                for side, e in there
            ]
        if any(entry.extract is ExtractorKind.AUTO for _, entry in there):
            _choose(name, there, runner, choice)
            continue
        for side, entry in there:
            if runs_the_program(entry):
                choice.read[side.name].extend(runner.run(side.files, side.commit, entry))
            else:
                choice.entries[side.name].append(entry)
    for side in sides:
        for entry in filter(_is_further, side.entries):
            _choose_further(side, entry, choice)
    choice.notes.extend(Note(message=note) for note in runner.notes)
    _plan_tables([replace(side, entries=choice.entries[side.name]) for side in sides], choice, runner.execution)
    return choice


def _plan_tables(sides: Sequence[SideToRead], choice: Choice, execution: Execution) -> None:
    """What uses the Table API is read here, side by side: its tables are planned on this machine."""
    if not any(using_tables(side.files, side.entries) for side in sides):
        return
    from checker.workflows.planning_programs import plan_programs

    planned = plan_programs(sides, execution)
    for side in sides:
        choice.read[side.name].extend(planned[side.name])
        names = {pipeline.name for pipeline in planned[side.name]}
        choice.entries[side.name] = [entry for entry in side.entries if entry.name not in names]


def _without_loaded(sides: Sequence[SideToRead]) -> Sequence[SideToRead]:
    """The sides without the scripts that a program of either of them loads."""
    if not any(_is_found_script(entry) for side in sides for entry in side.entries):
        return sides
    loaded = frozenset().union(*(loaded_scripts(side.files, side.entries) for side in sides))
    return [
        replace(side, entries=[e for e in side.entries if not (_is_found_script(e) and e.file in loaded)])
        for side in sides
    ]


def _is_found_script(entry: PipelineEntry) -> bool:
    return entry.discovered and entry.extract is ExtractorKind.SQL and (entry.file or "").endswith(".sql")


def _without_planned(sides: Sequence[SideToRead], choice: Choice, runner: Runner) -> Sequence[SideToRead]:
    """The sides with what is left to the other readers; SQL is read as Flink's planner has it."""
    if not any(e.extract in (ExtractorKind.AUTO, ExtractorKind.SQL) for side in sides for e in side.entries):
        return sides
    from checker.workflows.planning_scripts import plan_scripts, without_scripts

    split = [without_scripts(side) for side in sides]
    scripts = [replace(side, entries=found) for side, (found, _) in zip(sides, split, strict=True)]
    planned = plan_scripts([side for side in scripts if side.entries], runner.execution)
    for name, read in planned.items():
        choice.read[name].extend(read)
    return [replace(side, entries=rest) for side, (_, rest) in zip(sides, split, strict=True)]


def _is_further(entry: PipelineEntry) -> bool:
    """Whether it is a job that a program executes after its first one: running it shows all of them."""
    return entry.extract is ExtractorKind.AUTO and entry.index > 0


def _choose_further(side: SideToRead, entry: PipelineEntry, choice: Choice) -> None:
    first = next((e for e in side.entries if _configured(e) == _configured(entry) and not _is_further(e)), None)
    if first is None or first in choice.entries[side.name]:
        choice.entries[side.name].append(entry)
        if first is not None and first.name in choice.reasons:
            choice.reasons[entry.name] = choice.reasons[first.name]


_configured = attrgetter("main", "args", "values", "build", "jars")
"""What the configuration says of a program: the same of all of its jobs."""


def _choose(name: str, there: Sequence[tuple[SideToRead, PipelineEntry]], runner: Runner, choice: Choice) -> None:
    reason = next((r for side, entry in there if (r := why_from_source(side.files, entry, runner)) is not None), None)
    answers: Mapping[str, tuple[ReadPipeline, ...]] = {}
    if reason is None and all(document_kind(side.files, entry) is None for side, entry in there):
        answers = _run_all(there, runner)
        failed = next((s for s, read in answers.items() if read and read[0].failure is not None), None)
        if failed is None or any(unread(side.files, entry) is not None for side, entry in there):
            for side_name, read in answers.items():
                choice.read[side_name].extend(read)
            return
        reason = Reason(why=f"running the {failed} failed: {answers[failed][0].failure}")
        if runner.execution.progress is not None:
            runner.execution.progress(f"{name}: {reason.why}")
    for side, entry in there:
        choice.entries[side.name].append(entry)
    if reason is None:
        return
    choice.reasons[name] = Reason(why=short(one_line(reason.why), 160), settled_by=reason.settled_by)
    if runner.execution.allow_exec and lacks(there[0][1]) is None:
        further = sorted({r.name for read in answers.values() for r in read} - {name})
        also = f"; its further jobs {', '.join(further)} are not compared" if further else ""
        both = " in both revisions" if len(there) > 1 else ""
        message = f"{name} is read from source{both}, not run: {short(one_line(reason.why), 1200)}{also}"
        choice.notes.append(Note(message=message))


def why_from_source(files: SourceFiles, entry: PipelineEntry, runner: Runner) -> Reason | None:
    """Why a pipeline with ``auto`` is not run, None where it is, or where its file holds the graph itself."""
    if document_kind(files, entry) is not None:
        return None
    lacking = lacks(entry)
    if lacking is not None:
        return Reason(why=lacking)
    if not runner.execution.allow_exec:
        return NOT_ALLOWED
    refusal = runner.refusal(entry) or missing_here() or _unsaid(files, entry)
    return None if refusal is None else Reason(why=refusal)


def _unsaid(files: SourceFiles, entry: PipelineEntry) -> str | None:
    """Arguments that the program asks for, as its source says, and a run would not be given.

    What the program builds without them is not what is deployed. ``values`` reach a run as Flink's configuration only.
    """
    extracted = registry.extract(files, entry)
    if extracted is None or extracted.topology is None:
        return None
    open_ = [u for u in unknowns_in(extracted.topology) if u.cause is Cause.ARGUMENT]
    texts = {f"{u.argument}=VALUE" if u.argument else u.settled_by or u.reason for u in open_}
    asked = sorted(texts - {"--parallelism"})
    if asked:
        return f"its program asks for what its configuration does not say: {', '.join(asked[:5])}"
    flinks = tuple((key, value) for key, value in entry.values if key.startswith(FLINKS_KEYS))
    if flinks == entry.values:
        return None
    without = registry.extract(files, replace(entry, values=flinks))
    if without is not None and without.topology == extracted.topology:
        return None
    own = ", ".join(key for key, _ in entry.values if not key.startswith(FLINKS_KEYS))
    return f"its program depends on values that a run is not given: say in 'args' what {own} should be"


def _run_all(
    there: Sequence[tuple[SideToRead, PipelineEntry]], runner: Runner
) -> Mapping[str, tuple[ReadPipeline, ...]]:
    """Every side, run, the newest first: where it fails the others need not be built."""
    answers: dict[str, tuple[ReadPipeline, ...]] = {}
    for side, entry in reversed(there):
        read = runner.run(side.files, side.commit, entry)
        if read and read[0].failure is not None and entry.optional and _absent(side.files, entry):
            read = ()
        answers[side.name] = read
        if read and read[0].failure is not None and unread(side.files, entry) is None:
            break
    return answers


def _absent(files: SourceFiles, entry: PipelineEntry) -> bool:
    """Whether the revision does not have the pipeline at all, as its source shows."""
    return unread(files, entry) is None and registry.extract(files, entry) is None and still_there(files, entry) is None
