"""The methods that a function may run, found by following calls from its class through the user's own code.

Every method of a function is an entry. An overriding method counts where its class is made in code that is reached, or
belongs to an object that the function holds. Libraries are not entered: see ``Classes``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from checker.extract.runtime.bytecode.class_files import BadClassFileError, ClassFile, Method
from checker.extract.runtime.bytecode.symbolic_code import Facts, Invocation, facts_of

MAX_METHODS = 4000
"""Methods followed for one operator; with more its state is said to be unknown."""

MethodId = tuple[str, tuple[str, str]]
"""Internal name of the class, and ``Method.key``."""

_NO_CALLBACKS = frozenset(
    {"java/lang/Object", "java/io/Serializable", "java/lang/Cloneable", "java/lang/Comparable", "java/lang/Enum",
     "java/lang/Record", "scala/Product", "scala/Equals", "scala/App", "scala/DelayedInit", "scala/Serializable"}
)  # fmt: skip
"""Library types whose methods libraries do not call for effect."""


class Classes:
    """Class files by internal name, read once. ``load`` gives None for libraries, which are not followed."""

    def __init__(self, load: Callable[[str], ClassFile | None]) -> None:
        self._load = load
        self._found: dict[str, ClassFile | None] = {}
        self._facts: dict[MethodId, Facts] = {}

    def find(self, name: str) -> ClassFile | None:
        """A class that is followed."""
        if name not in self._found:
            self._found[name] = self._load(name)
        return self._found[name]

    def hierarchy(self, name: str) -> Iterator[ClassFile]:
        """The class, its superclasses, then the interfaces of all of them, as far as they are followed."""
        pending = [name]
        interfaces: list[str] = []
        seen: set[str] = set()
        while pending or interfaces:
            class_file = self.find(current := pending.pop() if pending else interfaces.pop(0))
            if class_file is None or current in seen:
                continue
            seen.add(current)
            yield class_file
            interfaces += class_file.interfaces
            if class_file.parent is not None:
                pending.append(class_file.parent)

    def lookup(self, owner: str, key: tuple[str, str]) -> tuple[ClassFile, Method] | None:
        """The method that a call names, where it has code."""
        for class_file in self.hierarchy(owner):
            method = class_file.methods.get(key)
            if method is not None and method.code:
                return class_file, method
        return None

    def facts(self, owner: ClassFile, method: Method) -> Facts:
        """What a method does. Raises BadClassFileError."""
        identity = owner.name, method.key
        if identity not in self._facts:
            self._facts[identity] = facts_of(owner, method)
        return self._facts[identity]

    def is_a(self, name: str, ancestor: str) -> bool:
        """Whether a class is, extends or implements another, as far as classes are followed."""
        return any(
            ancestor in (class_file.name, class_file.parent) or ancestor in class_file.interfaces
            for class_file in self.hierarchy(name)
        )

    def called_back(self, name: str) -> bool:
        """Whether a class has a library type above it, through which a library may call any method."""
        return any(
            above not in _NO_CALLBACKS and self.find(above) is None
            for ancestor in self.hierarchy(name)
            for above in (ancestor.parent, *ancestor.interfaces)
            if above is not None
        )


@dataclass(frozen=True, slots=True)
class Call:
    """An invocation and the method that makes it."""

    caller: MethodId
    invocation: Invocation


class Reach:
    """All methods that may run when Flink calls any method of ``functions``.

    ``objects`` are the classes of what they hold, ``lambdas`` the methods behind the lambdas among that.
    """

    def __init__(
        self, classes: Classes, functions: Iterable[str], objects: Iterable[str] = (), lambdas: Iterable[MethodId] = ()
    ) -> None:
        self.classes = classes
        self.methods: dict[MethodId, Facts] = {}
        self.calls: list[Call] = []
        self.lambdas: list[Call] = []
        """Methods that become lambdas, with who makes them so."""
        self.callers: dict[MethodId, list[Call]] = {}
        """Followed method → the calls that may run it."""
        self.available: set[str] = set()
        """Classes of which there are objects."""
        self.unreadable: str | None = None
        """Why some code could not be followed."""
        self._virtual: dict[tuple[str, str], list[Call]] = {}
        self._pending: list[tuple[ClassFile, Method]] = []
        for name in functions:
            self._make_available(name, every=True)
        for name in objects:
            self._make_available(name, every=False)
        for name, key in lambdas:
            found = self.classes.lookup(name, key)
            if found is not None:
                self._reach(*found, None)
        self._follow()

    def _follow(self) -> None:
        while self._pending:
            owner, method = self._pending.pop()
            if len(self.methods) > MAX_METHODS:
                self.unreadable = "the function's code is more than is followed"
                return
            identity = owner.name, method.key
            if identity in self.methods:
                continue
            try:
                facts = self.classes.facts(owner, method)
            except BadClassFileError as error:
                self.unreadable = f"its code can't be read: {error}"
                continue
            self.methods[identity] = facts
            self._enter(identity, facts)

    def _enter(self, identity: MethodId, facts: Facts) -> None:
        for name in facts.statics:
            self._initialize(name)
        for made in facts.made:
            self._make_available(made.name, every=False)
        for invocation in facts.lambdas:
            if invocation.reference.name == "<init>":
                self._make_available(invocation.reference.owner, every=False)
            call = Call(identity, invocation)
            self.lambdas.append(call)
            self._call(call)
        for invocation in facts.invocations:
            call = Call(identity, invocation)
            self.calls.append(call)
            self._call(call)

    def _call(self, call: Call) -> None:
        reference = call.invocation.reference
        key = reference.name, reference.descriptor
        found = self.classes.lookup(reference.owner, key)
        if found is not None:
            self._reach(*found, call)
        if call.invocation.virtual:
            self._virtual.setdefault(key, []).append(call)
            for name in list(self.available):
                self._override(name, key, call)

    def _override(self, name: str, key: tuple[str, str], call: Call) -> None:
        owner = call.invocation.reference.owner
        found = self.classes.lookup(name, key)
        if found is not None and self.classes.is_a(name, owner):
            self._reach(*found, call)

    def _reach(self, owner: ClassFile, method: Method, call: Call | None) -> None:
        if call is not None:
            callers = self.callers.setdefault((owner.name, method.key), [])
            if call not in callers:
                callers.append(call)
        self._pending.append((owner, method))

    def _initialize(self, name: str) -> None:
        for class_file in self.classes.hierarchy(name):
            initializer = class_file.methods.get(("<clinit>", "()V"))
            if initializer is not None:
                self._reach(class_file, initializer, None)

    def _make_available(self, name: str, *, every: bool) -> None:
        if name in self.available:
            return
        hierarchy = list(self.classes.hierarchy(name))
        if not hierarchy:
            return
        self.available.add(name)
        self._initialize(name)
        every = every or self.classes.called_back(name)
        for key in {key for ancestor in hierarchy for key in ancestor.methods}:
            found = self.classes.lookup(name, key)
            if found is None or key[0] == "<clinit>":
                continue
            if every and not found[1].static and key[0] != "<init>":
                self._reach(*found, None)
            for call in self._virtual.get(key, ()):
                self._override(name, key, call)
