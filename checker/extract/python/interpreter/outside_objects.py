"""What objects and packages from outside were given: values that they return later may depend on it."""

from __future__ import annotations

import ast
import re
import sys

from checker.extract.python.interpreter.containers import changed_of
from checker.extract.python.interpreter.descriptions import described, described_arguments, opens_any_file
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.values import Arguments, Bound, External, Instance, Opaque, Value
from checker.extract.python.repository_files import contents
from checker.model.unknowns import Cause, Unknown

PROCESS = "os"
"""Where changes of environment variables are kept."""
_ENVIRONMENT = ("os.environ", "os.putenv", "os.unsetenv", "dotenv.")
_KNOWN = frozenset({*sys.stdlib_module_names, "builtins", "pyflink", "checker"})
"""Packages whose functions return nothing that other functions of them were given."""
_TEXTS = re.compile(r"argument |environment variable |sys\.argv\[\d+\]$")
"""Descriptions of values that are texts, which never change."""
_CHANGES = ("read", "load", "update", "merge", "set", "add", "put", "append", "extend", "insert", "pop", "parse",
            "open", "configure", "init")  # fmt: skip
"""How names of methods begin that change their object and give something back."""


def record_change(run: Run, changed: Value, what: str) -> None:
    """An object is given something; an empty text stands for what can't be described."""
    if isinstance(changed, External) and changed.path.startswith(_ENVIRONMENT):
        run.packages.setdefault(PROCESS, []).append(what)
    elif isinstance(changed, External) and not changed.called:
        run.packages.setdefault(changed.path.partition(".")[0], []).append(what)
    elif isinstance(changed, External | Opaque):
        whom = described(run, changed)
        if whom:
            run.given_to_objects.append((whom, what))


def record_call(run: Run, node: ast.Call, owner: Value, target: Value, arguments: Arguments) -> None:
    """What a call gives to its object, its package and its arguments, if it is made for its effect."""
    for_effect = run.statement is node
    if isinstance(target, External) and target.path.startswith(_ENVIRONMENT):
        if not target.path.startswith(("os.environ.get", "os.environ.items", "os.environ.keys", "os.environ.copy")):
            files = contents(run, ".env") if target.path.startswith("dotenv.") else ""
            record_change(run, target, f"{target.path} {described_arguments(run, arguments)} {files}")
        return
    if not isinstance(target, External | Opaque) and not (isinstance(target, Bound) and isinstance(owner, External)):
        return
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if not for_effect and not (name.startswith(_CHANGES) and isinstance(owner, Opaque | External)):
        return
    if isinstance(target, External) and (target.path.partition(".")[0] in _KNOWN or not for_effect):
        return
    text = "" if opens_any_file(run, target, arguments) else described_arguments(run, arguments)
    what = f"{name or described(run, target)} {text}" if text else ""
    record_change(run, target if isinstance(target, External) else owner, what)
    if for_effect:
        for argument in arguments.all():
            if (isinstance(argument, Opaque) and not _TEXTS.match(argument.derived_from or "")) or isinstance(
                argument, External
            ):
                record_change(run, argument, what)
            elif isinstance(argument, Instance):
                changed_of(run, argument, Unknown(f"{name or 'a library'} may have changed it", Cause.EXTERNAL))
