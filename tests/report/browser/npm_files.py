"""Single files of npm packages, fetched once: what pages are held against."""

import os
import subprocess
import tarfile
from pathlib import Path

AXE = ("axe-core@4.14.1", "package/axe.min.js")


def npm_file(package: str, path: str) -> Path:
    """The file ``path`` of a package's tarball, kept in the user's cache folder."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "savepoint-checker-tests"
    kept = cache / package.replace("/", "+") / Path(path).name
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            ["npm", "pack", "--silent", "--pack-destination", str(kept.parent), package],
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"npm pack {package}: {done.stderr}"
        tarball = kept.parent / done.stdout.strip().splitlines()[-1]
        with tarfile.open(tarball) as archive:
            member = archive.extractfile(path)
            assert member is not None
            kept.write_bytes(member.read())
        tarball.unlink()
    return kept
