"""Values as texts that are equal in two revisions that make them alike.

An empty text says that this is not known, because the value depends on code that was not followed.
"""

import hashlib
import re
from collections.abc import Iterable
from itertools import islice
from typing import TypeGuard

from checker.extract.python.interpreter.containers import without_order
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import UnclearError
from checker.extract.python.interpreter.values import (
    Arguments,
    Bound,
    Class,
    Decorated,
    External,
    FilePath,
    Function,
    Instance,
    Opaque,
    Value,
)
from checker.extract.python.library.resources import any_code, any_data, contents
from checker.model.unknowns import Cause

_MAX_PARTS = 2_000
_MAX_DEPTH = 60
_MAX_SHOWN = 400
_MAX_TOLD = 200
_PLAIN_TEXT = re.compile(r"[\w.]+|'[^'\\]*'")


_LOOKS_AT_CODE = (
    "builtins.globals", "builtins.locals", "builtins.vars", "builtins.dir", "builtins.compile", "builtins.__import__",
    "importlib.", "pkgutil.", "inspect.", "runpy.", "sys.modules", "sys._getframe", "operator.attrgetter",
    "operator.methodcaller", "subprocess.", "os.popen", "os.system",
)  # fmt: skip
"""What finds, loads or runs code of the repository by a name."""
_LOOKS_AT_FILES = ("glob.", "os.listdir", "os.walk", "os.scandir")
_READS = re.compile(r"(load|read|open|parse|file|config)[^.]*$", re.IGNORECASE)
"""Names of functions that may open a file whose name they are given."""
_PARSERS = ("builtins", "json", "yaml", "toml", "tomllib", "tomli", "pyflink", "argparse")
"""Packages whose functions of such names take no names of files."""


class NotDescribedError(Exception):
    """A part can't be described."""


def described(run: Run, *values: Value) -> str:
    """Values with all that they hold; empty where a part of them is code, or not known to be made of anything."""
    try:
        return within(run, ", ".join(Description(run).of(value) for value in values))
    except (NotDescribedError, UnclearError, RecursionError):
        return ""


def described_call(run: Run, target: Value, arguments: Arguments, changed: int | None = None) -> str:
    """A call by its target, if there is one, and its arguments; of ``run.changed`` the first ones were so before it."""
    try:
        text = Description(run, changed)
        if opens_any_file(run, target, arguments):
            return ""
        callee = target.path if _looks_elsewhere(target, arguments) else "" if target is None else text.of(target)
        return within(run, f"{callee}({text.arguments(arguments.positional, arguments.keywords.items())})")
    except (NotDescribedError, UnclearError, RecursionError):
        return ""


def _looks_elsewhere(target: Value, arguments: Arguments) -> TypeGuard[External]:
    """Whether files are looked for in folders of the machine that runs the script, and none of the repository."""
    if not isinstance(target, External) or not target.path.startswith(_LOOKS_AT_FILES) or target.before is not None:
        return False
    given = arguments.positional
    return (
        bool(given) and all(isinstance(path, str) and path.startswith("/") for path in given) and not arguments.keywords
    )


def joined(*texts: str | None) -> str:
    """Several descriptions as one; empty where one of them is."""
    return _shortened(" and ".join(text for text in texts if text)) if all(texts) else ""


def part(whole: str | None, name: str) -> str:
    """A part of a value by the description of the whole."""
    return _shortened(f"{whole}[{name}]") if whole else ""


def by_default(value: Value) -> Value:
    """What a value is where no arguments and variables are given; None where that is not known."""
    if not isinstance(value, Opaque):
        return value
    if value.parts:
        parts = [by_default(part) for part in value.parts]
        return "".join(parts) if all(isinstance(part, str) for part in parts) else None
    return by_default(value.default)


def opens_any_file(run: Run, target: Value, arguments: Arguments) -> bool:
    """Whether a library reads a file whose name an argument gives: all that may be it count as read."""
    path = target.path if isinstance(target, External) else target.name if isinstance(target, Bound) else ""
    if path.partition(".")[0] in _PARSERS or not _READS.search(path):
        return False
    given = [
        argument
        for argument in arguments.all()
        if isinstance(argument, Opaque) and argument.unknown.cause is Cause.ARGUMENT
    ]
    for argument in given:
        any_data(run, argument)
    return bool(given)


