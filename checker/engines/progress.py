"""A progress bar on terminals, nothing anywhere else."""

from __future__ import annotations

import sys

from checker.engines.in_process import Progress, quiet


def progress_bar() -> Progress:
    """A callback that draws on stderr when that is a terminal."""
    if not sys.stderr.isatty():
        return quiet

    def draw(stage: str, done: int, total: int) -> None:
        if total < 2:
            return
        width = 24
        filled = width * done // total
        sys.stderr.write(f"\r{stage} [{'#' * filled}{'.' * (width - filled)}] {done}/{total}")
        if done == total:
            sys.stderr.write("\r\033[K")
        sys.stderr.flush()

    return draw
