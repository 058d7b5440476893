"""What the declarations of one revision may use of each other, found out once for all programs that reach them."""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property, lru_cache
from typing import NamedTuple

from checker.model.nested import Reached, gathered, reached
from checker.model.program_code import Key, Part, ReachedCode, Role, Statement, method_name, simple_name

_WITH_RECORDS = re.compile(
    r"(?:flatM|m)ap[12]?|flat_map[12]?|filter|process|(?:process|on)(?:Broadcast)?(?:Element|Timer)[12]?"
    r"|process_(?:broadcast_)?element[12]?|on_timer|apply|reduce|add|merge|getResult|get_result|join|coGroup|invoke"
    r"|asyncInvoke|timeout|select|flatSelect|processMatch|write|flush|run|cancel|close|clear|eval|accumulate|retract"
    r"|getValue|get_value|emitValue|emit_value|resetAccumulator|collect|serialize|deserialize|isEndOfStream"
    r"|extractTimestamp|extract_timestamp|onEvent|onPeriodicEmit|toString|__repr__|__str__"
)
"""Methods that Flink calls on functions while records are processed."""
_OF_DATA = frozenset(
    {"Object", "Serializable", "Comparable", "Cloneable", "Record", "Enum", "Exception", "RuntimeException", "object",
     "NamedTuple", "ABC", "Protocol", "Generic", "TypedDict", "BaseModel", "IntEnum", "StrEnum"}
)  # fmt: skip
"""What classes extend whose objects only hold values."""
_WORD = re.compile(r"[A-Za-z_]\w*")


class _Name(NamedTuple):
    """A name that declarations mention: what it may mean is the same for all of them, and looked up once."""

    text: str
    with_subclasses: bool


_Node = Key | _Name


