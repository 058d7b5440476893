"""Texts of files and resources: ``Files.readString``, ``IOUtils.toString``, ``reader.lines()`` …

Which file of the repository a name or a stream stands for, ``resources.path_of`` says.
"""

from __future__ import annotations

from typing import Final

from checker.extract.java.library import resources, streams, strings
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Constant, ExternalObject, ListValue, Value, string
from checker.extract.java.syntax.class_index import External

_UTF_8: Final = string("UTF-8")
_IN_UTF_8: Final = ("lines", "readAllLines", "readString", "readFileUtf8")
"""Methods that read UTF-8 where they are given no encoding."""


def named(run: Run, call: Call) -> Value | None:
    """``Paths.get("job.sql")`` of a file of the repository."""
    known = len(call.arguments) == 1 and resources.path_of(run, call.arguments[0], named=True) is not None
    return ExternalObject(External(("java.nio.file.Path",)), tuple(call.arguments)) if known else None


def opened(run: Run, call: Call) -> Value | None:
    """``Files.readAllBytes(path)``: what is read of the file."""
    path = resources.path_of(run, call.arguments[0], named=True) if len(call.arguments) == 1 else None
    return None if path is None else resources.stream_of(path)


def text(run: Run, call: Call) -> Value | None:
    """``Files.readString(path)``, ``IOUtils.toString(stream, charset)`` …"""
    path = resources.path_of(run, call.arguments[0], named=True) if call.arguments else None
    charset = call.arguments[1] if len(call.arguments) > 1 else _UTF_8 if call.name in _IN_UTF_8 else None
    return None if path is None else resources.written_text(run, path, charset)


def lines(run: Run, call: Call) -> Value | None:
    """``Files.lines(path)``, ``Files.readAllLines(path)`` and ``IOUtils.readLines(stream, charset)``."""
    found = _lines(text(run, call))
    return found if found is None or call.name == "lines" else ListValue(found.parts)


def lines_of_reader(run: Run, reader: ExternalObject) -> Value | None:
    """``reader.lines()`` of a new reader around a stream of a file."""
    path = resources.path_of(run, reader)
    return None if path is None else _lines(resources.written_text(run, path, _charset(reader)))


def _charset(reader: Value | None) -> Value | None:
    """The encoding that the innermost reader was given."""
    while isinstance(reader, ExternalObject) and reader.type.simple != "InputStreamReader":
        reader = reader.arguments[0] if reader.arguments else None
    return reader.arguments[1] if isinstance(reader, ExternalObject) and len(reader.arguments) > 1 else None


def _lines(content: Value | None) -> streams.JavaStream | None:
    found = strings.lines(str(content.value)) if isinstance(content, Constant) else None
    return None if found is None else streams.of_values([string(line) for line in found])
