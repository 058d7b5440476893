"""``init``: a configuration, an entry for hooks and a workflow to start with. Files that are there stay as they are."""

from dataclasses import asdict
from pathlib import Path

from checker import __version__
from checker.errors import CheckerError, UsageError
from checker.extract import registry
from checker.extract.deployments.discovery import deployments
from checker.extract.unfollowed.other_jobs import using_flink
from checker.files_below import FilesBelow
from checker.model.flink_releases import ASSUMED_FOR_SQL, RELEASES
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.report.pages import environment
from checker.report.presentable import visible
from checker.revisions import WORKTREE, Repository
from checker.settings import FILE, read_settings
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


def init(repo: Path = Path("."), only: list[str] | None = None) -> None:
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
        "sql": " ".join(minor for minor in RELEASES if minor in {".".join(r.split(".")[:2]) for r in releases}),
    }
    below = FilesBelow(repository.top)
    for part in wanted:
        if part == "config" and settings.source is not None:
            print(f"kept     {settings.source}")
        else:
            _offer(below, PARTS[part], environment(autoescape=False).get_template(f"init/{part}").render(**values))
    print(visible(_summary(entries)))
    for note in notes:
        print(visible(f"not read: {note.message}"))
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
