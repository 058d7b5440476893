"""Reads Java class files: the class, its methods with their code, and the constants that the code refers to.

Format: The Java Virtual Machine Specification, chapter 4. Nothing is executed or loaded.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

_CONSTANT_SIZES = {
    **dict.fromkeys((3, 4, 9, 10, 11, 12, 17, 18), 4),
    **dict.fromkeys((5, 6), 8),
    **dict.fromkeys((7, 8, 16, 19, 20), 2),
    15: 3,
}
"""Bytes behind the tag of each constant; Utf8 (1) carries its length."""
_UTF8, _CLASS, _STRING, _METHOD_HANDLE = 1, 7, 8, 15
_STATIC, _ABSTRACT, _NATIVE = 0x0008, 0x0400, 0x0100
_FIRST_METHOD_HANDLE = 5
"""``REF_invokeVirtual``: smaller kinds of handles are of fields."""


class BadClassFileError(ValueError):
    """The bytes are not a class file that this reader understands."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A method or a field: owner's internal name, own name, descriptor."""

    owner: str
    name: str
    descriptor: str


@dataclass(frozen=True, slots=True)
class Method:
    """One method; ``code`` is empty where it is abstract or native."""

    name: str
    descriptor: str
    static: bool
    code: bytes = b""
    handlers: tuple[int, ...] = ()
    """Where exception handlers begin."""

    @property
    def key(self) -> tuple[str, str]:
        """What an overriding method has in common with it."""
        return self.name, self.descriptor


@dataclass(frozen=True, slots=True, eq=False)
class ClassFile:
    """One class. Names are internal: ``java/lang/String``."""

    name: str
    parent: str | None
    interfaces: tuple[str, ...]
    interface: bool
    methods: dict[tuple[str, str], Method]
    constants: dict[str, str] = field(repr=False)
    """Static field → text, where the class file itself gives it."""
    mentions: frozenset[str] = field(repr=False)
    """Every class that the constant pool names, and every descriptor."""
    pool: ConstantPool = field(repr=False)

    def mentions_package(self, prefix: str) -> bool:
        """Whether any class or descriptor that the code refers to lies in a package."""
        return any(prefix in mention for mention in self.mentions)


@dataclass(slots=True, eq=False)
class ConstantPool:
    """The constants of one class by index."""

    entries: list[tuple[int, bytes]]
    bootstraps: list[tuple[int, ...]] = field(default_factory=list)
    """Arguments of each bootstrap method."""

    def text(self, index: int) -> str:
        """A Utf8 constant."""
        return self.entries[index][1].decode("utf-8", "replace")

    def short(self, index: int, at: int = 0) -> int:
        """Two bytes of a constant as a number."""
        return int(struct.unpack_from(">H", self.entries[index][1], at)[0])

    def class_name(self, index: int) -> str:
        """A Class constant."""
        return self.text(self.short(index))

    def reference(self, index: int) -> Reference:
        """A Fieldref, Methodref or InterfaceMethodref constant."""
        name, descriptor = self.name_and_type(self.short(index, 2))
        return Reference(self.class_name(self.short(index)), name, descriptor)

    def name_and_type(self, index: int) -> tuple[str, str]:
        """A NameAndType constant."""
        return self.text(self.short(index)), self.text(self.short(index, 2))

    def loaded(self, index: int) -> str | None:
        """The text of a String constant, None for any other that ``ldc`` loads."""
        return self.text(self.short(index)) if self.entries[index][0] == _STRING else None

    def loaded_class(self, index: int) -> str | None:
        """The name of a Class constant, None for any other that ``ldc`` loads."""
        return self.class_name(index) if self.entries[index][0] == _CLASS else None

    def call_site(self, index: int) -> tuple[str, str, list[Reference]]:
        """An InvokeDynamic constant: name, descriptor, and the methods that its bootstrap is handed."""
        name, descriptor = self.name_and_type(self.short(index, 2))
        handles = []
        for argument in self.bootstraps[self.short(index)]:
            tag, data = self.entries[argument]
            if tag == _METHOD_HANDLE and data[0] >= _FIRST_METHOD_HANDLE:
                handles.append(self.reference(struct.unpack_from(">H", data, 1)[0]))
        return name, descriptor, handles


def read_class(data: bytes) -> ClassFile:
    """Read one class file. Raises BadClassFileError."""
    try:
        return _read(data)
    except (struct.error, IndexError, KeyError, TypeError, ValueError) as error:
        raise BadClassFileError(f"not a readable class file: {error}") from None


