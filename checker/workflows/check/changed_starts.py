"""What edits of starts mean for a pipeline: variables that are set, resources, files that a start names."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter

from checker.compare.account.deployments import may_decide, start_edit, unread_start, unsure_edit
from checker.compare.account.facts import Facts
from checker.extract.asking.consulted import content_or_none, plain
from checker.extract.changed_files.difference import changed_texts, differing
from checker.extract.changed_files.entries import given_texts, included_texts, named_by
from checker.extract.changed_files.unread_starts import (
    NEVER_CALLED,
    StartEdit,
    edited_parallelism,
    edited_scripts,
    edited_values,
    may_set,
)
from checker.extract.deployments.cluster_configuration import PROPERTIES
from checker.extract.deployments.matching import given
from checker.extract.paths import in_tests, is_build
from checker.model.account import Edit
from checker.model.changed_files import ChangedText
from checker.model.deployments import PARALLELISM, RESOURCES, Deployment
from checker.model.pipelines import PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.topology import Topology
from checker.workflows.check.records import CheckPlan, Side, main_file


def options_of(entry: PipelineEntry) -> frozenset[tuple[str, str]]:
    """The options of Flink that its deployment sets."""
    return frozenset() if entry.deployment is None else frozenset(entry.deployment.configuration)


def deployment_files(entry: PipelineEntry) -> frozenset[str]:
    """The files that say how it is deployed."""
    return frozenset() if entry.deployment is None else frozenset(entry.deployment.files)


def resources_of(base: PipelineEntry, head: PipelineEntry) -> frozenset[str]:
    """The names of the operator's resources that run a pipeline, and of their session clusters."""
    starts = [entry.deployment for entry in (base, head)]
    known = [start for start in starts if start is not None and start.kind in RESOURCES]
    return frozenset(n for start in known for n in (start.name, start.cluster) if n) if len(known) == 2 else frozenset()


def texts_of(
    plan: CheckPlan, entries: Iterable[PipelineEntry | None], *sides: Topology | None
) -> tuple[ChangedText, ...]:
    """The changed texts of the files that both revisions' programs were read from, and of those that start them."""
    starts = [deployment_files(entry) for entry in entries if entry is not None]
    read = [frozenset(side.files) for side in sides if side is not None]
    both = frozenset[str]().union(*(known[0] & known[1] for known in (starts, read) if len(known) == 2))
    return changed_texts(plan.base_files, plan.head_files, sorted(both))


def named_by_start(side: Side, used: frozenset[str]) -> frozenset[str]:
    """The files that the start names to the program, and those that settings which it reads include from elsewhere."""
    start = None if side.entry is None else side.entry.deployment
    texts = set() if side.entry is None or start is None else given_texts(start, side.entry.args)
    return named_by(texts | included_texts(used, side.files), side.files)


def program_of(side: Side, file: str) -> str:
    """The last part of the name of its class, or its script's name."""
    name = ((side.entry and side.entry.main) or file).rpartition("/")[2]
    return name if name.endswith(".py") else name.rpartition(".")[2]


def changed_variables(
    base: Side, head: Side, topologies: Sequence[Topology | None], facts: Facts
) -> Iterator[StartEdit]:
    """Edits that may set a value on which graph or state depend and that is not known, or counts as not set."""
    before, after = plain(base.files), plain(head.files)
    yield from edited_values(before, after, facts.asked_for)
    starts = [side.entry.deployment for side in (base, head) if side.entry is not None and side.entry.deployment]
    unsure = [start for side in (base, head) if side.entry is not None for start in side.entry.may_be_deployed]
    fillers = {id(start): {*_fillers(start, facts)} for start in (*starts, *unsure)}
    unread = [s for s in starts if fillers[id(s)] - _HANDED or (facts.asked_for and s.args is None)]
    handed = [start for start in (*starts, *unsure) if not _HANDED.isdisjoint(fillers[id(start)])]
    names = {name for start in starts for name in fillers[id(start)]}
    yield from _edits_of_scripts((before, after), starts, names, unread, handed)
    read = [deployment_files(side.entry) for side in (base, head) if side.entry is not None]
    understood = frozenset.intersection(*read) if read else frozenset()
    taken = {n for side, t in zip((base, head), topologies, strict=True) for n in _taken_for_unset(side, t)}
    if not facts.pinned and any(side.entry is not None and side.entry.parallelism is None for side in (base, head)):
        yield from edited_parallelism(before, after, program_of(head, main_file(topologies[1])))
    given = {name for side in (base, head) if side.entry is not None for name, _ in side.entry.environment}
    yield from edited_values(before, after, taken - facts.asked_for - given, understood)


