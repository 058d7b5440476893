"""Puts each repair as a suggestion on its line of the pull request, where one click commits it.

Reads ``repair.diff``, which ``savepoint-checker repair`` wrote for the commit that was checked. A suggestion that
stands on the pull request already, for the same commit, is not made again. Lines that the pull request doesn't show
can't have one: they are counted in a notice.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import urllib.error
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from github_api import call

MOST = 20
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")


@dataclass(frozen=True)
class Suggestion:
    """Lines ``first`` to ``last`` of a file, and what they should be."""

    path: str
    first: int
    last: int
    lines: tuple[str, ...]

    def marker(self, commit: str) -> str:
        """What tells this suggestion from others, for one commit."""
        digest = hashlib.sha256(repr((self.path, self.first, self.last, self.lines)).encode()).hexdigest()[:16]
        return f"<!-- savepoint-checker:suggestion:{commit[:12]}:{digest} -->"

    def body(self, commit: str) -> str:
        """The review comment."""
        longest = max((len(run) for line in self.lines for run in re.findall("`+", line)), default=0)
        fence = "`" * max(3, longest + 1)
        text = "\n".join(self.lines)
        said = "Keeps the state: with this edit it restores under the id that it was written with."
        return f"{self.marker(commit)}\n{said}\n\n{fence}suggestion\n{text}\n{fence}\n"


def main() -> int:
    """The exit code: 0 whatever GitHub says, since the comment and the summary have every repair."""
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    pull = event.get("pull_request") or {}
    diff = Path(os.environ.get("REPORT_FOLDER") or ".") / "repair.diff"
    if pull.get("number") is None or not diff.exists():
        return 0
    commit = pull["head"]["sha"]
    found = [s for s in suggestions(diff.read_text(encoding="utf-8")) if _same_in(commit, s.path)][:MOST]
    comments = f"/repos/{os.environ['GITHUB_REPOSITORY']}/pulls/{pull['number']}/comments"
    outside = 0
    try:
        made = _made(comments) if found else ""
        for suggestion in found:
            if suggestion.marker(commit) in made:
                continue
            body = {"body": suggestion.body(commit), "commit_id": commit, "path": suggestion.path, "side": "RIGHT",
                    "line": suggestion.last}  # fmt: skip
            if suggestion.first < suggestion.last:
                body |= {"start_line": suggestion.first, "start_side": "RIGHT"}
            try:
                call("POST", comments, body)
            except urllib.error.HTTPError as error:
                if error.code != 422:
                    raise
                outside += 1
    except urllib.error.HTTPError as error:
        print(f"::notice title=savepoint-checker::no suggestions: GitHub answered {error.code}; the comment has them")
    except (urllib.error.URLError, TimeoutError) as error:
        print(f"::warning title=savepoint-checker::no suggestions: {' '.join(str(error).split())}")
    if outside:
        print(f"::notice title=savepoint-checker::{outside} repairs are on lines that this pull request does not show; "
              "savepoint-checker repair --write makes them")  # fmt: skip
    return 0


def suggestions(diff: str) -> Iterator[Suggestion]:
    """The changed lines of every hunk of a unified diff. Text that is only inserted takes the line above with it."""
    path, number = "", 0
    old: list[str] = []
    new: list[str] = []
    above: str | None = None
    old_left = new_left = 0
    for line in [*diff.split("\n"), ""]:
        inside = old_left or new_left
        if inside and line[:1] in ("-", "+"):
            (old if line[0] == "-" else new).append(line[1:])
            old_left, new_left = old_left - (line[0] == "-"), new_left - (line[0] == "+")
            continue
        if old:
            yield Suggestion(path, number, number + len(old) - 1, tuple(new))
        elif new and above is not None:
            yield Suggestion(path, number - 1, number - 1, (above, *new))
        number += len(old)
        old, new = [], []
        hunk = _HUNK.match(line)
        if inside and not line.startswith("\\"):
            number, above = number + 1, line[1:]
            old_left, new_left = old_left - 1, new_left - 1
        elif hunk:
            number, above = int(hunk[1]), None
            old_left, new_left = (1 if count is None else int(count) for count in hunk.group(2, 3))
        elif line.startswith("+++ "):
            path = line[4:].split("\t")[0].removeprefix("b/")


def _same_in(commit: str, path: str) -> bool:
    """Whether what was checked, often a merge, has the file as the pull request's own commit has it."""
    same = subprocess.run(["git", "diff", "--quiet", commit, "HEAD", "--", path], capture_output=True, check=False)
    return same.returncode == 0


def _made(comments: str) -> str:
    """The bodies of what this action wrote already."""
    author = os.environ.get("INPUT_AUTHOR") or "github-actions[bot]"
    bodies = []
    for page in range(1, 31):
        found = call("GET", f"{comments}?per_page=100&page={page}")
        bodies += [c["body"] for c in found if (c.get("user") or {}).get("login") == author]
        if len(found) < 100:
            break
    return "\n".join(bodies)


if __name__ == "__main__":
    sys.exit(main())
