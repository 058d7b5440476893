"""The one door to files of a work tree: no link below its top is followed, and only regular files are read or replaced.

What a repository brings (links over its folders, FIFOs, files that stand where a result goes) can neither lead out of
the folder that was asked for nor make a read wait. In: a top folder, which its user chose and which may itself be
reached through links, and paths below it. Out: contents, and files that are written whole or not at all.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

MOST_BYTES = 128 * 1024 * 1024
"""Of a file beyond which it is not read: more than hosts of repositories take."""
_ITSELF = os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _ITSELF
_SHARED = 50
"""Characters of a name that its temporary file shares, so that it is not too long for the file system."""


def why_unsound(path: str) -> str | None:
    """Why a path can't be that of a file below a folder; None where it can."""
    for name in path.split("/"):
        if name in ("", ".", "..") or "\0" in name:
            return "it is not relative to a folder, or leaves it"
        if name.lower() == ".git":
            return "it lies where git keeps its own files"
    return None


class FilesBelow:
    """The files below one folder. Paths have ``/``; every method but ``kind`` raises OSError."""

    def __init__(self, top: Path | str) -> None:
        self._top = top
        self._folders: dict[str, bool] = {}
        """Folder → whether it and all above it are folders, not links to some."""

    def kind(self, path: str) -> int:
        """The mode of what a path names, itself and not what it links to; 0 for none and for what lies behind links."""
        end = 0
        while (end := path.find("/", end + 1)) > 0:
            folder = path[:end]
            if folder not in self._folders:
                self._folders[folder] = stat.S_ISDIR(self._mode(folder))
            if not self._folders[folder]:
                return 0
        return self._mode(path)

    def _mode(self, path: str) -> int:
        try:
            return os.lstat(os.path.join(self._top, path)).st_mode
        except (OSError, ValueError):
            return 0

    def link(self, path: str) -> str:
        """What a symbolic link says."""
        return os.readlink(os.path.join(self._top, path))

    @contextmanager
    def opened(self, path: str) -> Iterator[int]:
        """A regular file, open for reading. What would wait for a writer (a FIFO) is refused, not waited for."""
        with self._folder_of(path) as (folder, name):
            try:
                file = os.open(name, os.O_RDONLY | os.O_NONBLOCK | _ITSELF, dir_fd=folder)
            except OSError as error:
                raise (_in_the_way(folder, name) if error.errno == errno.ELOOP else error) from None
            try:
                if not stat.S_ISREG(os.fstat(file).st_mode):
                    raise _in_the_way(folder, name)
                yield file
            finally:
                os.close(file)

    def read(self, path: str) -> bytes:
        """The content of a regular file of bounded size."""
        with self.opened(path) as file:
            return _bounded(file)

    def replace(self, path: str, content: bytes, *, lasting: bool = False) -> None:
        """Write a file whole or not at all, with the permissions it has; with ``lasting``, it is on disk afterwards."""
        with self._folder_of(path, make=True) as (folder, name):
            before = None
            with suppress(FileNotFoundError):
                before = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
                if not stat.S_ISREG(before):
                    raise _in_the_way(folder, name)
            temporary = f".{name[:_SHARED]}.{os.urandom(8).hex()}"
            file = os.open(temporary, _NEW, 0o666, dir_fd=folder)
            try:
                with open(file, "wb") as written:
                    written.write(content)
                    if before is not None:
                        os.fchmod(file, stat.S_IMODE(before))
                    if lasting:
                        written.flush()
                        os.fsync(file)
                os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                os.unlink(temporary, dir_fd=folder)
                raise

    def create(self, path: str, content: bytes) -> None:
        """Write a new file. Raises FileExistsError where there is anything, a link to nowhere as well."""
        with (
            self._folder_of(path, make=True) as (folder, name),
            open(os.open(name, _NEW, 0o666, dir_fd=folder), "wb") as written,
        ):
            written.write(content)

    def make_folder(self, path: str) -> None:
        """Make a folder, and those above it, where they are missing."""
        with self._folder_of(f"{path}/x", make=True):
            pass

    @contextmanager
    def _folder_of(self, path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """The folder that holds a file, open, and the file's name: reached folder by folder, so that no link counts."""
        if (why := why_unsound(path)) is not None:
            raise OSError(errno.EINVAL, why)
        *folders, name = path.split("/")
        if make:
            os.makedirs(self._top, exist_ok=True)
        here = os.open(self._top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for folder in folders:
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(folder, dir_fd=here)
                try:
                    below = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | _ITSELF, dir_fd=here)
                except OSError as error:
                    linked = error.errno in (errno.ENOTDIR, errno.ELOOP)
                    raise (_in_the_way(here, folder) if linked else error) from None
                os.close(here)
                here = below
            yield here, name
        finally:
            os.close(here)


def content_of(path: Path | str) -> bytes:
    """A file that the user names, through whatever links. Raises OSError for one that is not regular, or too large."""
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        mode = os.fstat(file).st_mode
        if not stat.S_ISREG(mode):
            what = "a folder" if stat.S_ISDIR(mode) else "a pipe or device"
            raise OSError(errno.EINVAL, f"it is {what}, not a file")
        return _bounded(file)
    finally:
        os.close(file)


def _bounded(file: int) -> bytes:
    with open(file, "rb", closefd=False) as stream:
        content = stream.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise OSError(errno.EFBIG, f"it has more than the {MOST_BYTES:,} bytes that are read of a file")
    return content


def _in_the_way(folder: int, name: str) -> OSError:
    mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    if stat.S_ISLNK(mode):
        return OSError(errno.ELOOP, f"'{name}' is a symbolic link, and links in a repository are not followed")
    return OSError(errno.EEXIST, f"'{name}' is a folder" if stat.S_ISDIR(mode) else f"'{name}' is not a regular file")


def placed(path: Path | str) -> tuple[FilesBelow, str]:
    """A file that a user names, as one below the top of the work tree that it lies in.

    Links above that top are the user's own; those below it come with the repository. Of work trees in each other it is
    the outermost. Outside of any, only the file itself and folders that are still to be made can't be links.
    """
    whole = Path(os.path.abspath(path))
    above = [folder for folder in whole.parents if os.path.lexists(folder / ".git")]
    top = above[-1] if above else next((f for f in whole.parents if f.is_dir()), Path(whole.anchor))
    return FilesBelow(top), whole.relative_to(top).as_posix()
