"""What git's hooks do. Imports only what an edit that reaches no pipeline needs: hooks have to be quick."""

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from checker.errors import RevisionError, UsageError
from checker.revisions import INDEX, NOTHING, Repository
from checker.workflows.unreached import edited_files, reaching

_FROM, _TO = "PRE_COMMIT_FROM_REF", "PRE_COMMIT_TO_REF"


def run_hook(stage: str, repo: Path) -> int:
    """Do the work of a git hook in this process; the exit code. What git gives stands in its variables and input."""
    if stage == "pre-commit":
        return _compare(repo, [(None, INDEX)])
    if stage == "pre-push":
        found = pushes(os.environ, sys.stdin)
        return _compare(repo, [(_base(Repository(repo), remote, local), local) for remote, local in found])
    raise UsageError(f"hook {stage}: must be pre-commit or pre-push")


def _compare(repo: Path, pairs: Iterable[tuple[str | None, str]]) -> int:
    """Check each pair of revisions; 1 when one of them fails, 2 when this machine lacks what would tell."""
    worst = 0
    repository = Repository(repo)
    for base, head in pairs:
        head_revision = repository.revision(head)
        base_revision = repository.base(base, head_revision)
        edited = edited_files(base_revision.files, head_revision.files)
        reached = reaching(edited, base_revision.files, head_revision.files) if edited else None
        if not edited or (reached is not None and not reached.programs):
            continue
        from checker.engines.progress import waiting
        from checker.workflows.hooked import judge_reached

        with waiting("reading pipelines that the change may reach"):
            report = judge_reached(repo, base, head, edited, reached)
        if report is not None:
            from checker.report.check.document import lacks_means
            from checker.report.formats import Report, renderer

            sys.stdout.write(renderer(Report.CHECK, "text", sys.stdout)(report))
            if report["blocking"]:
                worst = max(worst, 2 if lacks_means(report) else 1)
    return worst


def pushes(environment: Mapping[str, str], lines: Iterable[str]) -> list[tuple[str | None, str]]:
    """The commits of what is pushed: the remote's (None: it has none), and the one that it gets. Raises RevisionError.

    Each pair is there once; deleted refs are left out.
    """
    if environment.get(_TO):
        return [(_commit(environment.get(_FROM, "")), environment[_TO])]
    found = []
    for line in lines:
        fields = line.split()
        if len(fields) != 4:
            raise RevisionError(f"'{line.strip()}': not a line that git gives to a pre-push hook")
        local = _commit(fields[1])
        if local is not None:
            found.append((_commit(fields[3]), local))
    return list(dict.fromkeys(found))


def _commit(text: str) -> str | None:
    """Git writes zeros for a ref that is not there."""
    return text if text.strip("0") else None


def _base(repository: Repository, remote: str | None, local: str) -> str | None:
    """The remote's commit; where it is unknown here or there is none, the usual default, else nothing at all."""
    if remote is not None:
        try:
            return repository.commit_of(remote)
        except RevisionError:
            # Somebody else's commit that was never fetched: a forced push. The default base is still one.
            pass
    try:
        repository.base(None, repository.revision(local))
    except RevisionError:
        if repository.shallow:
            raise
        return NOTHING
    return None
