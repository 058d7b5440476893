"""The state of one path through a script: its files, bounds, choices, and the jobs submitted so far."""

import ast
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from checker.extract.datastream.records import Handed, Job
from checker.extract.interpreting.bounds import Budget
from checker.extract.interpreting.memory import Trace, place_of
from checker.extract.interpreting.shapes import PathChoices
from checker.extract.python.flink_api.streams import Environment
from checker.extract.python.interpreter.signals import stopped
from checker.extract.python.interpreter.values import Module, Scope, Value
from checker.model.pipelines import PipelineEntry
from checker.model.sources import SourceFiles
from checker.model.table_programs import TableStep
from checker.model.unknowns import Cause, Location, Unknown

MAX_STEPS = 150_000
"""Expressions and statements evaluated for one script, all paths together."""
MAX_DESCRIBED = 20_000_000
"""Characters of all descriptions of values that are not known."""
MAX_DEPTH = 80
"""Nested calls of functions of the repository."""
MAX_ROUNDS = 2_000
"""Rounds of one ``while`` loop."""


@dataclass(slots=True)
class Limits:
    """What all paths share: the steps that are left, and trees of files that were parsed."""

    steps: int = MAX_STEPS
    trees: dict[str, ast.Module] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)
    folders: frozenset[str] | None = None
    """Folders of the repository that hold Python files; None before somebody asked."""
    leading: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    """The script's folder and a file → the files that it imports or names."""
    described: int = MAX_DESCRIBED
    trace: Trace = field(default_factory=Trace)
    """What was followed, on all paths together."""
    budget: Budget = field(default_factory=Budget)

    def digest(self, files: SourceFiles, paths: Iterable[str]) -> str:
        """A name of the contents of files."""
        found = hashlib.sha256()
        for path in paths:
            found.update(f"{path}\0{files.content_id(path)}\0".encode("utf-8", "surrogatepass"))
        return f"content {found.hexdigest()[:16]}"


@dataclass(eq=False, slots=True)
class Run:
    """One path through a script."""

    files: SourceFiles
    entry: PipelineEntry
    limits: Limits = field(default_factory=Limits)
    choices: PathChoices = field(default_factory=PathChoices)
    jobs: list[Job] = field(default_factory=list)
    environments: list[Environment] = field(default_factory=list)
    table_steps: list[TableStep] = field(default_factory=list)
    """All calls of the Table API so far."""
    table_streams: list[Handed] = field(default_factory=list)
    """Streams that were handed to the Table API, with the type of their elements and the names of their fields."""
    tables: bool = False
    """Whether the script made a table environment."""
    modules: dict[str, Module] = field(default_factory=dict)
    changed: dict[int, tuple[object, Unknown]] = field(default_factory=dict)
    """Collections that code from outside may have changed, by identity."""
    depth: int = 0
    outside: int = 0
    """Calls so far of code that is not known, which may have raised an exception."""
    catching: bool = False
    """Whether a block around the statement that is run may take an exception."""
    numbered: int = 0
    parts: dict[int, tuple[ast.AST, list[Value]]] = field(default_factory=dict)
    """Values of the parts of the expression that is evaluated just now, by the identity of their nodes."""
    given_to_objects: list[tuple[str, str]] = field(default_factory=list)
    """What objects from outside were given: the description of each, and of what it was given."""
    packages: dict[str, list[str]] = field(default_factory=dict)
    """What packages from outside were given, by name."""
    statement: ast.expr | None = None
    """The expression that is evaluated for its effect just now."""
    entered: set[int] = field(default_factory=set)
    """Functions that were called, by the identity of their statements."""

    def given(self, *names: str) -> str | None:
        """A value that the configuration or ``--arg`` gives under one of these names."""
        values = dict(self.entry.values)
        return next((values[name] for name in names if name in values), None)

    def step(self, node: ast.AST, scope: Scope) -> None:
        """Count one step. Raises StoppedError when there were too many."""
        self.limits.steps -= 1
        if self.limits.steps < 0:
            raise stopped("the script takes too many steps to be followed", Cause.LIMIT, at(node, scope))
        line = getattr(node, "lineno", 0)
        self.limits.trace.visit(scope.file, place_of(line, getattr(node, "col_offset", 0)))

    def fresh(self, name: str) -> str:
        """A name that no other value has."""
        self.numbered += 1
        return f"{name}#{self.numbered}"


def at(node: ast.AST, scope: Scope) -> Location:
    """The place of a node; calls of methods are at the method's name."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func
        return Location(scope.file, name.end_lineno or name.lineno, (name.end_col_offset or 0) - len(name.attr) + 1)
    return Location(scope.file, getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1)