def _edits_of_scripts(
    sides: tuple[SourceFiles, SourceFiles],
    starts: Sequence[Deployment],
    names: set[str],
    unread: Sequence[Deployment],
    handed: Sequence[Deployment],
) -> Iterator[StartEdit]:
    """Edits that may set a variable, one of ``names``, which fills in what deployments give to the program.

    Templates are read, but for their parameters. ``unread`` are the starts that are not read completely, ``handed``
    those that hand on what they are called with.
    """
    base, head = sides
    parameters = names & {name for start in starts for name in start.parameters}
    templates = {path for start in starts for path in start.files} if parameters else set[str]()
    yield from edited_values(base, head, names - parameters - _HANDED, as_words=True)
    yield from edited_values(base, head, parameters, templates, as_words=True)
    scripts = {path for start in handed for path in start.files if not path.endswith(NEVER_CALLED)}
    yield from edited_values(base, head, {posixpath.basename(path) for path in scripts}, as_words=True)
    yield from edited_scripts(base, head, (*unread, *handed))


_HANDED = frozenset("0123456789@*")
"""Names of what a script, or a function of one, is called with."""
_ENVIRONMENT = re.compile(r"getenv|environ\b")


def variables_of_records(base: Side, head: Side, topologies: Sequence[Topology | None]) -> Iterator[StartEdit]:
    """Edits that may set a variable whose name stands in a file of the program that asks for some."""
    before, after = plain(base.files), plain(head.files)
    if not any(may_set(path) for path in differing(before, after)):
        return
    names: set[str] = set()
    for files, topology in zip((before, after), topologies, strict=True):
        for path in topology.files if topology is not None else ():
            if content_or_none(files, path) is not None:
                text = files.read(path).decode("utf-8", "replace")
                names.update(_QUOTED.findall(text) if _ENVIRONMENT.search(text) else ())
    yield from edited_values(before, after, names)


def _fillers(start: Deployment, facts: Facts) -> Iterator[str]:
    """Variables that fill in what a deployment gives to the program, as far as graph or state depend on it."""
    for name, variable in start.filled_by:
        asked = bool(facts.asked_for) if name == "" else name in facts.asked_for
        if asked or (name == PARALLELISM and not facts.pinned) or _OF_PROGRAMS.match(name):
            yield variable


_OF_PROGRAMS = re.compile(r"(?:pipeline|table)\.(?!name$)|execution\.runtime-mode$")
"""Options of Flink on which graph or state depend."""


def edits_of_unsure_starts(base: Side, head: Side) -> Iterator[Edit]:
    """Deployments that are given something else than in the other revision, and may be the pipeline's."""
    old, new = base.entry or base.asked, head.entry or head.asked
    if old is not None and new is not None:
        yield from _unsure_starts(old, new)


def _unsure_starts(old: PipelineEntry, new: PipelineEntry) -> Iterator[Edit]:
    before, after = ({given(start): start for start in entry.may_be_deployed} for entry in (old, new))
    gone, came = before.keys() - after.keys(), after.keys() - before.keys()
    for key, start in (after if came else before).items():
        if key in (came or gone):
            ended = new.deployment is None or start.main not in (None, new.main)
            yield unsure_edit(start, ended=old.deployment is not None and ended)