def _read(data: bytes) -> ClassFile:
    if data[:4] != b"\xca\xfe\xba\xbe":
        raise BadClassFileError("no class file")
    pool, at = _pool(data)
    flags, this, parent, count = struct.unpack_from(">HHHH", data, at)
    interfaces = tuple(pool.class_name(i) for i in struct.unpack_from(f">{count}H", data, at + 8))
    fields, at = _members(data, at + 8 + 2 * count)
    methods, at = _members(data, at)
    attributes, _ = _attributes(data, at)
    for name, start, _ in attributes:
        if pool.text(name) == "BootstrapMethods":
            pool.bootstraps.extend(_bootstraps(data, start))
    read = [_method(data, pool, *method) for method in methods]
    return ClassFile(
        name=pool.class_name(this),
        parent=pool.class_name(parent) if parent else None,
        interfaces=interfaces,
        interface=bool(flags & 0x0200),
        methods={method.key: method for method in read},
        constants=_constants(data, pool, fields),
        mentions=frozenset(
            pool.text(pool.short(i, 2 if tag == 12 else 0)) for i, (tag, _) in enumerate(pool.entries) if tag in (7, 12)
        ),
        pool=pool,
    )


def _pool(data: bytes) -> tuple[ConstantPool, int]:
    (count,) = struct.unpack_from(">H", data, 8)
    entries: list[tuple[int, bytes]] = [(0, b"")]
    at = 10
    while len(entries) < count:
        tag = data[at]
        size = 2 + struct.unpack_from(">H", data, at + 1)[0] if tag == _UTF8 else _CONSTANT_SIZES[tag]
        entries.append((tag, data[at + (3 if tag == _UTF8 else 1) : at + 1 + size]))
        if tag in (5, 6):
            entries.append((0, b""))
        at += 1 + size
    return ConstantPool(entries), at


_Member = tuple[int, int, int, list[tuple[int, int, int]]]
"""Flags, name, descriptor, attributes."""


def _members(data: bytes, at: int) -> tuple[list[_Member], int]:
    """A list of fields or methods, and where it ends."""
    members = []
    (count,) = struct.unpack_from(">H", data, at)
    at += 2
    for _ in range(count):
        flags, name, descriptor = struct.unpack_from(">HHH", data, at)
        attributes, at = _attributes(data, at + 6)
        members.append((flags, name, descriptor, attributes))
    return members, at


def _attributes(data: bytes, at: int) -> tuple[list[tuple[int, int, int]], int]:
    """Name, start and length of each attribute, and where the list ends."""
    attributes = []
    (count,) = struct.unpack_from(">H", data, at)
    at += 2
    for _ in range(count):
        name, length = struct.unpack_from(">HI", data, at)
        attributes.append((name, at + 6, length))
        at += 6 + length
    return attributes, at


def _bootstraps(data: bytes, at: int) -> list[tuple[int, ...]]:
    found = []
    (count,) = struct.unpack_from(">H", data, at)
    at += 2
    for _ in range(count):
        (size,) = struct.unpack_from(">H", data, at + 2)
        found.append(struct.unpack_from(f">{size}H", data, at + 4))
        at += 4 + 2 * size
    return found


def _constants(data: bytes, pool: ConstantPool, fields: list[_Member]) -> dict[str, str]:
    found = {}
    for _, name, _, attributes in fields:
        for attribute, start, _ in attributes:
            if pool.text(attribute) == "ConstantValue":
                text = pool.loaded(struct.unpack_from(">H", data, start)[0])
                if text is not None:
                    found[pool.text(name)] = text
    return found


def _method(
    data: bytes, pool: ConstantPool, flags: int, name: int, descriptor: int, attributes: list[tuple[int, int, int]]
) -> Method:
    code, handlers = b"", ()
    for attribute, start, _ in attributes:
        if pool.text(attribute) == "Code" and not flags & (_ABSTRACT | _NATIVE):
            (length,) = struct.unpack_from(">I", data, start + 4)
            end = start + 8 + length
            code = data[start + 8 : end]
            (count,) = struct.unpack_from(">H", data, end)
            handlers = tuple(struct.unpack_from(">H", data, end + 2 + 8 * i + 4)[0] for i in range(count))
    return Method(pool.text(name), pool.text(descriptor), bool(flags & _STATIC), code, handlers)
