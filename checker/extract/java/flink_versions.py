"""The Flink version that a source file is built with: what a pipeline takes from the build files, and nothing else."""

from __future__ import annotations

from checker.extract.asking.consulted import ask
from checker.model.sources import SourceFiles


def flink_version(files: SourceFiles, source: str) -> tuple[str | None, tuple[str, ...]]:
    """(version, build files consulted) for a source file.

    Where ``files`` are consulted ones, this answer is written down and not what the build files hold besides.
    """
    version, *consulted = ask(files, "flink version", source)
    return version or None, tuple(consulted)
