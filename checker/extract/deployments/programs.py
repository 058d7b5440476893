"""Which program a start command or manifest names: a main class, a script behind PyFlink's driver, a file."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

_DRIVER = "org.apache.flink.client.python.PythonDriver"


def script_of(main: str | None, arguments: Sequence[str]) -> str | None:
    """The script of a PyFlink job: what follows ``-py``, or a module after ``-pym`` as a path. None = no such job."""
    if main is not None and main != _DRIVER:
        return None
    for option, value in pairwise(arguments):
        if option in ("-py", "--python"):
            return value
        if option in ("-pym", "--pyModule"):
            return f"{value.replace('.', '/')}.py"
    return None


def shared_parts(file: str, path: str) -> int:
    """How many parts two paths have in common, counted from the file's name."""
    count = 0
    for ours, theirs in zip(reversed(file.split("/")), reversed(path.split("/")), strict=False):
        if ours != theirs:
            break
        count += 1
    return count


def script_arguments(arguments: Sequence[str]) -> tuple[str, ...]:
    """What a script itself is given: the arguments without PyFlink's own options."""
    rest, own = list(arguments), []
    while rest:
        word = rest.pop(0)
        if word in _DRIVER_OPTIONS and rest:
            rest.pop(0)
        else:
            own.append(word)
    return tuple(own)


_DRIVER_OPTIONS = frozenset({
    "-py", "--python", "-pym", "--pyModule", "-pyfs", "--pyFiles", "-pyreq", "--pyRequirements", "-pyarch",
    "--pyArchives", "-pyexec", "--pyExecutable", "-pyclientexec", "--pyClientExecutable", "-pypath", "--pyPythonPath",
})  # fmt: skip
"""Options of ``PythonDriver`` (``PythonProgramOptionsParserFactory``), each with one value."""
