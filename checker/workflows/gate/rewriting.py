"""``savepoint rewrite``: a new metadata file with other operator ids, beside it what was done as JSON.

The result is made in a folder of its own beside the place that it goes to, and takes its name at the end: killed at any
point there is no half of it. On a remote store the metadata comes last. The original is only read.
"""

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from checker.errors import SavepointError, UsageError
from checker.model.nested import Json
from checker.model.savepoint import Rewriting, Savepoint
from checker.model.secrets import masked
from checker.model.state_handles import StreamHandle, StreamKind
from checker.report.gate.document import rewriting_document
from checker.savepoint.places import METADATA, PathMapping, SnapshotPlace, remote_folder, scheme_of
from checker.savepoint.reader import REWRITTEN, read_savepoint
from checker.savepoint.rewriting import NEWEST_VERSION, absolute_handle, check_rewritten, file_handle, write_rewritten


def read_for_rewriting(path: str, mappings: Sequence[PathMapping] = (), *, headers: bool = False) -> Savepoint:
    """A savepoint that can be rewritten. Raises SavepointError with the reason why another one can't be."""
    savepoint = read_savepoint(path, mappings=mappings, headers=headers)
    if savepoint.metadata_version > NEWEST_VERSION:
        raise SavepointError(
            f"{savepoint.path} has metadata version {savepoint.metadata_version}, which no released Flink writes: "
            "what it means may still change, so it is not rewritten."
        )
    if savepoint.files is not None and savepoint.files.missing:
        raise SavepointError(
            f"{savepoint.path} misses state files, so that no Flink restores it: {', '.join(savepoint.files.missing)}. "
            "Restore them first."
        )
    return savepoint


def rewrite(
    savepoint: Savepoint, path: str, out: str, asked: Rewriting, mappings: Sequence[PathMapping], *, copy: bool
) -> Json:
    """Write the rewritten savepoint to a new folder; what was done, as it stands there in JSON.

    Raises SavepointError, UsageError; then no savepoint is left behind.
    """
    place = SnapshotPlace(path, mappings)
    with _stored_folder(out, place) if scheme_of(out) else _new_folder(Path(out), place) as folder:
        renamed = _Copying(place, folder) if copy else absolute_handle(place)
        with (folder / METADATA).open("wb+") as target:
            write_rewritten(place, target, asked, renamed)
            _on_disk(target)
            after = check_rewritten(target, out, savepoint, asked)
        document = rewriting_document(savepoint, after, asked, copied=copy)
        with (folder / REWRITTEN).open("wb") as written:
            written.write((json.dumps(document, indent=2) + "\n").encode("utf-8", "backslashreplace"))
            _on_disk(written)
    return document


@contextmanager
def _new_folder(out: Path, place: SnapshotPlace) -> Iterator[Path]:
    """A folder that gets its name when all went well, and is gone otherwise. Raises UsageError."""
    whole = out.absolute()
    if os.path.lexists(whole):
        raise UsageError(f"--out {out}: exists already. Name a folder that does not.")
    original = Path(place.folder).resolve()
    if place.is_local and original in (whole.parent.resolve(), *whole.parent.resolve().parents):
        raise UsageError(f"--out {out}: lies inside of the savepoint, which is left alone. Name another folder.")
    folder = whole.parent / f".{whole.name[:50]}.{secrets.token_hex(8)}"
    try:
        folder.mkdir()
        yield folder
        if os.path.lexists(whole):
            raise UsageError(f"--out {out}: exists since this began. Name a folder that does not.")
        folder.rename(whole)
    except OSError as error:
        raise UsageError(f"--out {out}: can't be written: {error.strerror}. Check folder and permissions.") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _stored_folder(out: str, place: SnapshotPlace) -> Iterator[Path]:
    """A folder that is stored elsewhere at the end, the metadata last: without it, it is no savepoint."""
    files, path = remote_folder(out)
    shown = masked(out)
    if files.is_directory(path) or files.size(path) is not None:
        raise UsageError(f"--out {shown}: exists already. Name a folder that does not.")
    if not place.is_local and f"{path}/".startswith(f"{place.folder}/"):
        raise UsageError(f"--out {shown}: lies inside of the savepoint, which is left alone. Name another folder.")
    with TemporaryDirectory() as folder:
        yield Path(folder)
        for name in sorted(os.listdir(folder), key=lambda name: name == METADATA):
            files.put(os.path.join(folder, name), files.join(path, name))


def _on_disk(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


class _Copying:
    """Copies every state file into one folder, as the handles that name it are read."""

    def __init__(self, place: SnapshotPlace, folder: Path) -> None:
        self._place, self._folder = place, folder

    def __call__(self, handle: StreamHandle) -> bytes | None:
        """The handle of the copy, None where it is the same. Raises SavepointError."""
        if handle.kind is StreamKind.SEGMENT:
            raise SavepointError(
                f"{self._place.path} has merged state files, which Flink finds by absolute paths only: they can't be "
                "copied. Leave out --copy."
            )
        path = handle.path or ""
        relative = handle.kind is StreamKind.RELATIVE
        name = path if relative else f"{hashlib.sha256(path.encode()).hexdigest()[:16]}-{path.rsplit('/', 1)[-1]}"
        if "/" in name or name in ("", ".", "..", METADATA, REWRITTEN):
            raise SavepointError(f"{self._place.path} names {name!r} as a state file, which can't be copied.")
        if not (self._folder / name).exists():
            self._copy(handle, self._folder / name)
        return None if relative else file_handle(name, handle.size, relative=True)

    def _copy(self, handle: StreamHandle, target: Path) -> None:
        stream, _start, _size = self._place.open_stream(handle)
        with stream, target.open("xb") as copied:
            shutil.copyfileobj(stream, copied, 1 << 23)
            _on_disk(copied)
            if copied.tell() < handle.size:
                raise SavepointError(
                    f"state file {handle.path} is shorter than the {handle.size} bytes it should have."
                )
