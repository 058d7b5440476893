"""Flink's own restore tests: each compiled plan against the savepoint that it wrote, and against its neighbours'.

``python benchmarks/sql_restore_tests.py FOLDER`` walks ``restore-tests/stream-exec-*/PROGRAM/{plan,savepoint}`` of
flink-table-planner's test resources below FOLDER. Functions are those that the test programs below it register
(``*TestPrograms.java``), read from their source as those of any repository. A plan has to restore its own savepoint
with all states compared. A savepoint of another program of the same node that names a state of equal id with another
serializer must not restore. The rows that the tests' own sink keeps (``sink-results``) count for neither: no connector
that people use is like it. Plans of a later Flink, or of a development version of it, are listed apart: Flink itself
refuses them.
"""

import argparse
import collections
import re
from pathlib import Path

from checker.compare.restore.judgement import judge
from checker.errors import CheckerError
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.runtime.execution import Execution
from checker.extract.sql.connectors import connectors
from checker.model.findings import RestorePath
from checker.model.flink_releases import minor_of
from checker.model.pipelines import Extracted, ExtractorKind, PipelineEntry
from checker.model.restore import Attempt, CandidateJob
from checker.model.savepoint import OperatorState, Savepoint
from checker.model.sources import MemoryFiles
from checker.savepoint.reader import read_savepoint
from checker.workflows.check.records import ReadPipeline, SideToRead
from checker.workflows.gate.judging import candidate_of_read
from checker.workflows.planning_scripts import plan_scripts
from checker.workflows.reading_revisions import extracted_of

VALUES = {"source": "source", "source_mode": "all", "lookup": "both", "sink": "legacy", "sink_mode": "any"}
"""The connector of the tests, as far as it matters where every operator has a uid."""


_SINK_OF_TESTS = frozenset({"sink-results", "sink-upsert-results", "sink-retract-results"})
_REFUSED_BY_FLINK = re.compile(r"Unknown Flink version|No value for property '\w+' of `ObjectNode`")

_FUNCTION = re.compile(r'setup(?:Temporary)?(?:Catalog|System)Function\(\s*"(\w+)",\s*([\w.]+)\.class')


