"""The jars of a Flink distribution: fetched by version through pip and cached, or used where they already are."""

import os
import re
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

from checker.cache import private_folder, user_folder
from checker.errors import ExtractionError, LackingError, UnsupportedFlinkError
from checker.extract.runtime.execution import Execution, Progress
from checker.model.flink_releases import FIRST_FOR_SQL, RELEASES, STOOD_FOR, minor_of
from checker.processes.starting import LOCALE, NETWORK, USER, environment, supervised, waited

PACKAGE = "apache-flink-libraries"
_FULL = re.compile(r"(\d+\.\d+)\.\d+")
_DOWNLOAD_SECONDS = 1800
_OTHERWISE = "check the network and pip's index settings, or name a Flink distribution on disk with --flink-home"
_failed: dict[str, str] = {}
"""Release → why this process could not download it."""


def full_version(version: str) -> str:
    """A patch release that can be had, for a minor or full version.

    Raises UnsupportedFlinkError for what no rule is known of.
    """
    if version in RELEASES:
        return RELEASES[version]
    match = _FULL.fullmatch(version)
    if match and match[1] in RELEASES:
        return RELEASES[match[1]] if version in STOOD_FOR else version
    raise UnsupportedFlinkError(
        f"Flink version '{version}' is not supported; use one of {', '.join(RELEASES)} or a patch release of it"
    )


def cache_folder() -> Path:
    """Where downloaded distributions live: ``$XDG_CACHE_HOME/savepoint-checker/flink``."""
    return user_folder() / "flink"


def distribution_jars(path: Path) -> Path:
    """The folder of jars of a distribution that is already there: itself, or its ``lib``.

    Raises ExtractionError when no ``flink-dist`` jar lies in either.
    """
    for folder in (path / "lib", path):
        if any(folder.glob("flink-dist*.jar")):
            return folder
    raise ExtractionError(
        f"{path} is not a Flink distribution: neither it nor its 'lib' holds a flink-dist jar; "
        "name the folder that 'bin/flink' of the distribution sits beside, or give a version instead"
    )


def cached_jars(version: str) -> Path | None:
    """The folder of jars of a release where it has been downloaded already. Raises UnsupportedFlinkError."""
    ready = cache_folder() / full_version(version)
    return ready if ready.is_dir() else None


def flink_jars(version: str, *, progress: Progress | None = None) -> Path:
    """The folder of jars of a Flink release, downloaded once (about 250 MB) and cached.

    ``version`` is a minor ("1.20": newest known patch) or a full version. Several processes may ask at once:
    one downloads, the others wait. A download that was cut off leaves nothing that is trusted later.
    Raises UnsupportedFlinkError for an unknown version and ExtractionError when the package can't be had.
    """
    full = full_version(version)
    cache = cache_folder()
    ready = cache / full
    if ready.is_dir():
        return ready
    import tempfile

    from filelock import FileLock

    try:
        private_folder(cache.parent)
        cache.mkdir(mode=0o700, exist_ok=True)
        with FileLock(cache / f"{full}.lock"):
            if not ready.is_dir():
                if full in _failed:
                    raise LackingError(_failed[full])
                for stale in cache.glob(f".{full}-*"):
                    shutil.rmtree(stale, ignore_errors=True)
                work = Path(tempfile.mkdtemp(prefix=f".{full}-", dir=cache))
                try:
                    _fill(full, work, progress or (lambda _: None))
                    (work / "jars").rename(ready)
                except ExtractionError as error:
                    _failed[full] = str(error)
                    raise LackingError(str(error)) from None
                finally:
                    shutil.rmtree(work, ignore_errors=True)
    except OSError as error:
        raise ExtractionError(
            f"the Flink {full} jars can't be stored in {cache}: {error.strerror or error}; "
            "make room or set XDG_CACHE_HOME to a folder that can be written"
        ) from None
    return ready


