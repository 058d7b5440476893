"""Where random tests begin: always at the same place, unless ``SEEDS`` is set.

So a commit and its successor are asked the same. ``SEEDS=fresh`` asks what nobody has seen yet; what it drew is in the
first lines of the output, and ``SEEDS=NUMBER`` repeats it.
"""

import hashlib
import os
import secrets

LIMIT = 1_000_000_000


def drawn() -> str:
    """What all seeds are made of; a fresh number is drawn once and handed on to child processes."""
    if os.environ.get("SEEDS") == "fresh":
        os.environ["SEEDS"] = str(secrets.randbelow(LIMIT))
    return os.environ.get("SEEDS", "")


def seed_of(variable: str) -> int:
    """The seed that the environment variable sets; else one of its own."""
    if given := os.environ.get(variable):
        return int(given)
    return int.from_bytes(hashlib.sha256(f"{drawn()} {variable}".encode()).digest()[:8], "big") % LIMIT
