"""``discover``: the scripts that execute jobs of the DataStream API, one pipeline per job."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from checker.extract.asking.consulted import ask, plain, remembered
from checker.extract.asking.content_facts import ByContent
from checker.extract.paths import imported_as
from checker.model.nested import gathered, reached
from checker.model.pipelines import Discovery, ExtractorKind, Note, PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.unknowns import Cause, Location
from checker.time_limits import at_most

if TYPE_CHECKING:
    from checker.extract.python.extraction import ScriptRuns

_ENVIRONMENT = re.compile(rb"\bStreamExecutionEnvironment\b")
_HANDED = re.compile(rb":\s*+(?:\w++\.)*+StreamExecutionEnvironment\b")
"""The type of a parameter that is an environment."""
_TABLES = re.compile(rb"\b(Stream)?TableEnvironment\s*\.\s*create\s*\(")
_EXECUTES = re.compile(rb"\.\s*(execute(_async|_and_collect|_sql|_insert)?|to_pandas)\s*\(")
_MAY_SUBMIT = re.compile(rb"(?i)\b(insert|select|values|add_insert|to_pandas|execute(?!_sql\s*\(\s*f?[\"']+\s*\w))")
"""What a script has not that starts no job whoever calls its functions: all of its statements define something."""
_MAIN = re.compile(rb"__name__\s*==\s*['\"]__main__['\"]")
_RUNS = re.compile(rb"^(?:\w+\s*=\s*)?(?!print\b)[A-Za-z_][\w.]*\(", re.MULTILINE)
"""A call that a module makes when it is loaded."""
_IMPORTS = re.compile(
    rb"(?:^|[;:])[^\S\n]*+(?:from[^\S\n]++([.\w]++)[^\S\n]*+)?\bimport\b[^\S\n]*+(\([^()]*+\)|[^\n;#]*+)", re.MULTILINE
)
_IN_TESTS = re.compile(r"(^|/)(tests?|testing)/")
_NAMED_AS_TESTS = re.compile(r"(^|/)(test_[^/]*|[^/]*_test|conftest)\.py$")
_TESTS = re.compile(rb"^[^\S\n]*+(?:(?:import|from)[^\S\n]++(?:pytest|unittest)\b|def test)", re.MULTILINE)
_USES = re.compile(rb"^[^\S\n]*+(?:import|from)[^\S\n]++pyflink\b", re.MULTILINE)
_FINDS = re.compile(rb"\b(?:importlib|__import__|runpy|pkgutil|entry_points|exec|eval)\b")
"""What may load a module that no import names."""
_LOOK_STEPS = 30_000
"""Steps that discovery spends on a script to see how many jobs it submits."""


@dataclass(frozen=True, slots=True)
class _Facts:
    """What the text of a script says."""

    uses: bool
    """Whether it imports PyFlink."""
    makes: bool
    """Whether it makes an environment of PyFlink."""
    executes: bool
    main: bool
    runs: bool
    """Whether loading it calls something."""
    imports: frozenset[str]
    """The last parts of the modules that it imports."""
    names: frozenset[str]
    """What it imports from modules: modules, too, where these are packages."""
    tests: bool
    """Whether it has what files of tests have: a script that tries something out may be called like one."""


def _look(data: bytes) -> _Facts:
    makes = b"pyflink" in data and bool(_ENVIRONMENT.search(data) or _TABLES.search(data))
    imports: set[str] = set()
    names: set[str] = set()
    for module, listed in _IMPORTS.findall(data.replace(b"\\\n", b" ")):
        whole = [module] if module else re.findall(rb"(?:^|,)\s*([.\w]+)", listed)
        imports.update(name.rpartition(b".")[2].decode() for name in whole)
        names.update(re.findall(r"\w+", listed.decode(errors="replace")) if module else ())
    patterns = (_USES, _EXECUTES, _MAIN, _RUNS, _TESTS)
    uses, executes, main, runs, tests = (pattern.search(data) is not None for pattern in patterns)
    return _Facts(uses, makes, executes, main, runs, frozenset(imports), frozenset(names), tests)


_LOOKED = ByContent("flink scripts that run, with names and tests", _look, _Facts)


def discover(files: SourceFiles) -> Discovery:
    """The PyFlink pipelines of a revision. Never raises for bad source."""
    notes: list[Note] = []
    found: list[tuple[str, int]] = []
    scripts = (path for path in ask(files, "ending", ".py") if not _IN_TESTS.search(path))
    facts = _LOOKED.of(plain(files), scripts)
    making = _reaching(facts, {path for path, fact in facts.items() if fact.makes})
    executing = _reaching(facts, {path for path, fact in facts.items() if fact.executes})
    imported = frozenset(name for fact in facts.values() for name in fact.imports)
    for path, fact in facts.items():
        started = fact.main or (fact.runs and _name(path) not in imported)
        with_others = path in making or (fact.makes and path in executing) or (fact.executes and fact.uses)
        if not (fact.makes and fact.executes) and not (with_others and started):
            continue
        jobs, unread_places = remembered(f"script {path}", files, partial(_submitted, path=path))
        notes.extend(
            Note(message=text, location=Location(*place), unread=unread) for text, place, unread in unread_places
        )
        if jobs:
            found.append((path, jobs))
    making_one = [
        path for path, fact in facts.items() if fact.makes and not _tests(path, fact) and path not in dict(found)
    ]
    notes.extend(_of_frameworks(files, making_one, tuple(facts), notes))
    return Discovery(entries=_entries(found), notes=tuple(notes))


def _tests(path: str, fact: _Facts) -> bool:
    return fact.tests and _NAMED_AS_TESTS.search(path) is not None


def _of_frameworks(
    files: SourceFiles, making: Iterable[str], scripts: Sequence[str], notes: Iterable[Note]
) -> Iterator[Note]:
    """Modules that are handed an environment and that no other one names: code from elsewhere starts them."""
    noted = {note.location.file for note in notes if note.location is not None}
    for path in (path for path in making if path not in noted and _HANDED.search(files.read(path))):
        named = re.compile(rb"\b%s\b" % re.escape(_name(path).encode()))
        if not any(named.search(files.read(module)) for module in scripts if module != path):
            message = f"{path} is handed an environment by code that is not seen: name its script under [[pipeline]]"
            yield Note(message=message, location=Location(path, 1), unread="that no script is seen to start")


def _submitted(files: SourceFiles, *, path: str) -> list[Any]:
    """How many pipelines a script is, and notes on it with their places: lists, as they go to the cache."""
    from checker.extract.python.extraction import interpret

    entry = PipelineEntry(name=path, extract=ExtractorKind.PYTHON, main=path, file=path)
    try:
        looked = at_most(entry.allowance, partial(interpret, files, entry, path, _LOOK_STEPS))
        cut = looked.cut is not None or any(followed.stopped is not None for followed in looked.paths)
        if cut and len(_EXECUTES.findall(files.read(path))) > 1:
            looked = at_most(entry.allowance, partial(interpret, files, entry, path))
        if not looked.environments and not _may_make(files, looked, path):
            return [0, []]
        return _jobs(looked, path, only_defines=_MAY_SUBMIT.search(files.read(path)) is None)
    except Exception:
        return [1, []]  # It breaks the reader: reading it as a pipeline says so.


def _may_make(files: SourceFiles, program: ScriptRuns, path: str) -> bool:
    """Whether a script has a module that makes an environment: names of modules alone say it of others, too.

    What it imports and nothing here is may be any module of that name; what finds modules by itself may find any.
    """
    from checker.extract.python.reached.code import not_found, reachable

    facts = _LOOKED.of(plain(files), ask(files, "ending", ".py"))
    if _tests(path, facts[path]):
        return False
    if facts[path].uses and facts[path].executes:
        return True
    making = {module for module, fact in facts.items() if fact.makes}
    found = reachable(files, program.limits, path.rpartition("/")[0], {path, *program.limits.read})
    modules = found.intersection(facts)
    if not making.isdisjoint(modules) or any(_FINDS.search(files.read(module)) for module in modules):
        return True
    missing = not_found(files, program.limits, modules)
    return not missing.isdisjoint(map(imported_as, making | _reaching(facts, making)))


def _reaching(facts: dict[str, _Facts], modules: AbstractSet[str]) -> frozenset[str]:
    """Scripts that import one of these modules of the repository, at any distance."""
    importers = gathered((name, path) for path, fact in facts.items() for name in fact.imports | fact.names)

    def importing(path: str) -> Sequence[str]:
        return importers.get(imported_as(path), ())

    return frozenset(reached((importer for path in modules for importer in importing(path)), importing))


def _jobs(program: ScriptRuns, path: str, *, only_defines: bool) -> list[Any]:
    """How many pipelines a script is: its jobs, one where it could not be followed, none where nothing runs."""
    if program.jobs:
        return [program.jobs, []]
    stopped = [followed.stopped for followed in program.paths if followed.stopped is not None]
    broken = next((unknown for unknown in stopped if unknown.cause is Cause.SYNTAX), None)
    if broken is not None and not program.environments:
        place = broken.location or Location(path, 1)
        message = f"{broken.reason}; it may hold a pipeline"
        return [0, [[message, [place.file, place.line, place.column], "that can't be parsed"]]]
    if stopped or not program.environments:
        return [len(stopped[:1]), []]
    message = f"{path} makes an execution environment and submits no job"
    return [0, [[message, [path, 1, 1], None if only_defines else "without a job that can be seen"]]]


def _entries(found: list[tuple[str, int]]) -> tuple[PipelineEntry, ...]:
    """Unique names: the script's, with its path where that is ambiguous; further jobs are numbered."""
    names = Counter(_name(path) for path, _ in found)
    seen: Counter[str] = Counter()
    entries: list[PipelineEntry] = []
    for path, jobs in found:
        name = _name(path)
        seen[name] += 1
        name = name if names[name] == 1 or seen[name] == 1 else f"{name} ({path})"
        entries.extend(
            PipelineEntry(
                name=name if place == 0 else f"{name} #{place + 1}", extract=ExtractorKind.PYTHON, main=path, file=path,
                index=place,
            )
            for place in range(jobs)
        )  # fmt: skip
    return tuple(sorted(entries, key=lambda entry: entry.name))


def _name(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".py")
