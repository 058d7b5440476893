"""What this machine keeps: the jars of Flink releases (``flink fetch``)."""

import shutil
from pathlib import Path

from checker.engines.progress import say
from checker.errors import UsageError
from checker.extract.runtime.distribution import cache_folder, flink_jars


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
