"""Which files of the repository a text of a script names, and what they hold: libraries open them unseen."""

from __future__ import annotations

import re

from checker.extract.asking.consulted import ask
from checker.extract.paths import kind_of, other_projects
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.values import Opaque, Value
from checker.extract.python.library.resources import joined
from checker.model.changed_files import FileKind
from checker.model.sources import SourceFiles

_MAX_NAME = 200
_DATA = (".json", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".properties", ".sql", ".csv", ".txt", ".env")
"""Endings of files that a script reads whose name is not known from the source."""
_FILE = re.compile(r"'([^'\s]+\.\w+)'")
"""How a description has the name of a file."""


def named(files: SourceFiles, folder: str, text: str) -> tuple[str, ...]:
    """Files that a text names, from the root or from the script's folder: one, or all below a folder."""
    if not text or len(text) > _MAX_NAME or text.isspace() or "\n" in text or not text.strip("./"):
        return ()
    found: set[str] = set()
    for candidate in dict.fromkeys((joined(text).lstrip("/"), joined(folder, text).lstrip("/"))):
        found.update(ask(files, "at or below", candidate))
    return tuple(sorted(found))


def folder_of(run: Run) -> str:
    """The folder of the script."""
    return (run.entry.file or run.entry.main or "").rpartition("/")[0]


def contents(run: Run, text: str) -> str:
    """A digest of the files that a text names, which count as read then; empty where it names none."""
    paths = named(run.files, folder_of(run), text)
    run.limits.read.update(paths)
    return run.limits.digest(run.files, paths) if paths else ""


def any_data(run: Run, name: Value = None) -> str:
    """A file whose name is not known is opened: every file that it may be counts as read. Gives a digest of them."""
    paths = named_files(run, name)[0]
    run.limits.read.update(paths)
    return run.limits.digest(run.files, paths)


def named_files(run: Run, name: Value = None) -> tuple[list[str], bool]:
    """Every file that one may be whose name is not known, and whether something is known of the name.

    Of a ``name`` that is one of a few, those called so, in any folder: deployments put files elsewhere. Of one that has
    a default, files of the default's kind in its folder.
    """
    options = name.unknown.options if isinstance(name, Opaque) else ()
    names = {option.rpartition("/")[2] for option in options if isinstance(option, str)}
    few = bool(options) and len(options) == sum(isinstance(option, str) for option in options)
    usual = set(_FILE.findall(name.derived_from or "")) if isinstance(name, Opaque) else set[str]()
    beside = {_kind(path) for text in usual for path in named(run.files, folder_of(run), text)}
    if few:
        paths = [path for path in run.files.paths() if path.rpartition("/")[2] in names]
    elif beside:
        paths = [path for path in run.files.paths() if _kind(path) in beside]
    else:
        paths = [path for path in run.files.paths() if path.endswith(_DATA)]
        apart = [folder for folder in other_projects(run.files.paths()) if not folder_of(run).startswith(folder)]
        kinds = ((path, kind_of(path, ".py")) for path in paths if not path.startswith(tuple(apart)))
        paths = [path for path, kind in kinds if kind not in (None, FileKind.BUILD)]
    return paths, bool(few or beside)


def _kind(path: str) -> tuple[str, str]:
    """The folder of a file, and how its name ends."""
    folder, _, last = path.rpartition("/")
    return folder, last.rpartition(".")[2]


def any_code(run: Run) -> None:
    """Code is looked up by name: every module of the repository counts as read."""
    run.limits.read.update(path for path in run.files.paths() if path.endswith(".py"))
