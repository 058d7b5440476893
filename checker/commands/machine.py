"""What this machine keeps: earlier results (``cache``), and the jars of Flink releases (``flink fetch``)."""

import shutil
from pathlib import Path

from checker.cache import MOST_BYTES, active_cache
from checker.engines.progress import say
from checker.errors import UsageError
from checker.extract.runtime.distribution import cache_folder, flink_jars


def cache(what: str = "info") -> None:
    """Show where earlier results are kept and how much that is, or forget them.

    The folder is --cache FOLDER before the command, SAVEPOINT_CHECKER_CACHE, or one in the user's cache folder.
    """
    if what not in ("info", "clear"):
        raise UsageError(f"cache {what}: must be info or clear")
    kept = active_cache()
    if kept is None:
        print("no cache: it is switched off")
        return
    if what == "clear":
        try:
            kept.clear()
        except OSError as error:
            raise UsageError(f"{kept.file}: can't be deleted: {error.strerror}") from None
        print(f"forgotten: {kept.file}")
        return
    entries, size = kept.info()
    print(f"{kept.file}\n{entries:,} entries, {size / 1e6:.1f} MB of at most {MOST_BYTES / 1e6:.0f} MB")


def fetch(releases: list[str], to: Path | None = None) -> None:
    """Download the jars of Flink releases, which planning SQL and --allow-exec need (about 250 MB each).

    They are kept in the user's cache folder. For an image, or a machine without a network, run this where there is one
    and copy that folder, or use --to and pass the copy to check as --flink-home.

    \b
    savepoint-checker flink fetch 1.20 2.0
    savepoint-checker flink fetch 1.20 --to /opt/flink-1.20
    """
    if to is not None and (len(releases) > 1 or to.exists()):
        raise UsageError(f"--to {to}: must be a folder that does not exist, for one release")
    for release in releases:
        jars = flink_jars(release, progress=say)
        print(f"Flink {jars.name}: {jars}")
        if to is not None:
            try:
                shutil.copytree(jars, to / "lib")
            except OSError as error:  # of several files, copytree gathers them without saying one reason
                raise UsageError(f"--to {to}: {error.strerror or 'not all of it could be written'}") from error
            print(f"copied to {to}: check --flink-home {to}")
    print(f"all of them: {cache_folder()}")
