"""Everything that a script can reach: its own file, and the modules that it imports at any distance."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cached_property

from checker.extract.asking.consulted import ask
from checker.extract.interpreting.memory import Trace
from checker.extract.paths import in_tests
from checker.extract.python.interpreter.run_state import Limits
from checker.extract.python.interpreter.signals import StoppedError
from checker.extract.python.plain_code import parsed
from checker.extract.python.reachable import reachable
from checker.extract.python.reached.declarations import Declared, declared_in
from checker.extract.python.reached.detail import (
    DECIDING_NAMES,
    FINDING,
    GRAPH_NAMES,
    KEY_CALLS,
    STATE_NAMES,
    detail_of,
)
from checker.model.nested import gathered, reached
from checker.model.program_code import Declaration, Detail, Key, Part, ProgramCode, ReachedCode, Role, Statement
from checker.model.sources import SourceFiles

_PICKLES = frozenset({"pickle", "cloudpickle", "dill", "joblib"})
_OF_GRAPHS = frozenset(name.encode() for name in {"pyflink", *GRAPH_NAMES, *KEY_CALLS, *STATE_NAMES})
_FUNCTION = re.compile(r"Function$|^(KeySelector|Partitioner|Source|Sink|Trigger)$")


class PythonModules(ReachedCode):
    """``ReachedCode`` of a script."""

    def __init__(self, files: SourceFiles, path: str, trace: Trace, *, opened: bool = False) -> None:
        self._files = files
        self._declared: dict[Key, Declared] = {}
        self._bases: dict[str, tuple[str, ...]] = {}
        limits = Limits()
        read = {path, *(file_path for file_path in trace.executed if file_path.endswith(".py"))}
        self._add_all(reachable(files, limits, path.rpartition("/")[0], read))
        if opened and any(not d.declaration.names.isdisjoint(FINDING) for d in self._declared.values()):
            self._add_all(_using_flink(files))
        if any(
            {"load", "loads"} & d.declaration.names and _PICKLES & d.declaration.names for d in self._declared.values()
        ):
            for file_path in ask(files, "ending", ".py"):
                files.read(file_path)  # any class may be what a pickle holds an object of

    def _add_all(self, paths: Iterable[str]) -> None:
        for path in sorted(path for path in paths if path.endswith(".py")):
            with suppress(KeyError):
                self._add(_tree(self._files.read(path), path), path)

    def _add(self, tree: ast.Module, path: str) -> None:
        for declared in declared_in(tree, path):
            self._declared[declared.declaration.key] = declared
            first = declared.body[0]
            if isinstance(first, ast.ClassDef):
                bases = (ast.unparse(base).partition("[")[0] for base in first.bases)
                self._bases[declared.declaration.key[0]] = tuple(base.rpartition(".")[2] for base in bases)

    @cached_property
    def declarations(self) -> Mapping[Key, Declaration]:
        """Everything that the script can reach."""
        return {key: declared.declaration for key, declared in self._declared.items()}

    @cached_property
    def deciding(self) -> frozenset[Key]:
        """Declarations that build a graph, register state, choose keys or set serializers."""
        return frozenset(key for key, d in self.declarations.items() if d.names & DECIDING_NAMES)

    @cached_property
    def state_code(self) -> frozenset[Key]:
        """Declarations that register state, and those that they use."""
        return self._used_by({key for key, d in self.declarations.items() if d.names & STATE_NAMES}, frozenset())

    @cached_property
    def key_code(self) -> frozenset[Key]:
        """Declarations that key selectors use."""
        started = {key for key in self.declarations if self.role(key[0]) is Role.KEY_SELECTOR}
        details = map(self.unfollowed_detail, self.declarations)
        names = (name for detail in details for s in detail.statements for name in s.key_names)
        return self._used_by(started, frozenset(names) - KEY_CALLS)

    def _used_by(self, started: set[Key], words: frozenset[str]) -> frozenset[Key]:
        by_name: dict[str, list[Key]] = {}
        for key, declaration in self.declarations.items():
            for name in key[1].split(","):
                by_name.setdefault(name, []).append(key)
            if declaration.part is Part.HEADER:
                by_name.setdefault(key[0].rpartition(".")[2], []).append(key)
        found = set(started)
        pending = [self.declarations[key].names for key in started] + [words]
        while pending:
            for name in pending.pop():
                for key in by_name.get(name, ()):
                    if key not in found and not name.startswith("__"):
                        found.add(key)
                        pending.append(self.declarations[key].names)
        return frozenset(found)

    def unfollowed_detail(self, key: Key) -> Detail:
        """A declaration looked at closely, as it is where a program follows none of it."""
        return self.detail_in(Trace(), key)

    def detail_in(self, trace: Trace, key: Key) -> Detail:
        """A declaration looked at closely, where this was followed."""
        declared = self._declared[key]
        return detail_of(declared, declared.declaration.location.file, trace)

    def role(self, owner: str) -> Role:
        """What a class is to Flink."""
        names = self.ancestors(owner)
        if "KeySelector" in names:
            return Role.KEY_SELECTOR
        return Role.FUNCTION if any(_FUNCTION.search(name) for name in names) else Role.DATA

    def ancestors(self, owner: str) -> frozenset[str]:
        """Simple names of a class' super types, its own name included."""
        found = {owner.rpartition(".")[2]}
        pending = list(self._bases.get(owner, ()))
        while pending:
            name = pending.pop()
            if name not in found:
                found.add(name)
                pending.extend(b for path, bases in self._bases.items() if path.endswith(f".{name}") for b in bases)
        return frozenset(found)


class PythonCode(ProgramCode):
    """``ProgramCode`` of a script."""

    reached: PythonModules

    def __init__(self, reached: PythonModules, trace: Trace) -> None:
        super().__init__(reached)
        self._trace = trace

    @cached_property
    def _statements(self) -> tuple[Statement, ...]:
        return tuple(s for key in self.reached.declarations for s in self.detail(key).statements)

    @cached_property
    def followed(self) -> tuple[Statement, ...]:
        """The statements that were followed."""
        return tuple(s for s in self._statements if s.executed)

    @cached_property
    def unfollowed(self) -> tuple[Statement, ...]:
        """The statements that call something that was not followed."""
        return tuple(s for s in self._statements if s.gap)

    @cached_property
    def executed(self) -> frozenset[Key]:
        """The declarations of which anything was followed while the graph was built."""
        return frozenset(
            key for key in self.reached.declarations if any(s.executed for s in self.detail(key).statements)
        )

    def looked_at(self, key: Key) -> Detail:
        """A declaration looked at closely."""
        return self.reached.detail_in(self._trace, key)


def _using_flink(files: SourceFiles) -> frozenset[str]:
    """The modules that use PyFlink or build graphs, and those whose text names one of them, at any distance."""
    texts = {path: files.read(path) for path in ask(files, "ending", ".py") if not in_tests(path)}
    words = {path: frozenset(re.findall(rb"\w+", text)) for path, text in texts.items()}
    users = gathered((word, path) for path, mentioned in words.items() for word in mentioned)
    return frozenset(
        reached(
            (path for path in texts if not words[path].isdisjoint(_OF_GRAPHS)),
            lambda path: users.get(path.removesuffix(".py").rpartition("/")[2].encode(), ()),
        )
    )


def _tree(data: bytes, path: str) -> ast.Module:
    """A module; what does not parse is one text, in which every word may be a name."""
    try:
        return parsed(data, path)
    except (StoppedError, RecursionError):
        return ast.parse(f"unparsed = {data.decode('utf-8', 'replace')!r}")
