"""All classes that a main class can reach, by names: wider than what runs, never narrower."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from checker.extract.asking.consulted import ConsultedFiles, ask, once
from checker.extract.asking.content_facts import Facts
from checker.extract.datastream.table import words
from checker.extract.interpreting.memory import Trace
from checker.extract.java.reached.detail import STATEMENTS
from checker.extract.java.reached.members import Members, members_of
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.configured_classes import configured_classes
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.tree import Node, above, field, text, walk
from checker.extract.paths import in_tests
from checker.extract.sql.connectors import own_factories
from checker.extract.unfollowed.found_beside import found_beside
from checker.extract.unfollowed.program_files import connected
from checker.model.nested import gathered
from checker.model.topology import Topology

_TABLES = frozenset({"TableEnvironment", "StreamTableEnvironment"})
_FINDING = words("finding")
"""Calls that make or run what was found by its name."""
_LIBRARIES = ("java.", "javax.", "org.apache.flink.")
_MAKES = re.compile(
    rb"@(?:Bean|Produces|Provides)\b|@Builder\b(?:\s*\([^)]*\))?\s+(?:(?:public|protected|private|static)\s+)*[\w.<>]+(?:\s+\w+)?\s*\("
)
"""A method that a container calls for an object, or a method or constructor that generated code calls."""
_SAYS = Facts(
    "flink and makers in java files",
    lambda data: (int(b"org.apache.flink" in data), int(_MAKES.search(data) is not None)),
)
_MOST_BELOW = 10_000
_QUALIFIED = re.compile(r"(?<!\w)(?:[a-z_]\w{0,100}\.){1,20}[A-Z]\w*(?:[.$][A-Z]\w*)*")


_Place = tuple[str, str]
"""A class' file and its qualified name."""


@dataclass(frozen=True)
class Opened:
    """Where a program was not followed: what runs there may be found by its type, or by a name."""

    at: frozenset[str] = frozenset()
    """The files of such places."""
    followed: frozenset[str] = frozenset()
    """The files of which anything was followed: what these mention is known."""


def opened_in(topology: Topology | None, trace: Trace, main: str) -> Opened:
    """Where a program was not followed; everywhere where it was not read."""
    if topology is None:
        return Opened(at=frozenset({main, *trace.executed}))
    at = frozenset(main if u.location is None else u.location.file for u in topology.openings)
    return Opened(at, frozenset(trace.executed) if at else frozenset())


