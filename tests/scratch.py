"""Scratch git repositories for tests."""

import atexit
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

CLEAN = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")} | {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.com",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.com",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "maintenance.auto",
    "GIT_CONFIG_VALUE_0": "false",
    "GIT_CONFIG_KEY_1": "core.fsync",
    "GIT_CONFIG_VALUE_1": "none",
}
"""No maintenance is started behind a commit: small repositories need none, and thousands are made."""


@cache
def _empty_repository(branch: str) -> Path:
    """A repository without commits, as ``git init`` makes it but for the examples of hooks."""
    folder = Path(tempfile.mkdtemp(prefix="scratch-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    command = ["git", "init", "--quiet", "--template=", f"--initial-branch={branch}"]
    subprocess.run(command, cwd=folder, env=CLEAN, check=True)
    return folder / ".git"


class Scratch:
    """A repository in a folder; files are written, then committed."""

    def __init__(self, folder: Path, branch: str = "main") -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copytree(_empty_repository(branch), folder / ".git", dirs_exist_ok=True)

    def git(self, *arguments: str, check: bool = True) -> str:
        command = ["git", *arguments]
        done = subprocess.run(
            command, cwd=self.folder, env=CLEAN, check=check, capture_output=True, text=True, errors="replace"
        )
        return done.stdout.strip()

    def write(self, path: str, content: str | bytes) -> None:
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, message: str = "a commit", **files: str | None) -> str:
        for path, content in files.items():
            if content is None:
                (self.folder / path).unlink()
            else:
                self.write(path, content)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")


def topology(name: str = "orders", *, before: str = "", uid: str = "") -> str:
    """A small pipeline with a stateful operator; ``before`` inserts an operator, ``uid`` pins the stateful one."""
    inserted = f"  - {{id: {before}, kind: operator, inputs: [src], operator: filter}}\n" if before else ""
    return (
        f'topology: 1\nname: {name}\nflink: "1.20"\nparallelism: 2\ntransformations:\n'
        "  - {id: src, kind: source, uid: src}\n"
        f"{inserted}"
        f"  - {{id: key, kind: partition, inputs: [{before or 'src'}], partitioner: hash}}\n"
        "  - {id: count, kind: operator, inputs: [key], keyed: true, operator: keyed-process"
        f"{f', uid: {uid}' if uid else ''}, state: [{{name: n, kind: value}}]}}\n"
        "  - {id: out, kind: legacy-sink, inputs: [count]}\n"
    )