def within(run: Run, text: str) -> str:
    """A description as it is kept: a long one as prefix plus digest; empty where there were too many."""
    run.limits.described -= len(text)
    return _shortened(text) if run.limits.described > 0 else ""


def _shortened(text: str) -> str:
    if len(text) <= _MAX_SHOWN:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{text[: _MAX_SHOWN // 2]}… {digest}"


def bracketed(text: str) -> str:
    """A description that stands as one operand in another."""
    return text if _PLAIN_TEXT.fullmatch(text) else f"({text})"


class Description:
    """The description of one value. Raises NotDescribedError where there is none."""

    def __init__(self, run: Run, changed: int | None = None) -> None:
        self.run = run
        self.changed = frozenset(islice(run.changed, changed))
        self.left = _MAX_PARTS
        self.depth = 0

    def of(self, item: Value) -> str:
        """A value with all that it holds."""
        self.left -= 1
        if self.left < 0 or self.depth > _MAX_DEPTH or self.run.limits.described < 0:
            raise NotDescribedError
        self.depth += 1
        text = self._of(item)
        self.depth -= 1
        return _shortened(text)

    def _of(self, value: Value) -> str:
        if isinstance(value, Opaque):
            if not value.derived_from:
                raise NotDescribedError
            return value.derived_from + self.given_to(value.derived_from)
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, bytes | int | float | bool | range | re.Pattern | type(None)):
            return repr(value)
        if isinstance(value, FilePath):
            if value.path in ("", "."):
                any_data(self.run)
                raise NotDescribedError
            return f"file {value.path!r} {contents(self.run, value.path)}"
        if id(value) in self.changed:
            raise NotDescribedError
        if isinstance(value, list | tuple | set | frozenset):
            parts = [self.of(item) for item in without_order(value)]
            return (
                f"{type(value).__name__}({', '.join(sorted(parts) if isinstance(value, set | frozenset) else parts)})"
            )
        if isinstance(value, dict):
            return f"{{{', '.join(f'{self.of(key)}: {self.of(item)}' for key, item in value.items())}}}"
        if isinstance(value, External):
            return self._external(value)
        if isinstance(value, Bound):
            return f"{bracketed(self.of(value.owner))}.{value.name}"
        if isinstance(value, Instance):
            return self._instance(value)
        raise NotDescribedError

    def text(self, content: str) -> str:
        """A text, and what the files of the repository hold that it names."""
        self.run.limits.described -= len(content)
        files = contents(self.run, content)
        return f"{content!r} {files}" if files else repr(content)

    def arguments(self, positional: Iterable[Value], keywords: Iterable[tuple[str, Value]]) -> str:
        """The arguments of a call."""
        return ", ".join(
            [*(self.of(argument) for argument in positional), *(f"{key}={self.of(item)}" for key, item in keywords)]
        )

    def _external(self, item: External) -> str:
        path = item.path
        if path.startswith(_LOOKS_AT_CODE):
            any_code(self.run)
            raise NotDescribedError
        if path.startswith(_LOOKS_AT_FILES):
            any_data(self.run)
            raise NotDescribedError
        if item.before is not None:
            path = f"{self.of(item.before)}.{item.path.removeprefix(item.before.path + '.')}"
        if item.called:
            path = f"{path}({self.arguments(item.arguments, item.keywords)})"
        given = self.run.packages.get(item.path.partition(".")[0], [])
        if item.called:  # code of a library may ask for environment variables
            return path + self.given_to(path) + self._listed([*given, *self.run.packages.get("os", [])])
        return path + self._listed(given)

    def given_to(self, text: str) -> str:
        """What an object of this description, or a part of it, was given before."""
        if len(self.run.given_to_objects) > _MAX_TOLD:
            raise NotDescribedError
        return self._listed([what for whom, what in self.run.given_to_objects if text in whom])

    def _listed(self, given: list[str]) -> str:
        if not given:
            return ""
        if not all(given):
            raise NotDescribedError
        return f" given {_shortened('; '.join(given))}"

    def _instance(self, item: Instance) -> str:
        members = [member for of in item.of.ancestors() for member in of.members.values()]
        if any(isinstance(member, Function | Class | Decorated) for member in members):
            raise NotDescribedError
        return f"{item.of.name}({self.arguments((), item.attributes.items())})"
