"""Templates of Java expressions and statements by type, one a line, in ``java/plain.txt`` and ``java/wild.txt``.

Wild ones throw, overflow and use rare corners of the library. ``java/support.txt`` has the classes that they mention.
"""

from pathlib import Path

_FOLDER = Path(__file__).with_name("java")

TYPES = (
    "int", "int", "String", "String", "String", "boolean", "List<String>", "List<String>", "List<Integer>",
    "Map<String, Integer>", "Map<String, Integer>", "Set<String>", "String[]", "int[]", "Mode", "Step",
    "Optional<String>", "StringBuilder", "long", "double", "char", "Integer",
    "Function<String, String>", "Predicate<String>", "Map<String, List<String>>",
)  # fmt: skip
"""The types of local variables, frequent ones more than once."""

SUPPORT = (_FOLDER / "support.txt").read_text(encoding="utf-8")

Templates = dict[tuple[str, str], list[str]]


def _read(name: str) -> Templates:
    found: Templates = {}
    for line in (_FOLDER / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            kind, _, type_ = line[3:].partition(" ")
            current = found.setdefault((kind, type_), [])
        elif line:
            current.append(line)
    return found


PLAIN = _read("plain.txt")
WILD = _read("wild.txt")
