"""The classes that configuration files name for serializers."""

import re
from collections.abc import Iterator

from checker.extract.asking.content_facts import KEYS
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import ClassDecl

_CLASS = re.compile(r"(?:class|serializer)\b[\"']?\s*:\s*[\"']?([\w.$]+)")
"""A class that an option names: a factory of type information, or a serializer."""


def configured_classes(index: ClassIndex) -> list[ClassDecl]:
    """The classes that configuration files name for serializers: no code has to."""
    paths = (path for path in index.ask("mentioning serializers") if not path.endswith(".java"))
    return named_classes(index, [line for path in paths for line in configured_lines(index.read(path))])


def named_classes(index: ClassIndex, texts: list[str]) -> list[ClassDecl]:
    """The classes of the repository that options in some texts name."""
    named = (index.find(name.replace("$", ".")) for written in texts for name in _CLASS.findall(written))
    return [decl for decl in named if decl is not None]


def configured_lines(data: bytes) -> Iterator[str]:
    """The lines that mention such a key, and those below it that stand further right (YAML)."""
    deeper: int | None = None
    for line in data.decode("utf-8", "replace").splitlines():
        indent = len(line) - len(line.lstrip())
        if KEYS.search(line.encode()) and not line.lstrip().startswith(("#", "//")):
            deeper = indent
            yield line.strip()
        elif deeper is not None and line.strip() and (indent > deeper or line.lstrip().startswith("- ")):
            yield line.strip()
        else:
            deeper = None
