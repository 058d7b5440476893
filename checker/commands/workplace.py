"""What sets a workplace up: ``init`` (a configuration, a hook entry, a workflow), ``hook``, ``lsp`` and ``cache``.

Files that are there stay as they are. ``flink fetch`` gets the jars of Flink releases, for machines that can't
download them later; ``doctor`` says what was found of Flink in a repository, how it is read, and what is missing.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from checker import __version__
from checker.cache import MOST_BYTES, active_cache
from checker.commands import option, options
from checker.commands.git_hooks import run_hook
from checker.engines.choice import judge_pipelines, missing_for_spark
from checker.engines.progress import say, waiting
from checker.errors import CheckerError, UnsupportedFlinkError, UsageError
from checker.extract import registry
from checker.extract.deployments import deployments
from checker.extract.runtime.distribution import cache_folder, cached_jars, flink_jars
from checker.extract.unfollowed.other_jobs import using_flink
from checker.files_below import FilesBelow
from checker.model.flink_releases import ASSUMED_FOR_SQL
from checker.model.nested import Json
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.processes.starting import java
from checker.report.doctor import render_doctor
from checker.report.pages import environment
from checker.revisions import WORKTREE, Repository
from checker.settings import FILE, read_settings
from checker.workflows.check.comparing_revisions import Asked, flink_without_jobs, plan_check, run_check
from checker.workflows.planning_programs import using_tables

PROJECT = "https://github.com/savepoint-checker/savepoint-checker"
"""Where hooks and the action are published."""
PARTS = {
    "config": FILE,
    "hook": ".pre-commit-config.yaml",
    "github": ".github/workflows/savepoint-checker.yml",
    "gitlab": ".gitlab/savepoint-checker.yml",
}
"""What can be asked for → the file it becomes."""

Only = Annotated[list[str] | None, option("workplace.Only")]


def init(repo: options.Repo = Path("."), only: Only = None) -> None:
    """Write a starting configuration, a pre-commit entry and a workflow. Existing files are never touched.

    \b
    savepoint-checker init
    savepoint-checker init --only config --only github
    """
    for part in only or ():
        if part not in PARTS:
            raise UsageError(f"--only {part}: must be one of {', '.join(PARTS)}")
    repository = Repository(repo)
    if repository.bare:
        raise UsageError(f"{repo}: a bare repository has no files to write; run this in a clone")
    revision = repository.revision(WORKTREE)
    paths = set(revision.files.paths())
    settings = read_settings(revision.files)
    found = registry.discover(revision.files, settings)
    entries = found.entries
    notes = [note for note in found.notes if note.unread is not None]
    if not (only or entries or notes or using_flink(revision.files) or deployments(revision.files)):
        raise UsageError(
            "no file here uses Flink, so nothing was written; 'savepoint-checker init --only config' writes a "
            f"{FILE} all the same"
        )
    wanted = only or _fitting(repository, paths)
    planned = {e.flink or settings.flink or ASSUMED_FOR_SQL for e in entries if e.extract is ExtractorKind.SQL}
    releases = {*planned, *using_tables(revision.files, entries).values()}
    values = {
        "version": __version__,
        "project": PROJECT,
        "pipelines": [asdict(entry) for entry in entries],
        "sql": " ".join(sorted({".".join(release.split(".")[:2]) for release in releases})),
    }
    below = FilesBelow(repository.top)
    for part in wanted:
        if part == "config" and settings.source is not None:
            print(f"kept     {settings.source}")
        else:
            _offer(below, PARTS[part], environment(autoescape=False).get_template(f"init/{part}").render(**values))
    print(_summary(entries))
    for note in notes:
        print(f"not read: {note.message}")
    print("savepoint-checker doctor shows how each is read, and what is missing")


def _fitting(repository: Repository, paths: set[str]) -> list[str]:
    """Configuration and hook always, and the workflow of the place that hosts the repository."""
    address = repository.remote_address or ""
    hosted = []
    if "gitlab" in address or ".gitlab-ci.yml" in paths:
        hosted.append("gitlab")
    if "github" in address or any(path.startswith(".github/") for path in paths):
        hosted.append("github")
    return ["config", "hook", *(hosted or ["github"])]


def _offer(below: FilesBelow, name: str, text: str) -> None:
    """Write the file. If there is one that does not mention savepoint-checker, print what to add."""
    try:
        try:
            below.create(name, text.encode("utf-8", "backslashreplace"))
            print(f"written  {name}")
            return
        except FileExistsError:
            known = b"savepoint-checker" in below.read(name)
    except OSError as error:
        raise CheckerError(f"{name}: can't be written: {error.strerror}") from None
    if known:
        print(f"kept     {name}")
        return
    print(f"kept     {name}; to use savepoint-checker there, add:\n")
    print("\n".join(f"    {line}".rstrip() for line in text.splitlines()) + "\n")


def _summary(entries: tuple[PipelineEntry, ...]) -> str:
    if not entries:
        return "No pipelines were found. Describe one in a *.topology.yaml, or name its main class in " + FILE
    names = ", ".join(entry.name for entry in entries[:8]) + (", ..." if len(entries) > 8 else "")
    return f"{len(entries)} pipeline{'' if len(entries) == 1 else 's'} found: {names}"


def lsp() -> None:
    """Serve editors over the Language Server Protocol, on stdin and stdout.

    Editors start it themselves. It shows the operator id and uid of the line, warns while typing when an unsaved edit
    would move state against HEAD, says why on hover, and offers the repair as a code action. Needs
    savepoint-checker[editor].
    """
    if find_spec("pygls") is None:
        raise UsageError("the language server needs pygls: pip install 'savepoint-checker[editor]'")
    from checker.editor.server import make_server

    make_server().start_io()


Stage = Annotated[str, option("workplace.Stage")]
Rest = Annotated[list[str] | None, option("workplace.Rest")]


def hook(stage: Stage, arguments: Rest = None, repo: options.Repo = Path(".")) -> None:
    """Do the work of a git hook, in this process: pre-commit, pre-push, or validate FILE...

    \b
    savepoint-checker hook pre-commit               what is staged against HEAD
    savepoint-checker hook pre-push origin URL      compares the remote branch with what is pushed
    savepoint-checker hook validate FILE...         topology documents and configuration
    """
    code = run_hook(stage, arguments or (), repo)
    if code:
        raise typer.Exit(code)


What = Annotated[str, option("workplace.What")]


def cache(what: What = "info") -> None:
    """Show where earlier results are kept and how much that is, or forget them.

    The folder is --cache FOLDER before the command, SAVEPOINT_CHECKER_CACHE, or one in the user's cache folder.
    """
    if what not in ("info", "clear"):
        raise UsageError(f"cache {what}: must be info or clear")
    kept = active_cache()
    if kept is None:
        print("no cache: it is switched off")
        return
    if what == "clear":
        try:
            kept.clear()
        except OSError as error:
            raise UsageError(f"{kept.file}: can't be deleted: {error.strerror}") from None
        print(f"forgotten: {kept.file}")
        return
    info = kept.info()
    print(f"{info.file}\n{info.entries:,} entries, {info.bytes / 1e6:.1f} MB of at most {MOST_BYTES / 1e6:.0f} MB")


Releases = Annotated[list[str], option("flink_fetch.Releases")]
To = Annotated[Path | None, option("flink_fetch.To")]


def fetch(releases: Releases, to: To = None) -> None:
    """Download the jars of Flink releases, which planning SQL and --allow-exec need (about 250 MB each).

    They are kept in the user's cache folder. For an image, or a machine without a network, run this where there is one
    and copy that folder, or use --to and pass the copy to check as --flink-home.

    \b
    savepoint-checker flink fetch 1.20 2.0
    savepoint-checker flink fetch 1.20 --to /opt/flink-1.20
    """
    if to is not None and (len(releases) > 1 or to.exists()):
        raise UsageError(f"--to {to}: must be a folder that does not exist, for one release")
    for release in releases:
        jars = flink_jars(release, progress=say)
        print(f"Flink {jars.name}: {jars}")
        if to is not None:
            try:
                shutil.copytree(jars, to / "lib")
            except OSError as error:  # of several files, copytree gathers them without saying one reason
                raise UsageError(f"--to {to}: {error.strerror or 'not all of it could be written'}") from error
            print(f"copied to {to}: check --flink-home {to}")
    print(f"all of them: {cache_folder()}")


@dataclass(frozen=True, kw_only=True)
class DoctorOptions(options.WhatIsGiven):
    """What ``doctor`` is asked."""

    repo: options.Repo = Path(".")
    base: options.Base = None
    head: options.Head = "HEAD"
    pipeline: options.Pipelines = None


@options.options_of(DoctorOptions)
def doctor(asked: DoctorOptions) -> None:
    """Show which jobs were found, how each is read, and what is missing.

    With --base it also says why edits since then are not understood.

    \b
    savepoint-checker doctor
    savepoint-checker doctor --base main
    """
    execution = replace(options.WhatMayRun().execution, fetch=False)
    wanted = Asked(pipelines=tuple(asked.pipeline or ()), overrides=asked.overrides, execution=execution)
    with waiting("looking for pipelines"):
        plan = plan_check(asked.repo, asked.base or asked.head, asked.head, wanted)
        report = run_check(plan, judge_pipelines)
    entries = [after or before for before, after in plan.asked.values()]
    deployments = {entry.name: entry.deployment for entry in entries if entry is not None and entry.deployment}
    deployed = {
        name: f"started by {found.kind} '{found.name}' ({found.location})" for name, found in deployments.items()
    }
    print(render_doctor(report, deployed, flink_without_jobs(plan, report), tuple(_machine(report))), end="")


def _machine(report: Json) -> Iterator[tuple[str, str]]:
    """What readers need of this machine, each with what is there or how to get it."""
    yield "Java", java() or "none; SQL, --allow-exec and Spark need one: install a JDK 17 or set JAVA_HOME"
    missing = "missing; SQL and --allow-exec need it: pip install 'savepoint-checker[flink]'"
    yield "JPype", missing if find_spec("jpype") is None else "installed"
    yield "Spark", missing_for_spark(None) or "installed"
    for release in sorted({p["flink"]["head"] for p in report["pipelines"]} - {None}):
        try:
            found = cached_jars(release) is not None
        except UnsupportedFlinkError:
            continue
        fetch = f"not here; SQL and --allow-exec need them: savepoint-checker flink fetch {release}"
        yield f"jars of Flink {release}", "here" if found else fetch
