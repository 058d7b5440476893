"""``savepoint rewrite``: a new metadata file with other operator ids.

Two operators are never made one, and an id that is taken is only given away together with its own operator's move.

The result is made in a folder of its own beside the place that it goes to, and takes its name at the end: killed at any
point there is no half of it. The original is only read.
"""

import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from checker.errors import SavepointError, UsageError
from checker.files_below import placed
from checker.flink.operator_ids import operator_id
from checker.model.savepoint import Move, Savepoint
from checker.model.translation import OperatorId
from checker.savepoint.places import METADATA, PathMapping, SnapshotPlace
from checker.savepoint.reader import read_savepoint
from checker.savepoint.rewriting import NEWEST_VERSION, check_rewritten, write_rewritten

_ID = re.compile(r"[0-9a-fA-F]{32}")


def read_for_rewriting(path: str, mappings: Sequence[PathMapping] = ()) -> Savepoint:
    """A savepoint that can be rewritten. Raises SavepointError with the reason why another one can't be."""
    savepoint = read_savepoint(path, mappings=mappings, headers=False)
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


class _Plan:
    """What is asked for, held against what the savepoint has. Raises UsageError where it can't be done."""

    def __init__(self, savepoint: Savepoint) -> None:
        self._there = {o.operator_id: o for o in savepoint.operators}
        self._path = savepoint.path

    def moves(self, asked: Sequence[str]) -> dict[OperatorId, Move]:
        """All of it together, by the ids that operators have in the savepoint."""
        moves: dict[OperatorId, Move] = {}
        targets: dict[OperatorId, Move] = {}
        for move in map(self._move, asked):
            if moves.setdefault(move.old, move).new != move.new:
                raise UsageError(f"{move.old} is to become two operators: a state has one owner")
            first = targets.setdefault(move.new, move)
            if first.old != move.old:
                raise UsageError(f"{first.old} and {move.old} are both to become {move.new}: two are never made one")
            if move.new == move.old:
                raise UsageError(f"{move.old} has that id already")
        for new in targets:
            if new in self._there and new not in moves:
                raise UsageError(
                    f"{new} is the id of another operator of {self._path}. Move that one away as well: --move {new}=NEW"
                )
        return moves

    def _move(self, text: str) -> Move:
        splits = [(text[:i], text[i + 1 :]) for i, c in enumerate(text) if c == "=" and 0 < i < len(text) - 1]
        if not splits:
            raise UsageError(f"--move {text}: must be OLD=NEW, each an operator id or a uid")
        fitting = [(known, new) for old, new in splits if (known := self._find(old)) is not None]
        if len(fitting) > 1:
            raise UsageError(f"--move {text}: it can be split at more than one '=': give the old operator by its id")
        if not fitting:
            raise UsageError(
                f"--move {splits[0][0]}: {self._path} has no operator with that id or uid. "
                f"See what it has: savepoint-checker savepoint {self._path}"
            )
        known, new = fitting[0]
        if _ID.fullmatch(new):
            return Move(old=known, new=OperatorId(new.lower()))
        return Move(old=known, new=operator_id(new), uid=new)

    def _find(self, text: str) -> OperatorId | None:
        ids = [OperatorId(text.lower())] if _ID.fullmatch(text) else []
        return next((i for i in (*ids, operator_id(text)) if i in self._there), None)


def planned_moves(savepoint: Savepoint, asked: Sequence[str]) -> dict[OperatorId, Move]:
    """Which operators get other ids, each asked for as ``OLD=NEW``. Raises UsageError where that can't be done."""
    return _Plan(savepoint).moves(asked)


def rewrite(
    savepoint: Savepoint, path: str, out: Path, moves: Mapping[OperatorId, Move], mappings: Sequence[PathMapping] = ()
) -> None:
    """Write the rewritten savepoint to a new folder.

    Raises SavepointError, UsageError; then no savepoint is left behind.
    """
    place = SnapshotPlace(path, mappings)
    with _new_folder(out, place) as folder, (folder / METADATA).open("wb+") as target:
        write_rewritten(place, target, moves)
        target.flush()
        os.fsync(target.fileno())
        check_rewritten(target, str(out), savepoint, moves)


@contextmanager
def _new_folder(out: Path, place: SnapshotPlace) -> Iterator[Path]:
    """A folder that gets its name when all went well, and is gone otherwise. Raises UsageError."""
    whole = out.absolute()
    if os.path.lexists(whole):
        raise UsageError(f"--out {out}: exists already. Name a folder that does not.")
    below, name = placed(whole)
    if not stat.S_ISDIR(below.kind(os.path.dirname(name))):
        raise UsageError(f"--out {out}: can't be written: its folder is missing, or a link that a repository brings.")
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
