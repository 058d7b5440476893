"""All classes that a main class can reach, by names: wider than what runs, never narrower."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from checker.extract.consulted import Consulted, ConsultedFiles
from checker.extract.containers import found_beside
from checker.extract.java.reached.members import Members, members_of
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.paths import in_tests
from checker.extract.sql.connectors.own_factories import own_factories
from checker.model.gathered import gathered

_TABLES = frozenset({"TableEnvironment", "StreamTableEnvironment"})
_QUALIFIED = re.compile(r"(?:[a-z_]\w*\.)+[A-Z]\w*(?:[.$][A-Z]\w*)*")


class ReachedClasses:
    """The classes by qualified name, with their members."""

    def __init__(self, files: ConsultedFiles, main: ClassDecl) -> None:
        self._files = files
        self._index = ClassIndex(files)
        self.types: dict[str, ClassDecl] = {}
        self.members: dict[str, Members] = {}
        self._reach(main, [main])
        used = frozenset(decl.unit.path for decl in self.types.values())
        beside = [path for path in found_beside(files, main.unit.path, used) if path.endswith(".java")]
        self._reach(main, [decl for path in sorted(beside) for decl in self._index.unit(path).types.values()])

    @property
    def consulted(self) -> Consulted:
        """What was asked to know all that is said here, so far."""
        return self._files.consulted

    def _reach(self, main: ClassDecl, pending: list[ClassDecl]) -> None:
        tests = in_tests(main.unit.path)
        while pending:
            decl = pending.pop()
            if decl.qualified_name in self.types or (in_tests(decl.unit.path) and not tests):
                continue
            self.types[decl.qualified_name] = decl
            members = members_of(self._index.unit_of(decl), decl)
            self.members[decl.qualified_name] = members
            pending.extend(decl.nested.values())
            if decl.outer is not None:
                pending.append(decl.outer)
            pending.extend(self._mentioned(decl, members))
            pending.extend(self._by_services(decl))
            if members.types & _TABLES:
                pending.extend(found for name in self._factories if (found := self._index.find(name, decl.unit.path)))

    def _mentioned(self, decl: ClassDecl, members: Members) -> Iterator[ClassDecl]:
        for name in members.types:
            found = self._index.resolve(name, decl)
            if isinstance(found, ClassDecl):
                yield found
        for text in members.strings | members.qualified:
            for name in _QUALIFIED.findall(text) if len(text) < 500 else ():
                found = self._index.find(name, decl.unit.path)
                if found is not None:
                    yield found

    def _by_services(self, decl: ClassDecl) -> Iterator[ClassDecl]:
        """Implementations that ``ServiceLoader`` finds."""
        for path in self._services.get(decl.qualified_name, ()):
            for line in self._files.read(path).decode("utf-8", "replace").splitlines():
                found = self._index.find(line.partition("#")[0].strip(), decl.unit.path)
                if found is not None:
                    yield found

    @cached_property
    def _factories(self) -> tuple[str, ...]:
        return own_factories(self._files)

    @cached_property
    def _services(self) -> dict[str, list[str]]:
        return gathered((path.rpartition("/")[2], path) for path in self._index.ask("within", "META-INF/services/"))
