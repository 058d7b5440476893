"""Starts processes; nothing else of this package does, which ``tests/house`` holds.

Each has variables that were chosen for it and a folder that is not the current one, reads nothing but what we write,
and can't take more memory than it is given (where the platform limits that).

What a child process may see: chosen variables, programs and modules that no repository brings, an empty folder.

The folder that a command is called in mostly belongs to the repository that it reads. So nothing is looked up there:
entries of ``PATH`` and the like that are empty, relative or inside of a repository are left out, and a variable that
names such a place counts as not set. The Python that runs now is used wherever it lies.
"""

import contextlib
import io
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

LOCALE = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "JAVA_HOME", "LD_LIBRARY_PATH")
"""What every process may see: how texts are written, and where programs are."""
USER = ("HOME", "USER", "LOGNAME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")
NETWORK = (
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NETRC",
)  # fmt: skip
"""How others are reached: the addresses may hold credentials."""
_PLACES = ("HOME", "_DIR", "_FILE", "_PYTHON", "TMPDIR")
"""Endings of the names of variables that hold a place."""
_ISOLATED = Path(__file__).with_name("isolated.py")

_repositories: set[str] = set()
"""Never gone through: threads of a fleet add to it, and a fleet has many."""
_empty: list[tempfile.TemporaryDirectory[str]] = []


def nothing_from(folder: Path) -> None:
    """From now on nothing is started that lies in this folder."""
    _repositories.add(os.path.realpath(folder))


def environment(*names: str, own: Mapping[str, str] | None = None) -> dict[str, str]:
    """Our variables of these names (``PIP_*``: all that begin so), without what leads to a repository; then ``own``."""
    exact = frozenset(name for name in names if not name.endswith("*"))
    beginnings = tuple(name[:-1] for name in names if name.endswith("*"))
    chosen = (
        (name, _vetted(name, value))
        for name, value in os.environ.items()
        if name in exact or (beginnings and name.startswith(beginnings))
    )
    return {name: value for name, value in chosen if value is not None} | dict(own or {})


def executable(name: str) -> str:
    """The absolute path of a program. Raises FileNotFoundError where ``PATH`` has none outside of repositories."""
    found = shutil.which(name, path=_cleaned(os.environ.get("PATH", os.defpath)))
    if found is None:
        raise FileNotFoundError(name)
    return found


def java() -> str | None:
    """The Java of ``JAVA_HOME``, else of ``PATH``; None without any."""
    home = environment("JAVA_HOME").get("JAVA_HOME")
    found = None if home else shutil.which("java", path=_cleaned(os.environ.get("PATH", os.defpath)))
    return str(Path(home, "bin", "java")) if home else found


def python_module(module: str, *arguments: str) -> list[str]:
    """The command that runs a module of ours in another Python, which finds the modules that this one finds."""
    return [sys.executable, "-I", str(_ISOLATED), os.pathsep.join(_module_path()), module, *arguments]


def empty_folder() -> Path:
    """A folder of this process alone that holds nothing, to start others in. Removed at the end."""
    if not _empty or not os.path.isdir(_empty[-1].name):
        _empty.append(tempfile.TemporaryDirectory(prefix="savepoint-checker-empty-", ignore_cleanup_errors=True))
    return Path(_empty[-1].name)


def clean_own_path() -> None:
    """Let libraries that start programs find none in the repository of the current folder either."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / ".git").exists():
            nothing_from(folder)
            break
    if "PATH" in os.environ:
        os.environ["PATH"] = _cleaned(os.environ["PATH"])


@contextmanager
def as_own_environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Let a library that hands all of our variables on hand on these instead."""
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _vetted(name: str, value: str) -> str | None:
    if name.endswith("PATH"):
        return _cleaned(value)
    if not name.endswith(_PLACES):
        return value
    is_command = name.endswith("_PYTHON") and os.sep not in value
    return value if is_command or _is_outside(value) else None


def _cleaned(places: str) -> str:
    return os.pathsep.join(place for place in places.split(os.pathsep) if _is_outside(place))


def _is_outside(place: str) -> bool:
    """Whether a place is absolute and in no repository."""
    return os.path.isabs(place) and _repositories.isdisjoint(_upwards(os.path.realpath(place)))


def _upwards(path: str) -> Iterator[str]:
    """An absolute path, and the folders that it lies in."""
    above = os.path.dirname(path)
    yield path
    if above != path:
        yield from _upwards(above)


def _module_path() -> Iterator[str]:
    """Where this Python finds modules, without what lies in a repository, unless this Python is installed there."""
    paths = sysconfig.get_paths()
    installed = [paths[kind] for kind in ("stdlib", "platstdlib", "purelib", "platlib")]
    installed.append(str(Path(__file__).parents[2]))
    for place in sys.path:
        if _is_outside(place) or (os.path.isabs(place) and any(_is_below(place, path) for path in installed)):
            yield place


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(os.path.join(folder, ""))