def planner_jars(execution: Execution, version: str) -> Path:
    """The jars that plan SQL for a full version of Flink, fetched where that is allowed. Raises ExtractionError."""
    if find_spec("jpype") is None:
        raise LackingError(
            "SQL is planned by Flink's own planner, which is not installed: pip install 'savepoint-checker[flink]'"
        )
    if execution.flink_home is not None:
        return distribution_jars(execution.flink_home)
    if minor_of(version) < FIRST_FOR_SQL:
        raise ExtractionError(f"SQL is planned as Flink 1.13 and newer plan it, not as Flink {version} does")
    if execution.fetch:
        return flink_jars(version, progress=execution.progress)
    found, minor = cached_jars(version), version.rpartition(".")[0]
    if found is None:
        raise LackingError(
            f"SQL is planned by Flink's own planner, and the jars of Flink {version} are not on this machine: "
            f"'savepoint-checker flink fetch {minor if RELEASES[minor] == version else version}' downloads them once"
        )
    return found


def _fill(version: str, work: Path, progress: Progress) -> None:
    """Download the package into ``work`` and leave its jars in ``work/jars``."""
    import tarfile

    if os.environ.get("PIP_NO_INDEX") and not os.environ.get("PIP_FIND_LINKS"):
        raise ExtractionError(f"PIP_NO_INDEX forbids pip to download {PACKAGE}=={version}; {_OTHERWISE}")
    progress(f"downloading the jars of Flink {version} ({PACKAGE} from the package index, about 250 MB, once)")
    download = work / "download"
    pip = _pip_with_setuptools(work / "venv")
    # The source package's metadata comes from its setup.py: without isolation it needs setuptools beside pip.
    _run(
        [
            *(pip, "-I", "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"),
            *("--no-build-isolation", "--dest", str(download), f"{PACKAGE}=={version}"),
        ],
        f"pip could not download {PACKAGE}=={version}",
        work,
    )
    archives = sorted(download.glob("*.tar.gz"))
    if not archives:
        raise ExtractionError(f"pip downloaded no source package of {PACKAGE}=={version}; report this with its output")
    progress(f"unpacking the jars of Flink {version}")
    jars = work / "jars"
    jars.mkdir()
    try:
        with tarfile.open(archives[0]) as archive:
            for member in archive:
                name = Path(member.name)
                if member.isfile() and name.suffix == ".jar" and name.parts[-3:-1] == ("deps", "lib"):
                    source = archive.extractfile(member)
                    if source is not None:
                        with source, (jars / name.name).open("wb") as target:
                            shutil.copyfileobj(source, target)
    except (tarfile.TarError, EOFError) as error:
        raise ExtractionError(f"the package {archives[0].name} is damaged: {error}; try again") from None
    distribution_jars(jars)


def _pip_with_setuptools(folder: Path) -> str:
    """A Python of its own whose pip can read old source packages: the caller's environment stays as it is."""
    _run(
        [sys.executable, "-I", "-m", "venv", str(folder)],
        "no virtual environment could be made (on Debian: apt-get install python3-venv)",
        folder.parent,
    )
    python = str(folder / "bin" / "python")
    _run(
        [python, "-I", "-m", "pip", "install", "--quiet", "setuptools<81", "wheel"],
        "pip could not install setuptools, which it needs to read the Flink package",
        folder.parent,
    )
    return python


def _run(command: list[str], failure: str, work: Path) -> None:
    """Run a step of the download; its temporary files lie in ``work``. Raises ExtractionError."""
    own = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1", "TMPDIR": str(work)}
    seen = environment(*LOCALE, *USER, *NETWORK, "PIP_*", own=own)
    output = work / "output.txt"
    with output.open("wb") as stream, supervised(command, environment=seen, output=stream) as process:
        status = waited(process, _DOWNLOAD_SECONDS)
    if status is None:
        raise ExtractionError(f"{failure}: no answer within {_DOWNLOAD_SECONDS // 60} minutes")
    if status:
        printed = output.read_text("utf-8", "replace").strip().splitlines() or [f"exit {status}"]
        last = next((line for line in reversed(printed) if line.startswith("ERROR")), printed[-1])
        raise ExtractionError(f"{failure} ({last.removeprefix('ERROR: ')}); {_OTHERWISE}")
