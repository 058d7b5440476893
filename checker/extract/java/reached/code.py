"""The code that a program can reach, with what was followed of it while its graph was built."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property, lru_cache

from checker.errors import ExtractionError
from checker.extract.asking.consulted import Consulted, ConsultedFiles, plain
from checker.extract.asking.listing import Listing, listing_of
from checker.extract.interpreting.memory import Trace
from checker.extract.java.reached.classes import Opened, ReachedClasses, opened_in
from checker.extract.java.reached.detail import Followed, detail_of
from checker.extract.java.reached.roles import DECIDING_NAMES, KEY_CALLS, STATE_NAMES, role_of
from checker.extract.java.syntax.class_index import ClassIndex
from checker.extract.java.syntax.declarations import ClassDecl
from checker.extract.java.syntax.nodes import main_class
from checker.extract.java.syntax.tree import annotations_of
from checker.model.pipelines import PipelineEntry
from checker.model.program_code import Declaration, Detail, Key, Part, ProgramCode, ReachedCode, Role, Statement
from checker.model.sources import SourceFiles
from checker.model.topology import Topology


class JavaClasses(ReachedCode):
    """``ReachedCode`` of Java programs."""

    state_names = STATE_NAMES
    key_calls = KEY_CALLS

    def __init__(self, reached: ReachedClasses) -> None:
        self._found = reached
        self._members = reached.members
        self._roles: dict[str, Role] = {}

    @cached_property
    def declarations(self) -> Mapping[Key, Declaration]:
        """Everything that can be reached."""
        return {d.key: d for members in self._members.values() for d in members.declarations}

    def around(self, places: Mapping[str, AbstractSet[int]]) -> Iterator[Key]:
        """The declarations around any of some places, by files."""
        ordered = {path: sorted(found) for path, found in places.items()}
        within = (members for members in self._members.values() if members.unit.path in ordered)
        for members in within:
            found = ordered[members.unit.path]
            for key, span in members.spans.items():
                following = bisect_left(found, span.start)
                if following < len(found) and found[following] < span.end:
                    yield key

    @cached_property
    def deciding(self) -> frozenset[Key]:
        """Declarations that build a graph, register state, choose keys or set serializers."""
        return frozenset(
            key
            for key, d in self.declarations.items()
            if d.names & DECIDING_NAMES or (key[0] in self._found.contained and self._by_container(key, d))
        )

    def _by_container(self, key: Key, declaration: Declaration) -> bool:
        """Whether a container may use a declaration of a class that it finds, which no code here has to name."""
        if declaration.part is not Part.METHOD or key[1].startswith("<init>") or self._found.above[key[0]]:
            return True
        return any(annotations_of(self._members[key[0]].spans[key].node))

    # -- one declaration or class --------------------------------------------------------------------------------

    def unfollowed_detail(self, key: Key) -> Detail:
        """A declaration looked at closely, as it is where a program follows none of it."""
        details = self._members[key[0]].details
        found = details.get(key)
        if found is None:
            found = details[key] = self.detail_in(Trace(), key)
        return found

    def detail_in(self, trace: Trace, key: Key) -> Detail:
        """A declaration looked at closely, where this was followed."""
        declaration, members = self.declarations[key], self._members[key[0]]
        followed = Followed.of(trace, declaration.location.file)
        whole = declaration.part in (Part.HEADER, Part.CONSTANT)  # what has no statements of its own
        return detail_of(members.unit, members.spans[key], followed, whole=whole)

    def role(self, owner: str) -> Role:
        """What a class is to Flink."""
        decl = self._found.types.get(owner)
        if decl is None:
            return Role.DATA
        if owner not in self._roles:
            self._roles[owner] = role_of(decl, self._found.index)
        return self._roles[owner]

    def ancestors(self, owner: str) -> frozenset[str]:
        """Simple names of a class' super types, its own name included."""
        decl = self._found.types.get(owner)
        return frozenset() if decl is None else self._found.above[owner] | {decl.name}


@lru_cache(maxsize=8)
def _java_classes(reached: ReachedClasses) -> JavaClasses:
    """The code of some classes, one for all programs of a revision that reach the same ones."""
    return JavaClasses(reached)


class JavaCode(ProgramCode):
    """``ProgramCode`` of a Java program."""

    reached: JavaClasses

    def __init__(self, reached: JavaClasses, index: ClassIndex, trace: Trace) -> None:
        super().__init__(reached)
        self._index = index
        self._trace = trace

    @cached_property
    def followed(self) -> tuple[Statement, ...]:
        """The statements that were followed."""
        around, declarations = self.reached.around(self._trace.executed), self.reached.declarations
        keys = [key for key in around if declarations[key].part is not Part.HEADER]
        return tuple(s for key in keys for s in self.detail(key).statements if s.executed)

    @cached_property
    def unfollowed(self) -> tuple[Statement, ...]:
        """The statements that call something that was not followed."""
        around = self.reached.around(self._trace.gaps)
        return tuple(s for key in around for s in self.detail(key).statements if s.gap)

    @cached_property
    def executed(self) -> frozenset[Key]:
        """The declarations of which anything was followed while the graph was built."""
        return frozenset(key for key in self.reached.around(self._trace.executed) if key[1] != "<header>")

    def looked_at(self, key: Key) -> Detail:
        """A declaration looked at closely."""
        path = self.reached.declarations[key].location.file
        untouched = Followed.of(self._trace, path) == Followed()
        return self.reached.unfollowed_detail(key) if untouched else self.reached.detail_in(self._trace, key)

    def has_class(self, owner: str) -> bool:
        """Whether the revision has a class, though the program may not reach it."""
        return owner in self.reached.owners or self._index.find(owner) is not None


def reached_code(files: SourceFiles, entry: PipelineEntry, trace: Trace, topology: Topology | None) -> JavaCode | None:
    """The code that a pipeline can reach, None where its main class is not there.

    ``trace`` is of its reading, which gave ``topology``.
    """
    index = ClassIndex(files)
    try:
        main = main_class(index, entry)
    except ExtractionError:
        return None
    reached, asked = _reached(listing_of(plain(files)), main, opened_in(topology, trace, main.unit.path))
    if isinstance(files, ConsultedFiles):
        files.consulted.add(asked)
    return JavaCode(_java_classes(reached), index, trace)


@lru_cache(maxsize=16)
def _reached(listing: Listing, main: ClassDecl, opened: Opened) -> tuple[ReachedClasses, Consulted]:
    """The classes with what was asked to find them. Many pipelines ask one after the other, and all would hold much."""
    watched = ConsultedFiles(listing.files)
    return ReachedClasses(watched, main, opened), watched.consulted