def edits_of_unread_starts(
    old: PipelineEntry, new: PipelineEntry, base: SourceFiles, head: SourceFiles
) -> tuple[Edit, ...]:
    """What starts a program that nobody reads, and gives it something else: all of that may decide its graph."""
    found = [*_unsure_starts(old, new)]
    sides = ((old, base), (new, head))
    starts = [entry.deployment for entry, _ in sides if entry.deployment is not None]
    if len(starts) == 2 and (_given_otherwise(starts, sides) or (new.is_manifest and _starts_another(*starts))):
        found.append(unread_start(*starts))
    variables = {variable for start in starts for _, variable in start.filled_by}
    handed = [start for start in starts if not _HANDED.isdisjoint(variable for _, variable in start.filled_by)]
    edits = _edits_of_scripts((plain(base), plain(head)), starts, variables, (), handed)
    return (*found, *(start_edit(edit.name, edit.location) for edit in edits))


_STAMP = re.compile(
    r"(?!FLINK)(?:[A-Z0-9]+_)+(?:VERSION|COMMIT|REVISION|SHA|BUILD|RELEASE|DIGEST)(?:_ID|_SHA|_HASH|_DATE)?"
)
"""Variables that say which build of a program runs."""
_SOURCES = (".kt", ".scala", ".groovy", ".java", ".clj", ".py", ".conf", ".properties")
_NAMES = re.compile(r"\w[\w.-]*\w")


def _without_stamps(start: Deployment, entry: PipelineEntry, files: SourceFiles) -> Deployment:
    """A start without those of its variables that no source or resource names: for programs, marks of their builds."""
    path = entry.file or ""
    in_sql = path.endswith(".sql")  # which asks for no variables but those that it names
    variables = (*dict(start.environment), *start.filled_later)
    stamps = {v for v in variables if _STAMP.fullmatch(v) or (in_sql and not v.startswith("FLINK"))}
    if not stamps or not (in_sql or path.endswith(_SOURCES)):
        return start
    asking = (p for p in plain(files).paths() if p == path or p.endswith(_SOURCES) or "/resources/" in p)
    sources = (path for path in asking if not (in_tests(path) or is_build(path)))
    named = (map(_loose, _NAMES.findall(plain(files).read(path).decode("utf-8", "replace"))) for path in sources)
    asked = set[str]().union(*named)
    kept = asked.union(map(_loose, {*dict(start.environment), *start.filled_later} - stamps))
    later = tuple(name for name in start.filled_later if _loose(name) in kept)
    return replace(start, filled_later=later, environment=tuple(p for p in start.environment if _loose(p[0]) in kept))


def _loose(name: str) -> str:
    """How containers compare the name of a variable with that of a property: ``orders.version``."""
    return re.sub(r"[._-]", "", name).upper()


def _given_otherwise(starts: Sequence[Deployment], sides: Sequence[tuple[PipelineEntry, SourceFiles]]) -> bool:
    return given_otherwise(*starts) and given_otherwise(
        *(_without_stamps(start, *side) for start, side in zip(starts, sides, strict=True))
    )


def _starts_another(before: Deployment, after: Deployment) -> bool:
    """Whether another program is started, or the same as a job of another name, which begins without state."""
    started = attrgetter("image", "jar", "main", "script", "kind", "name", "namespace", "allow_non_restored_state")
    return bool(started(before) != started(after))


def given_otherwise(before: Deployment, after: Deployment) -> bool:
    """Whether a start gives something else to a program, of what a graph may depend on."""
    options = {key for key, _ in {*before.configuration} ^ {*after.configuration}}
    read = (PROPERTIES,) if options else ()  # a variable that says options
    sides = ((s, tuple(pair for pair in s.environment if pair[0] not in read)) for s in (before, after))
    old, new = (given(replace(start, configuration=(), environment=variables)) for start, variables in sides)
    return old != new or any(map(may_decide, options))


_QUOTED = re.compile(r"[\"']([A-Z][A-Z0-9_]{1,60})[\"']")
"""Names of environment variables in source."""


def _taken_for_unset(side: Side, topology: Topology | None) -> Iterator[str]:
    """Names in the code of a pipeline that count as variables which are not set."""
    entry = side.entry
    if entry is None or topology is None:
        return
    if not entry.assume_defaults and (entry.deployment is None or not entry.deployment.whole_environment):
        return
    for path in topology.files:
        if content_or_none(plain(side.files), path) is not None:
            text = plain(side.files).read(path).decode("utf-8", "replace")
            yield from (name for name in _QUOTED.findall(text) if entry.is_unset(name))
