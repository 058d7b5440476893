"""The objects that an operator takes along: its functions, what they hold, and the texts and descriptors in fields.

Runs in the child process. Values are those at the time when the job is submitted: what Flink serializes.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

from checker.extract.runtime.bytecode.value_origins import Held
from checker.extract.runtime.capture.jvm import java
from checker.extract.runtime.capture.private_fields import private
from checker.extract.runtime.capture.type_shapes import type_of
from checker.model.declared_state import DESCRIPTORS

Record = dict[str, Any]

MAX_OBJECTS = 2000
"""Objects looked at for one operator; with more its state is said to be unknown."""

_ENTERED = (
    "org.apache.flink.streaming.api.operators.", "org.apache.flink.streaming.runtime.operators.",
    "org.apache.flink.streaming.api.functions.", "org.apache.flink.streaming.api.windowing.",
    "org.apache.flink.api.common.functions.", "org.apache.flink.api.java.functions.", "org.apache.flink.cep.",
    "org.apache.flink.runtime.asyncprocessing.", "java.util.", "scala.", "kotlin.",
)  # fmt: skip
"""Library packages whose objects may hold functions of the user."""
_FUNCTIONS = frozenset({"Function", "CheckpointedFunction", "ListCheckpointed", "StreamOperator", "Trigger"})
"""Simple names of Flink's types whose methods Flink calls in the running job."""
_WRAPPERS = ("org.apache.flink.streaming.runtime.operators.windowing.functions.",)
"""Functions of Flink that only call those that they hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Objects:
    """Internal names of classes, and values by field."""

    functions: tuple[str, ...]
    """Flink calls any method of these."""
    others: tuple[str, ...]
    """The user's own classes that functions hold objects of."""
    lambdas: tuple[tuple[str, tuple[str, str]], ...]
    """The methods behind lambdas that are held: class, and name with descriptor."""
    interfaces: frozenset[str]
    """Simple names of every type above the functions."""
    contents: Held
    unreadable: str | None
    """Why not everything was seen."""


def objects_of(factory: Any, made_later: Any = None) -> Objects:
    """Look through an operator factory and all that it holds.

    ``made_later`` is the operator's class where there is no operator yet: its fields will hold what the factory's
    fields of the same name hold.
    """
    return _Search(factory, made_later).objects()


def described(descriptor: Any) -> Record:
    """A descriptor object: its name, kind, and types as Flink prints them."""
    name = descriptor.getName() if hasattr(descriptor, "getName") else descriptor.getStateId()
    kind = next(DESCRIPTORS[n] for n in simple_names(descriptor.getClass()) if n in DESCRIPTORS)
    information = private(descriptor, "typeInfo")
    serializer = None
    if information is None and hasattr(descriptor, "isSerializerInitialized") and descriptor.isSerializerInitialized():
        serializer = str(descriptor.getSerializer().getClass().getName())
    ttl = descriptor.getTtlConfig() if hasattr(descriptor, "getTtlConfig") else None
    return {
        "name": str(name),
        "kind": kind,
        "serializer": serializer,
        "ttl": None if ttl is None else bool(ttl.isEnabled()),
        **_types(information, kind),
    }


def _types(information: Any, kind: str) -> Record:
    """The types of what is kept: of a list the element's, of a map the key's and the value's."""
    if information is None:
        return {"key_type": None, "value_type": None, "classes": []}
    simple = str(information.getClass().getSimpleName())
    if kind == "map" and simple == "MapTypeInfo":
        key, of_key = type_of(information.getKeyTypeInfo())
        value, of_value = type_of(information.getValueTypeInfo())
        return {"key_type": key, "value_type": value, "classes": [*of_key, *(c for c in of_value if c not in of_key)]}
    if kind == "list" and simple == "ListTypeInfo":
        information = information.getElementTypeInfo()
    value, classes = type_of(information)
    return {"key_type": None, "value_type": value, "classes": classes}


