"""Planned edits as edits of files, sources and documents: finds the place that each one is written to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import yaml

from checker.model.changed_files import ChangedText
from checker.model.nested import gathered
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.topology import Topology, Transformation
from checker.repair.calls import JAVA, PYTHON, Calls, CannotWrite, SourceText, TextEdit, apply_edits, unified_diff
from checker.repair.repairs import Edit


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
    entry: PipelineEntry,
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
            written += _write(topology, declared.get(handle), some, files, entry)
        except CannotWrite as why:
            by_hand += [(edit, str(why)) for edit in some]
    return Written(edits=tuple(written), by_hand=tuple(by_hand))


def _as_before(text: ChangedText, files: SourceFiles) -> TextEdit:
    """The edit that puts a changed text back where it stands."""
    place = text.location
    lines = _source(files, place.file).utf8.split(b"\n")[: place.line]
    line = lines[-1].decode("utf-8", "replace")
    start = sum(len(before) + 1 for before in lines[:-1]) + len(line[: place.column - 1].encode())
    return TextEdit(place.file, start, start + len(text.after.encode()), text.before)


def _write(
    topology: Topology, declared: Transformation | None, edits: list[Edit], files: SourceFiles, entry: PipelineEntry
) -> list[TextEdit]:
    if entry.extract is ExtractorKind.DOCUMENT and entry.file is not None:
        return list(DocumentText(entry.file, _source(files, entry.file), entry.index).edits(edits))
    if declared is None:
        raise CannotWrite(f"'{edits[0].transformation}' is made by a library: there is no call to edit")
    where = declared.location or declared.uid_location
    if where is None:
        raise CannotWrite(f"cannot tell where '{declared.display_name}' is declared")
    dialect = {"java": JAVA, "py": PYTHON}.get(where.file.rpartition(".")[2])
    if dialect is None:
        raise CannotWrite(f"{where}: edits are written to Java, Python and topology documents only")
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


def _source(files: SourceFiles, path: str) -> SourceText:
    try:
        return SourceText.of(files.read(path))
    except KeyError:
        raise CannotWrite(f"the revision has no file '{path}'") from None


@dataclass(frozen=True, eq=False)
class DocumentText:
    """One document of a file."""

    file: str
    source: SourceText
    index: int

    @cached_property
    def _text(self) -> str:
        return self.source.utf8.decode("utf-8")

    @cached_property
    def _json(self) -> bool:
        return self.file.endswith((".json", ".jsonl"))

    def edits(self, edits: list[Edit]) -> Iterator[TextEdit]:
        """The text edits that make some edits of one declaration. Raises CannotWrite."""
        nodes = list(self._declarations(edits[0].transformation))
        if not nodes:
            raise CannotWrite(f"{self.file}: '{edits[0].transformation}' is not declared there")
        for node in nodes:
            yield from self._in_mapping(node, [(e.field.value, e.value) for e in edits])

    def _declarations(self, handle: str) -> Iterator[yaml.MappingNode]:
        for owner in (self._root, *_items(_value(self._root, "variants"))):
            for node in _items(_value(owner, "transformations")):
                identity = _value(node, "id")
                if isinstance(node, yaml.MappingNode) and identity is not None and identity.value == handle:
                    yield node

    @cached_property
    def _root(self) -> yaml.Node:
        try:
            if self.file.endswith(".jsonl"):
                return self._json_line()
            roots = [n for n in yaml.compose_all(self._text, Loader=yaml.SafeLoader) if n is not None]
            if len(roots) == 1 and isinstance(roots[0], yaml.SequenceNode):
                roots = roots[0].value
            return roots[self.index]
        except (yaml.YAMLError, IndexError, RecursionError) as error:
            raise CannotWrite(f"{self.file}: can't be edited: {error}") from None

    def _json_line(self) -> yaml.Node:
        """The one line, composed with everything before it blanked out so that places stay what they are."""
        start = 0
        found = -1
        for line in self._text.split("\n"):
            found += bool(line.strip())
            if found == self.index:
                blank = " " * start
                root = yaml.compose(blank + line, Loader=yaml.SafeLoader)
                assert root is not None
                return root
            start += len(line) + 1
        raise IndexError(self.index)

    def _in_mapping(self, node: yaml.MappingNode, values: list[tuple[str, str | int | None]]) -> Iterator[TextEdit]:
        """Set, replace or remove keys of one mapping."""
        new: dict[str, object] = {}
        for name, value in values:
            key, _, part = name.partition(".")
            present = _value(node, key)
            if part and isinstance(present, yaml.MappingNode):
                yield from self._in_mapping(present, [(part, value)])
            elif part:
                inner = new.setdefault(key, {})
                assert isinstance(inner, dict)
                inner[part] = value
            elif present is not None and value is not None:
                yield self._edit(
                    present.start_mark.index, present.end_mark.index, json.dumps(value, ensure_ascii=False)
                )
            elif present is not None:
                yield self._removal(node, key)
            elif value is not None:
                new[key] = value
        if new:
            yield self._insertion(node, new)

    def _insertion(self, node: yaml.MappingNode, values: dict[str, object]) -> TextEdit:
        """New keys behind the first one."""
        key, first = node.value[0]
        if node.flow_style or self._json:
            quoted = '"' if self._json else ""
            place = node.value[-1][1].end_mark.index
            text = "".join(f", {quoted}{k}{quoted}: {json.dumps(v, ensure_ascii=False)}" for k, v in values.items())
            return self._edit(place, place, text)
        end = self._text.find("\n", first.end_mark.index)
        place = len(self._text) if end < 0 else end
        if place > 0 and self._text[place - 1] == "\r":
            place -= 1
        newline = "\r\n" if self._text[place : place + 1] == "\r" else "\n"
        indent = " " * key.start_mark.column
        text = "".join(f"{newline}{indent}{k}: {json.dumps(v, ensure_ascii=False)}" for k, v in values.items())
        return self._edit(place, place, text)

    def _removal(self, node: yaml.MappingNode, key: str) -> TextEdit:
        """One key and its value, with what separates it from the one before."""
        place = next(n for n, (k, _) in enumerate(node.value) if k.value == key)
        if place == 0:
            raise CannotWrite(f"{self.file}:{node.start_mark.line + 1}: remove {key} by hand")
        start, end = node.value[place - 1][1].end_mark.index, node.value[place][1].end_mark.index
        if not (node.flow_style or self._json):
            start = self._text.rfind("\n", 0, node.value[place][0].start_mark.index)
        return self._edit(start, end, "")

    def _edit(self, start: int, end: int, text: str) -> TextEdit:
        before = len(self._text[:start].encode("utf-8"))
        return TextEdit(self.file, before, before + len(self._text[start:end].encode("utf-8")), text)


def _value(node: yaml.Node | None, key: str) -> yaml.Node | None:
    if not isinstance(node, yaml.MappingNode):
        return None
    return next((v for k, v in node.value if k.value == key), None)


def _items(node: yaml.Node | None) -> list[yaml.Node]:
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []
