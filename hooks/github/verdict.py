"""Passes or fails the job: findings fail it, unless somebody set the approval label for exactly these commits.

The label counts only in the run that setting it starts. A label that is still there after new commits approves nothing:
those commits were never looked at. Only people with triage rights can set labels, so a fork can't approve itself.
"""

import json
import os
import sys
from pathlib import Path


def main() -> int:
    """The exit code of the job."""
    code = int(os.environ.get("EXIT_CODE") or 3)
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    label = os.environ.get("INPUT_LABEL", "")
    approved = bool(
        code == 1 and label and event.get("action") == "labeled" and (event.get("label") or {}).get("name") == label
    )
    with open(os.environ["GITHUB_OUTPUT"], "a", encoding="utf-8") as outputs:
        outputs.write(f"approved={str(approved).lower()}\n")
    if approved:
        who = (event.get("sender") or {}).get("login", "somebody")
        said = f"{_plain(who)} accepted the findings with the label {_plain(label)}"
        print(f"::notice title=savepoint-checker::{said}")
        return 0
    labels = [one.get("name") for one in (event.get("pull_request") or {}).get("labels", [])]
    if code == 1 and label in labels:
        print(
            f"::error title=savepoint-checker::the label {_plain(label)} was set before these commits; "
            "remove it and set it again to accept their findings"
        )
    elif code == 1 and label and event.get("pull_request"):
        print(f"::notice title=savepoint-checker::to accept these findings as intended, set the label {_plain(label)}")
    return code


def _plain(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text).replace("%", "%25")


if __name__ == "__main__":
    sys.exit(main())
