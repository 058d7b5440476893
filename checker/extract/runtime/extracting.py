"""``extract = "flink"``: from a pipeline's entry to the topologies of the jobs that its program submits.

Builds a revision in a temporary export of its files, never in the user's work tree, and caches the jars.
"""

import hashlib
import shutil
import tempfile
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from checker.cache import kept_folder, private_folder
from checker.errors import ExtractionError
from checker.extract.runtime.capture.capturing import Run, RunnableProgram, run
from checker.extract.runtime.capture.topologies import topology_of
from checker.extract.runtime.distribution import distribution_jars, flink_jars, full_version
from checker.extract.runtime.execution import Execution
from checker.files_below import FilesBelow
from checker.model.nested import Json
from checker.model.pipelines import PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.topology import Topology
from checker.processes.starting import environment, supervised, waited

BUILD_ENVIRONMENT = (
    "PATH", "HOME", "USER", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "JAVA_HOME", "JAVA_TOOL_OPTIONS", "M2_HOME",
    "MAVEN_OPTS", "MAVEN_ARGS", "MAVEN_CONFIG", "GRADLE_USER_HOME", "GRADLE_OPTS", "SBT_OPTS", "COURSIER_CACHE",
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE",
)  # fmt: skip
"""Variables of our environment that a build sees: what finds tools, their caches and a proxy, and no secrets."""

_OUTPUT_LINES = 40


def built_jars(files: SourceFiles, command: str, patterns: tuple[str, ...], execution: Execution) -> tuple[Path, ...]:
    """The jars that ``command`` makes of a revision's files: those whose repository path matches a pattern.

    The same files and command are built once: the jars are kept under the cache folder, named by the content of
    all files. The command runs in a shell in the export's root. Raises ExtractionError when execution is not
    allowed, the build fails or takes too long (with the end of its output), or no jar matches.
    """
    if not execution.allow_exec:
        raise ExtractionError(f"building runs the repository's own code ({command!r}); allow it with --allow-exec")
    ready = kept_folder() / "builds" / _key(files, command, patterns)
    if not ready.is_dir():
        private_folder(ready.parent)
        with tempfile.TemporaryDirectory(prefix="savepoint-checker-build-", ignore_cleanup_errors=True) as folder:
            root = Path(folder, "source")
            export(files, root)
            if execution.progress:
                execution.progress(f"building: {command}")
            _run(command, root, execution)
            _keep(root, patterns, command, ready)
    return tuple(sorted(ready.rglob("*.jar")))


def _key(files: SourceFiles, command: str, patterns: tuple[str, ...]) -> str:
    digest = hashlib.sha256("\0".join((command, *patterns)).encode())
    for path in files.paths():
        digest.update(f"\0{path}\0{files.content_id(path)}".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()[:40]


def export(files: SourceFiles, root: Path) -> None:
    """Write a revision's files under ``root``, which must not exist. Raises ExtractionError for unsafe paths."""
    root.mkdir()
    below = FilesBelow(root)
    for path in files.paths():
        content = files.read(path)
        try:
            below.create(path, content)
        except OSError as error:
            raise ExtractionError(f"the revision's file '{path}' can't be exported: {error.strerror}") from None
        if content.startswith(b"#!"):
            (root / path).chmod(0o755)  # wrappers (mvnw, gradlew) are started by name


def _run(command: str, root: Path, execution: Execution) -> None:
    log, seconds = root.parent / "build.log", execution.build_seconds
    seen = environment(*BUILD_ENVIRONMENT, *execution.pass_environment)
    with log.open("wb") as output:
        command_line = ["/bin/sh", "-c", command]
        with supervised(command_line, environment=seen, folder=root, output=output, memory_mb=None) as process:
            status = waited(process, seconds)
    if status != 0:
        why = f"did not end within {seconds:g} s" if status is None else f"failed with status {status}"
        raise ExtractionError(f"the build {command!r} {why}; its output ended with:\n  {_end_of(log)}")


def _end_of(log: Path) -> str:
    with log.open("rb") as stream:
        stream.seek(max(0, log.stat().st_size - 16_384))
        lines = stream.read().decode("utf-8", "replace").splitlines()
    return "\n  ".join(line[:300] for line in lines[-_OUTPUT_LINES:])


def _keep(root: Path, patterns: tuple[str, ...], command: str, ready: Path) -> None:
    paths = sorted(path.relative_to(root).as_posix() for path in root.rglob("*.jar"))
    wanted = [path for path in paths if any(fnmatchcase(path, pattern) for pattern in patterns)]
    if not wanted:
        made = ", ".join(paths[:10]) or "no jar at all"
        raise ExtractionError(f"the build {command!r} made no jar that matches {', '.join(patterns)}; it made {made}")
    work = Path(tempfile.mkdtemp(dir=ready.parent))
    for path in wanted:
        target = work / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / path, target)
    try:
        work.rename(ready)
    except OSError:  # another run was first
        shutil.rmtree(work)


