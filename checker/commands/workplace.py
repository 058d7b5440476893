"""What sets a workplace up: ``init`` (a configuration, a hook entry, a workflow), ``hook``, ``lsp`` and ``cache``.

Files that are there stay as they are.
"""

from __future__ import annotations

from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from checker import __version__
from checker.cache import MOST_BYTES, active_cache
from checker.commands import option, options
from checker.commands.git_hooks import run_hook
from checker.errors import CheckerError, UsageError
from checker.extract import registry
from checker.extract.deployments import deployments
from checker.extract.runtime.distribution import forget_failed_downloads
from checker.extract.unfollowed.flink_code import using_flink
from checker.files_below import FilesBelow
from checker.model.pipelines import PipelineEntry
from checker.report.pages import environment
from checker.revisions import WORKTREE, Repository
from checker.settings import FILE, read_settings

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
    values = {"version": __version__, "project": PROJECT, "pipelines": [asdict(entry) for entry in entries]}
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
    savepoint-checker hook pre-push origin URL      what the remote has against what it gets
    savepoint-checker hook validate FILE...         topology documents and configuration
    """
    code = run_hook(stage, arguments or (), repo)
    if code:
        raise typer.Exit(code)


What = Annotated[str, option("workplace.What")]


def cache(what: What = "info") -> None:
    """Show where earlier results are kept and how much that is, or forget them, and which jars could not be downloaded.

    The folder is --cache FOLDER before the command, SAVEPOINT_CHECKER_CACHE, or one in the user's cache folder.
    """
    if what not in ("info", "clear"):
        raise UsageError(f"cache {what}: must be info or clear")
    if what == "clear":
        forget_failed_downloads()
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