def functions_of(folder: Path) -> tuple[dict[str, dict[str, str]], MemoryFiles]:
    """(program → function → class, the sources). A program without a name of its own has all of its file's."""
    files = MemoryFiles({str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*.java")})
    index = ClassIndex(files)
    found: dict[str, dict[str, str]] = {}
    for path in folder.rglob("*TestPrograms.java"):
        text = path.read_text("utf-8")
        if not _FUNCTION.search(text):
            continue
        scope = next(iter(index.unit(str(path.relative_to(folder))).types.values()))
        named = list(re.finditer(r'\.of\(\s*"([^"]+)"', text))
        names = re.findall(r'"([a-z0-9_]+(?:-[a-z0-9_]+)+)"', text)
        every = _FUNCTION.findall(text)
        for place, match in enumerate(named):
            end = named[place + 1].start() if place + 1 < len(named) else len(text)
            own = _FUNCTION.findall(text, match.start(), end)
            found[match[1]] = {name: _class(index, scope, answer) for name, answer in own}
        for name in names:
            found.setdefault(name, {answer: _class(index, scope, kind) for answer, kind in every})
    return found, files


def _class(index: ClassIndex, scope: ClassDecl, name: str) -> str:
    resolved = index.resolve(name, scope)
    return resolved.binary_name if isinstance(resolved, ClassDecl) else name


def pairs(folder: Path) -> list[tuple[str, str, Path]]:
    """(node, plan, savepoint) of every program that has both."""
    found = []
    for metadata in sorted(folder.rglob("stream-exec-*/*/savepoint/_metadata")):
        program = metadata.parent.parent
        plans = sorted((program / "plan").glob("*.json"))
        if plans:
            found.append((program.parent.name, str(plans[0]), metadata.parent))
    return found


def judged(candidate: CandidateJob, savepoint: Savepoint) -> Attempt:
    """The attempt without ``--allowNonRestoredState``."""
    return judge(savepoint, candidate, RestorePath.SAVEPOINT)


def differs(mine: Savepoint, theirs: Savepoint) -> bool:
    """Whether an operator of both has a state, or a key, with another serializer, or other ids."""
    own = {o.operator_id: o for o in mine.operators}
    for operator in theirs.operators:
        if not operator.sizes.total or _is_sink_of_tests(operator):
            continue
        twin = own.get(operator.operator_id)
        if twin is None or (twin.headers is None) != (operator.headers is None):
            return True
        if twin.headers is None or operator.headers is None:
            continue
        states = {state.name: state for state in twin.headers.states}
        for state in operator.headers.states:
            before = states.get(state.name)
            if before is not None and [s.tree for _, s in before.serializers] != [s.tree for _, s in state.serializers]:
                return True
    return False


def _is_sink_of_tests(operator: OperatorState) -> bool:
    states = {state.name for state in operator.headers.states} if operator.headers is not None else set()
    return bool(states) and states <= _SINK_OF_TESTS


def main() -> None:
    """Judge every pair, then every savepoint of the same node."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--flink", default="2.3.0")
    parser.add_argument("--only", default=".")
    arguments = parser.parse_args()
    programs = [p for p in pairs(arguments.folder) if re.search(arguments.only, p[1])]
    functions, sources = functions_of(arguments.folder)
    contents = {path: sources.read(path) for path in sources.paths()}
    for n, (_, plan, _) in enumerate(programs):
        contents[f"{n}.json"] = Path(plan).read_bytes()
        created = functions.get(Path(plan).stem, {}).items()
        lines = [f"CREATE TEMPORARY FUNCTION {name} AS '{answer}';\n" for name, answer in created]
        contents[f"{n}.sql"] = "".join([*lines, f"EXECUTE PLAN '{n}.json';\n"]).encode()
    files = MemoryFiles(contents)
    entries = [
        PipelineEntry(
            name=str(n), extract=ExtractorKind.SQL, file=f"{n}.sql", flink=arguments.flink, parallelism=1,
            optional=False,
        )
        for n in range(len(programs))
    ]  # fmt: skip
    for name in ("values", ""):  # most plans leave the options of their tables out
        connectors(minor_of(arguments.flink))[name] = VALUES
    planned = plan_scripts([SideToRead(name="all", files=files, entries=entries)], Execution(progress=print))
    read: dict[str, ReadPipeline] = {answer.name: answer for answer in planned["all"]}
    counts: collections.Counter[str] = collections.Counter()
    candidates: dict[int, CandidateJob] = {}
    savepoints: dict[int, Savepoint] = {}
    for n, (node, plan, folder) in enumerate(programs):
        label = f"{node}/{Path(plan).stem}"
        try:
            savepoints[n] = read_savepoint(str(folder), check_files=False)
        except CheckerError as error:
            print(f"{label}: savepoint: {error}")
            counts["savepoint not read"] += 1
            continue
        answer = read.get(str(n))
        extracted: Extracted | None = None if answer is None else extracted_of(answer)
        if extracted is None or extracted.topology is None:
            failure = extracted.failure or "" if extracted is not None else ""
            print(f"{label}: not planned: {failure}")
            counts["refused by this Flink" if _REFUSED_BY_FLINK.search(failure) else "not planned"] += 1
            continue
        candidate = candidate_of_read(extracted, flink=arguments.flink)
        candidates[n] = candidate
        attempt = judged(candidate, savepoints[n])
        counts[attempt.verdict.value] += 1
        if attempt.verdict.value != "restores":
            print(f"{label}: {attempt.verdict.value}: {attempt.message[:300]} {attempt.open_questions[:2]}")
        elif attempt.open_questions:
            counts["restores with open questions"] += 1
            print(f"{label}: open: {attempt.open_questions[:3]}")
    print(dict(counts))
    passed = foreign = 0
    for n, candidate in candidates.items():
        for m, savepoint in savepoints.items():
            if m != n and programs[n][0] == programs[m][0] and n in savepoints and differs(savepoints[n], savepoint):
                foreign += 1
                if judged(candidate, savepoint).verdict.value == "restores":
                    passed += 1
                    print(f"PASSED {programs[n][1]} from {programs[m][2]}")
    print(f"{foreign} savepoints of other programs whose states differ, {passed} restore")


if __name__ == "__main__":
    main()
