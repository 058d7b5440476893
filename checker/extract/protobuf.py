"""What files of Protobuf say of their messages and enums: the fields by number, which is all that bytes hold."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|[\w.]+|[{}=;]')
_NO_FIELDS = frozenset({"option", "syntax", "edition", "import", "package", "reserved", "extensions"})


class ProtobufMessages:
    """The messages of some files."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._declared: dict[str, dict[str, str]] = {}
        for text in texts:
            _add(text, self._declared)

    def schema(self, name: str) -> str | None:
        """A message with all that it holds, as JSON: name → number → "label type name". None where there is none."""
        found: dict[str, dict[str, str]] = {}
        pending = [name]
        while pending:
            message = pending.pop().rpartition(".")[2]
            if message in self._declared and message not in found:
                found[message] = self._declared[message]
                pending.extend(word for field in found[message].values() for word in field.split())
        return json.dumps(found, sort_keys=True) if found else None


def _add(text: str, declared: dict[str, dict[str, str]]) -> None:
    """The messages of one file. A ``oneof`` adds its fields to the message that it stands in."""
    around: list[str] = []
    statement: list[str] = []

    def add_field() -> None:
        """The statement's field or value; both where files have messages of one name."""
        place = statement.index("=")
        known = declared[around[-1]].get(statement[place + 1])
        field = " ".join(statement[:place])
        declared[around[-1]][statement[place + 1]] = field if known in (None, field) else f"{known} | {field}"

    for token in _TOKEN.findall(_COMMENT.sub(" ", text)):
        if token == "{":
            kind, name = (*statement, "", "")[:2]
            if "=" in statement[1:-1] and around:  # a group is a field and a message
                add_field()
                kind, name = "message", statement[statement.index("=") - 1]
            around.append(name if kind in ("message", "enum", "extend") else around[-1] if around else "")
            declared.setdefault(around[-1], {})
            statement = []
        elif token == "}":
            around = around[:-1]
            statement = []
        elif token == ";":
            if "=" in statement[1:-1] and around and statement[0] not in _NO_FIELDS:
                add_field()
            statement = []
        else:
            statement.append(token)
