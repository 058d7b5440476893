"""The objects that an operator takes along: its functions, what they hold, and the descriptors of Flink's triggers.

Runs in the child process. Values are those at the time when the job is submitted: what Flink serializes.
"""

from collections import deque
from typing import Any

from checker.extract.runtime.capture.jvm import java, user_loader
from checker.extract.runtime.capture.type_shapes import kept_types
from checker.model.declared_state import DESCRIPTORS
from checker.model.nested import Json

MAX_OBJECTS = 2000
"""Objects looked at for one operator; with more its state is said to be unknown."""

_TRIGGERS = "org.apache.flink.streaming.api.windowing.triggers."
_ENTERED = (
    "org.apache.flink.streaming.api.operators.", "org.apache.flink.streaming.runtime.operators.",
    "org.apache.flink.streaming.api.functions.", "org.apache.flink.streaming.api.windowing.",
    "org.apache.flink.api.common.functions.", "org.apache.flink.api.java.functions.", "org.apache.flink.cep.",
    "org.apache.flink.runtime.asyncprocessing.", "java.util.", "scala.", "kotlin.",
)  # fmt: skip
"""Library packages whose objects may hold functions of the user."""
_LIBRARIES = ("org.apache.flink.", "java.", "scala.", "kotlin.")
_FUNCTIONS = frozenset({"Function", "CheckpointedFunction", "ListCheckpointed", "StreamOperator", "Trigger"})
"""Simple names of Flink's types whose methods Flink calls in the running job."""


def described(descriptor: Any) -> Json:
    """A descriptor object: its name and kind, and the types of its serializer, where it has one already."""
    name = descriptor.getName() if hasattr(descriptor, "getName") else descriptor.getStateId()
    types = flink_types(descriptor.getClass())
    kind = next(kind for name, kind in DESCRIPTORS.items() if name in types)
    known = hasattr(descriptor, "isSerializerInitialized") and descriptor.isSerializerInitialized()
    return {"name": str(name), "kind": kind, **(kept_types(kind, descriptor.getSerializer()) if known else {})}


_types: dict[Any, frozenset[str]] = {}


def flink_types(cls: Any) -> frozenset[str]:
    """Simple names of Flink's types that a class is, or is made of."""
    if cls not in _types:
        above = [parent for parent in (cls.getSuperclass(), *cls.getInterfaces()) if parent is not None]
        own = {str(cls.getSimpleName())} if str(cls.getName()).startswith("org.apache.flink.") else set()
        _types[cls] = frozenset(own.union(*map(flink_types, above)))
    return _types[cls]


class Objects:
    """What an operator factory and all that it holds are made of: internal names of classes, and states."""

    def __init__(self, factory: Any) -> None:
        self.functions: dict[str, None] = {}
        """Flink calls methods of these."""
        self.others: dict[str, None] = {}
        """The user's own classes that functions hold objects of."""
        self.lambdas: dict[tuple[str, str, str], None] = {}
        """The methods behind lambdas that are held: class, name and descriptor."""
        self.interfaces: set[str] = set()
        """Simple names of every type above the functions."""
        self.of_triggers: list[Json] = []
        """The states of Flink's own triggers, which ask for them with the first record."""
        self.unreadable: str | None = None
        """Why not everything was seen."""
        self._seen = java("java.util.IdentityHashMap")()
        self._loader = user_loader()
        self._modifier = java("java.lang.reflect.Modifier")
        self._fields: dict[str, list[Any]] = {}
        self._pending: deque[Any] = deque([factory])
        while self._pending:
            self._look_at(self._pending.popleft())
            if self._seen.size() > MAX_OBJECTS:
                self.unreadable = "the function holds more objects than are looked at"
                break

    def _look_at(self, value: Any) -> None:
        if self._seen.containsKey(value):
            return
        self._seen.put(value, True)
        cls = value.getClass()
        name = str(cls.getName())
        if cls.isArray():
            if not cls.getComponentType().isPrimitive():
                self._pending.extend(v for v in list(value)[:MAX_OBJECTS] if v is not None)
            return
        own = cls.getClassLoader() == self._loader
        if not own and not name.startswith(_ENTERED) and not self._runs(cls):
            return
        if "$$Lambda" in name:
            self._lambda(value, cls)
        elif self._runs(cls):
            self._function(name, cls)
        elif own:
            self.others[name.replace(".", "/")] = None
        for field in self._fields_of(cls):
            content = field.get(value)
            if content is not None:
                self._hold(content, by_trigger=name.startswith(_TRIGGERS))

    def _function(self, name: str, cls: Any) -> None:
        supertypes = flink_types(cls)
        foreign = cls.getClassLoader() != self._loader and not name.startswith(_LIBRARIES)
        if foreign or cls.getResource("/" + name.replace(".", "/") + ".class") is None:
            self.unreadable = self.unreadable or "the function's class file can't be read"
            return
        if "StreamOperator" not in supertypes:
            self.interfaces |= supertypes
        self.functions[name.replace(".", "/")] = None

    def _lambda(self, value: Any, cls: Any) -> None:
        """A lambda's own class can't be read; a serializable one names the method that it stands for."""
        for method in cls.getDeclaredMethods():
            if str(method.getName()) == "writeReplace":
                method.setAccessible(True)
                form = method.invoke(value)
                name, signature = str(form.getImplMethodName()), str(form.getImplMethodSignature())
                self.lambdas[str(form.getImplClass()), name, signature] = None
                return
        self.unreadable = self.unreadable or "a lambda that can't be serialized is held"

    def _hold(self, value: Any, *, by_trigger: bool) -> None:
        name = str(value.getClass().getName())
        if not DESCRIPTORS.keys().isdisjoint(flink_types(value.getClass())):
            if by_trigger:
                self.of_triggers.append(described(value))
        elif not name.startswith(("java.lang.", "java.io.", "java.net.", "java.time.")):
            self._pending.append(value)

    def _fields_of(self, cls: Any) -> list[Any]:
        """Every reference that objects of a class hold."""
        key = str(cls.getName())
        if key not in self._fields:
            found = []
            while cls is not None:
                for field in cls.getDeclaredFields():
                    if not field.getType().isPrimitive() and not self._modifier.isStatic(field.getModifiers()):
                        try:
                            field.setAccessible(True)
                        except Exception:  # a module that is not open: Java's own, which holds no function
                            continue
                        found.append(field)
                cls = cls.getSuperclass()
            self._fields[key] = found
        return self._fields[key]

    def _runs(self, cls: Any) -> bool:
        return not flink_types(cls).isdisjoint(_FUNCTIONS)
