"""The values that an object of a function holds in its fields, put into expressions that read these."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from checker.compare.account.facts import keyed_name
from checker.model.program_code import Flow
from checker.model.topology import Topology, Transformation


@dataclass(frozen=True)
class FieldValues:
    """The fields of one object of which all is known that some expressions read."""

    values: Mapping[str, str]
    """Digests by the names of fields; those of objects in them behind a dot."""
    words: Mapping[str, re.Pattern[str]]
    """How expressions name what they read of each field."""

    @classmethod
    def read_by(cls, texts: Iterable[str], t: Transformation) -> FieldValues:
        """What the function of an operator holds, as far as expressions read it."""
        values = dict(value.split("=", 1) for value in t.function_values)
        words: dict[str, re.Pattern[str]] = {}
        for name in {name.partition(".")[0] for name in values}:
            inner = "" if name in values else r"(?:\.\w+)?"
            word = re.compile(rf'(?<![\w.$"]){re.escape(name)}{inner}\b(?!\()')
            if values.keys() >= {read for text in texts if not _sets(text, name) for read in word.findall(text)}:
                words[name] = word
        return cls(values, words)

    def put_into(self, texts: Iterable[str]) -> frozenset[str]:
        """Expressions with these values."""
        for word in self.words.values():
            texts = {word.sub(lambda read: self.values[read[0]], text) for text in texts}
        return frozenset(texts)

    def without_settings(self, texts: Iterable[str]) -> list[str]:
        """Texts without those which only say what such a field is set to."""
        return [text for text in texts if not any(_sets(text, name) for name in self.words)]


def _sets(text: str, name: str) -> bool:
    return text.startswith(f"{name} = ")


def values_differ(topologies: Sequence[Topology]) -> bool:
    """Whether the function of some operator is given other values in the last revision than in the first."""
    sides = [{keyed_name(t): t.function_values for t in topology.operators()} for topology in topologies]
    return any(sides[0][name] != sides[-1][name] for name in sides[0].keys() & sides[-1].keys())


def made_by(t: Transformation, flow: Flow) -> tuple[str, ...]:
    """What a function gives to members where an operator runs it: with the values that its own object holds."""
    if not flow.fields or not t.function_values:
        return tuple(sorted(flow.texts))
    values = FieldValues.read_by(flow.texts, t)
    return tuple(sorted(values.put_into(values.without_settings(flow.texts))))
