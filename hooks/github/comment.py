"""Keeps one comment on the pull request up to date; without the right to write, says so and leaves it.

Runs with the Python of the runner and nothing installed.
"""

import json
import os
import sys
import urllib.error
from pathlib import Path

from github_api import call

LIMIT = 65_536


def main() -> int:
    """The exit code: 0 whatever GitHub says, since a missing comment hides nothing: the summary has it all."""
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    number = (event.get("pull_request") or {}).get("number")
    if number is None:
        return 0
    marker = f"<!-- savepoint-checker:{os.environ.get('INPUT_KEY') or 'default'} -->"
    issue = f"/repos/{os.environ['GITHUB_REPOSITORY']}/issues/{number}"
    try:
        known = _find(f"{issue}/comments", marker)
        body = f"{marker}\n{_text()}"[:LIMIT]
        if known is not None:
            call("PATCH", f"/repos/{os.environ['GITHUB_REPOSITORY']}/issues/comments/{known}", {"body": body})
        elif os.environ["VERDICT"] != "passes":
            call("POST", f"{issue}/comments", {"body": body})
    except urllib.error.HTTPError as error:
        fork = " (as on pull requests from forks)" if error.code in (401, 403, 404) else ""
        print(f"::notice title=savepoint-checker::no comment: GitHub answered {error.code}{fork}; see the step summary")
    except (urllib.error.URLError, TimeoutError) as error:
        print(f"::warning title=savepoint-checker::no comment: {' '.join(str(error).split())}; see the step summary")
    return 0


def _text() -> str:
    report = Path(os.environ.get("REPORT_FOLDER") or ".") / "report.md"
    if os.environ["VERDICT"] == "error" or not report.exists():
        return "## savepoint-checker could not do the work\n\nSee the log of this run.\n"
    return report.read_text(encoding="utf-8")


def _find(path: str, marker: str) -> int | None:
    author = os.environ.get("INPUT_AUTHOR") or "github-actions[bot]"
    for page in range(1, 31):
        comments = call("GET", f"{path}?per_page=100&page={page}")
        for comment in comments:
            # Anybody can write our marker into a comment of theirs, and edit it again after we did.
            if comment["body"].startswith(marker) and (comment.get("user") or {}).get("login") == author:
                return int(comment["id"])
        if len(comments) < 100:
            break
    return None


if __name__ == "__main__":
    sys.exit(main())
