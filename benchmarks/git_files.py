"""Files of one commit, held in memory: what the scripts here hand to an extractor."""

import subprocess
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
    """All files of a commit that an extractor may want; blobs that the repository lacks are left out.

    Raises CalledProcessError when git does not know the commit.
    """
    git = ["git", f"--git-dir={directory}"]
    listing = subprocess.run([*git, "ls-tree", "-r", "-z", commit], capture_output=True, check=True).stdout
    wanted: list[tuple[str, str]] = []
    for line in listing.decode("utf-8", "surrogateescape").split("\0"):
        about, _, path = line.partition("\t")
        if path.endswith(READ) and about.split()[1] == "blob":
            wanted.append((path, about.split()[2]))
    names = "\n".join(blob for _, blob in wanted).encode()
    data = subprocess.run([*git, "cat-file", "--batch"], input=names, capture_output=True, check=True).stdout
    contents: dict[str, bytes] = {}
    position = 0
    for path, _ in wanted:
        end = data.index(b"\n", position)
        header = data[position:end].split()
        position = end + 1
        if header[-1] != b"missing":
            size = int(header[-1])
            contents[path] = data[position : position + size]
            position += size + 1
    return MemoryFiles(contents)
