"""Edits of committed topology documents: YAML, JSON and JSON lines, everything else in them left as it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import yaml

from checker.repair.calls import CannotWrite
from checker.repair.edits import Edit
from checker.repair.text_edits import SourceText, TextEdit


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
