"""Scratch repositories with one pipeline, and git as a person runs it."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
PINNED = """\
topology: 1
name: orders
flink: "1.20"
transformations:
- {id: orders, kind: source, name: Orders, uid: orders}
- {id: by-customer, kind: partition, inputs: [orders], partitioner: hash}
- {id: totals, kind: operator, inputs: [by-customer], keyed: true, name: Totals, state: [{name: total, kind: value}]}
"""
MOVED = PINNED.replace(
    "- {id: by-customer, kind: partition, inputs: [orders]",
    "- {id: valid, kind: operator, operator: filter, inputs: [orders], name: Valid}\n"
    "- {id: by-customer, kind: partition, inputs: [valid]",
)
DOCUMENT = "orders.topology.yaml"


def clean_environment(**more: str) -> dict[str, str]:
    """This environment without git's variables, with the checker of this work tree first on the PATH."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "PRE_COMMIT"))}
    env |= {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_AUTHOR_NAME": "A",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "A",
        "GIT_COMMITTER_EMAIL": "a@example.org",
        "GIT_ALLOW_PROTOCOL": "file",
    }
    return env | more


@dataclass
class Scratch:
    """A repository in a folder of its own."""

    top: Path

    def run(self, *command: str, env: dict[str, str] | None = None, given: str | None = None) -> tuple[int, str]:
        """Exit code and everything said."""
        done = subprocess.run(
            command,
            cwd=self.top,
            env=env or clean_environment(),
            input=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    def git(self, *arguments: str) -> str:
        code, output = self.run("git", *arguments)
        assert code == 0, f"git {' '.join(arguments)}: {output}"
        return output.strip()

    def write(self, text: str, name: str = DOCUMENT) -> None:
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def commit(self, text: str, message: str = "change") -> str:
        """Commit the pipeline past all hooks; the new commit."""
        self.write(text)
        self.git("add", "-A")
        self.git("commit", "--quiet", "--no-verify", "-m", message)
        return self.git("rev-parse", "HEAD")


def new_repository(top: Path) -> Scratch:
    top.mkdir(parents=True, exist_ok=True)
    scratch = Scratch(top)
    scratch.git("init", "--quiet", "--initial-branch=main")
    return scratch


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    """A repository with no commit yet."""
    return new_repository(tmp_path / "repository")


@pytest.fixture
def hooked(scratch: Scratch) -> Scratch:
    """A repository with one commit and the plain git hooks installed."""
    scratch.commit(PINNED, "one")
    code, output = scratch.run("sh", str(TOP / "hooks" / "install"))
    assert code == 0, output
    return scratch
