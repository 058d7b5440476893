"""Git's own commands, started with an environment in which no repository's configuration runs anything.

In: arguments of git. Out: what it prints, and blobs by id through one process that stays. Called by ``revisions``.
"""

import io
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from checker.errors import RevisionError
from checker.files_below import MOST_BYTES
from checker.processes.starting import ASKED_MB, PIPE, Answers, Process, printed, started

_READ_ONLY = {
    # What a commit lacks is reported, never fetched: a remote's address can name a command.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    # What stands in for other objects is no part of a revision, and nobody who reviews it sees it.
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
}
_READ_ONLY_CONFIG = (
    # The keys of a repository's own .git/config that make the commands used here run a program, or print otherwise.
    ("core.fsmonitor", "false"),
    ("core.hooksPath", os.devnull),
    ("core.pager", "cat"),
    ("log.showSignature", "false"),
    ("column.ui", "never"),
    ("core.commitGraph", "false"),  # a file that says of commits what they say themselves
)
AT_ONCE = 200
"""Objects that are asked for before any is read: their names fit into a pipe."""
_LARGE, _MOST_KEPT = 1_000_000, 64_000_000
"""Bytes of an object that is not kept, and of all that are kept."""
_MOST_AT_ONCE = 4 * MOST_BYTES
"""Bytes of objects that are asked for together."""


class IdleError(RevisionError):
    """Git comes to no end: in a folder that was copied, anything may stand where it reads a file."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"{folder}: git comes to no end there: a pipe or a device stands where it reads a file (in .git, where its "
            "configuration points, as .gitignore), or patterns of a .gitignore take it for ever"
        )


class GitError(RevisionError):
    """A git command failed: what it printed before, and its complaint."""

    def __init__(self, printed: str, complaint: str) -> None:
        super().__init__(f"git can't read the repository: {' '.join(complaint.split())}; 'git fsck' says what is wrong")
        self.printed = printed
        self.complaint = complaint


def read_only(env: Mapping[str, str]) -> dict[str, str]:
    """Variables for git with which no configuration of the repository runs a command.

    The keys are added to those that the caller's environment sets (``GIT_CONFIG_COUNT``), which win over files.
    """
    count = int(env["GIT_CONFIG_COUNT"]) if env.get("GIT_CONFIG_COUNT", "").isdecimal() else 0
    found = {**env, **_READ_ONLY, "GIT_CONFIG_COUNT": str(count + len(_READ_ONLY_CONFIG))}
    for place, (key, value) in enumerate(_READ_ONLY_CONFIG, count):
        found |= {f"GIT_CONFIG_KEY_{place}": key, f"GIT_CONFIG_VALUE_{place}": value}
    return found


class Git:
    """Git in one folder, with one environment."""

    def __init__(self, folder: str, env: Mapping[str, str]) -> None:
        self._folder = Path(folder)
        self._env = env
        self._objects: Process | None = None
        self._answers: IO[bytes] | None = None
        self._idle: IdleError | None = None
        """That git waited for what never came: it would again."""
        self._kept: dict[str, bytes] = {}
        self._kept_bytes = 0

    def run(self, *arguments: str) -> str:
        """What a command prints. Raises GitError, IdleError; FileNotFoundError where there is no git."""
        with self._unless_idle():
            status, output, complaints = printed(["git", *arguments], environment=self._env, folder=self._folder)
        text = output.decode("utf-8", "surrogateescape").strip("\n")
        if status:
            raise GitError(text, complaints.decode("utf-8", "replace").strip())
        return text

    def blob(self, name: str) -> bytes:
        """The bytes of an object. Raises KeyError when the repository does not hold it."""
        found = self._kept.get(name)
        if found is None:
            [found] = self.blobs([name])
            if len(found) < _LARGE:
                if self._kept_bytes > _MOST_KEPT:
                    self._kept.clear()
                    self._kept_bytes = 0
                self._kept[name] = found
                self._kept_bytes += len(found)
        return found

    def blobs(self, names: Sequence[str], kind: bytes = b"blob") -> list[bytes]:
        """The bytes of up to ``AT_ONCE`` objects of a kind.

        Raises KeyError for one that is missing or too large, IdleError where git waits.
        """
        with self._unless_idle():
            return self._read(names, kind)

    def _read(self, names: Sequence[str], kind: bytes) -> list[bytes]:
        given, output = self._batch()
        try:
            given.write("".join(f"{name}\n" for name in names).encode())
            given.flush()
        except BrokenPipeError:
            self.close()
            raise KeyError(names[0]) from None
        found: list[bytes] = []
        missing: list[str] = []
        left = _MOST_AT_ONCE
        for name in names:
            header = output.readline().split()
            if len(header) == 2:  # the name, and that it is missing
                missing.append(name)
                continue
            size = int(header[2]) if header else left  # git ends at a damaged object; the next one is asked of another
            if not header or header[1] != kind or size > min(MOST_BYTES, left):
                self.close()  # a few bytes can stand for any number, which are not waited for
                raise KeyError(name)
            found.append(output.read(size))
            left -= size
            if not output.read(1):
                self.close()
                raise KeyError(name)
        if missing:
            raise KeyError(missing[0])
        return found

    @contextmanager
    def _unless_idle(self) -> Iterator[None]:
        if self._idle is not None:
            raise self._idle
        try:
            yield
        except TimeoutError:
            self.close()
            self._idle = IdleError(self._folder)
            raise self._idle from None

    def close(self) -> None:
        """Forget all objects and end the process that prints them; the next one that is asked for starts another."""
        self._kept.clear()
        self._kept_bytes = 0
        if self._objects is None:
            return
        for stream in (self._objects.stdin, self._objects.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):  # what is left to say to a process that ended
                    stream.close()
        self._objects.kill()
        self._objects.wait()
        self._objects = self._answers = None

    def _batch(self) -> tuple[IO[bytes], IO[bytes]]:
        """What is written to and read from the process that prints objects."""
        if self._objects is None:
            self._objects = started(
                ["git", "cat-file", "--batch"],
                environment=self._env, folder=self._folder, output=PIPE, written_to=True, memory_mb=ASKED_MB,
            )  # fmt: skip
            self._answers = io.BufferedReader(Answers(self._objects), _LARGE)
        given, output = self._objects.stdin, self._answers
        assert given is not None
        assert output is not None
        return given, output

    def __del__(self) -> None:
        self.close()