DEFAULT_JARS = ("target/*.jar", "*/target/*.jar", "build/libs/*.jar", "*/build/libs/*.jar")
"""Where Maven and Gradle leave jars, for a pipeline with ``build`` and no ``jars``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    """One job: its topology, and what Flink computed from it (see ``disagreements``)."""

    topology: Topology
    job: Json


def capture(
    files: SourceFiles, entry: PipelineEntry, execution: Execution
) -> tuple[tuple[Captured, ...], tuple[str, ...]]:
    """Run a pipeline's program on real Flink up to its graphs: its jobs in order, and what a reader has to know.

    The first job has the pipeline's name, further ones ``NAME (JOB NAME)``, numbered where names repeat. Raises
    ExtractionError when execution is not allowed, something needed is missing, or the program submits nothing.
    """
    if not execution.allow_exec:
        raise ExtractionError(
            f"pipeline '{entry.name}': extract = \"flink\" runs the program; allow it with --allow-exec"
        )
    if entry.main is None or entry.main.endswith(".py"):
        raise ExtractionError(
            f'pipeline \'{entry.name}\': extract = "flink" needs main = "CLASS"; '
            "SQL and PyFlink are read without running"
        )
    version = entry.flink
    if version is None:
        raise ExtractionError(
            f'pipeline \'{entry.name}\': extract = "flink" needs to know the version; set flink = "1.20"'
        )
    full_version(version)
    home = execution.flink_home
    configuration = dict(entry.values)
    if entry.max_parallelism is not None:
        configuration["pipeline.max-parallelism"] = str(entry.max_parallelism)
    program = RunnableProgram(
        main=entry.main,
        jars=_jars(files, entry, execution),
        flink_jars=distribution_jars(home) if home else flink_jars(version, progress=execution.progress),
        args=entry.args,
        parallelism=entry.parallelism or 1,
        configuration=configuration,
        execution=execution,
    )
    once = run(program)
    jobs = tuple(
        Captured(topology=replace(topology_of(job, name=name, flink=version), files=tuple(files.paths())), job=job)
        for job, name in zip(once.jobs, _names(entry, once), strict=True)
    )
    return jobs, once.notes


def _jars(files: SourceFiles, entry: PipelineEntry, execution: Execution) -> tuple[Path, ...]:
    if entry.build is not None:
        return built_jars(files, entry.build, entry.jars or DEFAULT_JARS, execution)
    found: list[Path] = []
    for pattern in entry.jars:
        path = Path(pattern)
        matches = [path] if path.is_absolute() and path.is_file() else sorted(execution.jars_root.glob(pattern))
        if not matches:
            raise ExtractionError(
                f"pipeline '{entry.name}': no jar matches '{pattern}' in {execution.jars_root}; "
                "build it first, or set build"
            )
        found.extend(matches)
    if not found:
        raise ExtractionError(f'pipeline \'{entry.name}\': extract = "flink" needs jars = ["PATH"] or a build')
    return tuple(found)


def _names(entry: PipelineEntry, once: Run) -> list[str]:
    names: list[str] = []
    for number, job in enumerate(once.jobs):
        name = entry.name if number == 0 else f"{entry.name} ({job['job_name']})"
        names.append(name if name not in names else f"{entry.name} (job {number + 1})")
    return names
