"""What is read of a file whose name is not known but for a few that it may have: the entries that the script asks for.

An edit of such a file that leaves these entries as they are changes nothing for the script.

What values are that nobody gives: those that the script itself has for them.
"""

from __future__ import annotations

import re
from dataclasses import replace

from checker.extract.python.interpreter.descriptions import Description, described, within
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.values import Opaque, Value, unknown
from checker.extract.python.library import resources
from checker.extract.python.repository_files import named_files
from checker.model.unknowns import Location


def by_default(value: Value) -> Value:
    """What a value is where no arguments and variables are given; None where that is not known."""
    if not isinstance(value, Opaque):
        return value
    if value.parts:
        parts = [by_default(part) for part in value.parts]
        return "".join(parts) if all(isinstance(part, str) for part in parts) else None
    return by_default(value.default)


METHODS = frozenset({"get", "read", "read_text"})
"""Methods of files and of what they hold that are followed."""
_KINDS = {"json": "json", "yaml": "yaml", "yml": "yaml", "toml": "toml"}
_CONTENT = re.compile(r" content [0-9a-f]{16}\b")
_MISSING = "nothing"
_MOST_FILES = 20


def with_contents(run: Run, file: Opaque, name: Value, shown: str, place: Location) -> Opaque:
    """A file that is opened, with what each holds that it may be; as it is where not all of them are read."""
    paths, few = named_files(run, name)
    holds = [_parsed(run, path, place) for path in paths] if few and len(paths) <= _MOST_FILES else []
    if not holds or any(isinstance(content, Opaque) for content in holds):
        return file
    usual = by_default(name)
    contents = dict(zip(paths, holds, strict=True))
    default = contents.get(resources.joined(usual)) if isinstance(usual, str) else None
    return replace(file, holds=tuple(holds), default=default, kept_in=_CONTENT.sub("", f"file {shown}"))


def _parsed(run: Run, path: str, place: Location) -> Value:
    kind = _KINDS.get(path.rpartition(".")[2])
    if kind is None:
        return unknown(f"cannot tell what '{path}' holds", at=place)
    return resources.loaded(run, kind, run.files.read(path), place)


def entry(run: Run, owner: Opaque, key: Value, default: Value = _MISSING) -> Opaque:
    """``content[key]`` and ``content.get(key)``: what lies in each of the files there."""
    if not owner.holds or not isinstance(key, str | int) or Description(run).given_to(owner.derived_from or ""):
        return Opaque(owner.unknown)
    holds = tuple(_of(content, key, default) for content in owner.holds)
    kept_in = f"{owner.kept_in}[{key!r}]"
    text = described(run, *holds)
    made = within(run, f"{kept_in} of {text}") if text else None
    usual = None if owner.default is None else _of(owner.default, key, None if default is _MISSING else default)
    return Opaque(owner.unknown, derived_from=made, holds=holds, kept_in=kept_in, default=usual)


def _of(content: Value, key: str | int, default: Value) -> Value:
    try:
        return content[key]
    except (KeyError, IndexError, TypeError):
        return default
