"""Files that a program reads from its class path: ``src/main/resources`` of the module that asks, or of another."""

from __future__ import annotations

import re
from typing import Final

from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import NULL, Constant, ExternalObject, Frame, Value, string
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.paths import module_of

STREAM: Final = External(("java.io.InputStream",))
_CALL: Final = "resource"
_FOLDERS: Final = ("src/main/resources/", "resources/")


def opened(run: Run, path: str, frame: Frame) -> Value | None:
    """The stream of a resource whose path is relative to the class path's root.

    Null where there is none, if what nobody gives is assumed to be absent; None where that is not known.
    """
    path = path.lstrip("/")
    found = _find(run, path, frame.decl.unit.path)
    if found is None:
        return NULL if is_absent(run, path) else None
    return ExternalObject(STREAM, (string(found),), ((_CALL, (string(found),)),), f"file:{found}")


def is_absent(run: Run, path: str) -> bool:
    """Whether no resource of that name is there: no file of the repository, and others are assumed not to be."""
    return run.entry.assume_defaults and not (run.index.ask("file", path) or run.index.ask("ending", f"/{path}"))


def path_of(value: Value | None) -> str | None:
    """The repository path behind a stream that ``opened`` made, or behind a reader around one."""
    while isinstance(value, ExternalObject):
        if value.calls and value.calls[0][0] == _CALL and isinstance(value.arguments[0], Constant):
            return value.arguments[0].text
        value = value.arguments[0] if value.arguments else None
    return None


def properties(run: Run, path: str) -> dict[str, str]:
    """The entries of a properties file, as ``java.util.Properties`` reads them."""
    found: dict[str, str] = {}
    text = run.index.read(path).decode("utf-8", "replace")
    lines = iter(text.splitlines())
    for line in lines:
        line = line.lstrip()
        if not line or line[0] in "#!":
            continue
        while line.endswith("\\") and not line.endswith("\\\\"):
            line = line[:-1] + next(lines, "").lstrip()
        key, value = _split(line)
        found[key] = value
    return found


def _split(line: str) -> tuple[str, str]:
    place = 0
    while place < len(line) and (line[place] not in "=: \t" or line[place - 1 : place] == "\\"):
        place += 1
    key, rest = line[:place], line[place:].lstrip(" \t")
    if rest[:1] in ("=", ":"):
        rest = rest[1:].lstrip(" \t")
    return _unescaped(key), _unescaped(rest)


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    out, place = [], 0
    while place < len(text):
        if text[place] != "\\" or place + 1 == len(text):
            out.append(text[place])
            place += 1
        elif re.fullmatch("[0-9a-fA-F]{4}", text[place + 2 : place + 6]) and text[place + 1] == "u":
            out.append(chr(int(text[place + 2 : place + 6], 16)))
            place += 6
        else:
            out.append({"n": "\n", "t": "\t", "r": "\r", "f": "\f"}.get(text[place + 1], text[place + 1]))
            place += 2
    return "".join(out)


def _find(run: Run, path: str, near: str) -> str | None:
    """The job's own module is first on its class path, then the module that asks, then the only other one."""
    main = run.index.find(run.entry.main, run.entry.file or "") if run.entry.main is not None else None
    for place in (main.unit.path if main is not None else near, near):
        module = module_of(place)
        for folder in _FOLDERS:
            candidate = f"{module}/{folder}{path}" if module else f"{folder}{path}"
            if run.index.ask("file", candidate):
                return candidate
    others = run.index.ask("ending", f"/{_FOLDERS[0]}{path}")
    return others[0] if len(others) == 1 else None


def class_loader() -> ExternalObject:
    """A class loader: resource paths are relative to the class path's root."""
    return ExternalObject(External(("java.lang.ClassLoader",)))
