"""What this machine keeps: the jars of Flink releases (``flink fetch``)."""

from checker.engines.progress import say
from checker.extract.runtime.distribution import cache_folder, flink_jars


def fetch(releases: list[str]) -> None:
    """Download the jars of Flink releases, which planning SQL and --allow-exec need (about 250 MB each).

    They are kept in the user's cache folder. For an image, or a machine without a network, run this on another machine
    and copy that folder. Or copy the folder of one release, and name the copy with --flink-home.

    \b
    savepoint-checker flink fetch 1.20 2.0
    """
    for release in releases:
        jars = flink_jars(release, progress=say)
        print(f"Flink {jars.name}: {jars}")
    print(f"all of them: {cache_folder()}")
