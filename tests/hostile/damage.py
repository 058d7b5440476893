"""Objects as no git makes them, and damage to those that it made."""

import hashlib
import subprocess
from pathlib import Path

from tests.scratch import CLEAN, Scratch


def stored(repository: Scratch, kind: str, content: bytes) -> str:
    """The id of an object, which git is told to keep as it is."""
    command = ["git", "hash-object", "-t", kind, "-w", "--stdin", "--literally"]
    done = subprocess.run(command, cwd=repository.folder, env=CLEAN, input=content, capture_output=True, check=True)
    return done.stdout.decode().strip()


def entry(name: bytes, blob: str, mode: bytes = b"100644") -> bytes:
    """One line of a tree."""
    return mode + b" " + name + b"\0" + bytes.fromhex(blob)


def committed(repository: Scratch, tree: str) -> str:
    """A commit of a tree on top of the current one, which is checked out now as far as git's files say."""
    commit = commit_of(tree, f"parent {repository.git('rev-parse', 'HEAD')}\n")
    return checked_out(repository, stored(repository, "commit", commit))


def commit_of(tree: str, parents: str, committer: str = "A <a@b> 1700000000 +0000", more: str = "") -> bytes:
    """A commit object."""
    return f"tree {tree}\n{parents}author A <a@b> 1700000000 +0000\ncommitter {committer}\n{more}\nsubject\n".encode()


def checked_out(repository: Scratch, commit: str) -> str:
    """Let the branch name a commit, whatever it is."""
    (repository.folder / ".git" / "refs" / "heads" / "main").write_text(f"{commit}\n")
    return commit


def object_file(repository: Scratch, name: str) -> Path:
    """Where a loose object lies; it may be written."""
    path = repository.folder / ".git" / "objects" / name[:2] / name[2:]
    path.chmod(0o644)
    return path


def rename_in_index(repository: Scratch, name: bytes, renamed: bytes) -> None:
    """Give a path in the index another name of the same length, with the checksum that git expects."""
    assert len(name) == len(renamed)
    path = repository.folder / ".git" / "index"
    content = path.read_bytes()[:-20].replace(name, renamed)
    path.write_bytes(content + hashlib.sha1(content, usedforsecurity=False).digest())
