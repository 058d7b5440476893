"""Pairs of revisions of small repositories, and what ``check`` says of them.

``tests/data/pairs`` holds kinds of pairs. A folder below a kind is one repository: ``files``, and ``edits.json`` with a
row for each pair: its name, what is right, and its edits as (path, text before, text after). Without a text before, a
file is written as a whole; without either it is removed. Where both sides differ from ``files``, ``given`` has what
is edited before.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from checker.engines import choice
from checker.revisions import Repository, Revision
from checker.workflows.check.comparing_revisions import plan_check, run_check
from tests.judging import revision
from tests.report.contradictions import contradictions

DATA = Path(__file__).parent.parent / "data"
Files = Mapping[str, bytes]


@dataclass(frozen=True)
class Pair:
    """The row of one pair, and the folder of its repository."""

    row: Mapping[str, Any]
    repository: Path

    def sides(self) -> tuple[Files, Files]:
        """The files before and after the edits."""
        base = edited(files_below(self.repository / "files"), self.row.get("given", ()))
        return base, edited(base, self.row["edits"])


def edited(files: Files, edits: Iterable[tuple[str, str | None, str | None]]) -> Files:
    """The files after edits."""
    found = dict(files)
    for path, before, after in edits:
        if after is None:
            del found[path]
        elif before is None:
            found[path] = after.encode()
        else:
            assert before.encode() in found[path], (path, before)
            found[path] = found[path].replace(before.encode(), after.encode())
    return found


def files_below(folder: Path) -> dict[str, bytes]:
    """The content of every file below a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def pairs(kind: str, *, prefixed: bool = False) -> dict[str, Pair]:
    """The pairs of one kind by name, with the name of the repository before it where several have equal ones."""
    return {
        f"{folder.name}: {row['name']}" if prefixed else row["name"]: Pair(row, folder)
        for folder in sorted((DATA / "pairs" / kind).iterdir())
        for row in json.loads((folder / "edits.json").read_text("utf-8"))
    }


def checked(base: Files, head: Files, folder: Path) -> dict[str, Any]:
    """The report on two commits with these files."""
    plan = plan_check(_TwoCommits(folder, base, head), base="HEAD~1", head="HEAD")
    report = run_check(plan, choice.judge_pipelines)
    found = contradictions(report)
    assert not found, "\n".join(found)
    return report


class _TwoCommits(Repository):
    """A repository that is in no folder: thousands of pairs need no git."""

    def __init__(self, top: Path, base: Files, head: Files) -> None:
        self.top = top
        self._revisions = {
            asked: Revision(asked, digit * 40, revision(files), None)
            for asked, digit, files in (("HEAD~1", "1", base), ("HEAD", "2", head))
        }

    def head(self, asked: str) -> Revision:
        return self._revisions[asked]

    def base(self, asked: str | None, head: Revision | None) -> Revision:
        return self._revisions[asked or "HEAD~1"]

    @cached_property
    def remote_address(self) -> str | None:
        return None


def findings(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What a report finds in any pipeline and nothing suppresses."""
    return [f for p in document["pipelines"] for f in p.get("findings", ()) if not f.get("suppressed")]