class _Search:
    def __init__(self, factory: Any, made_later: Any) -> None:
        self._seen = java("java.util.IdentityHashMap")()
        self._loader = java("java.lang.Thread").currentThread().getContextClassLoader()
        self._modifier = java("java.lang.reflect.Modifier")
        self._fields: dict[str, list[tuple[str, str, Any]]] = {}
        self._supertypes: dict[str, frozenset[str]] = {}
        self._functions: dict[str, None] = {}
        self._others: dict[str, None] = {}
        self._interfaces: set[str] = set()
        self._texts: dict[tuple[str, str], set[str]] = {}
        self._descriptors: dict[tuple[str, str], list[Record]] = {}
        self._lambdas: dict[tuple[str, tuple[str, str]], None] = {}
        self._filled: set[tuple[str, str]] = set()
        self._followed: set[tuple[str, str]] = set()
        self._lost: set[tuple[str, str]] = set()
        self._empty: set[tuple[str, str]] = set()
        self._unreadable: str | None = None
        self._pending: deque[Any] = deque([factory])
        self._factory = str(factory.getClass().getName()).replace(".", "/")
        self._made_later = None if made_later is None else str(made_later.getName()).replace(".", "/")

    def objects(self) -> Objects:
        while self._pending:
            self._look_at(self._pending.popleft())
            if self._seen.size() > MAX_OBJECTS:
                self._unreadable = "the function holds more objects than are looked at"
                break
        return Objects(
            functions=tuple(self._functions),
            others=tuple(self._others),
            lambdas=tuple(self._lambdas),
            interfaces=frozenset(self._interfaces),
            contents=Held(
                texts={place: frozenset(texts) for place, texts in self._texts.items()},
                descriptors={place: tuple(found) for place, found in self._descriptors.items()},
                followed=frozenset(self._followed - self._lost),
                empty=frozenset(self._empty - self._filled),
            ),
            unreadable=self._unreadable,
        )

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
        elif self._runs(cls) and not name.startswith(_WRAPPERS):
            self._function(name, cls)
        elif own:
            self._others[name.replace(".", "/")] = None
        for declaring, field_name, field in self._fields_of(cls):
            content = field.get(value)
            places = [(declaring, field_name)]
            if declaring == self._factory and self._made_later is not None:
                places.append((self._made_later, field_name))
            for place in places:
                if content is None:
                    self._empty.add(place)
                else:
                    self._hold(place, content)

    def _function(self, name: str, cls: Any) -> None:
        supertypes = self._all_supertypes(cls)
        if cls.getClassLoader() is not None and cls.getResource("/" + name.replace(".", "/") + ".class") is None:
            self._unreadable = self._unreadable or "the function's class file can't be read"
            return
        if "StreamOperator" not in supertypes:
            self._interfaces |= supertypes
        self._functions[name.replace(".", "/")] = None

    def _lambda(self, value: Any, cls: Any) -> None:
        """A lambda's own class can't be read; a serializable one names the method that it stands for."""
        if self._all_supertypes(cls) & {"RichFunction", "CheckpointedFunction"}:
            self._unreadable = "a lambda is handed the runtime context: its code is not followed"
        form = self._serialized(value, cls)
        if form is not None:
            method = str(form.getImplMethodName()), str(form.getImplMethodSignature())
            self._lambdas[str(form.getImplClass()), method] = None

    def _serialized(self, value: Any, cls: Any) -> Any:
        for method in cls.getDeclaredMethods():
            if str(method.getName()) == "writeReplace":
                method.setAccessible(True)
                return method.invoke(value)
        return None

    def _follows(self, value: Any) -> bool:
        """Whether the code behind an object is read: then a store that it is handed is not lost sight of."""
        cls = value.getClass()
        if "$$Lambda" in str(cls.getName()):
            return self._serialized(value, cls) is not None
        return bool(cls.getClassLoader() == self._loader) or self._runs(cls)

    def _hold(self, place: tuple[str, str], value: Any) -> None:
        self._filled.add(place)
        name = str(value.getClass().getName())
        if name == "java.lang.String":
            self._texts.setdefault(place, set()).add(str(value))
        elif not DESCRIPTORS.keys().isdisjoint(simple_names(value.getClass())):
            self._descriptors.setdefault(place, []).append(described(value))
        elif not name.startswith(("java.lang.", "java.io.", "java.net.", "java.time.")):
            (self._followed if self._follows(value) else self._lost).add(place)
            self._pending.append(value)

    def _fields_of(self, cls: Any) -> list[tuple[str, str, Any]]:
        """Declaring class, name and field of every reference that objects of a class hold."""
        key = str(cls.getName())
        if key not in self._fields:
            found = []
            while cls is not None:
                declaring = str(cls.getName()).replace(".", "/")
                for field in cls.getDeclaredFields():
                    if not field.getType().isPrimitive() and not self._modifier.isStatic(field.getModifiers()):
                        try:
                            field.setAccessible(True)
                        except Exception:  # a module that is not open: Java's own, which holds no function
                            continue
                        found.append((declaring, str(field.getName()), field))
                cls = cls.getSuperclass()
            self._fields[key] = found
        return self._fields[key]

    def _runs(self, cls: Any) -> bool:
        return not self._all_supertypes(cls).isdisjoint(_FUNCTIONS)

    def _all_supertypes(self, cls: Any) -> frozenset[str]:
        """Simple names of Flink's types above a class."""
        name = str(cls.getName())
        if name not in self._supertypes:
            found: set[str] = set()
            pending = [cls]
            while pending:
                class_ = pending.pop()
                if str(class_.getName()).startswith("org.apache.flink."):
                    found.add(str(class_.getSimpleName()))
                parent = class_.getSuperclass()
                pending.extend(class_.getInterfaces())
                if parent is not None:
                    pending.append(parent)
            self._supertypes[name] = frozenset(found)
        return self._supertypes[name]


def simple_names(cls: Any) -> list[str]:
    """A class and its superclasses."""
    names = []
    while cls is not None:
        names.append(str(cls.getSimpleName()))
        cls = cls.getSuperclass()
    return names
