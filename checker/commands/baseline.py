"""``baseline``: accepts what a check finds now, each finding with the reason why it may stay."""

import sys
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from checker.commands import options
from checker.engines.choice import choose_engine
from checker.engines.progress import waiting
from checker.errors import UsageError
from checker.files_below import FilesBelow
from checker.report.wording import plural
from checker.revisions import WORKTREE, Repository
from checker.settings import read_settings
from checker.workflows.check.comparing_revisions import Asked, plan_check, run_check
from checker.workflows.check.policy import FILE, extended


@dataclass(frozen=True, kw_only=True)
class BaselineOptions(options.WhatIsGiven):
    """What ``baseline`` is asked."""

    what: str
    reason: str = ""
    expires: str | None = None
    repo: Path = Path(".")
    base: str | None = None
    head: str = WORKTREE
    pipeline: list[str] | None = None


def baseline(asked: BaselineOptions) -> None:
    """Write the errors and warnings that check finds now to the baseline, each with the reason why it may stay.

    The file is the one that the configuration names, else savepoint-baseline.json, which is read without being named.
    What it holds already stays. Commit it: reviewers see what was accepted, and why.

    \b
    savepoint-checker baseline write --reason "state of the old jobs is not needed, see OPS-12"
    savepoint-checker baseline write --base v1.4.0 --pipeline orders --reason "..." --expires 2027-03-31
    """
    if asked.what != "write":
        raise UsageError(f"baseline {asked.what}: must be write")
    if not asked.reason.strip():
        raise UsageError('baseline write: say why these findings may stay, with --reason "..."')
    repository = Repository(asked.repo)
    with waiting("looking for pipelines"):
        named = tuple(asked.pipeline or ())
        what = Asked(pipelines=named, overrides=asked.overrides, whole_branch=asked.head == WORKTREE)
        plan = plan_check(repository, asked.base, asked.head, what)
        report = run_check(plan, choose_engine(None, master="local[*]", remote=None, verbose=False))
    name = read_settings(repository.revision(WORKTREE).files).baseline or FILE
    below = FilesBelow(repository.top)
    text, added = extended(
        report,
        _before(below, name),
        name,
        reason=asked.reason.strip(),
        expires=_day(asked.expires),
        today=datetime.now(UTC).date(),
    )
    if added:
        options.write_below(below, name, text.encode("utf-8", "backslashreplace"), name)
    nothing = f"nothing to accept: {plan.base['label']} → {plan.head['label']}"
    print(f"{name}: {plural(added, 'finding')} accepted" if added else nothing, file=sys.stderr)


def _before(below: FilesBelow, name: str) -> str | None:
    """What the baseline holds, None where there is none. Raises UsageError."""
    try:
        return below.read(name).decode("utf-8-sig")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UsageError(f"{name}: can't be read: {reason}") from None


def _day(text: str | None) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"--expires {text}: must be a date such as 2027-03-31") from None
