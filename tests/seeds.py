"""Where random tests begin: elsewhere with each commit, at the same place whenever one commit is tested again.

So every change meets programs that nobody prepared, and a run that fails can be repeated without its output.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import subprocess
from pathlib import Path

LIMIT = 1_000_000_000


def fresh_seed(variable: str) -> int:
    """The seed that the environment variable sets; else one of the commit's files and the variable's name.

    Outside a git repository it is another one each time.
    """
    if given := os.environ.get(variable):
        return int(given)
    asked = subprocess.run(
        ["git", "rev-parse", "HEAD^{tree}"], cwd=Path(__file__).parent, capture_output=True, text=True, check=False
    )
    if asked.returncode != 0:
        return secrets.randbelow(LIMIT)
    digest = hashlib.sha256(f"{asked.stdout.strip()} {variable}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % LIMIT
