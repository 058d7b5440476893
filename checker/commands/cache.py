"""``cache``: shows and clears what earlier runs stored."""

from __future__ import annotations

from typing import Annotated

import typer

from checker.cache import MOST_BYTES, active_cache
from checker.errors import UsageError
from checker.extract.runtime.distribution import forget_failed_downloads

What = Annotated[str, typer.Argument(metavar="WHAT", help="info or clear.")]


def cache(what: What = "info") -> None:
    """Show where earlier results are kept and how much that is, or forget them, and which jars could not be downloaded.

    The folder is --cache FOLDER before the command, SAVEPOINT_CHECKER_CACHE, or one in the user's cache folder.
    """
    if what not in ("info", "clear"):
        raise UsageError(f"cache {what}: must be info or clear")
    if what == "clear":
        forget_failed_downloads()
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
    info = kept.info()
    print(f"{info.file}\n{info.entries:,} entries, {info.bytes / 1e6:.1f} MB of at most {MOST_BYTES / 1e6:.0f} MB")
