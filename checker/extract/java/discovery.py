"""``discover``: the classes with a main method that reach a Flink environment, and notes on programs that none starts.

Every Java file is looked at once, as text; only candidates are parsed. What a text says is remembered by content, so
a second revision costs what differs. Programs that a container, a scheduler or reflection starts have graphs that are
not read: each is a note, and an edit of one is an edit that is not understood."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from checker.extract.asking.consulted import ask, remembered
from checker.extract.asking.content_facts import ByContent, Facts
from checker.extract.asking.listing import declared_types
from checker.extract.automatic import unread_api
from checker.extract.interpreting.memory import Trace
from checker.extract.paths import in_tests, module_of
from checker.extract.texts import without_comments
from checker.extract.unfollowed.found_beside import CONTAINED, extends_unread, found_beside
from checker.extract.unfollowed.used_by_name import used_files, used_first
from checker.model.flink_releases import api_of
from checker.model.nested import gathered
from checker.model.pipelines import OF_TESTS, Discovery, ExtractorKind, Note, PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.unknowns import Cause, Location
from checker.time_limits import at_most

if TYPE_CHECKING:
    from checker.extract.java.syntax.class_index import ClassIndex
    from checker.extract.java.syntax.declarations import ClassDecl

_MAIN = re.compile(rb"\bvoid\s+main\s*\(")
_ENVIRONMENT = re.compile(
    rb"\b(?:Stream|Local|LocalStream|RemoteStream)ExecutionEnvironment\b|\bLocalStreamEnvironment\b"
)
_IMPORT = re.compile(rb"^[ \t]*+import\b(?!\s+static\b)[^;]*+;", re.M)
"""What names a class without using it: a static import may be all that names the environment."""
_TABLE = re.compile(rb"\b(?:Stream)?TableEnvironment\b")
_EXECUTES = re.compile(rb"\.\s*(?:execute|executeAsync|executeAndCollect|executeSql|executeInsert)\s*\(")
_OTHER_MAIN = {
    ".kt": re.compile(rb"\bfun\s+main\s*\("),
    ".scala": re.compile(rb"\bdef\s+main\s*\(|\bextends\s+App\b"),
    ".groovy": _EXECUTES,
}
_LOOK_STEPS = 15_000
_LOOK_ON_STEPS = 5 * _LOOK_STEPS
"""Where a program may execute more jobs than were seen in the first steps."""
"""Steps that discovery spends on a program to see how many jobs it executes."""
MAX_REACHED = 60
"""Files followed from one main method that does not name an environment itself."""


@dataclass(frozen=True, slots=True)
class _Facts:
    """What the text of a file says."""

    main: bool
    environment: bool
    table: bool
    flink: bool
    executes: int


def _look(data: bytes) -> _Facts:
    flink = b"flink" in data
    main = _MAIN.search(data) is not None
    if not flink and not main:
        return _Facts(main=False, environment=False, table=False, flink=False, executes=0)
    code = b""
    if flink and (_ENVIRONMENT.search(data) or _TABLE.search(data)):
        code = _IMPORT.sub(b"", without_comments(data.decode("utf-8", "replace")).encode())
    environment, table = (pattern.search(code) is not None for pattern in (_ENVIRONMENT, _TABLE))
    return _Facts(main, environment, table, flink, len(_EXECUTES.findall(data)))


_LOOKED = ByContent("flink programs", _look, _Facts)


def discover(
    files: SourceFiles,
    concerns: Callable[[Collection[str]], bool] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Discovery:
    """The Java pipelines of a revision. Never raises for bad source.

    ``concerns`` says by the types that a file declares whether its main classes are asked for: others are left out.
    ``progress`` is called before each file with a main method: how many were looked at, of how many.
    """
    notes: list[Note] = []
    java = ask(files, "java")
    facts = _LOOKED.of(files, java)
    others = tuple(_other_languages(files))
    if not any(fact.flink for fact in facts.values()):
        return Discovery(entries=(), notes=(*others, *_without_main(files, (), others)))
    found: list[_Main] = []
    with_main = [path for path, fact in facts.items() if fact.main]
    for done, path in enumerate(with_main):
        fact = facts[path]
        if progress is not None:
            progress(done, len(with_main))
        if concerns is not None and not concerns(declared_types(files, [path])[path]):
            continue
        api = None if in_tests(path) else unread_api(files.read(path))
        if api is not None:
            message = f"{path} is a program of {api}, which {NEEDS_A_RUN}"
            notes.append(Note(message=message, location=Location(path, 1), unread=f"of {api}"))
            continue
        named = fact.environment or fact.table or _reaches(used_first(files, path, MAX_REACHED), path, facts)
        named = named or (b"org.apache.flink" in files.read(path) and extends_unread(files, path))
        if not named and not _reaches(found_beside(files, path, frozenset({path})), path, facts):
            continue
        if in_tests(path):
            message = f"{path} is a test class with a main method; test sources are not read as pipelines"
            notes.append(Note(message=message, unread=OF_TESTS))
            continue
        mains, unread_places = remembered(f"mains {path}", files, partial(_mains, path=path, table=fact.table))
        found.extend(_Main(*main) for main in mains)
        notes.extend(
            Note(message=text, location=Location(*place), unread=unread)
            for text, place, unread in unread_places
            if named or mains  # else the file that builds the job is noted
        )
    notes.extend(others)
    if concerns is None:
        notes.extend(_without_main(files, found, notes))
    return Discovery(entries=_entries(found), notes=tuple(notes))


def _reaches(used: Iterable[str], path: str, facts: dict[str, _Facts]) -> bool:
    """Whether one of the files that a program may use, but for its own, names an environment."""
    return any(facts[file].environment or facts[file].table for file in set(used) - {path} if file in facts)


def _executes_several(files: SourceFiles, path: str) -> bool:
    """Whether the file and those that it reaches hold more than one call that executes a job."""
    calls = 0
    for reached in used_first(files, path, MAX_REACHED):
        calls += _LOOKED.of(files, [reached])[reached].executes if reached.endswith(".java") else 0
        if calls > 1:
            return True
    return False


@dataclass(frozen=True, slots=True)
class _Main:
    """A class with a main method, and how many jobs it executes."""

    name: str
    qualified_name: str
    path: str
    jobs: int
    executed: list[str]
    """Files of which code was run, as far as that was looked for: a container calls what no name leads to."""


def _mains(files: SourceFiles, *, path: str, table: bool) -> list[list[Any]]:
    """Classes of a file with a main method, with the jobs that each executes, counted where there may be several.

    Those of the Table API are always counted.

    Mains and notes are lists, as they go to the cache.
    """
    from checker.extract.java.syntax.class_index import ClassIndex

    index = ClassIndex(files)
    unit = index.unit(path)
    count = table or _executes_several(files, path)
    if unit.source.refused is not None:
        return [[], [[unit.source.refused, [path, 1], "that can't be parsed"]]]
    found: list[list[Any]] = []
    notes: list[list[Any]] = []
    pending = list(unit.types.values())
    while pending:
        decl = pending.pop(0)
        pending.extend(decl.nested.values())
        main = next((method for method in decl.methods if method.name == "main" and not method.abstract), None)
        if main is None:
            continue
        jobs, more = 1, False
        trace = Trace()
        if count or _ENVIRONMENT.search(main.node.text.encode()) is None:
            jobs, more = _count_jobs(files, index, decl, trace)
        place = [decl.location.file, decl.location.line, decl.location.column]
        if more:
            seen = "the first" if jobs == 1 else f"the first {jobs}"
            message = f"{decl.qualified_name} may execute more jobs than {seen}: it was not followed to its end"
            notes.append([message, place, None])
        if jobs:
            found.append([decl.name, decl.qualified_name, path, jobs, sorted(trace.executed)])
        else:
            message = f"{decl.qualified_name} has a main method that declares no operators of the DataStream API"
            notes.append([message, place, "without operators that can be seen"])
    if not found and unit.source.errors:
        broken = unit.source.errors[0]
        message = f"{path} does not parse and may hold a pipeline"
        notes.append([message, [broken.file, broken.line, broken.column], "that can't be parsed"])
    return [found, notes]


def _count_jobs(files: SourceFiles, index: ClassIndex, decl: ClassDecl, trace: Trace) -> tuple[int, bool]:
    """How many jobs one run of the program executes, and whether there may be more behind a bound.

    0 for programs that end without declaring anything.
    """
    from checker.extract.asking.consulted import flink_version
    from checker.extract.java import program
    from checker.extract.java.syntax.nodes import main_method

    main = main_method(index, decl)
    if main is None:
        return 1, False
    entry = PipelineEntry(name=decl.name, extract=ExtractorKind.JAVA, main=decl.qualified_name, file=decl.unit.path)
    version, _ = flink_version(files, decl.unit.path)
    interpret = partial(program.interpret, index, main, entry, api_of(version))
    try:
        result = at_most(entry.allowance, partial(interpret, _LOOK_STEPS, trace))
        if result.cut is not None and _may_execute_more(files, index):
            more = at_most(entry.allowance, partial(interpret, _LOOK_ON_STEPS, trace))
            result = max(result, more, key=lambda runs: (runs.jobs, runs is more))
    except Exception:
        return 1, False  # It breaks the reader: reading it as a pipeline says so.
    if not result.paths and result.cut is None and result.failure is None:
        return 0, False
    jobs = max(result.jobs, 1)
    bounded = result.cut is not None and result.cut.cause is Cause.LIMIT
    return jobs, bounded and _may_execute_more(files, index, jobs)


def _may_execute_more(files: SourceFiles, index: ClassIndex, jobs: int = 1) -> bool:
    """Whether the code that a program was seen to use executes jobs in more places than these."""
    return sum(len(_EXECUTES.findall(files.read(path))) for path in index.used_paths) > jobs


def _entries(found: list[_Main]) -> tuple[PipelineEntry, ...]:
    """Unique names: the simple class name, the qualified one where that is ambiguous, else with the file."""
    simple = Counter(decl.name for decl in found)
    qualified = Counter(decl.qualified_name for decl in found)
    entries: list[PipelineEntry] = []
    for decl in found:
        name = decl.name
        if simple[name] > 1:
            name = decl.qualified_name
            if qualified[name] > 1:
                name = f"{name} ({decl.path})"
        entries.extend(
            PipelineEntry(
                name=name if place == 0 else f"{name} #{place + 1}",
                extract=ExtractorKind.JAVA,
                main=decl.qualified_name,
                file=decl.path,
                index=place,
            )
            for place in range(decl.jobs)
        )
    return tuple(sorted(entries, key=lambda entry: entry.name))


def _other_languages(files: SourceFiles) -> list[Note]:
    notes: list[Note] = []
    for path in files.paths():
        ending = path[path.rfind(".") :]
        pattern = _OTHER_MAIN.get(ending)
        if pattern is None or in_tests(path):
            continue
        data = files.read(path)
        if b"ExecutionEnvironment" in data and b"flink" in data:
            match = pattern.search(data)
            if match is not None:
                line = data.count(b"\n", 0, match.start()) + 1
                notes.append(note_of_language(path, line))
    return notes


NEEDS_A_RUN = (
    "is not read from source. To have it checked, name it under [[pipeline]] with main and build, and give --allow-exec"
)
_LANGUAGES = {".kt": "Kotlin", ".scala": "Scala", ".groovy": "Groovy"}
_ANY_ENVIRONMENT = re.compile(rb"\b(?:\w*StreamExecutionEnvironment|LocalStreamEnvironment|StreamTableEnvironment)\b")
_HANDED = re.compile(rb"[(,]\s*+(?:final\s++)?StreamExecutionEnvironment\s++\w++\s*+[,)]")
"""A parameter of a method that is handed an environment."""
_EXECUTED = re.compile(rb"\.\s*(?:execute|executeAsync|executeAndCollect|executeSql|executeInsert|getStreamGraph)\s*\(")


def _environments(data: bytes) -> tuple[int, ...]:
    if b"flink" not in data:
        return (0, 0, 0, 0)
    data = without_comments(data.decode("utf-8", "replace")).encode()
    return (
        int(_ANY_ENVIRONMENT.search(data) is not None),
        int(_EXECUTED.search(data) is not None),
        int(CONTAINED.search(data) is not None),
        int(_HANDED.search(data) is not None),
    )


_ENVIRONMENTS = Facts("flink environments", _environments)


def _without_main(files: SourceFiles, found: Iterable[_Main], notes: Iterable[Note]) -> list[Note]:
    """A note for each file that executes a job which neither a found main class nor what is noted already can use.

    Where no such file executes one itself, a file of the module that does stands for them. A library, which executes
    nothing and that no container looks at, is not a program.
    """
    known = {note.location.file for note in notes if note.location is not None}
    known.update(path for main in found for path in (main.path, *main.executed))
    foreign = (path for ending in (".kt", ".scala") for path in ask(files, "ending", ending))
    paths = [path for path in (*ask(files, "java"), *foreign) if not in_tests(path)]
    facts = _ENVIRONMENTS.of(files, paths)
    environments = {path for path, (environment, *_) in facts.items() if environment}.difference(known)
    if not environments:
        return []
    starts = sorted(path for path in known if path in facts)
    used = frozenset(remembered(f"used by {starts}", files, partial(_used, starts=starts)))
    by_module = gathered((module_of(path), path) for path in sorted(environments - used))
    made: list[Note] = []
    for module, naming in by_module.items():
        others = sorted(path for path in facts if module_of(path) == module and path not in used)
        executing = [path for path in naming if facts[path][1]] or [path for path in others if facts[path][1]][:1]
        contained = [path for path in naming if facts[path][2]][:1]
        framework = [path for path in naming if facts[path][3] and extends_unread(files, path)]
        made.extend(map(_note, executing or contained or framework))
    return made


def _used(files: SourceFiles, *, starts: list[str]) -> list[str]:
    ask(files, "java")  # A class that comes may be what a name means.
    return sorted(used_files(files, *starts))


def note_of_language(path: str, line: int = 1) -> Note:
    """A note for a program, or a part of one, in a language of the JVM that is not read."""
    language = _LANGUAGES[path[path.rfind(".") :]]
    message = f"{path} is a Flink program in {language}, which {NEEDS_A_RUN}"
    return Note(message=message, location=Location(path, line), unread=f"in {language}")


def _note(path: str) -> Note:
    if path.endswith(tuple(_LANGUAGES)):
        return note_of_language(path)
    message = (
        f"{path} is part of a Flink program that no main method is seen to start (a container, a framework or "
        "reflection may): it is not read; name the class that starts it under [[pipeline]]"
    )
    return Note(message=message, location=Location(path, 1), unread="that no main method is seen to start")