Process = subprocess.Popen[bytes]
PIPE = subprocess.PIPE
_ENDLESS = 3600.0
"""Seconds that no command takes which does its work."""
_BUSY = 120
"""Seconds of processor time that no command takes which prints something: git goes through 1,000,000 commits in 20."""
_IDLE = 15.0
"""Seconds in which every process does something, unless it waits for what never comes: the writer of a pipe."""
MEMORY_MB, ASKED_MB = 6_000, 2_000
"""What a process may take that is told nothing else, and one that is only asked for something."""
_SUPERVISOR = Path(__file__).with_name("supervisor.py")
_PATIENCE = 15.0
"""Seconds that the supervisor has to kill what is left."""


def started(
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    folder: Path | None = None,
    output: int | IO[bytes] = subprocess.DEVNULL,
    complaints: int | IO[bytes] = subprocess.DEVNULL,
    written_to: bool = False,
    stays: bool = False,
    memory_mb: int | None = MEMORY_MB,
) -> Process:
    """A running command. ``stays`` lets it outlive us. Raises FileNotFoundError where there is no such program."""
    process = subprocess.Popen(
        [_program(command[0]), *command[1:]],
        stdin=subprocess.PIPE if written_to else subprocess.DEVNULL,
        stdout=output,
        stderr=complaints,
        cwd=folder or empty_folder(),
        env=environment,
        start_new_session=stays,
    )
    if memory_mb is not None:
        _limit(process, "RLIMIT_DATA", memory_mb * 1_000_000)
    return process


def _limit(process: Process, what: str, most: int) -> None:
    if sys.platform == "linux":
        import resource

        with contextlib.suppress(OSError, ValueError):
            resource.prlimit(process.pid, getattr(resource, what), (most, most + 1))


def printed(
    command: Sequence[str], *, environment: Mapping[str, str], folder: Path | None = None
) -> tuple[int, bytes, bytes]:
    """How a command ended, what it printed, and its complaints. Raises TimeoutError for one that has no end."""
    with started(
        command, environment=environment, folder=folder, output=PIPE, complaints=PIPE, memory_mb=ASKED_MB
    ) as process:
        _limit(process, "RLIMIT_CPU", _BUSY)
        try:
            for _ in _while_it_works(process):
                with contextlib.suppress(subprocess.TimeoutExpired):
                    output, complaints = process.communicate(timeout=_IDLE)
                    if process.returncode != -signal.SIGXCPU:
                        return process.returncode, output, complaints
                    break
        finally:
            process.kill()
    raise TimeoutError


class Answers(io.RawIOBase):
    """What a process prints that stays and is asked for things. Raises TimeoutError where it gives no answer."""

    def __init__(self, process: Process) -> None:
        super().__init__()
        assert process.stdout is not None
        self._process = process
        self._file = process.stdout.fileno()
        self._ready = select.poll()
        self._ready.register(self._file, select.POLLIN)

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, target: Any) -> int:
        """What it prints next; nothing at its end."""
        for _ in _while_it_works(self._process):
            if self._ready.poll(_IDLE * 1000):
                return os.readv(self._file, [target])
        raise TimeoutError


def _while_it_works(process: Process) -> Iterator[None]:
    """One round after the other, until the process did nothing from one to the next, or there were too many."""
    before = None
    for _ in range(round(_ENDLESS / _IDLE)):
        yield
        done = _done_by(process)
        if done is not None and done == before:
            return
        before = done


_WORK = re.compile(r"ctxt_switches:\t(\d+)|^\d+ \(.*\)(?: \S+){11} (\d+ \d+) ", re.DOTALL)


def _done_by(process: Process) -> list[tuple[str, ...]] | None:
    """What the system has counted of a process's work: times it woke up, and processor time. None: it does not say."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            found = [Path(f"/proc/{process.pid}/{kind}").read_text("utf-8", "replace") for kind in ("stat", "status")]
            return [counted for text in found for counted in _WORK.findall(text)]
    return None


@contextlib.contextmanager
def supervised(
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    folder: Path | None = None,
    output: int | IO[bytes] = subprocess.DEVNULL,
    memory_mb: int | None = MEMORY_MB,
) -> Iterator[Process]:
    """The running command, whose processes are all gone when the block is left, whatever they did to get away.

    On Linux a process that has left its session or forked twice is found as well; elsewhere only those that stayed in
    the process group. Standard output and error go to ``output``. ``waited`` gives the command's own status.
    """
    process = started(
        [sys.executable, "-I", "-S", str(_SUPERVISOR), str(memory_mb or 0), *command],
        environment=environment,
        folder=folder,
        output=output,
        complaints=subprocess.STDOUT,
        stays=True,
        memory_mb=None,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                waited(process, _PATIENCE)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def waited(process: Process, seconds: float) -> int | None:
    """The status of a process that ends in time, None for one that does not."""
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None


def _program(name: str) -> str:
    return name if os.path.isabs(name) else executable(name)
