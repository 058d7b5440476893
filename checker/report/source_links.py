"""Addresses of source lines at the place that hosts the repository."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

Json = dict[str, Any]


def web_address(remote: str | None) -> str | None:
    """The page of a repository, from what ``git remote`` says; None for a folder or an unknown form.

    What a clone address carries in front of the host (a user, a token) is left behind.
    """
    text = (remote or "").strip()
    match = re.fullmatch(r"(?:https?|ssh|git)://(?:[^@/]*@)?([\w.-]+)(?::\d+)?/(.+?)(?:\.git)?/?", text)
    match = match or re.fullmatch(r"(?:[\w.-]+@)([\w.-]+):(?!//)(.+?)(?:\.git)?/?", text)
    if not match or "/" not in match[2]:
        return None
    return f"https://{match[1]}/{quote(match[2])}"


def source_link(report: Json, location: Json | None, side: str) -> str | None:
    """The address of one line as it stands at ``base`` or ``head``; None where the commit has no page."""
    page, commit = report.get("repository_url"), report[side]["commit"]
    if location is None or page is None or commit is None:
        return None
    file, line = quote(location["file"], safe="/"), location["line"]
    host = re.sub(r"^https://([^/]*).*", r"\1", page)
    if "gitlab" in host:
        return f"{page}/-/blob/{commit}/{file}#L{line}"
    if "bitbucket" in host:
        return f"{page}/src/{commit}/{file}#lines-{line}"
    return f"{page}/blob/{commit}/{file}#L{line}"