class ReachedClasses:
    """The classes by qualified name, with their members. Two are equal that found the same classes in one revision."""

    def __init__(self, files: ConsultedFiles, main: ClassDecl, opened: Opened) -> None:
        self._files = files
        self._opened = opened
        self.index = ClassIndex(files)
        self.types: dict[str, ClassDecl] = {}
        self.members: dict[str, Members] = {}
        self.above: dict[str, frozenset[str]] = {}
        """The simple names of each one's super types."""
        self._looked_below: set[str] = set()
        self._given: set[str] = set()
        self._finds_any = False
        """Whether something was met that finds classes by their names: all that use Flink are among them then."""
        self._reach(main, [main, *configured_classes(self.index)])
        used = frozenset(decl.unit.path for decl in self.types.values())
        beside = [path for path in found_beside(files, main.unit.path, used) if path.endswith(".java")]
        found = [decl for path in sorted(beside) for decl in self.index.unit(path).by_name.values()]
        says = _SAYS.of(files, used)
        makers = (name for name, decl in self.types.items() if says[decl.unit.path][1])
        self.contained = frozenset(decl.qualified_name for decl in found).union(makers)
        """Classes that a container may find and call: no code needs to name what they declare."""
        self._reach(main, found)
        self._same = (id(files.files), self.contained, frozenset(map(id, self.types.values())))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ReachedClasses) and self._same == other._same

    def __hash__(self) -> int:
        return hash(self._same)

    def _reach(self, main: ClassDecl, pending: list[ClassDecl]) -> None:
        tests = in_tests(main.unit.path)
        unread: set[str] = set()
        while pending:
            decl = pending.pop()
            at = decl.unit.path in self._opened.at
            again = decl.qualified_name in unread and decl.qualified_name not in self._looked_below
            if (decl.qualified_name in self.types and not again) or (in_tests(decl.unit.path) and not tests):
                continue
            self.types[decl.qualified_name] = decl
            members = members_of(self.index.unit_of(decl), decl)
            self.members[decl.qualified_name] = members
            self.above[decl.qualified_name], named = self._mentioned(decl, members)
            mentioned = [*decl.nested.values(), *named, *self._by_services(decl)]
            if at or decl.qualified_name in unread:
                self._looked_below.add(decl.qualified_name)
                below = [sub for found in mentioned for sub in self._below(found)]
                finds_any = not self._finds_any and self._looks_up(decl, members)
                self._finds_any = self._finds_any or finds_any
                found_so = [*below, *(self._of_flink(main) if finds_any else ())]
                open_ = (found for found in mentioned if found.unit.path not in self._opened.followed)
                unread.update(found.qualified_name for found in (*found_so, *open_))
                mentioned += found_so
            pending.extend(mentioned)
            if decl.outer is not None:
                pending.append(decl.outer)
            if members.types & _TABLES:
                pending.extend(found for name in self._factories if (found := self.index.find(name, decl.unit.path)))

    def _looks_up(self, decl: ClassDecl, members: Members) -> bool:
        """Whether a class makes or calls something that it finds by name, of no type that the repository declares."""
        for declaration in members.declarations:
            if not declaration.names.isdisjoint(_FINDING):
                for node in walk(members.spans[declaration.key].node):
                    if node.type != "identifier" or text(node) not in _FINDING:
                        continue
                    if not self._of_library(node, decl) and not self._typed(node, decl):
                        return True
        return False

    def _of_library(self, node: Node, decl: ClassDecl) -> bool:
        """Whether a static method of Java or Flink is called: ``EnvironmentSettings.newInstance()`` finds no class."""
        call = node.parent
        receiver = field(call, "object") if call is not None and call.type == "method_invocation" else None
        imported = self.index.unit_of(decl).single_imports
        return receiver is not None and receiver != node and imported.get(text(receiver), "").startswith(_LIBRARIES)

    def _typed(self, node: Node, decl: ClassDecl) -> bool:
        around = next((n for n in above(node) if n.type in STATEMENTS or n.type.endswith("_declaration")), node)
        names = {text(n) for n in walk(around) if n.type in ("type_identifier", "identifier")}
        found = (self.index.resolve(name, decl) for name in names if name[:1].isupper())
        return any(isinstance(c, ClassDecl) and self.index.implementations(c, 1) for c in found)

    def _of_flink(self, main: ClassDecl) -> Iterator[ClassDecl]:
        """All classes that use Flink's API and are built together with the program."""
        users = once(self._files, "java files that use flink", lambda files: _using_flink(files))
        for path in sorted(connected(self._files, main.unit.path, users)):
            yield from self.index.unit(path).types.values()

    def _mentioned(self, decl: ClassDecl, members: Members) -> tuple[frozenset[str], list[ClassDecl]]:
        """The names of a class' super types, and the classes that it mentions; none inside of methods."""

        def found(watched: ConsultedFiles) -> tuple[frozenset[str], tuple[_Place, ...]]:
            index = ClassIndex(watched)
            return index.names_above(decl), tuple(_mentioned(index, decl, members))

        above, mentioned = once(self._files, f"mentioned by {decl.unit.path} {decl.qualified_name}", found)
        return above, self._there(mentioned)

    def _below(self, decl: ClassDecl) -> list[ClassDecl]:
        """The classes below a class that can be made; none where they were asked for before."""

        def found(watched: ConsultedFiles) -> tuple[_Place, ...]:
            index = ClassIndex(watched)
            own = index.unit(decl.unit.path).by_name[decl.qualified_name]
            return tuple((sub.unit.path, sub.qualified_name) for sub in index.implementations(own, _MOST_BELOW))

        key = f"below {decl.unit.path} {decl.qualified_name}"
        if key in self._given:
            return []
        self._given.add(key)
        return self._there(once(self._files, key, found))

    def _there(self, places: Iterable[_Place]) -> list[ClassDecl]:
        """Classes as this revision has them: another one, or another program, may have found out where they are."""
        found = (self.index.unit(path).by_name.get(name) for path, name in places)
        return [decl for decl in found if decl is not None]

    def _by_services(self, decl: ClassDecl) -> Iterator[ClassDecl]:
        """Implementations that ``ServiceLoader`` finds."""
        for path in self._services.get(decl.qualified_name, ()):
            for line in self._files.read(path).decode("utf-8", "replace").splitlines():
                found = self.index.find(line.partition("#")[0].strip(), decl.unit.path)
                if found is not None:
                    yield found

    @cached_property
    def _factories(self) -> tuple[str, ...]:
        return own_factories(self._files)

    @cached_property
    def _services(self) -> dict[str, list[str]]:
        return gathered((path.rpartition("/")[2], path) for path in self.index.ask("within", "META-INF/services/"))


def _mentioned(index: ClassIndex, decl: ClassDecl, members: Members) -> Iterator[_Place]:
    """File and name of each: the file itself may be another one where the answer is used again."""
    index.content_id(decl.unit.path)
    for name in members.types:
        found = index.resolve(name, decl)
        if isinstance(found, ClassDecl):
            yield found.unit.path, found.qualified_name
    strings = (text for declaration in members.declarations for text in declaration.strings)
    for written in {*strings, *members.qualified}:
        for name in _QUALIFIED.findall(written) if len(written) < 500 else ():
            named = index.find(name, decl.unit.path)
            if named is not None:
                yield named.unit.path, named.qualified_name


def _using_flink(files: ConsultedFiles) -> tuple[str, ...]:
    return tuple(path for path, (uses, _) in _SAYS.of(files, ask(files, "java")).items() if uses)
