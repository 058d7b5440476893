"""Builds a scratch git repository from an example: every numbered folder is a commit, laid over the one before."""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def make_repository(target: Path, example: str = "orders") -> None:
    """A repository with the example's history on branch main, always the same commits. Refuses to overwrite."""
    if target.exists() and any(target.iterdir()):
        sys.exit(f"{target} exists and is not empty; remove it or name another folder")
    target.mkdir(parents=True, exist_ok=True)
    env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    for who in ("AUTHOR", "COMMITTER"):
        env |= {f"GIT_{who}_NAME": "Ada", f"GIT_{who}_EMAIL": "ada@example.com"}

    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=target, env=env, check=True, stdout=subprocess.DEVNULL)

    git("init", "--quiet", "--initial-branch=main")
    for day, step in enumerate(sorted((HERE / example).iterdir()), start=1):
        # Times of the copies are new: git takes a file of the same size and time for unchanged.
        skipped = shutil.ignore_patterns("MESSAGE")
        shutil.copytree(step, target, dirs_exist_ok=True, ignore=skipped, copy_function=shutil.copy)
        message, _, tag = (step / "MESSAGE").read_text().partition("tag: ")
        for who in ("AUTHOR", "COMMITTER"):
            env[f"GIT_{who}_DATE"] = f"2026-01-{day:02d}T09:00:00Z"
        git("add", "--all")
        git("-c", "commit.gpgsign=false", "commit", "--quiet", "--message", message.strip())
        if tag:
            git("tag", tag.strip())


def main() -> None:
    """The command line."""
    histories = sorted(folder.parent.parent.name for folder in HERE.glob("*/1-*/MESSAGE"))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the repository is made: a folder that is new or empty")
    parser.add_argument(
        "example", nargs="?", default="orders", choices=histories, help="whose history (default: orders)"
    )
    asked = parser.parse_args()
    make_repository(asked.folder, asked.example)


if __name__ == "__main__":
    main()
