"""``--fleet FILE``: many repositories, by folder or by clone URL.

[[repository]]
path = "../orders"            # relative to the file
[[repository]]
name = "billing"
url = "https://git.example.com/team/billing.git"
range = "v1.0..main"          # wins over --range and --tags of the command line
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from checker.errors import UsageError
from checker.files_below import content_of
from checker.processes.starting import printed
from checker.processes.surroundings import LOCALE, NETWORK, USER, environment
from checker.workflows.audit.planning import Asked, AuditedRepository, attempted

_KEYS = ("name", "path", "url", "range", "tags")
_OF_GIT = ("SSH_*", "GIT_SSH*", "GIT_SSL*", "GIT_HTTP_*", "GIT_CONFIG_*", "GIT_ASKPASS", "GIT_EXEC_PATH", "GIT_TRACE*")
"""Variables that say how a server is reached."""
_AT_ONCE = 8
"""Repositories that are looked up or cloned at the same time: it is git that they wait for."""


def fleet(members: Sequence[Mapping[str, str]], asked: Asked, clones: Path) -> list[AuditedRepository]:
    """The repositories of ``members_of`` a fleet file, in its order; URLs are cloned below ``clones``."""

    def found(number: int, entry: Mapping[str, str]) -> AuditedRepository:
        own = replace(asked, range=entry.get("range"), tags=entry.get("tags")) if _chooses(entry) else asked
        name = entry.get("name")
        if "path" in entry:
            return attempted(name, Path(entry["path"]), own)
        folder = clones / str(number)
        failure = _clone(entry["url"], folder)
        called = name or _name_of(entry["url"])
        if failure is not None:
            return AuditedRepository(name=called, place=entry["url"], failure=failure)
        return replace(attempted(called, folder, own), place=entry["url"])

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return list(pool.map(found, range(len(members)), members))


def _chooses(entry: Mapping[str, str]) -> bool:
    return "range" in entry or "tags" in entry


def members_of(file: Path) -> list[dict[str, str]]:
    """The tables of a fleet file, paths from its folder on. Raises UsageError."""
    try:
        raw = tomllib.loads(content_of(file).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"--fleet {file}: {error}") from None
    entries = raw.get("repository")
    if set(raw) != {"repository"} or not isinstance(entries, list) or not entries:
        raise UsageError(f"--fleet {file}: must hold [[repository]] tables, and nothing else")
    for number, entry in enumerate(entries, 1):
        where = f"--fleet {file}: repository {number}"
        if not isinstance(entry, dict) or any(not isinstance(v, str) or not v for v in entry.values()):
            raise UsageError(f"{where}: every value must be text")
        unknown = sorted(set(entry) - set(_KEYS))
        if unknown:
            raise UsageError(f"{where}: unknown key '{unknown[0]}'; known are {', '.join(_KEYS)}")
        if ("path" in entry) == ("url" in entry):
            raise UsageError(f"{where}: give either path or url")
        if entry.get("url", "").startswith("-"):
            raise UsageError(f"{where}: '{entry['url']}' is not a URL")
    return [{**e, "path": str(file.parent / e["path"])} if "path" in e else e for e in entries]


def _name_of(url: str) -> str:
    return "/".join(url.removesuffix("/").removesuffix(".git").replace(":", "/").split("/")[-2:])


def _clone(url: str, folder: Path) -> str | None:
    """None when it worked, else why it did not. Only transports that run no commands of the URL's choice."""
    own = {"GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh"}
    seen = environment(*LOCALE, *USER, *NETWORK, *_OF_GIT, own=own)
    place = os.path.abspath(url) if os.path.exists(url) else url
    status, _, complaints = printed(["git", "clone", "--quiet", "--bare", "--", place, str(folder)], environment=seen)
    if status == 0:
        return None
    lines = [line for line in complaints.decode("utf-8", "replace").splitlines() if line.strip()]
    return f"git clone failed: {lines[-1] if lines else f'exit code {status}'}"
