"""Planned edits as edits of source files: finds the place that each one is written to."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from checker.model.changed_files import ChangedText
from checker.model.nested import gathered
from checker.model.sources import SourceFiles
from checker.model.topology import Topology, Transformation
from checker.repair.calls import JAVA, PYTHON, Calls, CannotWrite, TextEdit, apply_edits, unified_diff, utf8
from checker.repair.repairs import CALLS, Edit, spelling_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The text edits of a plan, and what has to be written by hand and why."""

    edits: tuple[TextEdit, ...]
    by_hand: tuple[tuple[Edit, str], ...]

    def diff(self, files: SourceFiles) -> str:
        """All edits as one unified diff."""
        return "".join(unified_diff(f, files.read(f), after) for f, after in self.contents(files).items())

    def contents(self, files: SourceFiles) -> dict[str, bytes]:
        """Path → new content, for every file that changes."""
        changed = sorted({e.file for e in self.edits})
        return {f: apply_edits(files.read(f), (e for e in self.edits if e.file == f)) for f in changed}


def write_edits(
    topology: Topology,
    edits: Iterable[Edit],
    files: SourceFiles,
    back: Mapping[str, ChangedText] = MappingProxyType({}),
) -> Written:
    """Where and how the edits of a pipeline are written in the files that it was read from.

    A declaration that is in ``back`` gets its uid by the text that it is made of.

    Every edit of a declaration is written or none of them: half of them could lose state that is whole now.
    """
    declared = {t.id: t for t in topology.operators()}
    by_handle = gathered((edit.transformation, edit) for edit in edits)
    written: list[TextEdit] = []
    by_hand: list[tuple[Edit, str]] = []
    for handle, some in by_handle.items():
        try:
            if handle in back:
                written.append(_as_before(back[handle], files))
                continue
            written += _write(topology, declared.get(handle), some, files)
        except CannotWrite as why:
            by_hand += [(edit, str(why)) for edit in some]
    return Written(edits=tuple(written), by_hand=tuple(by_hand))


def _as_before(text: ChangedText, files: SourceFiles) -> TextEdit:
    """The edit that puts a changed text back where it stands. Raises CannotWrite where it does not."""
    place, source = text.location, _source(files, text.location.file)
    lines = source.split(b"\n")[: place.line]
    line = lines[-1].decode("utf-8", "replace")
    start = sum(len(before) + 1 for before in lines[:-1]) + len(line[: place.column - 1].encode())
    end = start + len(text.after.encode())
    if source[start:end] != text.after.encode():
        raise CannotWrite(f"{place} does not hold {text.after!r} as it was read")
    return TextEdit(place.file, start, end, text.before)


def _write(
    topology: Topology, declared: Transformation | None, edits: list[Edit], files: SourceFiles
) -> list[TextEdit]:
    if spelling_of(topology) not in CALLS:
        raise CannotWrite("edits are written to Java and Python only")
    if declared is None:
        raise CannotWrite(f"'{edits[0].transformation}' is made by a library: there is no call to edit")
    where = declared.location or declared.uid_location
    if where is None:
        raise CannotWrite(f"cannot tell where '{declared.display_name}' is declared")
    dialect = {"java": JAVA, "py": PYTHON}.get(where.file.rpartition(".")[2])
    if dialect is None:
        raise CannotWrite(f"{where}: edits are written to Java and Python only")
    _refuse_shared(topology, declared)
    return list(Calls(where.file, _source(files, where.file), dialect).edits(declared, edits))


def _refuse_shared(topology: Topology, declared: Transformation) -> None:
    """One call that makes several operators (a loop, a helper called twice) can't give each its own uid or hash."""
    same = [
        t for t in topology.operators()
        if not t.kind.virtual and t.id != declared.id and t.location == declared.location and t.location is not None
    ]  # fmt: skip
    order = [t.id for t in topology.operators()]
    inner = all(t.operator != declared.operator and order.index(t.id) < order.index(declared.id) for t in same)
    if same and not inner:
        raise CannotWrite(
            f"{declared.location}: this one call makes {len(same) + 1} operators; each needs its own value"
        )


def _source(files: SourceFiles, path: str) -> bytes:
    try:
        return utf8(files.read(path))
    except KeyError:
        raise CannotWrite(f"the revision has no file '{path}'") from None
