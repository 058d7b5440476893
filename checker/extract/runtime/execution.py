"""What running a program, or Flink's planner, may use: a light record, which commands import at once."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Progress = Callable[[str], None]
"""Gets a sentence on what is going on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """What running a program may use. Comes from the command line, never from a revision's configuration."""

    allow_exec: bool = False
    flink_home: Path | None = None
    """A Flink distribution on disk, instead of one fetched by version."""
    jars_root: Path = Path()
    """The folder that ``jars`` of a pipeline without ``build`` are relative to."""
    seconds: float = 120.0
    build_seconds: float = 1800.0
    memory_mb: int = 1024
    pass_environment: tuple[str, ...] = ()
    java_home: Path | None = None
    fetch: bool = True
    """Whether what planning SQL needs may be downloaded; a hook never does."""
    progress: Progress | None = None