class Uses:
    """What the declarations of one revision may use. What a class is to Flink, the other revision may know."""

    def __init__(self, code: ReachedCode, base: ReachedCode, head: ReachedCode) -> None:
        self.code = code
        self._base = base
        self._head = head
        self._found: dict[_Node, tuple[_Node, ...]] = {}

    def role(self, owner: str) -> Role:
        """What objects of a class are to Flink, by the head or else by the base."""
        role = self._head.role(owner)
        return role if role is not Role.DATA else self._base.role(owner)

    def within(self, starts: Iterable[_Node]) -> Container[object]:
        """Some declarations, and all that these may use."""
        return Reached(starts, self.of)

    def all_within(self, starts: Iterable[_Node]) -> frozenset[Key]:
        """The same, all of them."""
        found: Iterable[_Node] = reached(starts, self.of)
        return frozenset(node for node in found if not isinstance(node, _Name))

    @cached_property
    def state_code(self) -> frozenset[Key]:
        """Declarations that register state, and all that these may use."""
        return self.all_within(key for key, d in self.code.declarations.items() if d.names & self.code.state_names)

    def asks(self, key: Key, statement: Statement) -> bool:
        """Whether a statement asks for state, itself or by a method of its class or of what that extends."""
        near = {simple_name(key[0]), *self.code.ancestors(key[0])}
        called = {k for name in statement.names for k in self.code.by_name.get(name, ()) if simple_name(k[0]) in near}
        asking = (k for k in called if self.code.declarations[k].names & self.code.state_names)
        return statement.touches_state or not all(map(self.with_records, asking))

    @cached_property
    def key_code(self) -> frozenset[Key]:
        """What computes keys: selectors, and all that they and the arguments of calls that choose keys may use."""
        declarations, calls = self.code.declarations, self.code.key_calls
        selectors = [
            k for k, d in declarations.items() if d.part is Part.METHOD and self.role(k[0]) is Role.KEY_SELECTOR
        ]
        calling = [self.code.unfollowed_detail(key) for key, d in declarations.items() if d.names & calls]
        chosen = {n for detail in calling for s in detail.statements for n in (s.names if s.in_key else s.key_names)}
        return self.all_within([*selectors, *(_Name(name, False) for name in chosen & self._meaning - calls)])

    def users(self, used: Iterable[Key]) -> set[Key]:
        """Some declarations, and all that may use these."""
        begun: Iterable[_Node] = reached(used, lambda node: self._users.get(node, ()))
        return {node for node in begun if not isinstance(node, _Name)}

    @cached_property
    def _users(self) -> Mapping[_Node, Sequence[_Node]]:
        nodes: Iterable[_Node] = reached(self.code.declarations, self.of)
        return gathered((used, node) for node in nodes for used in self._found[node])

    def of(self, node: _Node) -> tuple[_Node, ...]:
        """What a declaration mentions, and what a name may mean."""
        found = self._found.get(node)
        if found is None:
            found = self._found[node] = tuple(self._meant(node) if isinstance(node, _Name) else self._mentioned(node))
        return found

    def _meant(self, node: _Name) -> Iterator[Key]:
        yield from self.called(node.text)
        if node.with_subclasses and self.code.named(node.text):
            for owner in self.code.below.get(node.text, ()):
                yield from self.of_class(owner)

    def _mentioned(self, key: Key) -> Iterator[_Node]:
        """The names that a declaration uses, and what only its own class may call by them."""
        declaration = self.code.declarations[key]
        if self.with_records(key):
            mentioned = {name for s in self.code.unfollowed_detail(key).statements if asks(s) for name in s.names}
        else:
            mentioned = {*declaration.names, *(word for text in declaration.strings for word in _WORD.findall(text))}
        names = mentioned & self._meaning
        for name in names:
            yield _Name(name, declaration.part is not Part.HEADER)
        yield from (own for own in self._recorded.get(key[0], ()) if method_name(own) in names)
        yield from self.private_in(declaration.location.file, names)

    def called(self, name: str) -> Iterator[Key]:
        """What a name may mean: members of any class, and what Flink or Java use of a class where it is a class."""
        found = self.code.by_name.get(name, ())
        yield from (k for k in found if not (self.with_records(k) or self.code.declarations[k].private))
        for owner in self.code.named(name):
            yield from self.of_class(owner)

    def private_in(self, file: str, names: AbstractSet[str]) -> Iterator[Key]:
        """The private methods of a file that are called so: code of other files means others by these names."""
        yield from (key for key in self._private.get(file, ()) if method_name(key) in names)

    @cached_property
    def _private(self) -> Mapping[str, Sequence[Key]]:
        return gathered((d.location.file, key) for key, d in self.code.declarations.items() if d.private)

    @cached_property
    def _recorded(self) -> Mapping[str, Sequence[Key]]:
        """By class: its methods that Flink calls with records, which other classes do not call by their names."""
        return gathered((key[0], key) for key in self.code.declarations if self.with_records(key))

    def of_class(self, owner: str) -> Iterator[Key]:
        """What Flink or Java may use of a class where it is mentioned."""
        role = self.role(owner)
        called = role is not Role.DATA or self._extends_library(owner)
        for key in self.code.by_owner.get(owner, ()):
            declaration = self.code.declarations[key]
            if declaration.part is Part.METHOD:
                name = method_name(key)
                uses = key in self.code.deciding or name in ("<init>", "__init__", "open")
                if uses or (called and not declaration.private and not self.with_records(key)):
                    yield key
            elif declaration.part is not Part.FIELD or (role is not Role.FUNCTION and not declaration.static):
                yield key

    def _extends_library(self, owner: str) -> bool:
        """Whether code outside of the repository may call methods that nothing here names."""
        return any(not self.code.named(name) for name in self.code.ancestors(owner) - _OF_DATA)

    def with_records(self, key: Key) -> bool:
        """Whether Flink calls it while records are processed."""
        is_method = self.code.declarations[key].part is Part.METHOD
        return (
            is_method and self.role(key[0]) is Role.FUNCTION and _WITH_RECORDS.fullmatch(method_name(key)) is not None
        )

    @cached_property
    def _meaning(self) -> frozenset[str]:
        """The names that mean anything in this code: those of members and classes."""
        return frozenset(self.code.by_name).union(map(simple_name, self.code.owners))


@lru_cache(maxsize=2)
def uses_in(base: ReachedCode, head: ReachedCode) -> tuple[Uses, Uses]:
    """Those of base and head: the same for every program that reaches this code."""
    return Uses(base, base, head), Uses(head, base, head)


def asks(statement: Statement) -> bool:
    """Whether it registers state, chooses keys or sets serializers."""
    return bool(
        statement.touches_state or statement.registers or statement.key_names or statement.in_key or statement.settings
    )
