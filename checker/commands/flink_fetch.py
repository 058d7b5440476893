"""``flink fetch``: the jars of Flink releases, for machines that plan SQL later and can't download then."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

from checker.commands import option
from checker.engines.progress import say
from checker.errors import UsageError
from checker.extract.runtime.distribution import cache_folder, flink_jars, forget_failed_downloads

Releases = Annotated[list[str], option("flink_fetch.Releases")]
To = Annotated[Path | None, option("flink_fetch.To")]


def fetch(releases: Releases, to: To = None) -> None:
    """Download the jars of Flink releases, which planning SQL and --allow-exec need (about 250 MB each).

    They are kept in the user's cache folder. For an image, or a machine without a network, run this where there is one
    and copy that folder, or use --to and pass the copy to check as --flink-home.

    \b
    savepoint-checker flink fetch 1.20 2.0
    savepoint-checker flink fetch 1.20 --to /opt/flink-1.20
    """
    if to is not None and (len(releases) > 1 or to.exists()):
        raise UsageError(f"--to {to}: must be a folder that does not exist, for one release")
    forget_failed_downloads()
    for release in releases:
        jars = flink_jars(release, progress=say)
        print(f"Flink {jars.name}: {jars}")
        if to is not None:
            shutil.copytree(jars, to / "lib")
            print(f"copied to {to}: check --flink-home {to}")
    print(f"all of them: {cache_folder()}")
