"""Whether the functions of an operator may ask for more state while they process records.

Flink's set-up of a job shows what functions ask for when they open, and nothing of what they ask for later. A method
that may run later and hands a state descriptor to anything may ask for more. Which methods may run is found by names,
from those that Flink calls through the user's own code; no value is followed. Runs in the child process.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import cache
from typing import Any

from checker.extract.runtime.capture.class_code import ClassCode, Method, MethodId, class_code, class_file, of_program
from checker.extract.runtime.capture.jvm import java, user_loader

_SET_UP = frozenset({"open", "initializeState", "setRuntimeContext", "setup", "snapshotState"})
"""Methods that have run when the savepoint is there."""
_MAX_METHODS = 4000


def asks_later(classes: tuple[str, ...], lambdas: tuple[MethodId, ...]) -> str | None:
    """Why an operator may have more states than its set-up registers; None where it has not.

    ``classes`` are those of its objects, ``lambdas`` the methods behind lambdas among these.
    """
    packages = {_package(name) for name in (*classes, *(owner for owner, _, _ in lambdas))}
    early, late = _Reach(packages), _Reach(packages)
    for name in classes:
        early.called_back(name, set_up=True)
        late.called_back(name, set_up=False)
    early.follow()
    for method in (*lambdas, *(handle for m in early.entered.values() for handle in m.lambdas)):
        late.call(False, method)
    for name in early.made:
        late.called_back(name, set_up=False)
    late.follow()
    if len(early.entered) > _MAX_METHODS or len(late.entered) > _MAX_METHODS:
        return "its code is more than is followed"
    asking = next((name for name, method in late.entered.items() if method.asks), None)
    raw = next((name for reach in (late, early) for name, m in reach.entered.items() if m.writes_raw), None)
    if asking is not None:
        return f"{_spelled(asking)} may ask for more state while records are processed"
    return None if raw is None else f"{_spelled(raw)} writes state of its own format"


class _Reach:
    """The methods of the user's code that may run, by what is mentioned in those that are known to."""

    def __init__(self, packages: set[str]) -> None:
        self.entered: dict[MethodId, Method] = {}
        self.made: dict[str, None] = {}
        self._packages = packages
        self._known: dict[str, None] = {}
        self._virtual: dict[tuple[str, str], None] = {}
        self._pending: deque[Method] = deque()

    def called_back(self, name: str, *, set_up: bool) -> None:
        """An object of the class exists: Flink or a library may call what overrides a method of theirs."""
        self._know(name)
        offered = _offered(name) if of_program(name) else frozenset()
        for owner, found in self._hierarchy(name):
            for key in found.methods:
                if key[0] in offered and (key[0] in _SET_UP) is set_up:
                    self._enter(owner, found, key)

    def call(self, virtual: bool, method: MethodId) -> None:
        """A method may be called, or one that overrides it."""
        owner, *rest = method
        key = rest[0], rest[1]
        self._know(owner)
        if virtual:
            self._virtual[key] = None
        defining = [(n, class_code(n)) for n in self._known] if virtual else list(self._hierarchy(owner))
        for name, found in defining:
            if key in found.methods:
                self._enter(name, found, key)
                if not virtual:
                    return

    def follow(self) -> None:
        """Enter all that is called, up to a bound."""
        while self._pending and len(self.entered) <= _MAX_METHODS:
            method = self._pending.popleft()
            for handle in method.lambdas:
                self.call(False, handle)
            for virtual, called in method.calls:
                self.call(virtual, called)
            for name in method.made:
                if name not in self.made:
                    self.made[name] = None
                    self.called_back(name, set_up=False)
            for name in method.statics:
                self.call(False, (name, "<clinit>", "()V"))

    def _know(self, name: str) -> None:
        for owner, found in self._hierarchy(name):
            if owner not in self._known:
                self._known[owner] = None
                for key in self._virtual.keys() & found.methods.keys():
                    self._enter(owner, found, key)

    def _enter(self, owner: str, found: ClassCode, key: tuple[str, str]) -> None:
        if (owner, *key) not in self.entered:
            method = self.entered[owner, *key] = found.methods[key]
            self._pending.append(method)

    def _hierarchy(self, name: str) -> Iterator[tuple[str, ClassCode]]:
        """The class and all that is above it, as far as it is the user's own code or knows Flink."""
        pending, seen = [name], set()
        while pending:
            current = pending.pop(0)
            if current in seen or not of_program(current) or not self._near(current):
                continue
            seen.add(current)
            found = class_code(current)
            yield current, found
            pending += found.parents

    def _near(self, name: str) -> bool:
        return _package(name) in self._packages or b"org/apache/flink/" in class_file(name)


def _package(name: str) -> str:
    """The first two parts of a package: what one company's classes have in common."""
    return "/".join(name.split("/")[:-1][:2])


def _spelled(method: MethodId) -> str:
    return f"{method[0].rpartition('/')[2]}.{method[1]}"


@cache
def _offered(name: str) -> frozenset[str]:
    """Names of the methods that libraries know of a class of the user."""
    loader = user_loader()
    pending: list[Any] = [java("java.lang.Class").forName(name.replace("/", "."), False, loader)]
    found: set[str] = set()
    while pending:
        cls = pending.pop()
        class_name = str(cls.getName())
        if class_name == "java.lang.Object":
            continue
        if not of_program(class_name.replace(".", "/")):
            found |= {str(method.getName()) for method in cls.getDeclaredMethods()}
        pending += [parent for parent in (cls.getSuperclass(), *cls.getInterfaces()) if parent is not None]
    return frozenset(found)
