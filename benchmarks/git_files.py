"""Files of one commit, held in memory: what the scripts here hand to an extractor."""

from __future__ import annotations

import io
import subprocess
import tarfile
from functools import lru_cache
from pathlib import Path

from checker.model.sources import MemoryFiles

READ = (".java", ".kt", ".scala", ".xml", ".gradle", ".kts", ".properties", ".yaml", ".yml", ".toml", ".conf", ".sbt")


def git_dir(sources: Path, repository: str) -> Path | None:
    """The git directory of ``owner/name`` below a folder of clones or bare repositories, None if it has none."""
    base = sources / repository.replace("/", "+")
    for candidate in (base / ".git", base, base / "repo", base / "repo.git"):
        if (candidate / "HEAD").is_file() and (candidate / "objects").is_dir():
            return candidate
    return None


@lru_cache(maxsize=8)
def files_of(directory: Path, commit: str) -> MemoryFiles:
    """All files of a commit that an extractor may want. Raises CalledProcessError when git can't give them."""
    archive = subprocess.run(
        ["git", f"--git-dir={directory}", "archive", "--format=tar", commit], capture_output=True, check=True
    ).stdout
    contents: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar:
            if member.isfile() and member.name.endswith(READ) and member.size < 20_000_000:
                handle = tar.extractfile(member)
                if handle is not None:
                    contents[member.name] = handle.read()
    return MemoryFiles(contents)
